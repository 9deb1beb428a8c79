//===- ReductionOps.cpp - Reductions and softmax --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RuntimeAxes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;

namespace {
struct Reduction {
  Value operand;
  SmallVector<int64_t> axes;
  bool keepdims = true;
  bool noop = false; // the operand is the result
  Value shape;       // of the result, where the axes are only known at run time: the operand is reshaped then
};
} // namespace

/// Axes of run time: the operand is reshaped so that each dimension is one that stays and one that is reduced.
static Reduction separate(NodeEmitter &e, Reduction reduction) {
  int64_t rank = e.getRank(0);
  RuntimeAxes axes = readRuntimeAxes(e, 1, rank);
  Value kept;
  reduction.operand = separateAxes(e, axes, reduction.operand, kept);
  for (int64_t axis = 0; axis < rank; ++axis)
    reduction.axes.push_back(2 * axis + 1);
  if (e.failed())
    return reduction;
  SmallVector<sym::SymExpr> dims;
  if (!std::exchange(reduction.keepdims, false))
    reduction.shape = bindExtents(e, removeAxes(e, axes, kept), rank - axes.count, {}, dims);
  return reduction;
}

/// Reads axes (an attribute before opset `inputSince`, then an input), keepdims and noop_with_empty_axes.
static Reduction readReduction(NodeEmitter &e, int64_t inputSince) {
  Reduction reduction;
  int64_t rank = e.getRank(0);
  reduction.operand = e.getTensor(0);
  reduction.keepdims = e.getInt("keepdims", 1);
  bool noopWithEmptyAxes = false;
  SmallVector<int64_t> axes;
  if (e.getOpset() < inputSince) {
    if (e.has(1))
      e.fail("has 2 inputs, expected 1 before opset " + Twine(inputSince));
    axes = e.getInts("axes");
  } else {
    noopWithEmptyAxes = e.getInt("noop_with_empty_axes", 0);
    if (e.has(1) && !e.getIntegers(1))
      return separate(e, reduction);
    if (e.has(1))
      axes = e.requireIntegers(1, "axes");
  }
  reduction.axes = e.normalizeAxes(axes, rank);
  if (axes.empty()) {
    reduction.noop = noopWithEmptyAxes;
    if (!noopWithEmptyAxes)
      reduction.axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  }
  llvm::sort(reduction.axes);
  return reduction;
}

using ReduceFunction = Value (NodeEmitter::*)(Value, ArrayRef<int64_t>, bool);

static Value apply(NodeEmitter &e, ReduceFunction function, const Reduction &reduction, Value operand) {
  return reduction.noop ? operand : (e.*function)(operand, reduction.axes, reduction.keepdims);
}

static void setReduced(NodeEmitter &e, const Reduction &reduction, Value result) {
  e.setResult(0, reduction.shape ? e.create<graph::ReshapeOp>({result, reduction.shape}) : result);
}

template <ReduceFunction function, int64_t inputSince> static void emitReduction(NodeEmitter &e) {
  Reduction reduction = readReduction(e, inputSince);
  setReduced(e, reduction, apply(e, function, reduction, reduction.operand));
}

static void emitReduceL1(NodeEmitter &e) {
  Reduction reduction = readReduction(e, 18);
  setReduced(e, reduction, apply(e, &NodeEmitter::reduceSum, reduction, e.create<graph::AbsOp>(reduction.operand)));
}

static Value sumSquares(NodeEmitter &e, const Reduction &reduction) {
  return apply(e, &NodeEmitter::reduceSum, reduction, e.multiply(reduction.operand, reduction.operand));
}

static void emitReduceSumSquare(NodeEmitter &e) {
  Reduction reduction = readReduction(e, 18);
  setReduced(e, reduction, sumSquares(e, reduction));
}

static void emitReduceL2(NodeEmitter &e) {
  Reduction reduction = readReduction(e, 18);
  setReduced(e, reduction, e.create<graph::SqrtOp>(sumSquares(e, reduction)));
}

static void emitReduceLogSum(NodeEmitter &e) {
  Reduction reduction = readReduction(e, 18);
  Value sum = apply(e, &NodeEmitter::reduceSum, reduction, reduction.operand);
  setReduced(e, reduction, e.create<graph::LogOp>(sum));
}

/// log(sum(exp(x))) with the maximum taken out, where it is finite.
static void emitReduceLogSumExp(NodeEmitter &e) {
  Reduction reduction = readReduction(e, 18);
  Value x = reduction.operand;
  if (reduction.noop)
    return e.setResult(0, x);
  Value top = e.reduceMax(x, reduction.axes, /*keepdims=*/true);
  Value isFinite = e.create<graph::LessOp>(
      {e.create<graph::AbsOp>(top), e.makeScalarLike(std::numeric_limits<double>::infinity(), top)});
  Value shift = e.select(isFinite, top, e.makeScalarLike(0, top));
  Value sum = e.reduceSum(e.create<graph::ExpOp>(e.subtract(x, shift)), reduction.axes, /*keepdims=*/true);
  Value result = e.add(e.create<graph::LogOp>(sum), shift);
  setReduced(e, reduction, reduction.keepdims ? result : e.squeeze(result, reduction.axes));
}

/// Max and Min of bools: whether any or each is true.
template <ReduceFunction function, typename BoolOp> static void emitExtreme(NodeEmitter &e) {
  if (!e.getType(0).getElementType().isInteger(1))
    return emitReduction<function, 18>(e);
  Reduction reduction = readReduction(e, 18);
  SmallVector<NamedAttribute> attributes = {e.attr("axes", reduction.axes)};
  if (reduction.keepdims)
    attributes.push_back(e.attr("keepdims", UnitAttr::get(e.getContext())));
  setReduced(e, reduction, reduction.noop ? reduction.operand : e.create<BoolOp>(reduction.operand, attributes));
}

/// Before opset 13 everything from the axis on is one dimension, since then the axis alone.
static SmallVector<int64_t> getSoftmaxAxes(NodeEmitter &e) {
  int64_t rank = e.getRank(0);
  bool flattens = e.getOpset() < 13;
  int64_t axis = e.getInt("axis", flattens ? 1 : -1);
  // The axis may be the rank there: a row of one element each.
  if (flattens && axis == rank)
    return {};
  axis = e.normalizeAxis(axis, rank);
  return flattens ? llvm::to_vector(llvm::seq<int64_t>(axis, rank)) : SmallVector<int64_t>{axis};
}

static void emitSoftmax(NodeEmitter &e) {
  SmallVector<int64_t> axes = getSoftmaxAxes(e);
  Value x = e.getTensor(0);
  Value exponentials = e.create<graph::ExpOp>(e.subtract(x, e.reduceMax(x, axes, /*keepdims=*/true)));
  e.setResult(0, e.divide(exponentials, e.reduceSum(exponentials, axes, /*keepdims=*/true)));
}

static void emitLogSoftmax(NodeEmitter &e) {
  SmallVector<int64_t> axes = getSoftmaxAxes(e);
  Value x = e.getTensor(0);
  Value shifted = e.subtract(x, e.reduceMax(x, axes, /*keepdims=*/true));
  Value sum = e.reduceSum(e.create<graph::ExpOp>(shifted), axes, /*keepdims=*/true);
  e.setResult(0, e.subtract(shifted, e.create<graph::LogOp>(sum)));
}

/// Pools over all spatial dimensions.
template <ReduceFunction function> static void emitGlobalPool(NodeEmitter &e) {
  int64_t rank = e.getRank(0);
  if (rank < 3)
    return e.fail("input has rank " + Twine(rank) + ", expected batch, channel and spatial dimensions");
  e.setResult(0, (e.*function)(e.getTensor(0), llvm::to_vector(llvm::seq<int64_t>(2, rank)), /*keepdims=*/true));
}

ArrayRef<OpEntry> mlir::relax::onnx::getReductionOps() {
  static constexpr OpEntry entries[] = {
      {"ReduceSum", 1, 1, 2, 1, emitReduction<&NodeEmitter::reduceSum, 13>},
      {"ReduceProd", 1, 1, 2, 1, emitReduction<&NodeEmitter::reduceProd, 18>},
      {"ReduceMax", 1, 1, 2, 1, emitExtreme<&NodeEmitter::reduceMax, graph::AnyOp>},
      {"ReduceMin", 1, 1, 2, 1, emitExtreme<&NodeEmitter::reduceMin, graph::AllOp>},
      {"ReduceMean", 1, 1, 2, 1, emitReduction<&NodeEmitter::reduceMean, 18>},
      {"ReduceL1", 1, 1, 2, 1, emitReduceL1},
      {"ReduceL2", 1, 1, 2, 1, emitReduceL2},
      {"ReduceSumSquare", 1, 1, 2, 1, emitReduceSumSquare},
      {"ReduceLogSum", 1, 1, 2, 1, emitReduceLogSum},
      {"ReduceLogSumExp", 1, 1, 2, 1, emitReduceLogSumExp},
      {"Softmax", 1, 1, 1, 1, emitSoftmax},
      {"LogSoftmax", 1, 1, 1, 1, emitLogSoftmax},
      {"GlobalMaxPool", 1, 1, 1, 1, emitGlobalPool<&NodeEmitter::reduceMax>},
      {"GlobalAveragePool", 1, 1, 1, 1, emitGlobalPool<&NodeEmitter::reduceMean>},
  };
  return entries;
}
