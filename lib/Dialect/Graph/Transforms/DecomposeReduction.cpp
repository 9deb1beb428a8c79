//===- DecomposeReduction.cpp - Reductions of more than one step ----------===//
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

static SmallVector<Value> decomposeVariance(VarianceOp op, Composer &c) {
  Value x = c.widen(op.getOperand());
  Type type = c.elementType(x);
  ArrayRef<int64_t> axes = op.getAxes();
  Value mean = c.make<MeanOp>(x, axes, /*keepdims=*/true);
  Value distance = c.make<SubtractOp>(x, c.broadcast(mean, c.dims(x)));
  Value squares = c.make<MultiplyOp>(distance, distance);
  if (op.getCorrection() == 0)
    return {c.cast(c.make<MeanOp>(squares, axes, op.getKeepdims()), op.getType().getElementType())};
  // The number of elements as a tensor: no expression says what dividing by 0 gives.
  Value extents =
      c.make<ShapeToTensorOp>(RankedTensorType::get({static_cast<int64_t>(axes.size())}, c.getI64()),
                              c.shape(llvm::map_to_vector(axes, [&](int64_t axis) { return c.dims(x)[axis]; })));
  Value count = c.cast(c.make<ProdOp>(extents, 0), type);
  // No fewer than none: of too few elements the variance is NaN.
  Value left = c.make<SubtractOp>(count, c.cast(c.integer(op.getCorrection()), type));
  Value divisor = c.make<MaximumOp>(left, c.scalar(0, type));
  Value sum = c.make<SumOp>(squares, axes, op.getKeepdims());
  return {c.cast(c.make<DivideOp>(sum, divisor), op.getType().getElementType())};
}

/// The largest element is taken out, unless it is not finite.
static SmallVector<Value> decomposeLogSumExp(LogSumExpOp op, Composer &c) {
  Value x = c.widen(op.getOperand());
  ArrayRef<int64_t> axes = op.getAxes();
  Value largest = c.make<MaxOp>(x, axes, /*keepdims=*/true);
  Value zero = c.scalar(0, c.elementType(x));
  largest = c.make<WhereOp>(c.make<IsInfOp>(largest), zero, largest);
  Value exp = c.make<ExpOp>(c.make<SubtractOp>(x, c.broadcast(largest, c.dims(x))));
  Value sum = c.make<LogOp>(c.make<SumOp>(exp, axes, op.getKeepdims()));
  if (!op.getKeepdims())
    largest = c.squeeze(largest, axes);
  return {c.cast(c.make<AddOp>(sum, largest), op.getType().getElementType())};
}

static SmallVector<Value> decomposeNormL1(NormL1Op op, Composer &c) {
  return {c.make<SumOp>(c.make<AbsOp>(op.getOperand()), op.getAxes(), op.getKeepdims())};
}

static SmallVector<Value> decomposeNormL2(NormL2Op op, Composer &c) {
  Value x = c.widen(op.getOperand());
  Value sum = c.make<SumOp>(c.make<MultiplyOp>(x, x), op.getAxes(), op.getKeepdims());
  return {c.cast(c.make<SqrtOp>(sum), op.getType().getElementType())};
}

static SmallVector<Value> decomposeOuter(OuterOp op, Composer &c) {
  return {c.make<MultiplyOp>(c.expandDims(op.getLhs(), 1), c.expandDims(op.getRhs(), 0))};
}

void graph::populateReductionDecompositionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DecomposeWith<VarianceOp>>(context, decomposeVariance);
  patterns.add<DecomposeWith<LogSumExpOp>>(context, decomposeLogSumExp);
  patterns.add<DecomposeWith<NormL1Op>>(context, decomposeNormL1);
  patterns.add<DecomposeWith<NormL2Op>>(context, decomposeNormL2);
  patterns.add<DecomposeWith<OuterOp>>(context, decomposeOuter);
}
