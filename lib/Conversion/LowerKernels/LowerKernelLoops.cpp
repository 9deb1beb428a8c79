//===- LowerKernelLoops.cpp - linalg on buffers to loops ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Loops run in the order that relax-schedule-kernels chose. A contraction of small
// integers that share factors adds up integers first (DotSums.h). Another one with
// rows enough gets tiles in vector registers (RegisterTiles.h), one whose
// innermost loop is a reduction of known length adds up in vector lanes
// (LaneSums.h). In other ones, steps of a reduction loop and of a parallel loop
// outside of the innermost one are jammed: the innermost loop then adds several
// products to several rows of the result for one load and store of each.
//
//===----------------------------------------------------------------------===//
#include "DotSums.h"
#include "KernelSignature.h"
#include "LaneSums.h"
#include "RegisterTiles.h"
#include "RelaxDialect/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::relax {
#define GEN_PASS_DEF_LOWERKERNELLOOPSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Steps that are done together: 4 of the reduction for 2 rows keep 8 factors and 2 sums in 16 vector registers.
constexpr int64_t kReductionSteps = 4, kRowSteps = 2;
/// Steps of a sum that few rows better add up in lanes than make in tiles from a transposed copy: 8 rows stay in the
/// first cache. Tiles of so many rows repay the copy.
constexpr int64_t kLaneSteps = 1024, kCopyTiles = 8;

/// The tile would need a transposed copy of blocks of what lies contiguously along the innermost loop, a short
/// reduction.
bool needsTransposedCopy(linalg::GenericOp op, const RegisterTile &tile) {
  if (!tile.packed || tile.inPanels)
    return false;
  OpOperand &packed = op->getOpOperand(*tile.packed);
  unsigned innermost = op.getNumLoops() - 1;
  AffineMap map = op.getMatchingIndexingMap(&packed);
  return !isUnitStride(packed.get(), map, tile.column) && isUnitStride(packed.get(), map, innermost) &&
         op.getStaticLoopRanges()[innermost] <= kLaneSteps;
}

/// How many steps of each loop are jammed, 1 for most.
SmallVector<int64_t> chooseSteps(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> steps(iterators.size(), 1);
  if (iterators.size() < 2 || op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      iterators.back() != utils::IteratorType::parallel)
    return steps;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto isLong = [&](unsigned loop, int64_t step) {
    return ShapedType::isDynamic(ranges[loop]) || ranges[loop] >= step;
  };

  // The longest reduction; unknown counts as long.
  std::optional<unsigned> reduction;
  for (auto [loop, iterator] : llvm::enumerate(iterators))
    if (iterator == utils::IteratorType::reduction && isLong(loop, kReductionSteps) &&
        (!reduction || ShapedType::isDynamic(ranges[loop]) ||
         (!ShapedType::isDynamic(ranges[*reduction]) && ranges[loop] >= ranges[*reduction])))
      reduction = loop;
  if (!reduction)
    return steps;
  steps[*reduction] = kReductionSteps;

  // A row loop: some input does not depend on it and is loaded once for all rows. The distance of two rows of the
  // result must be a constant, otherwise LLVM guards each innermost loop against overlap.
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap outMap = op.getMatchingIndexingMap(init);
  auto outType = dyn_cast<MemRefType>(init->get().getType());
  for (int64_t loop = *reduction; outType && loop-- > 0;) {
    if (iterators[loop] != utils::IteratorType::parallel || !isLong(loop, kRowSteps))
      continue;
    std::optional<unsigned> position = outMap.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    bool constant = position && llvm::none_of(outType.getShape().drop_front(*position + 1), ShapedType::isDynamic);
    bool shared = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      return !op.getMatchingIndexingMap(input).isFunctionOfDim(loop) &&
             op.getMatchingIndexingMap(input).isFunctionOfDim(iterators.size() - 1);
    });
    if (constant && shared) {
      steps[loop] = kRowSteps;
      break;
    }
  }
  return steps;
}

/// Emits one nest. A loop with more than one step runs in two parts, the second one step by step.
class NestEmitter {
public:
  NestEmitter(OpBuilder &builder, linalg::GenericOp op, ValueRange extents)
      : builder(builder), op(op), loc(op.getLoc()), steps(chooseSteps(op)), extents(extents) {}

  void emit() { emitLoop(0); }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  void emitLoop(unsigned loop) {
    if (loop == extents.size())
      return emitBodies(0, {});
    int64_t step = steps[loop];
    if (step == 1)
      return emitRange(loop, constant(0), extents[loop], 1);
    // extent - extent mod step: the extent is not negative.
    Value rest = arith::RemUIOp::create(builder, loc, extents[loop], constant(step));
    Value main = builder.createOrFold<arith::SubIOp>(loc, extents[loop], rest);
    emitRange(loop, constant(0), main, step);
    emitRange(loop, main, extents[loop], 1);
  }

  void emitRange(unsigned loop, Value from, Value to, int64_t step) {
    auto range = scf::ForOp::create(builder, loc, from, to, constant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(range.getBody());
    SmallVector<Value> together = {range.getInductionVar()};
    for (int64_t i = 1; i < step; ++i)
      together.push_back(arith::AddIOp::create(builder, loc, range.getInductionVar(), constant(i)));
    indices.push_back(together);
    emitLoop(loop + 1);
    indices.pop_back();
  }

  /// One body for each combination of steps.
  void emitBodies(unsigned loop, ArrayRef<Value> chosen) {
    if (loop == indices.size())
      return emitBody(chosen);
    for (Value index : indices[loop]) {
      SmallVector<Value> more(chosen);
      more.push_back(index);
      emitBodies(loop + 1, more);
    }
  }

  void emitBody(ArrayRef<Value> loops) {
    IRMapping mapping;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (isa<MemRefType>(value.getType())) {
        if (argument.use_empty())
          continue;
        value = memref::LoadOp::create(builder, loc, value, getAccessIndices(builder, op, operand, loops));
      }
      mapping.map(argument, value);
    }
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), loops[index.getDim()]);
      else if (!emitExtreme<arith::MaximumFOp, LLVM::MaximumOp>(inner, mapping) &&
               !emitExtreme<arith::MinimumFOp, LLVM::MinimumOp>(inner, mapping))
        builder.clone(inner, mapping);
    }
    for (auto [position, result] : llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
      OpOperand *init = op.getDpsInitOperand(position);
      memref::StoreOp::create(builder, loc, mapping.lookupOrDefault(result), init->get(),
                              getAccessIndices(builder, op, *init, loops));
    }
  }

  /// The extreme of a row is an intrinsic, of which LLVM knows that any order gives the same: comparisons and
  /// selections that wait for each other have none of its vectors.
  template <typename OpTy, typename IntrinsicTy> bool emitExtreme(Operation &inner, IRMapping &mapping) {
    auto extreme = dyn_cast<OpTy>(inner);
    if (!extreme || !isa<Float32Type, Float64Type>(extreme.getType()) ||
        op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
      return false;
    auto isCombined = [&](Value operand) {
      return llvm::is_contained(op.getRegionOutputArgs(), operand) && operand.hasOneUse();
    };
    if (!isCombined(extreme.getLhs()) && !isCombined(extreme.getRhs()))
      return false;
    mapping.map(extreme.getResult(), IntrinsicTy::create(builder, loc, mapping.lookupOrDefault(extreme.getLhs()),
                                                         mapping.lookupOrDefault(extreme.getRhs()))
                                         .getResult());
    return true;
  }

  OpBuilder &builder;
  linalg::GenericOp op;
  Location loc;
  SmallVector<int64_t> steps;
  SmallVector<Value> extents;
  SmallVector<SmallVector<Value>> indices;
};

struct LowerKernelLoopsPass final : relax::impl::LowerKernelLoopsPassBase<LowerKernelLoopsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!getKernelSignature(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForallOp> rows;
    getOperation().walk([&](scf::ForallOp loops) { rows.push_back(loops); });
    for (scf::ForallOp loops : rows)
      if (failed(scf::forallToForLoop(rewriter, loops))) {
        loops.emitOpError("cannot be lowered to loops");
        return signalPassFailure();
      }
    std::optional<DotProducts> parsed = parseDotProducts(dots);
    if (!parsed) {
      getOperation().emitError("there are no products '") << dots << "', expected plain, avx2, vnni or avx512";
      return signalPassFailure();
    }
    dotProducts = *parsed;
    DenseMap<Type, Value> scratches;
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      bool simple = op->getNumResults() == 0 && isa<linalg::GenericOp>(op.getOperation());
      if (simple)
        lowerGeneric(rewriter, cast<linalg::GenericOp>(op.getOperation()), scratches);
      else if (failed(linalg::linalgOpToLoops(rewriter, op))) {
        op->emitOpError("cannot be lowered to loops");
        return signalPassFailure();
      }
      rewriter.eraseOp(op);
    }
  }

  void lowerGeneric(RewriterBase &rewriter, linalg::GenericOp op, DenseMap<Type, Value> &scratches) {
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes;
    for (Range range : cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc))
      sizes.push_back(range.size);
    SmallVector<Value> extents = getValueOrCreateConstantIndexOp(rewriter, loc, sizes);
    if (std::optional<DotSum> dot = chooseDotSum(op))
      return emitDotSum(rewriter, op, *dot, extents, dotProducts);
    std::optional<RegisterTile> tile = chooseRegisterTile(op, vectorBits);
    std::optional<LaneSum> sum;
    if (!tile || needsTransposedCopy(op, *tile))
      sum = chooseLaneSum(op, vectorBits);
    if (!tile && sum)
      return emitLaneSum(rewriter, op, *sum, extents);
    if (!tile)
      return NestEmitter(rewriter, op, extents).emit();

    if (tile->inPanels)
      return emitRegisterTiles(rewriter, op, *tile, extents, Value());
    // A few rows do not repay the copy: their sums stay in memory or lanes, and what they are multiplied with is read
    // once.
    Value rows = getRowExtent(rewriter, loc, tile->rowLoops, extents);
    auto emitTiles = [&](OpBuilder &builder) { emitManyRows(builder, op, *tile, extents, rows, scratches); };
    auto emitSums = [&](OpBuilder &builder) {
      if (sum)
        return emitLaneSum(builder, op, *sum, extents);
      NestEmitter(builder, op, extents).emit();
    };
    emitByRows(rewriter, loc, rows, tile->rows * (sum ? kCopyTiles : 1), emitTiles, emitSums);
  }

  /// `many` for at least `least` rows, else `few`.
  static void emitByRows(OpBuilder &builder, Location loc, Value rows, int64_t least,
                         function_ref<void(OpBuilder &)> many, function_ref<void(OpBuilder &)> few) {
    Value limit = arith::ConstantIndexOp::create(builder, loc, least);
    Value enough = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, rows, limit);
    if (matchPattern(enough, m_One()))
      return many(builder);
    if (matchPattern(enough, m_Zero()))
      return few(builder);
    auto branch = scf::IfOp::create(builder, loc, enough, /*withElseRegion=*/true);
    OpBuilder manyBuilder = branch.getThenBodyBuilder(), fewBuilder = branch.getElseBodyBuilder();
    many(manyBuilder);
    few(fewBuilder);
  }

  /// At least a tile of rows: a copy of what they share pays when several tiles read it, or when it is not contiguous.
  void emitManyRows(OpBuilder &builder, linalg::GenericOp op, const RegisterTile &tile, ValueRange extents, Value rows,
                    DenseMap<Type, Value> &scratches) {
    auto emitInPlace = [&](OpBuilder &inner) { emitRegisterTiles(inner, op, tile, extents, Value()); };
    if (!tile.packed)
      return emitInPlace(builder);
    auto emitCopied = [&](OpBuilder &inner) {
      auto type = MemRefType::get({tile.packedElements}, getPackedValue(op, tile).getType());
      Value &scratch = scratches[type];
      if (!scratch) {
        OpBuilder entry = OpBuilder::atBlockBegin(&getOperation().getBody().front());
        scratch = memref::AllocaOp::create(entry, op.getLoc(), type, entry.getI64IntegerAttr(64));
      }
      emitRegisterTiles(inner, op, tile, extents, scratch);
    };
    OpOperand &packed = op->getOpOperand(*tile.packed);
    if (!isUnitStride(packed.get(), op.getMatchingIndexingMap(&packed), tile.column))
      return emitCopied(builder);
    emitByRows(builder, op.getLoc(), rows, tile.rows + 1, emitCopied, emitInPlace);
  }

  DotProducts dotProducts = DotProducts::Plain;
};

} // namespace
