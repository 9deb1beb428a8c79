//===- DecomposeManipulation.cpp - Moving elements ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// The shape is computed by tensors, where canonicalization finds what is known of it.
static SmallVector<Value> decomposeDynamicReshape(DynamicReshapeOp op, Composer &c) {
  Value x = op.getOperand(), target = c.cast(op.getTarget(), c.getI64());
  int64_t entries = op.getTarget().getType().getDimSize(0), rank = op.getOperand().getType().getRank();
  Value extents = c.make<ShapeToTensorOp>(RankedTensorType::get({rank}, c.getI64()), c.shape(c.dims(x)));
  Value zero = c.integer(0), one = c.integer(1), minusOne = c.integer(-1);
  Value isFree = c.make<EqualOp>(target, minusOne);
  int64_t all = 0;
  Value given = c.make<WhereOp>(isFree, one, target), left = c.make<ProdOp>(extents, all);
  if (!op.getAllowZero()) {
    // Copied extents stand on both sides. Behind the operand's last dimension there is nothing to copy: an error.
    Value isCopied = c.make<EqualOp>(target, zero), front = extents, copied = extents;
    if (rank > entries)
      front = copied = c.slice(extents, 0, c.expr(0), c.expr(entries));
    if (rank < entries) {
      SmallVector<int64_t> ones(entries - rank, 1), nothing(entries - rank, -2);
      front = c.make<ConcatOp>(ValueRange{extents, c.integers(ones)}, all);
      copied = c.make<ConcatOp>(ValueRange{extents, c.integers(nothing)}, all);
    }
    left = c.make<ProdOp>(c.make<WhereOp>(isCopied, one, front), all);
    if (rank > entries)
      left = c.mul(left, c.make<ProdOp>(c.slice(extents, 0, c.expr(entries), c.expr(rank)), all));
    given = c.make<WhereOp>(isCopied, one, given);
    target = c.make<WhereOp>(isCopied, copied, target);
  }
  given = c.make<ProdOp>(given, all);
  Value rest = c.div(left, c.make<MaximumOp>(given, one));
  // Two entries cannot both be what is left over, and beside a 0 one could be anything.
  Value count = c.make<SumOp>(c.cast(isFree, c.getI64()), all);
  Value isDefined = c.make<LogicalAndOp>(c.make<LessEqualOp>(count, one), c.make<NotEqualOp>(given, zero));
  rest = c.make<WhereOp>(isDefined, rest, minusOne);
  Value shape = c.bindShape(c.make<WhereOp>(isFree, rest, target), op.getBindsAttr());
  return {c.make<ReshapeOp>(x, shape)};
}

/// The mask's dimensions become one, then the positions of its elements are taken.
static SmallVector<Value> decomposeCompress(CompressOp op, Composer &c) {
  SmallVector<SymExpr> dims = c.dims(op.getOperand()), maskDims = c.dims(op.getMask());
  int64_t axis = op.getAxis();
  SymExpr size = getNumElements(c.getContext(), maskDims);
  Value x = op.getOperand(), mask = op.getMask();
  if (maskDims.size() != 1) {
    SmallVector<SymExpr> flat(ArrayRef<SymExpr>(dims).take_front(axis));
    flat.push_back(size);
    llvm::append_range(flat, ArrayRef<SymExpr>(dims).drop_front(axis + maskDims.size()));
    x = c.reshape(x, flat);
    mask = c.reshape(mask, size);
  }
  Value positions = c.make<NonzeroOp>(mask, op.getBindsAttr());
  return {c.make<TakeOp>(x, c.squeeze(positions, 0), axis)};
}

static SmallVector<Value> decomposeSplit(SplitOp op, Composer &c) {
  int64_t axis = op.getAxis();
  SymExpr extent = c.dims(op.getOperand())[axis];
  SmallVector<Value> parts;
  if (std::optional<ArrayAttr> sizes = op.getSizes()) {
    SymExpr start = c.expr(0);
    for (SymExpr size : getExprs(*sizes)) {
      parts.push_back(c.slice(op.getOperand(), axis, start, start + size));
      start = start + size;
    }
    return parts;
  }
  int64_t sections = *op.getSections();
  SymExpr count = c.expr(sections);
  SymExpr size = op.getUneven() ? SymExpr::ceildiv(extent, count) : SymExpr::floordiv(extent, count);
  auto bound = [&](int64_t index) { return op.getUneven() ? SymExpr::min({size * index, extent}) : size * index; };
  for (int64_t index = 0; index != sections; ++index)
    parts.push_back(c.slice(op.getOperand(), axis, bound(index), bound(index + 1)));
  return parts;
}

/// Each repeated dimension gets one of its own, in front of it, which is broadcast.
static SmallVector<Value> decomposeTile(TileOp op, Composer &c) {
  SmallVector<SymExpr> split, wide, result;
  for (auto [extent, count] : llvm::zip_equal(c.dims(op.getOperand()), getExprs(op.getRepeats()))) {
    if (count != c.expr(1)) {
      split.push_back(c.expr(1));
      wide.push_back(count);
    }
    split.push_back(extent);
    wide.push_back(extent);
    result.push_back(extent * count);
  }
  return {c.reshape(c.broadcast(c.reshape(op.getOperand(), split), wide), result)};
}

/// The same behind the dimension.
static SmallVector<Value> decomposeRepeat(RepeatOp op, Composer &c) {
  SmallVector<SymExpr> wide = c.dims(op.getOperand()), result(wide);
  int64_t axis = op.getAxis();
  SymExpr count = op.getRepeats().getValue();
  wide.insert(wide.begin() + axis + 1, count);
  result[axis] = result[axis] * count;
  return {c.reshape(c.broadcast(c.expandDims(op.getOperand(), axis + 1), wide), result)};
}

static SmallVector<Value> decomposeStack(StackOp op, Composer &c) {
  int64_t axis = op.getAxis();
  SmallVector<Value> parts =
      llvm::map_to_vector(op.getOperands(), [&](Value operand) { return c.expandDims(operand, axis); });
  return {c.make<ConcatOp>(parts, axis)};
}

static SmallVector<Value> decomposeFlip(FlipOp op, Composer &c) {
  Value x = op.getOperand();
  for (int64_t axis : op.getAxes())
    x = c.slice(x, axis, c.dims(x)[axis] - 1, c.expr(-1), -1);
  return {x};
}

static SmallVector<Value> decomposeRoll(RollOp op, Composer &c) {
  Value x = op.getOperand();
  for (auto [axis, shift] : llvm::zip_equal(op.getAxes(), getExprs(op.getShifts()))) {
    SymExpr extent = c.dims(x)[axis], period = SymExpr::max({extent, c.expr(1)});
    // The last `moved` elements come first; none of an empty axis, as a rest of 1 is 0.
    SymExpr moved = SymExpr::mod(shift, period), kept = extent - moved;
    Value front = c.slice(x, axis, kept, extent), back = c.slice(x, axis, c.expr(0), kept);
    x = c.make<ConcatOp>(ValueRange{front, back}, axis);
  }
  return {x};
}

/// Where `column - row` compares with the diagonal, in the last two dimensions.
template <typename OpTy, typename CompareOp> static SmallVector<Value> decomposeTriangle(OpTy op, Composer &c) {
  SmallVector<SymExpr> dims = c.dims(op.getOperand());
  ArrayRef<SymExpr> matrix = ArrayRef<SymExpr>(dims).take_back(2);
  Value row = c.iota(matrix, 0, c.getI64()), column = c.iota(matrix, 1, c.getI64());
  Value stays = c.make<CompareOp>(c.make<SubtractOp>(column, row), c.integer(op.getDiagonal()));
  return {c.make<WhereOp>(stays, op.getOperand(), c.scalar(0, c.elementType(op.getOperand())))};
}

void graph::populateManipulationDecompositionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DecomposeWith<DynamicReshapeOp>>(context, decomposeDynamicReshape);
  patterns.add<DecomposeWith<CompressOp>>(context, decomposeCompress);
  patterns.add<DecomposeWith<SplitOp>>(context, decomposeSplit);
  patterns.add<DecomposeWith<TileOp>>(context, decomposeTile);
  patterns.add<DecomposeWith<RepeatOp>>(context, decomposeRepeat);
  patterns.add<DecomposeWith<StackOp>>(context, decomposeStack);
  patterns.add<DecomposeWith<FlipOp>>(context, decomposeFlip);
  patterns.add<DecomposeWith<RollOp>>(context, decomposeRoll);
  patterns.add<DecomposeWith<TrilOp>>(context, decomposeTriangle<TrilOp, LessEqualOp>);
  patterns.add<DecomposeWith<TriuOp>>(context, decomposeTriangle<TriuOp, GreaterEqualOp>);
}
