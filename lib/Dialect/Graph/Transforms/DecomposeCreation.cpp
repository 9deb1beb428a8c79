//===- DecomposeCreation.cpp - Making tensors -----------------------------===//
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

/// Number of elements of an arange, as i64 of rank 0. Negative, which is refused later, where the step is 0 and where
/// the bounds are so far apart that their distance leaves 64 bits.
static Value countElements(Composer &c, Value start, Value stop, Value step) {
  Type type = c.elementType(start), i64 = c.getI64();
  Value zero = c.integer(0), one = c.integer(1);
  Value isZero = c.make<EqualOp>(step, c.scalar(0, type)), count;
  if (isa<FloatType>(type)) {
    Type f64 = c.rewriter.getF64Type();
    Value distance = c.make<SubtractOp>(c.cast(stop, f64), c.cast(start, f64));
    count = c.cast(c.make<CeilOp>(c.make<DivideOp>(distance, c.cast(step, f64))), i64);
  } else {
    // Rounded up: toward zero after adding all but one of the step.
    Value wide = c.cast(step, i64), distance = c.make<SubtractOp>(c.cast(stop, i64), c.cast(start, i64));
    Value almost = c.make<SubtractOp>(wide, c.make<SignOp>(wide));
    Value divisor = c.make<WhereOp>(isZero, one, wide);
    Value sum = c.add(distance, almost);
    count = c.make<MaximumOp>(c.div(sum, divisor), zero);
    if (type.isInteger(64)) {
      // What is subtracted, or added, moves the other operand to its side. Sizes prove it: nothing of this is left
      // then.
      auto greater = [&](Value a, Value b) { return c.less(b, a); };
      Value start64 = c.cast(start, i64), stop64 = c.cast(stop, i64);
      Value isFar = c.select(c.less(start64, zero), c.less(distance, stop64), greater(distance, stop64));
      Value isFarther = c.select(c.less(wide, zero), greater(sum, distance), c.less(sum, distance));
      count = c.select(isFar, c.integer(-1), c.select(isFarther, c.integer(-1), count));
    }
    return c.select(isZero, c.integer(-1), count);
  }
  count = c.make<MaximumOp>(count, zero);
  return c.make<WhereOp>(isZero, c.integer(-1), count);
}

static SmallVector<Value> decomposeArange(ArangeOp op, Composer &c) {
  Type type = op.getType().getElementType(), wide = type.isF16() || type.isBF16() ? c.rewriter.getF32Type() : type;
  Value count = countElements(c, op.getStart(), op.getStop(), op.getStep());
  Value shape = c.bindShape(c.expandDims(count, 0), op.getBindsAttr());
  Value index = c.make<IotaOp>(shape, 0, wide);
  Value moved = c.make<MultiplyOp>(index, c.cast(op.getStep(), wide));
  return {c.cast(c.make<AddOp>(c.cast(op.getStart(), wide), moved), type)};
}

static SmallVector<Value> decomposeEye(EyeOp op, Composer &c) {
  SmallVector<SymExpr> dims = c.dims(op.getShape());
  Value row = c.iota(dims, 0, c.getI64()), column = c.iota(dims, 1, c.getI64());
  Value isOn = c.make<EqualOp>(c.make<SubtractOp>(column, row), c.integer(op.getDiagonal()));
  return {c.cast(isOn, op.getDtype())};
}

static SmallVector<Value> decomposeFullLike(FullLikeOp op, Composer &c) {
  return {c.make<FullOp>(c.shape(c.dims(op.getOperand())), op.getValue())};
}

static SmallVector<Value> decomposeOneHot(OneHotOp op, Composer &c) {
  SmallVector<SymExpr> dims = c.dims(op.getIndices());
  int64_t axis = op.getAxis();
  dims.insert(dims.begin() + axis, c.dims(op.getDepth()).front());
  // The classes lie along the axis; the other dimensions are broadcast.
  SmallVector<SymExpr> line(dims.size(), c.expr(1));
  line[axis] = dims[axis];
  Value classes = c.iota(line, axis, c.elementType(op.getIndices()));
  Value isHot = c.make<EqualOp>(c.broadcast(c.expandDims(op.getIndices(), axis), dims), c.broadcast(classes, dims));
  return {c.make<WhereOp>(isHot, op.getOn(), op.getOff())};
}

/// The way of Box and Muller.
static SmallVector<Value> decomposeRandomNormal(RandomNormalOp op, Composer &c) {
  Type type = op.getDtype(), wide = type.isF16() || type.isBF16() ? c.rewriter.getF32Type() : type;
  int64_t seed = op.getSeed();
  Value a = c.make<RandomUniformOp>(op.getShape(), seed, wide);
  Value b = c.make<RandomUniformOp>(op.getShape(), ~seed, wide);
  // 1 - a is not 0.
  Value logarithm = c.make<LogOp>(c.make<SubtractOp>(c.scalar(1, wide), a));
  Value radius = c.make<SqrtOp>(c.make<MultiplyOp>(c.scalar(-2, wide), logarithm));
  Value angle = c.make<CosOp>(c.make<MultiplyOp>(c.scalar(2 * 3.14159265358979323846, wide), b));
  return {c.cast(c.make<MultiplyOp>(radius, angle), type)};
}

void graph::populateCreationDecompositionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DecomposeWith<ArangeOp>>(context, decomposeArange);
  patterns.add<DecomposeWith<EyeOp>>(context, decomposeEye);
  patterns.add<DecomposeWith<FullLikeOp>>(context, decomposeFullLike);
  patterns.add<DecomposeWith<OneHotOp>>(context, decomposeOneHot);
  patterns.add<DecomposeWith<RandomNormalOp>>(context, decomposeRandomNormal);
}
