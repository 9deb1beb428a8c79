//===- PartitionKernels.cpp - Parts of kernels that run in parallel -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Loops of the operations of a kernel that walk the same dimension of what the
// kernel writes are one class. When every operation has exactly one loop of a
// class, and touches only its own part of everything written, then ranges of
// that loop are independent: the kernel gets the range as two more arguments.
//
//===----------------------------------------------------------------------===//
#include "KernelSignature.h"
#include "PanelLayout.h"
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/KernelRange.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <numeric>

namespace mlir::relax {
#define GEN_PASS_DEF_PARTITIONKERNELSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

/// A buffer seen through views that split and join dimensions, and through parts of it.
struct View {
  Value root;
  /// For each dimension that of the root; -1 when it is 1 everywhere, or counts otherwise.
  SmallVector<int64_t> dims;
};

/// A dimension of a buffer, or a loop of an operation.
using Node = std::pair<void *, int64_t>;

class Partition {
public:
  explicit Partition(func::FuncOp kernel) : kernel(kernel) {}

  /// False when some operation is not understood.
  bool analyze() {
    if (!kernel.getBody().hasOneBlock())
      return false;
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (op.getNumResults() != 0)
          return false;
        ops.push_back(linalgOp);
        for (Value init : linalgOp.getDpsInits())
          written.insert(getView(init).root);
        continue;
      }
      if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::SubViewOp>(op))
        continue;
      // An intermediate of unknown size would be allocated for each part as a whole.
      bool known = isa<memref::AllocaOp, memref::DimOp, memref::GetGlobalOp>(op) || isPure(&op);
      if (!known || isa<ViewLikeOpInterface>(op))
        return false;
    }
    return !ops.empty() && llvm::all_of(ops, [&](linalg::LinalgOp op) { return addOp(op); });
  }

  struct Choice {
    SmallVector<unsigned> loops; // of each operation
    unsigned buffer, dim;        // an argument and its dimension that have the extent
    int64_t unit;                // steps that stay together
  };

  /// The class with the most parts. Unknown extents count as 64, in a product as 4 parts: its columns are as good as
  /// its rows, and are there. Between equals a known extent is better than one that may be 1, and of unknown ones the
  /// last, for a batch is often 1; then the order of the arguments' dimensions decides, so that the result does not
  /// depend on addresses.
  std::optional<Choice> choose() {
    std::optional<Choice> best;
    int64_t bestParts = 1;
    std::tuple<bool, int64_t, int64_t> bestOrder;
    bool isProduct = llvm::any_of(ops, [](linalg::LinalgOp op) {
      return op.getNumReductionLoops() != 0 && op.getNumDpsInputs() > 1 && op.getNumLoops() > 2;
    });
    for (const auto *leader : classes) {
      if (!leader->isLeader())
        continue;
      std::optional<Choice> choice = getChoice(*leader);
      if (!choice)
        continue;
      int64_t extent = cast<MemRefType>(kernel.getArgument(choice->buffer).getType()).getDimSize(choice->dim);
      bool unknown = ShapedType::isDynamic(extent);
      int64_t parts = !unknown    ? llvm::divideCeil(extent, choice->unit)
                      : isProduct ? 4
                                  : std::max<int64_t>(2, 64 / choice->unit);
      std::tuple<bool, int64_t, int64_t> order(unknown, choice->buffer, choice->dim);
      if (unknown)
        order = {unknown, -static_cast<int64_t>(choice->dim), choice->buffer};
      if (parts > bestParts || (best && parts == bestParts && order < bestOrder)) {
        best = choice;
        bestParts = parts;
        bestOrder = order;
      }
    }
    return best;
  }

  /// Restricts all operations to [from, to) of their loop of the class.
  void apply(const Choice &choice, Value first, Value last) {
    OpBuilder builder(kernel.getContext());
    for (auto [op, loop] : llvm::zip(ops, choice.loops)) {
      builder.setInsertionPoint(op);
      Location loc = op.getLoc();
      SmallVector<OpFoldResult> bounds;
      for (Range range : op.createLoopRanges(builder, loc))
        bounds.push_back(range.size);
      Value unit = arith::ConstantIndexOp::create(builder, loc, choice.unit);
      Value extent = getValueOrCreateConstantIndexOp(builder, loc, bounds[loop]);
      // A loop over a part of a buffer may end before the last range begins.
      Value from = arith::MinUIOp::create(builder, loc, arith::MulIOp::create(builder, loc, first, unit), extent);
      Value to = arith::MinUIOp::create(builder, loc, arith::MulIOp::create(builder, loc, last, unit), extent);
      Value size = arith::SubIOp::create(builder, loc, to, from);
      SmallVector<OpFoldResult> sizes(bounds.size(), builder.getIndexAttr(0)), offsets(bounds.size());
      sizes[loop] = size;
      offsets[loop] = from;
      SmallVector<Value> operands = linalg::makeTiledShapes(builder, loc, op, op->getOperands(), {from}, sizes, bounds,
                                                            /*omitPartialTileCheck=*/true);
      for (OpOperand &operand : op->getOpOperands())
        if (std::optional<PanelAccess> access = getPanelAccess(op.getMatchingIndexingMap(&operand), loop))
          operands[operand.getOperandNumber()] = skipPanels(builder, loc, operand.get(), *access, from);
      Operation *part = clone(builder, op, TypeRange(), operands);
      linalg::offsetIndices(builder, cast<linalg::LinalgOp>(part), offsets);
      op.erase();
    }
  }

  /// Steps of all loops of the longest operation: a constant, and pairs of argument and dimension that multiply it.
  SmallVector<int64_t> getWork() {
    linalg::LinalgOp longest = *llvm::max_element(
        ops, [](linalg::LinalgOp a, linalg::LinalgOp b) { return a.getNumLoops() < b.getNumLoops(); });
    SmallVector<int64_t> work = {1};
    for (auto [loop, range] : llvm::enumerate(longest.getStaticLoopRanges())) {
      if (!ShapedType::isDynamic(range)) {
        if (llvm::MulOverflow(work[0], std::max<int64_t>(range, 1), work[0]))
          work[0] = std::numeric_limits<int64_t>::max();
        continue;
      }
      for (OpOperand &operand : longest->getOpOperands()) {
        View view = getView(operand.get());
        auto argument = dyn_cast_or_null<BlockArgument>(view.root);
        std::optional<unsigned> position =
            longest.getMatchingIndexingMap(&operand).getResultPosition(getAffineDimExpr(loop, kernel.getContext()));
        if (!argument || !position || view.dims[*position] < 0)
          continue;
        work.push_back(argument.getArgNumber());
        work.push_back(view.dims[*position]);
        break;
      }
    }
    return work;
  }

private:
  /// Follows views; a null root when one is not understood.
  View getView(Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      return {};
    auto identity = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    Operation *op = value.getDefiningOp();
    auto through = [&](Value source, ArrayRef<ReassociationIndices> groups, bool collapse) -> View {
      View inner = getView(source), result{inner.root, {}};
      auto wide = cast<MemRefType>((collapse ? source : value).getType());
      result.dims.assign(type.getRank(), -1);
      for (auto [narrowDim, group] : llvm::enumerate(groups)) {
        std::optional<int64_t> longDim;
        bool several = false;
        for (int64_t dim : group) {
          if (wide.getDimSize(dim) == 1)
            continue;
          several |= longDim.has_value();
          longDim = dim;
        }
        if (several)
          continue; // neither part counts like the whole
        if (!longDim || !inner.root)
          continue;
        if (collapse)
          result.dims[narrowDim] = inner.dims[*longDim];
        else
          result.dims[*longDim] = inner.dims[narrowDim];
      }
      return result;
    };
    if (auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(op))
      return through(collapse.getSrc(), collapse.getReassociationIndices(), /*collapse=*/true);
    if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(op))
      return through(expand.getSrc(), expand.getReassociationIndices(), /*collapse=*/false);
    if (auto part = dyn_cast_or_null<memref::SubViewOp>(op)) {
      View source = getView(part.getSource()), view{source.root, {}};
      if (!source.root)
        return {};
      // Where it begins with its source, both count alike; it may end earlier. A dropped dimension has no loop, so it
      // is not divided.
      llvm::SmallBitVector dropped = part.getDroppedDims();
      for (auto [dim, offset, stride] : llvm::enumerate(part.getMixedOffsets(), part.getMixedStrides()))
        if (!dropped.test(dim))
          view.dims.push_back(isConstantIntValue(offset, 0) && isConstantIntValue(stride, 1) ? source.dims[dim] : -1);
      return view;
    }
    if (op && !isa<memref::AllocaOp, memref::GetGlobalOp>(op))
      return {};
    return {value, identity};
  }

  /// A buffer in panels without those before column `from`, the first one of a panel.
  static Value skipPanels(OpBuilder &builder, Location loc, Value buffer, PanelAccess access, Value from) {
    AffineExpr column = getAffineDimExpr(0, builder.getContext());
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, buffer);
    SmallVector<OpFoldResult> offsets(sizes.size(), builder.getIndexAttr(0)),
        strides(sizes.size(), builder.getIndexAttr(1));
    offsets[access.position] =
        affine::makeComposedFoldedAffineApply(builder, loc, column.floorDiv(access.width), OpFoldResult(from));
    sizes[access.position] =
        affine::makeComposedFoldedAffineApply(builder, loc, column - getAffineDimExpr(1, builder.getContext()),
                                              {sizes[access.position], offsets[access.position]});
    return memref::SubViewOp::create(builder, loc, buffer, offsets, sizes, strides);
  }

  static void *key(Value value) { return value.getAsOpaquePointer(); }
  static Node loopOf(linalg::LinalgOp op, unsigned loop) { return {op.getOperation(), loop}; }

  /// Bodies may read buffers that the kernel does not write, and report errors.
  bool isBodyUnderstood(linalg::LinalgOp op) {
    WalkResult result = op.getBlock()->walk([&](Operation *inner) {
      if (auto load = dyn_cast<memref::LoadOp>(inner)) {
        Value root = getView(load.getMemRef()).root;
        return !root || written.contains(root) ? WalkResult::interrupt() : WalkResult::advance();
      }
      if (auto store = dyn_cast<memref::StoreOp>(inner))
        return store.getMemRef() == kernel.getArguments().back() ? WalkResult::advance() : WalkResult::interrupt();
      bool structured = inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      return structured || isMemoryEffectFree(inner) ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !result.wasInterrupted();
  }

  bool addOp(linalg::LinalgOp op) {
    if (!isBodyUnderstood(op))
      return false;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      classes.insert(loopOf(op, loop));
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      View view = getView(operand.get());
      if (!view.root)
        return false;
      if (!written.contains(view.root))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [position, expr] : llvm::enumerate(map.getResults())) {
        int64_t dim = view.dims[position];
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (loop && dim >= 0)
          classes.unionSets(loopOf(op, loop.getPosition()), Node(key(view.root), dim));
        else
          // Whoever moves along these loops touches several places of this dimension.
          for (unsigned other = 0; other < op.getNumLoops(); ++other)
            if (expr.isFunctionOfDim(other))
              refused.push_back(loopOf(op, other));
      }
    }
    return true;
  }

  std::optional<Choice> getChoice(const llvm::EquivalenceClasses<Node>::ECValue &leader) {
    llvm::DenseSet<Node> members;
    for (auto member = classes.member_begin(leader); member != classes.member_end(); ++member)
      members.insert(*member);
    if (llvm::any_of(refused, [&](Node node) { return members.contains(node); }))
      return std::nullopt;

    Choice choice;
    for (linalg::LinalgOp op : ops) {
      SmallVector<unsigned> loops;
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (members.contains(loopOf(op, loop)))
          loops.push_back(loop);
      if (loops.size() != 1 || op.getIteratorTypesArray()[loops[0]] != utils::IteratorType::parallel)
        return std::nullopt;
      choice.loops.push_back(loops[0]);
      for (OpOperand &operand : op->getOpOperands()) {
        View view = getView(operand.get());
        if (!view.root || !written.contains(view.root))
          continue;
        unsigned touched = llvm::count_if(op.getMatchingIndexingMap(&operand).getResults(),
                                          [&](AffineExpr expr) { return expr.isFunctionOfDim(loops[0]); });
        if (touched != 1)
          return std::nullopt;
      }
    }
    // Its extent, from the first argument that has it.
    std::optional<std::pair<unsigned, int64_t>> place;
    for (BlockArgument argument : kernel.getArguments().drop_back())
      if (auto type = dyn_cast<MemRefType>(argument.getType()))
        for (int64_t dim = 0; dim < type.getRank() && !place; ++dim)
          if (members.contains(Node(key(argument), dim)))
            place = {argument.getArgNumber(), dim};
    if (!place)
      return std::nullopt;
    choice.buffer = place->first;
    choice.dim = place->second;
    choice.unit = getUnit(choice.loops);
    return choice;
  }

  /// Parts are whole tiles, and runs of contiguous elements are not cut into pieces shorter than a few cache lines.
  int64_t getUnit(ArrayRef<unsigned> loops) {
    auto getResultMap = [](linalg::LinalgOp op) { return op.getMatchingIndexingMap(op.getDpsInitOperand(0)); };
    // What has fewer dimensions, a sum for each row, says nothing about how far its rows are apart.
    unsigned rank = 0;
    for (linalg::LinalgOp op : ops)
      rank = std::max(rank, getResultMap(op).getNumResults());
    // A reduction for each element is work enough for few of them.
    bool reduces = llvm::any_of(ops, [](linalg::LinalgOp op) {
      return op.getNumParallelLoops() != 0 && op.getIteratorTypesArray().back() == utils::IteratorType::reduction;
    });
    int64_t unit = 1;
    for (auto [op, loop] : llvm::zip(ops, loops)) {
      AffineMap map = getResultMap(op);
      if (rank > 0 && map.getNumResults() == rank &&
          map.getResults().back() == getAffineDimExpr(loop, kernel.getContext()))
        unit = std::max<int64_t>(unit, reduces ? kSumsPerPart : kColumnsPerPart);
      if (op.getNumReductionLoops() != 0 && op.getNumLoops() > 2)
        unit = std::max<int64_t>(unit, kRowsPerPart);
    }
    for (auto [op, loop] : llvm::zip(ops, loops))
      for (AffineMap map : op.getIndexingMapsArray())
        for (AffineExpr expr : map.getResults())
          if (expr.isFunctionOfDim(loop))
            unit = std::lcm(unit, getPeriod(expr));
    return unit;
  }

  /// Divisors that an index is divided by: a part that begins at a multiple of them finds the same quotients, counted
  /// from its begin, and the same remainders. In panels of columns these are their width.
  static int64_t getPeriod(AffineExpr expr) {
    int64_t period = 1;
    expr.walk([&](AffineExpr inner) {
      auto kind = inner.getKind();
      if (kind != AffineExprKind::FloorDiv && kind != AffineExprKind::CeilDiv && kind != AffineExprKind::Mod)
        return;
      auto divisor = dyn_cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(inner).getRHS());
      period = std::lcm(period, divisor ? divisor.getValue() : 1);
    });
    return period;
  }

  static constexpr int64_t kColumnsPerPart = 96, kSumsPerPart = 16, kRowsPerPart = 4;

  func::FuncOp kernel;
  SmallVector<linalg::LinalgOp> ops;
  llvm::DenseSet<Value> written;
  llvm::EquivalenceClasses<Node> classes;
  SmallVector<Node> refused;
};

/// A kernel that is one scf.forall: any of its dimensions can be divided.
class RowPartition {
public:
  explicit RowPartition(func::FuncOp kernel) : kernel(kernel) {}

  /// False when there is another operation that does something.
  bool analyze() {
    if (!kernel.getBody().hasOneBlock())
      return false;
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (auto found = dyn_cast<scf::ForallOp>(op)) {
        if (rows)
          return false;
        rows = found;
      } else if (!isa<memref::AllocaOp, memref::DimOp, memref::GetGlobalOp>(op) && !isPure(&op)) {
        return false;
      }
    }
    return rows && rows.isNormalized() && rows.getNumResults() == 0;
  }

  struct Choice {
    unsigned loop, buffer, dim;
  };

  /// The loop with the most steps; an unknown number counts as 64, and of several the last, for a batch is often 1.
  /// Some argument shows the number.
  std::optional<Choice> choose() {
    std::optional<Choice> best;
    int64_t bestSteps = 1;
    for (auto [loop, bound] : llvm::enumerate(rows.getMixedUpperBound())) {
      std::optional<std::pair<unsigned, unsigned>> place = findExtent(bound);
      int64_t steps = getConstantIntValue(bound).value_or(64);
      if (!place || steps < bestSteps || steps == 1)
        continue;
      best = Choice{static_cast<unsigned>(loop), place->first, place->second};
      bestSteps = steps;
    }
    return best;
  }

  void apply(const Choice &choice, Value first, Value last) {
    IRRewriter rewriter(rows);
    Location loc = rows.getLoc();
    SmallVector<OpFoldResult> from = rows.getMixedLowerBound(), to = rows.getMixedUpperBound();
    Value extent = getValueOrCreateConstantIndexOp(rewriter, loc, to[choice.loop]);
    from[choice.loop] = arith::MinUIOp::create(rewriter, loc, first, extent).getResult();
    to[choice.loop] = arith::MinUIOp::create(rewriter, loc, last, extent).getResult();
    auto part = scf::ForallOp::create(rewriter, loc, from, to, rows.getMixedStep(), ValueRange(), std::nullopt);
    rewriter.eraseOp(part.getTerminator());
    rewriter.inlineBlockBefore(rows.getBody(), part.getBody(), part.getBody()->end(),
                               part.getBody()->getArguments().take_front(rows.getRank()));
    rewriter.eraseOp(rows);
  }

  /// A step of each operation for each element of the longest argument.
  SmallVector<int64_t> getWork() {
    int64_t ops = 0;
    rows.walk([&](linalg::LinalgOp) { ++ops; });
    SmallVector<int64_t> work = {std::max<int64_t>(ops, 1)};
    unsigned longest = 0;
    auto getRank = [&](unsigned index) {
      auto type = dyn_cast<MemRefType>(kernel.getArgument(index).getType());
      return type ? type.getRank() : -1;
    };
    for (unsigned index = 0, e = kernel.getNumArguments() - 1; index < e; ++index)
      if (getRank(index) > getRank(longest))
        longest = index;
    auto type = dyn_cast<MemRefType>(kernel.getArgument(longest).getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (type.isDynamicDim(dim))
        work.append({longest, dim});
      else if (llvm::MulOverflow(work[0], std::max<int64_t>(type.getDimSize(dim), 1), work[0]))
        work[0] = std::numeric_limits<int64_t>::max();
    }
    return work;
  }

private:
  /// An argument and its dimension with this extent.
  std::optional<std::pair<unsigned, unsigned>> findExtent(OpFoldResult bound) {
    if (auto dim = dyn_cast_if_present<Value>(bound)) {
      auto op = dim.getDefiningOp<memref::DimOp>();
      auto argument = op ? dyn_cast<BlockArgument>(op.getSource()) : BlockArgument();
      std::optional<int64_t> index = op ? op.getConstantIndex() : std::nullopt;
      if (!argument || !index || argument.getOwner() != &kernel.getBody().front())
        return std::nullopt;
      return std::make_pair(argument.getArgNumber(), static_cast<unsigned>(*index));
    }
    for (BlockArgument argument : kernel.getArguments().drop_back())
      if (auto type = dyn_cast<MemRefType>(argument.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (type.getDimSize(dim) == getConstantIntValue(bound))
            return std::make_pair(argument.getArgNumber(), static_cast<unsigned>(dim));
    return std::nullopt;
  }

  func::FuncOp kernel;
  scf::ForallOp rows;
};

struct PartitionKernelsPass final : relax::impl::PartitionKernelsPassBase<PartitionKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    std::optional<KernelSignature> signature = getKernelSignature(kernel);
    if (!signature || signature->numExtents != 0 || kernel->hasAttr(tp::kRangeAttrName))
      return;
    RowPartition rows(kernel);
    if (rows.analyze()) {
      if (std::optional<RowPartition::Choice> choice = rows.choose()) {
        addRange(kernel, *signature, choice->buffer, choice->dim, /*unit=*/1, rows.getWork());
        rows.apply(*choice, kernel.getArgument(signature->getErrorIndex()),
                   kernel.getArgument(signature->getErrorIndex() + 1));
      }
      return;
    }
    Partition partition(kernel);
    if (!partition.analyze())
      return;
    std::optional<Partition::Choice> choice = partition.choose();
    if (!choice)
      return;
    addRange(kernel, *signature, choice->buffer, choice->dim, choice->unit, partition.getWork());
    partition.apply(*choice, kernel.getArgument(signature->getErrorIndex()),
                    kernel.getArgument(signature->getErrorIndex() + 1));
  }

  /// The range goes in front of the error word, as scalars.
  void addRange(func::FuncOp kernel, const KernelSignature &signature, unsigned buffer, unsigned dim, int64_t unit,
                ArrayRef<int64_t> work) {
    Builder builder(&getContext());
    kernel->setAttr(tp::kRangeAttrName, builder.getDictionaryAttr({
                                            builder.getNamedAttr("buffer", builder.getI64IntegerAttr(buffer)),
                                            builder.getNamedAttr("dim", builder.getI64IntegerAttr(dim)),
                                            builder.getNamedAttr("unit", builder.getI64IntegerAttr(unit)),
                                            builder.getNamedAttr("work", builder.getDenseI64ArrayAttr(work)),
                                        }));
    for (int i = 0; i < 2; ++i)
      (void)kernel.insertArgument(signature.getErrorIndex() + i, builder.getIndexType(), {}, kernel.getLoc());
  }
};

} // namespace
