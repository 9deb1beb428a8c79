//===- DecomposeNormalizations.cpp - Norms and softmax in simpler ops -----===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// A parameter with the extents of `axes` of `x`, ready to broadcast. Null stays null.
static Value alongAxes(Composer &c, Value parameter, Value x, ArrayRef<int64_t> axes) {
  if (!parameter)
    return {};
  SmallVector<SymExpr> dims = c.dims(x), extents;
  for (int64_t axis : axes)
    extents.push_back(dims[axis]);
  Value value = c.withDims(c.widen(parameter), extents);
  SmallVector<int64_t> added; // what comes before the first axis is added by broadcasting
  int64_t first = axes.empty() ? dims.size() : axes.front();
  for (int64_t dim = first; dim != static_cast<int64_t>(dims.size()); ++dim)
    if (!llvm::is_contained(axes, dim))
      added.push_back(dim - first);
  return c.expandDims(value, added);
}

static Value scaleAndShift(Composer &c, Value x, Value scale, Value bias) {
  if (scale)
    x = c.mul(x, scale);
  return bias ? c.add(x, bias) : x;
}

static Value write(SoftmaxOp op, Composer &c, Value x) { return c.softmax(x, op.getAxis()); }

static Value write(LogSoftmaxOp op, Composer &c, Value x) { return c.logSoftmax(x, op.getAxis()); }

static Value write(LayerNormOp op, Composer &c, Value x) {
  return scaleAndShift(c, c.normalize(x, op.getAxes(), c.number(op.getEpsilon())),
                       alongAxes(c, op.getScale(), x, op.getAxes()), alongAxes(c, op.getBias(), x, op.getAxes()));
}

static Value write(RMSNormOp op, Composer &c, Value x) {
  Value root = c.make<SqrtOp>(c.add(c.mean(c.mul(x, x), op.getAxes()), c.number(op.getEpsilon())));
  return scaleAndShift(c, c.div(x, root), alongAxes(c, op.getScale(), x, op.getAxes()), nullptr);
}

static Value write(BatchNormOp op, Composer &c, Value x) {
  int64_t axis = op.getAxis();
  Value centered = c.sub(x, alongAxes(c, op.getMean(), x, axis));
  Value deviation = c.make<SqrtOp>(c.add(alongAxes(c, op.getVariance(), x, axis), c.number(op.getEpsilon())));
  return scaleAndShift(c, c.div(centered, deviation), alongAxes(c, op.getScale(), x, axis),
                       alongAxes(c, op.getBias(), x, axis));
}

static Value write(GroupNormOp op, Composer &c, Value x) {
  SmallVector<SymExpr> dims = c.dims(x), grouped = {dims[0]};
  SymExpr groups = SymExpr::constant(c.getContext(), op.getGroups());
  grouped.push_back(groups);
  grouped.push_back(SymExpr::floordiv(dims[1], groups));
  grouped.append(dims.begin() + 2, dims.end());
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, grouped.size()));
  Value normal = c.normalize(c.reshape(x, grouped), axes, c.number(op.getEpsilon()));
  return scaleAndShift(c, c.reshape(normal, dims), alongAxes(c, op.getScale(), x, 1), alongAxes(c, op.getBias(), x, 1));
}

static Value write(InstanceNormOp op, Composer &c, Value x) {
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, op.getOperand().getType().getRank()));
  return scaleAndShift(c, c.normalize(x, axes, c.number(op.getEpsilon())), alongAxes(c, op.getScale(), x, 1),
                       alongAxes(c, op.getBias(), x, 1));
}

void graph::populateNormalizationDecompositionPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeUnary<BatchNormOp, write>, DecomposeUnary<GroupNormOp, write>,
               DecomposeUnary<InstanceNormOp, write>, DecomposeUnary<LayerNormOp, write>,
               DecomposeUnary<LogSoftmaxOp, write>, DecomposeUnary<RMSNormOp, write>, DecomposeUnary<SoftmaxOp, write>>(
      patterns.getContext());
}
