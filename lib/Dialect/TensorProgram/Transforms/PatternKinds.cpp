//===- PatternKinds.cpp - What a tensor program computes ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"
#include "LoopStatements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

static PatternKind weakest(PatternKind a, PatternKind b) { return std::max(a, b); }

/// Loops of extent 1 do not count: `(d0, 0)` and `(d0, d1)` are the same where d1 has one value.
static AffineMap dropUnitLoops(AffineMap map, ArrayRef<int64_t> ranges) {
  SmallVector<AffineExpr> values;
  for (unsigned dim = 0; dim != map.getNumDims(); ++dim)
    values.push_back(dim < ranges.size() && ranges[dim] == 1 ? getAffineConstantExpr(0, map.getContext())
                                                             : getAffineDimExpr(dim, map.getContext()));
  return map.replaceDimsAndSymbols(values, {}, map.getNumDims(), 0);
}

/// Results are constants or distinct dimensions, in rising order: the input is broadcast, never transposed.
static bool isBroadcastMap(AffineMap map) {
  int64_t last = -1;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || static_cast<int64_t>(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

/// Every loop of more than one step indexes the input once, so each element is read at most once.
static bool readsOnce(AffineMap map, ArrayRef<int64_t> ranges) {
  llvm::SmallDenseSet<unsigned> seen;
  for (AffineExpr expr : dropUnitLoops(map, ranges).getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !seen.insert(dim.getPosition()).second)
      return false;
  }
  for (auto [dim, range] : llvm::enumerate(ranges))
    if (range != 1 && !seen.contains(dim))
      return false;
  return true;
}

/// How an input is read relative to an output that is written through `output`; all loops are parallel.
static PatternKind classifyRead(AffineMap input, AffineMap output, ArrayRef<int64_t> ranges) {
  if (!output.isPermutation())
    return PatternKind::Injective;
  AffineMap relative = dropUnitLoops(input, ranges);
  if (relative == dropUnitLoops(output, ranges))
    return PatternKind::Elementwise;
  if (readsOnce(input, ranges))
    return PatternKind::Injective;
  return isBroadcastMap(relative.compose(inversePermutation(output))) ? PatternKind::Broadcast : PatternKind::Injective;
}

/// `ranges` are the extents of the loops, dynamic where they are not constants.
static PatternKind classify(ArrayRef<AffineMap> inputs, AffineMap output, ArrayRef<utils::IteratorType> iterators,
                            ArrayRef<int64_t> ranges) {
  if (llvm::is_contained(iterators, utils::IteratorType::reduction)) {
    // A contraction reads several inputs along the reduction, each of them more than once.
    unsigned reused = 0;
    for (AffineMap map : inputs) {
      bool reduces = false, misses = false;
      for (auto [index, kind] : llvm::enumerate(iterators)) {
        bool used = map.isFunctionOfDim(index);
        reduces |= used && kind == utils::IteratorType::reduction;
        misses |= !used && kind == utils::IteratorType::parallel;
      }
      // A convolution slides: its image is read through sums.
      reused += reduces && (misses || !map.isProjectedPermutation(/*allowZeroInResults=*/true));
    }
    return reused >= 2 ? PatternKind::Contraction : PatternKind::Reduction;
  }
  PatternKind kind = output.isPermutation() ? PatternKind::Elementwise : PatternKind::Injective;
  for (AffineMap map : inputs)
    kind = weakest(kind, classifyRead(map, output, ranges));
  return kind;
}

/// Parallel loops may read tensors from outside of the body at places that they compute, under conditions and checks.
/// Indices of loops stand in the body itself, where loops that are merged find them.
static bool isGatherPart(linalg::LinalgOp op, Operation *inner) {
  if (op.getNumReductionLoops() != 0)
    return false;
  if (auto read = dyn_cast<tensor::ExtractOp>(inner))
    return !op->isAncestor(read.getTensor().getParentRegion()->getParentOp());
  return isa<scf::IfOp, AssertOp>(inner);
}

/// Anything else that reads memory or has an effect is not understood.
static bool hasOpaqueBody(linalg::LinalgOp op) {
  bool gathers = isGather(op);
  return op.getBlock()
      ->walk([&](Operation *inner) {
        bool understood = inner->getNumRegions() == 0 && isMemoryEffectFree(inner) &&
                          llvm::none_of(inner->getOperandTypes(), llvm::IsaPred<ShapedType>);
        bool isNested = isa<linalg::IndexOp>(inner) && inner->getBlock() != op.getBlock();
        return (understood && !(gathers && isNested)) || isa<tensor::DimOp>(inner) ||
                       (gathers && isGatherPart(op, inner))
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      })
      .wasInterrupted();
}

bool tp::isGather(Operation *op) {
  return op->walk([](tensor::ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

PatternKind tp::computePatternKind(linalg::LinalgOp op) {
  if (hasOpaqueBody(op))
    return PatternKind::Opaque;
  SmallVector<AffineMap> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    inputs.push_back(op.getMatchingIndexingMap(operand));
  // What is gathered stands at other places.
  PatternKind kind = isGather(op) ? PatternKind::Injective : PatternKind::Elementwise;
  for (OpOperand &init : op.getDpsInitsMutable())
    kind = weakest(
        kind, classify(inputs, op.getMatchingIndexingMap(&init), op.getIteratorTypesArray(), op.getStaticLoopRanges()));
  return kind;
}

static PatternKind classify(Operation &op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return tp::computePatternKind(structured);
  if (isa<YieldOp, tensor::EmptyOp, tensor::DimOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
    return PatternKind::Elementwise;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp, tensor::ExtractSliceOp,
          tensor::InsertSliceOp, tensor::ConcatOp, tensor::CastOp>(op))
    return PatternKind::Injective;
  if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
    return PatternKind::Opaque;
  bool isScalar = llvm::none_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>) &&
                  llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
  return isScalar || OpTrait::hasElementwiseMappableTraits(&op) ? PatternKind::Elementwise : PatternKind::Opaque;
}

static PatternKind classifyBufferForm(ProgramOp program) {
  LoopStatements statements(program);
  if (failed(statements.analyze()))
    return PatternKind::Opaque;
  PatternKind kind = PatternKind::Elementwise;
  for (const auto &nest : statements.getNests())
    for (const LoopStatement &statement : nest.second) {
      auto inputs = llvm::map_to_vector(statement.loads, [](const LoopAccess &load) { return load.map; });
      SmallVector<int64_t> ranges(statement.loops.size(), ShapedType::kDynamic);
      for (auto [dim, expr] : llvm::enumerate(statement.store.map.getResults()))
        ranges[cast<AffineDimExpr>(expr).getPosition()] =
            cast<MemRefType>(statement.store.buffer.getType()).getDimSize(dim);
      kind = weakest(kind, classify(inputs, statement.store.map, statement.iterators, ranges));
    }
  return kind;
}

PatternKind tp::computePatternKind(ProgramOp program) {
  if (program.getNumExtents() != 0)
    return PatternKind::Opaque;
  if (program.isBufferForm())
    return classifyBufferForm(program);
  PatternKind kind = PatternKind::Elementwise;
  for (Operation &op : program.getBody().front())
    kind = weakest(kind, classify(op));
  return kind;
}

//===- One input ----------------------------------------------------------===//

PatternKind tp::computeOperandKind(linalg::LinalgOp op, OpOperand *operand) {
  if (!op.isDpsInput(operand) || hasOpaqueBody(op))
    return PatternKind::Opaque;
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (op.getNumReductionLoops() != 0)
    return readsOnce(map, ranges) ? PatternKind::Reduction : PatternKind::Contraction;
  PatternKind kind = PatternKind::Elementwise;
  for (OpOperand &init : op.getDpsInitsMutable())
    kind = weakest(kind, classifyRead(map, op.getMatchingIndexingMap(&init), ranges));
  return kind;
}

/// With all dimensions and without gaps.
template <typename OpTy> static bool isPlainPart(OpTy op) {
  return op.hasUnitStride() && op.getSourceType().getRank() == op.getType().getRank();
}

/// From a value inside of a program to its yield.
static ArgumentUse computeValueUse(Value value) {
  ArgumentUse result;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isa<tensor::DimOp>(user))
      continue;
    ++result.count;
    if (isa<YieldOp>(user))
      continue;
    // A part that is read, and a part of something larger: elements at other places.
    auto read = dyn_cast<tensor::ExtractSliceOp>(user);
    auto placed = dyn_cast<tensor::InsertSliceOp>(user);
    if ((read && isPlainPart(read)) || (placed && isPlainPart(placed))) {
      if (!placed || placed.getSource() == value)
        result.kind = weakest(result.kind, PatternKind::Injective);
      result.kind = weakest(result.kind, computeValueUse(user->getResult(0)).kind);
      continue;
    }
    auto structured = dyn_cast<linalg::LinalgOp>(user);
    if (!structured) {
      result.kind = PatternKind::Opaque;
      continue;
    }
    result.kind = weakest(result.kind, computeOperandKind(structured, &use));
    for (Value next : structured->getResults())
      result.kind = weakest(result.kind, computeValueUse(next).kind);
  }
  return result;
}

ArgumentUse tp::computeArgumentUse(ProgramOp program, unsigned input) {
  return computeValueUse(program.getBody().getArgument(input));
}

//===- Cost ---------------------------------------------------------------===//

bool tp::isExpensive(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool costs =
            isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
                arith::FloorDivSIOp, arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(inner) ||
            (isa_and_nonnull<math::MathDialect>(inner->getDialect()) &&
             !isa<math::AbsFOp, math::AbsIOp, math::FloorOp, math::CeilOp, math::FmaOp, math::CopySignOp>(inner));
        return costs ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The index of the only input that each index of the result reads; nullopt when loops do more than compute each
/// element from one.
static std::optional<AffineMap> getReading(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumLoops() != op.getNumParallelLoops())
    return std::nullopt;
  OpOperand *input = op.getDpsInputOperand(0);
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!isa<RankedTensorType>(input->get().getType()) || !out.isPermutation())
    return std::nullopt;
  return op.getMatchingIndexingMap(input).compose(inversePermutation(out));
}

std::optional<AffineMap> tp::getMove(linalg::LinalgOp op) {
  std::optional<AffineMap> reading = getReading(op);
  if (!reading ||
      op.getBlock()->getTerminator()->getOperand(0) != op.getMatchingBlockArgument(op.getDpsInputOperand(0)))
    return std::nullopt;
  return reading;
}

bool tp::isWidening(Operation *op) {
  return isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(op) &&
         op->getResult(0).getType().getIntOrFloatBitWidth() > op->getOperand(0).getType().getIntOrFloatBitWidth();
}

std::optional<AffineMap> tp::getWideningMove(linalg::LinalgOp op) {
  std::optional<AffineMap> reading = getReading(op);
  if (!reading)
    return std::nullopt;
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  while (Operation *inner = value.getDefiningOp()) {
    if (inner->getBlock() != op.getBlock() || !isWidening(inner))
      return std::nullopt;
    value = inner->getOperand(0);
  }
  return value == op.getMatchingBlockArgument(op.getDpsInputOperand(0)) ? reading : std::nullopt;
}

/// The operation that computes the only out of a program from its only input.
static linalg::LinalgOp getOnlyOp(ProgramOp program) {
  if (program.isBufferForm() || program.getNumInputs() != 1 || program.getNumOuts() != 1)
    return {};
  auto op = program.getYield().getOperand(0).getDefiningOp<linalg::LinalgOp>();
  bool only = op && op.getNumDpsInputs() == 1 && op.getDpsInputOperand(0)->get() == program.getInputs()[0];
  return only ? op : linalg::LinalgOp();
}

std::optional<AffineMap> tp::getMove(ProgramOp program) {
  linalg::LinalgOp op = getOnlyOp(program);
  return op ? getMove(op) : std::nullopt;
}

std::optional<AffineMap> tp::getWideningMove(ProgramOp program) {
  linalg::LinalgOp op = getOnlyOp(program);
  return op ? getWideningMove(op) : std::nullopt;
}

bool tp::onlyMoves(ProgramOp program) {
  if (program.isBufferForm() || program.getNumExtents() != 0)
    return false;
  for (Operation &op : program.getBody().front().without_terminator()) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    bool isScalar = isPure(&op) && llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
    if (structured ? !getMove(structured)
                   : !isScalar && !isa<tensor::ExtractSliceOp, tensor::EmptyOp, tensor::CastOp>(op))
      return false;
  }
  return true;
}

/// The loop along the last dimension that is not 1, which no other dimension mentions.
static std::optional<unsigned> getRowLoop(AffineMap map, ShapedType type) {
  for (unsigned dim = map.getNumResults(); dim-- > 0;) {
    if (type.getDimSize(dim) == 1)
      continue;
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    return loop ? std::optional(loop.getPosition()) : std::nullopt;
  }
  return std::nullopt;
}

/// Each dimension is that of a loop of its own, one place, or which row of several it is depends on parallel loops
/// (several heads that read one).
static bool movesByRows(linalg::LinalgOp op, AffineMap map, unsigned row) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  llvm::SmallDenseSet<unsigned> seen;
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return seen.insert(dim.getPosition()).second;
    for (auto [loop, iterator] : llvm::enumerate(iterators))
      if (expr.isFunctionOfDim(loop) && (loop == row || iterator != utils::IteratorType::parallel))
        return false;
    return true;
  });
}

bool tp::readsInStep(linalg::LinalgOp contraction, OpOperand *operand, AffineMap map, RankedTensorType source) {
  if (contraction.getNumDpsInits() != 1)
    return false;
  std::optional<unsigned> row = getRowLoop(map, source);
  OpOperand *init = contraction.getDpsInitOperand(0);
  auto initType = dyn_cast<RankedTensorType>(init->get().getType());
  if (!row || !initType || !movesByRows(contraction, map, *row))
    return false;
  if (contraction.getIteratorTypesArray()[*row] == utils::IteratorType::parallel)
    return getRowLoop(contraction.getMatchingIndexingMap(init), initType) == row;
  // Of longer ones a few rows do not fit the first cache, in which such sums are added up.
  constexpr int64_t kLongest = 1024;
  int64_t range = contraction.getStaticLoopRanges()[*row];
  if (ShapedType::isDynamic(range) || range > kLongest)
    return false;
  return llvm::all_of(contraction.getDpsInputOperands(), [&](OpOperand *other) {
    AffineMap otherMap = contraction.getMatchingIndexingMap(other);
    auto type = dyn_cast<RankedTensorType>(other->get().getType());
    return other == operand || !type || !otherMap.isFunctionOfDim(*row) || getRowLoop(otherMap, type) == row;
  });
}

bool tp::isSelection(Operation *op) {
  bool selects = false;
  WalkResult result = op->walk([&](Operation *inner) {
    // A comparison, or what becomes of one.
    selects |= isa<arith::CmpIOp>(inner) || (inner->getNumOperands() == 1 && inner->getNumResults() == 1 &&
                                             inner->getOperand(0).getType().isInteger(1));
    bool allowed = inner == op || inner->hasTrait<OpTrait::ConstantLike>() || inner->getDialect() == op->getDialect() ||
                   isa<arith::CmpIOp, arith::SelectOp, arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp, arith::UIToFPOp,
                       arith::SIToFPOp, arith::IndexCastOp, arith::AddIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
                       linalg::LinalgOp, linalg::IndexOp, linalg::YieldOp, tensor::EmptyOp, tensor::DimOp>(inner);
    return allowed ? WalkResult::advance() : WalkResult::interrupt();
  });
  return selects && !result.wasInterrupted();
}
