//===- TileRows.cpp - Several operations, one row at a time ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A softmax is five operations. Each alone walks the whole tensor; together they
// can finish one row before the next, so that a row stays in the cache, and what
// is between them needs memory for one row only. Loops of the operations that
// walk the same dimension of what the kernel computes are one class; a class in
// which each operation has one parallel loop counts rows.
//
//===----------------------------------------------------------------------===//
#include "KernelSignature.h"
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/LoopClasses.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::relax {
#define GEN_PASS_DEF_TILEROWSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

class RowTiler {
public:
  RowTiler(func::FuncOp kernel, int64_t rowBytes) : block(kernel.getBody().front()), rowBytes(rowBytes) {}

  /// False when the kernel stays as it is.
  bool analyze() {
    for (Operation &op : block.without_terminator()) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (!classes.add(linalgOp, isComputed) || !llvm::all_of(linalgOp.getDpsInits(), isFresh))
          return false;
      } else if (auto stored = dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
        stores.push_back(stored);
      } else if (!isa<bufferization::ToTensorOp, memref::DimOp>(op) && !tp::isAuxiliary(op)) {
        return false;
      }
    }
    ops.assign(classes.getOps().begin(), classes.getOps().end());
    auto isFill = llvm::IsaPred<linalg::FillOp>;
    if (stores.empty() || ops.size() - llvm::count_if(ops, isFill) < 2)
      return false;
    for (bufferization::MaterializeInDestinationOp store : stores)
      if (!store.getSource().getDefiningOp<linalg::LinalgOp>())
        return false;
    // Fewer dimensions leave more to the loops of a row.
    for (chooseRows(); !rowOrder.empty(); rowOrder.pop_back())
      if (haveRows() && llvm::all_of(ops, [&](linalg::LinalgOp op) { return isRowContiguous(op); }) && isRowSmall())
        return true;
    return false;
  }

  void apply(RewriterBase &rewriter);

private:
  using Node = tp::LoopClasses::Node;
  static bool isComputed(Value value) { return isa_and_nonnull<linalg::LinalgOp>(value.getDefiningOp()); }
  static bool isFresh(Value value) { return isa_and_nonnull<linalg::LinalgOp, tensor::EmptyOp>(value.getDefiningOp()); }
  bool isRow(Node node) const {
    return llvm::any_of(rowOrder, [&](Node row) { return classes.isSame(row, node); });
  }

  void chooseRows();
  bool haveRows() const;
  bool isRowContiguous(linalg::LinalgOp op) const;
  bool isRowSmall() const;
  SmallVector<OpFoldResult> getTileSizes(OpBuilder &builder, Value tensor) const;

  Block &block;
  const int64_t rowBytes;
  tp::LoopClasses classes;
  SmallVector<linalg::LinalgOp> ops;
  SmallVector<bufferization::MaterializeInDestinationOp> stores;
  SmallVector<Node> rowOrder; // dimensions of the first result, one of each chosen class
};

} // namespace

/// The leading dimensions of the first result that count rows; those of extent 1 count nothing.
void RowTiler::chooseRows() {
  Value first = stores.front().getSource();
  auto type = cast<RankedTensorType>(first.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (type.getDimSize(dim) == 1)
      continue;
    Node row = tp::LoopClasses::dimOf(first, dim);
    if (!classes.isDivisible(row))
      return;
    rowOrder.push_back(row);
  }
}

/// Every result has these dimensions, in the same order.
bool RowTiler::haveRows() const {
  return llvm::all_of(stores, [&](bufferization::MaterializeInDestinationOp store) {
    const auto *next = rowOrder.begin();
    for (int64_t dim = 0, rank = cast<ShapedType>(store.getSource().getType()).getRank(); dim < rank; ++dim)
      if (next != rowOrder.end() && classes.isSame(*next, tp::LoopClasses::dimOf(store.getSource(), dim)))
        ++next;
    return next == rowOrder.end();
  });
}

/// No operand is walked across its rows: where rows and other loops both move it, rows come first. And what a reduction
/// reads is one row, whose elements are neighbours, or a factor for each of them: what several rows share, like the
/// weights of a product, is better read for all of them at once.
bool RowTiler::isRowContiguous(linalg::LinalgOp op) const {
  if (tp::computePatternKind(op) == tp::PatternKind::Contraction)
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::is_contained(ranges, 0)) // a row of nothing has no place to begin
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    bool row = false, other = false, last = false, parallel = false;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      bool byRow = false, byOther = false;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (expr.isFunctionOfDim(loop) && ranges[loop] != 1) {
          (isRow(tp::LoopClasses::loopOf(op, loop)) ? byRow : byOther) = true;
          parallel |= op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
        }
      if (byRow && other)
        return false;
      row |= byRow;
      other |= byOther;
      if (byRow || byOther)
        last = byOther && !byRow;
    }
    if (op.getNumReductionLoops() != 0 && op.isDpsInput(&operand) && isa<ShapedType>(operand.get().getType()) &&
        (parallel && (!row || !last)))
      return false;
  }
  return true;
}

/// What lies between the operations fits on the stack, or is overwritten on the way to a result: its last reader walks
/// it as it computes.
bool RowTiler::isRowSmall() const {
  int64_t bytes = 0;
  for (linalg::LinalgOp op : ops) {
    for (OpResult result : op->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      if (llvm::any_of(stores, [&](auto store) { return store.getSource() == result; }))
        continue;
      int64_t size = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      bool known = true;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (isRow(tp::LoopClasses::dimOf(result, dim)) || type.getDimSize(dim) == 1)
          continue;
        known &= !type.isDynamicDim(dim) && !llvm::MulOverflow(size, type.getDimSize(dim), size);
      }
      if (known) {
        if (llvm::AddOverflow(bytes, size, bytes))
          return false;
        continue;
      }
      linalg::LinalgOp last;
      for (Operation *user : result.getUsers())
        if (auto reader = dyn_cast<linalg::LinalgOp>(user); reader && (!last || last->isBeforeInBlock(reader)))
          last = reader;
      if (!last || last.getNumDpsInits() != 1 || last->getResultTypes()[0] != type)
        return false;
      AffineMap map = last.getMatchingIndexingMap(last.getDpsInitOperand(0));
      bool alike = llvm::any_of(last->getOpOperands(), [&](OpOperand &operand) {
        return operand.get() == result && last.getMatchingIndexingMap(&operand) == map;
      });
      if (!alike)
        return false;
    }
  }
  return bytes <= rowBytes;
}

/// One row, and all of the other dimensions.
SmallVector<OpFoldResult> RowTiler::getTileSizes(OpBuilder &builder, Value tensor) const {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, tensor.getLoc(), tensor);
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (isRow(tp::LoopClasses::dimOf(tensor, dim)))
      size = builder.getIndexAttr(1);
  return sizes;
}

void RowTiler::apply(RewriterBase &rewriter) {
  Operation *place = ops.back().getOperation();
  for (bufferization::MaterializeInDestinationOp store : stores)
    if (store->isBeforeInBlock(place))
      store->moveAfter(place);
  rewriter.setInsertionPointAfter(place);
  Location loc = place->getLoc();

  // Results are computed in their destinations.
  SmallVector<Value> destinations;
  for (bufferization::MaterializeInDestinationOp store : stores) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, store.getSource());
    Type element = getElementTypeOrSelf(store.getSource());
    destinations.push_back(tensor::EmptyOp::create(rewriter, loc, sizes, element));
  }
  SmallVector<OpFoldResult> extents;
  for (Node row : rowOrder)
    extents.push_back(tensor::getMixedSize(rewriter, loc, stores.front().getSource(), row.second));
  auto loops = scf::ForallOp::create(rewriter, loc, extents, destinations, /*mapping=*/std::nullopt);
  rewriter.setInsertionPointToStart(loops.getBody());

  IRMapping tiles;
  auto getStore = [&](Value value) {
    return llvm::find_if(stores, [&](auto store) { return store.getSource() == value; });
  };
  auto getOffsets = [&](Value tensor) {
    SmallVector<OpFoldResult> offsets(cast<ShapedType>(tensor.getType()).getRank(), rewriter.getIndexAttr(0));
    for (auto [dim, offset] : llvm::enumerate(offsets))
      for (auto [row, index] : llvm::zip_equal(rowOrder, loops.getInductionVars()))
        if (classes.isSame(row, tp::LoopClasses::dimOf(tensor, dim)))
          offset = index;
    return offsets;
  };
  for (linalg::LinalgOp op : ops) {
    SmallVector<OpFoldResult> bounds, indices, sizes(op.getNumLoops(), rewriter.getIndexAttr(0)),
        offsets(op.getNumLoops());
    for (Range range : op.createLoopRanges(rewriter, op.getLoc()))
      bounds.push_back(range.size);
    for (auto [row, index] : llvm::zip_equal(rowOrder, loops.getInductionVars())) {
      unsigned loop = *classes.getLoop(op, row);
      sizes[loop] = rewriter.getIndexAttr(1);
      offsets[loop] = index;
    }
    for (OpFoldResult offset : offsets)
      if (offset)
        indices.push_back(offset);
    SmallVector<Value> operands = linalg::makeTiledShapes(rewriter, op.getLoc(), op, op->getOperands(), indices, sizes,
                                                          bounds, /*omitPartialTileCheck=*/true);
    SmallVector<Type> types;
    for (OpOperand &operand : op->getOpOperands()) {
      Value &tile = operands[operand.getOperandNumber()];
      if (Value known = tiles.lookupOrNull(operand.get())) {
        tile = known;
      } else if (op.isDpsInit(&operand)) {
        // What is written starts anew; a result's place in the destination is found again by bufferization.
        Value result = op.getTiedOpResult(&operand);
        SmallVector<OpFoldResult> tileSizes = getTileSizes(rewriter, operand.get());
        auto *store = getStore(result);
        if (store != stores.end()) {
          Value out = loops.getRegionIterArgs()[store - stores.begin()];
          SmallVector<OpFoldResult> strides(tileSizes.size(), rewriter.getIndexAttr(1));
          tile = tensor::ExtractSliceOp::create(rewriter, op.getLoc(), out, getOffsets(result), tileSizes, strides);
        } else {
          tile =
              tensor::EmptyOp::create(rewriter, op.getLoc(), tileSizes, getElementTypeOrSelf(operand.get().getType()));
        }
      }
      if (op.isDpsInit(&operand))
        types.push_back(tile.getType());
    }
    Operation *tiled = clone(rewriter, op, types, operands);
    linalg::offsetIndices(rewriter, cast<linalg::LinalgOp>(tiled), offsets);
    tiles.map(op->getResults(), tiled->getResults());
  }

  rewriter.setInsertionPointToStart(loops.getTerminator().getBody());
  for (auto [store, out] : llvm::zip_equal(stores, loops.getRegionIterArgs())) {
    Value tile = tiles.lookup(store.getSource());
    rewriter.setInsertionPoint(loops.getTerminator());
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, tile),
                              offsets = getOffsets(store.getSource());
    SmallVector<OpFoldResult> strides(sizes.size(), rewriter.getIndexAttr(1));
    rewriter.setInsertionPointToEnd(loops.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(rewriter, loc, tile, out, offsets, sizes, strides);
  }
  for (auto [store, result] : llvm::zip_equal(stores, loops.getResults()))
    store.getSourceMutable().set(result);
}

/// Extents of what is no longer computed are those of what it was computed from; the rest is dead.
static void simplify(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet patterns(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  auto config = GreedyRewriteConfig().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(kernel, std::move(patterns), config);
}

namespace {
struct TileRowsPass final : relax::impl::TileRowsPassBase<TileRowsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    std::optional<KernelSignature> signature = getKernelSignature(kernel);
    if (!signature || signature->numExtents != 0 || !kernel.getBody().hasOneBlock())
      return;
    RowTiler tiler(kernel, rowBytes);
    if (!tiler.analyze())
      return;
    IRRewriter rewriter(&getContext());
    tiler.apply(rewriter);
    simplify(kernel);
  }
};
} // namespace
