//===- NormalizationOps.cpp - Normalizations ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// A value per channel (dimension 1) of a tensor of that rank, ready to broadcast.
static Value perChannel(NodeEmitter &e, Value value, int64_t rank) {
  return e.expandDims(value, llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
}

/// value / sqrt(variance + epsilon)
static Value scaleBy(NodeEmitter &e, Value value, Value variance, double epsilon) {
  Value deviation = e.create<graph::SqrtOp>(e.add(variance, e.makeScalarLike(epsilon, variance)));
  return e.divide(value, deviation);
}

namespace {
struct Normalized {
  Value value, mean, inverseDeviation;
};
} // namespace

/// (x - mean) / sqrt(mean((x - mean)^2) + epsilon) over `axes`.
static Normalized normalize(NodeEmitter &e, Value x, ArrayRef<int64_t> axes, double epsilon) {
  Normalized result;
  result.mean = e.reduceMean(x, axes, /*keepdims=*/true);
  Value centered = e.subtract(x, result.mean);
  Value variance = e.reduceMean(e.multiply(centered, centered), axes, /*keepdims=*/true);
  Value one = e.makeScalarLike(1, x);
  result.inverseDeviation = scaleBy(e, one, variance, epsilon);
  result.value = e.multiply(centered, result.inverseDeviation);
  return result;
}

static void emitBatchNormalization(NodeEmitter &e) {
  int64_t rank = e.getRank(0);
  if (rank < 2)
    return e.fail("input has rank " + Twine(rank) + ", expected a batch and a channel dimension");
  float epsilon = e.getFloat("epsilon", 1e-5f);
  e.ignoreAttr("momentum"); // of training
  if (e.getOpset() < 7 && !e.getInt("is_test", 0))
    return e.fail("attribute 'is_test' must be 1: training is not supported");
  if (e.getInt("training_mode", 0))
    return e.fail("training_mode must be 0");
  if (e.getInt("spatial", 1) != 1)
    return e.fail("attribute 'spatial' must be 1");
  Value x = e.getTensor(0);
  Value scale = perChannel(e, e.getTensor(1), rank), bias = perChannel(e, e.getTensor(2), rank);
  Value mean = perChannel(e, e.getTensor(3), rank), variance = perChannel(e, e.getTensor(4), rank);
  Value normalized = scaleBy(e, e.subtract(x, mean), variance, epsilon);
  e.setResult(0, e.cast(e.add(e.multiply(normalized, scale), bias), e.getType(0).getElementType()));
}

static void emitInstanceNormalization(NodeEmitter &e) {
  int64_t rank = e.getRank(0);
  if (rank < 3)
    return e.fail("input has rank " + Twine(rank) + ", expected batch, channel and spatial dimensions");
  float epsilon = e.getFloat("epsilon", 1e-5f);
  Value x = normalize(e, e.getTensor(0), llvm::to_vector(llvm::seq<int64_t>(2, rank)), epsilon).value;
  x = e.multiply(x, perChannel(e, e.getTensor(1), rank));
  e.setResult(0, e.add(x, perChannel(e, e.getTensor(2), rank)));
}

static void emitGroupNormalization(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size(), groups = e.getInt("num_groups", 0);
  e.ignoreAttr("stash_type"); // the whole is computed in the type that the input has or wider
  std::optional<int64_t> channels = rank < 2 ? std::nullopt : dims[1].getConstant();
  if (rank < 2 || groups < 1 || channels.value_or(0) % groups)
    return e.fail("needs a number of channels that num_groups divides");
  if (e.getOpset() < 21)
    return e.fail("the operator is supported from opset 21 on");
  float epsilon = e.getFloat("epsilon", 1e-5f);
  SmallVector<SymExpr> grouped = {dims[0], e.constant(groups), e.divideExactly(dims[1], groups)};
  if (e.failed())
    return;
  grouped.append(dims.begin() + 2, dims.end());
  Value x = e.reshape(e.getTensor(0), grouped);
  x = normalize(e, x, llvm::to_vector(llvm::seq<int64_t>(2, rank + 1)), epsilon).value;
  auto spread = [&](unsigned index) { return perChannel(e, checkDims(e, e.getTensor(index), dims[1]), rank); };
  x = e.multiply(e.reshape(x, dims), spread(1));
  e.setResult(0, e.add(x, spread(2)));
}

/// Axes from `axis` to the last.
static SmallVector<int64_t> getTrailingAxes(NodeEmitter &e) {
  int64_t rank = e.getRank(0);
  return llvm::to_vector(llvm::seq<int64_t>(e.normalizeAxis(e.getInt("axis", -1), rank), rank));
}

/// Computed in the type that stash_type names, which is f32 when absent.
static Type getStashType(NodeEmitter &e) {
  int32_t code = e.getInt("stash_type", 1);
  Type type = getElementType(e.getContext(), code);
  if (isa_and_present<FloatType>(type))
    return e.getType(0).getElementType().isF64() ? Type(Float64Type::get(e.getContext())) : type;
  e.fail("attribute 'stash_type' is " + getTypeName(code) + ", expected a floating-point type");
  return e.getF32();
}

static void emitLayerNormalization(NodeEmitter &e) {
  SmallVector<int64_t> axes = getTrailingAxes(e);
  Type stash = getStashType(e), type = e.getType(0).getElementType();
  float epsilon = e.getFloat("epsilon", 1e-5f);
  Normalized normalized = normalize(e, e.cast(e.getTensor(0), stash), axes, epsilon);
  Value result = e.multiply(e.cast(normalized.value, type), e.getTensor(1));
  if (e.has(2))
    result = e.add(result, e.getTensor(2));
  e.setResult(0, result);
  e.setResult(1, normalized.mean);
  e.setResult(2, normalized.inverseDeviation);
}

static void emitRMSNormalization(NodeEmitter &e) {
  SmallVector<int64_t> axes = getTrailingAxes(e);
  Type stash = getStashType(e), type = e.getType(0).getElementType();
  float epsilon = e.getFloat("epsilon", 1e-5f);
  Value x = e.cast(e.getTensor(0), stash);
  Value squares = e.reduceMean(e.multiply(x, x), axes, /*keepdims=*/true);
  e.setResult(0, e.multiply(e.cast(scaleBy(e, x, squares, epsilon), type), e.getTensor(1)));
}

static void emitLpNormalization(NodeEmitter &e) {
  int64_t axis = e.normalizeAxis(e.getInt("axis", -1), e.getRank(0)), p = e.getInt("p", 2);
  if (p != 1 && p != 2)
    return e.fail("attribute 'p' is " + Twine(p) + ", expected 1 or 2");
  Value x = e.getTensor(0), norm;
  if (p == 1)
    norm = e.reduceSum(e.create<graph::AbsOp>(x), axis, /*keepdims=*/true);
  else
    norm = e.create<graph::SqrtOp>(e.reduceSum(e.multiply(x, x), axis, /*keepdims=*/true));
  // Nothing to scale where the norm is zero: the result is zero.
  Value isZero = e.create<graph::EqualOp>({norm, e.makeScalarLike(0, norm)});
  e.setResult(0, e.divide(x, e.select(isZero, e.makeScalarLike(1, norm), norm)));
}

ArrayRef<OpEntry> mlir::relax::onnx::getNormalizationOps() {
  static constexpr OpEntry entries[] = {
      {"BatchNormalization", 1, 5, 5, 1, emitBatchNormalization},
      {"InstanceNormalization", 1, 3, 3, 1, emitInstanceNormalization},
      {"GroupNormalization", 18, 3, 3, 1, emitGroupNormalization},
      {"LayerNormalization", 17, 2, 3, 3, emitLayerNormalization},
      {"RMSNormalization", 23, 2, 2, 1, emitRMSNormalization},
      {"LpNormalization", 1, 1, 1, 1, emitLpNormalization},
  };
  return entries;
}
