//===- ScheduleKernels.cpp - Loop orders that LLVM vectorizes -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A first schedule for CPUs: no tiling, only the order of the loops. The
// innermost loop is what LLVM's vectorizer sees, so it is chosen by counting
// unit-stride, invariant and strided accesses.
//
//===----------------------------------------------------------------------===//
#include "KernelSignature.h"
#include "LaneSums.h"
#include "PanelLayout.h"
#include "RelaxDialect/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::relax {
#define GEN_PASS_DEF_SCHEDULEKERNELSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Elements between neighbours along dimension `position` of a row-major tensor; nullopt when it depends on a size.
std::optional<int64_t> getStride(ShapedType type, unsigned position) {
  int64_t stride = 1;
  for (int64_t size : type.getShape().drop_front(position + 1)) {
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(stride, size, stride))
      return std::nullopt;
  }
  return stride;
}

/// What one access costs when loop `dim` runs innermost: 0 invariant, 1 unit stride, more when strided.
unsigned getAccessCost(ShapedType type, AffineMap map, unsigned dim) {
  constexpr unsigned kStrided = 16;
  if (getPanelAccess(map, dim))
    return 1;
  if (getInterleaving(type, map, dim))
    return 2; // loaded together
  AffineExpr self = getAffineDimExpr(dim, map.getContext());
  int64_t total = 0;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    // Only d or d + (terms without d) moves by one step of this dimension.
    AffineExpr rest = simplifyAffineExpr(expr - self, map.getNumDims(), 0);
    std::optional<int64_t> stride = getStride(type, position);
    if (rest.isFunctionOfDim(dim) || !stride)
      return kStrided;
    total += *stride;
  }
  return total <= 1 ? total : kStrided;
}

/// The loop to run innermost.
unsigned chooseInnermost(linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  unsigned best = iterators.size() - 1, bestCost = ~0u;
  // From the last to the first: among equals the order as written stays.
  for (unsigned dim = iterators.size(); dim-- > 0;) {
    unsigned cost = 0;
    for (auto [index, map] : llvm::enumerate(op.getIndexingMapsArray())) {
      bool output = static_cast<int64_t>(index) >= op.getNumDpsInputs();
      auto type = dyn_cast<ShapedType>(op->getOperand(index).getType());
      cost += type ? getAccessCost(type, map, dim) * (output ? 2 : 1) : 0;
    }
    // A reduction needs lanes combined at its end and allows no other loop around a register.
    if (iterators[dim] == utils::IteratorType::reduction)
      cost += 3;
    std::optional<int64_t> trips;
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<ShapedType>(operand.get().getType());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [position, expr] : llvm::enumerate(map.getResults()))
        if (expr == getAffineDimExpr(dim, map.getContext()) && type && !type.isDynamicDim(position))
          trips = type.getDimSize(position);
    }
    // A loop shorter than a vector is no use innermost.
    if (trips && *trips < 4)
      cost += 32;
    if (cost < bestCost) {
      best = dim;
      bestCost = cost;
    }
  }
  return best;
}

/// Parallel loops outside, then reductions, then the chosen loop.
LogicalResult orderLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (iterators.size() < 2)
    return success();
  unsigned innermost = chooseInnermost(op);
  SmallVector<unsigned> order;
  for (utils::IteratorType type : {utils::IteratorType::parallel, utils::IteratorType::reduction})
    for (auto [dim, iterator] : llvm::enumerate(iterators))
      if (iterator == type && dim != innermost)
        order.push_back(dim);
  order.push_back(innermost);
  if (llvm::is_sorted(order))
    return success();
  return LogicalResult(linalg::interchangeGenericOp(rewriter, op, order));
}

/// Lets LLVM add up a reduction in vector lanes, and fuse products into additions.
void relaxReductionArithmetic(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  auto add = [&](Operation *operation, arith::FastMathFlags flags) {
    auto fast = cast<arith::ArithFastMathInterface>(operation);
    arith::FastMathFlags old = fast.getFastMathFlagsAttr().getValue();
    operation->setAttr(fast.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op.getContext(), old | flags));
  };
  llvm::SmallPtrSet<Operation *, 16> seen;
  auto contract = [&](auto &self, Value value) -> void {
    Operation *operation = value.getDefiningOp();
    if (!operation || operation->getBlock() != op.getBody() || !seen.insert(operation).second)
      return;
    if (isa<arith::MulFOp, arith::AddFOp, arith::SubFOp>(operation))
      add(operation, arith::FastMathFlags::contract);
    for (Value operand : operation->getOperands())
      self(self, operand);
  };
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    Value accumulator = op.getRegionOutputArgs()[i];
    Operation *combiner = op.getBody()->getTerminator()->getOperand(i).getDefiningOp();
    if (!isa_and_nonnull<arith::AddFOp, arith::MulFOp>(combiner) ||
        !llvm::is_contained(combiner->getOperands(), accumulator))
      continue;
    add(combiner, arith::FastMathFlags::reassoc | arith::FastMathFlags::contract);
    for (Value operand : combiner->getOperands())
      contract(contract, operand);
  }
}

/// True when an earlier linalg op of the block made `value` and `op` is the last to read it, at one place: its memory
/// may be overwritten.
bool isPrivateIntermediate(Value value, Operation *op) {
  if (!isa_and_nonnull<linalg::LinalgOp>(value.getDefiningOp()) ||
      value.getDefiningOp()->getBlock() != op->getBlock() || llvm::count(op->getOperands(), value) != 1)
    return false;
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == op || (user->getBlock() == op->getBlock() && user->isBeforeInBlock(op));
  });
}

/// `ins(%m) outs(%fresh)` becomes `outs(%m)`, where the value of %fresh is not read and both are walked alike.
linalg::GenericOp computeInPlace(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.getNumLoops() != op.getNumParallelLoops() || op.getNumDpsInits() != 1)
    return op;
  OpOperand *init = op.getDpsInitOperand(0);
  BlockArgument initArgument = op.getMatchingBlockArgument(init);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!initArgument.use_empty() || !map.isPermutation())
    return op;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input->get().getType() != init->get().getType() || op.getMatchingIndexingMap(input) != map ||
        !isPrivateIntermediate(input->get(), op))
      continue;
    rewriter.modifyOpInPlace(op, [&] {
      rewriter.replaceAllUsesWith(op.getMatchingBlockArgument(input), initArgument);
      init->set(input->get());
    });
    // The operand is rebuilt without the input, its map and its block argument.
    unsigned number = input->getOperandNumber();
    SmallVector<Value> inputs = op.getDpsInputs();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    inputs.erase(inputs.begin() + number);
    maps.erase(maps.begin() + number);
    rewriter.setInsertionPoint(op);
    auto smaller = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(), maps,
                                             op.getIteratorTypesArray());
    op.getBody()->eraseArgument(number);
    rewriter.inlineRegionBefore(op.getRegion(), smaller.getRegion(), smaller.getRegion().end());
    rewriter.replaceOp(op, smaller.getResults());
    return smaller;
  }
  return op;
}

/// The loops of one step that may go. Without loop `i`, the index `i * 2 + k` of a window is `k`, and the extent of
/// loop `k` would be read off that operand, which may be larger than the window: such loops stay.
SmallVector<unsigned> getDroppableLoops(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineExpr> without;
  for (auto [index, range] : llvm::enumerate(ranges))
    without.push_back(range == 1 ? getAffineConstantExpr(0, op.getContext())
                                 : getAffineDimExpr(index, op.getContext()));
  llvm::SmallBitVector droppable(ranges.size(), true);
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<int64_t> shape = op.getShape(&operand);
    for (auto [expr, extent] : llvm::zip(op.getMatchingIndexingMap(&operand).getResults(), shape)) {
      auto left = dyn_cast<AffineDimExpr>(expr.replaceDims(without));
      if (isa<AffineDimExpr>(expr) || !left || (extent == ranges[left.getPosition()] && ShapedType::isStatic(extent)))
        continue;
      for (unsigned index = 0; index < ranges.size(); ++index)
        if (ranges[index] == 1 && expr.isFunctionOfDim(index))
          droppable.reset(index);
    }
  }
  return llvm::to_vector_of<unsigned>(droppable.set_bits());
}

/// Loops of one step hide unit strides: a reduction is rewritten without them.
FailureOr<linalg::GenericOp> dropUnitLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  // Nothing runs over an extent of 0, and a slice of it has no place to begin.
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (op.getNumReductionLoops() == 0 || !llvm::is_contained(ranges, 1) || llvm::is_contained(ranges, 0))
    return op;
  linalg::ControlDropUnitDims options;
  // A part that is written back is computed in place; a reshaped result would be a buffer of its own.
  options.rankReductionStrategy = linalg::ControlDropUnitDims::RankReductionStrategy::ExtractInsertSlice;
  options.controlFn = [](Operation *op) { return getDroppableLoops(cast<linalg::GenericOp>(op)); };
  FailureOr<linalg::DropUnitDimsResult> dropped = linalg::dropUnitDims(rewriter, op, options);
  if (failed(dropped))
    return op;
  auto smaller = dyn_cast<linalg::GenericOp>(dropped->resultOp.getOperation());
  if (!smaller)
    return failure();
  rewriter.replaceOp(op, dropped->replacements);
  return smaller;
}

struct ScheduleKernelsPass final : relax::impl::ScheduleKernelsPassBase<ScheduleKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!getKernelSignature(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        FailureOr<linalg::GenericOp> generalized = linalg::generalizeNamedOp(rewriter, op);
        if (failed(generalized))
          continue; // an op without scalar form: its own lowering applies
        generic = *generalized;
      }
      if (!generic.hasPureTensorSemantics())
        continue;
      FailureOr<linalg::GenericOp> smaller = dropUnitLoops(rewriter, generic);
      if (failed(smaller)) {
        op->emitOpError("cannot be rewritten without loops of one step");
        return signalPassFailure();
      }
      generic = computeInPlace(rewriter, *smaller);
      relaxReductionArithmetic(generic);
      if (failed(orderLoops(rewriter, generic))) {
        generic.emitOpError("cannot be put in another loop order");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
