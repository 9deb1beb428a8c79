//===- NNOps.cpp - Meaning of softmax, norms and activations --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// By the formulas of the descriptions, in double.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

/// How far a few roundings in the accumulator move a value that is computed from terms of this size.
static double getSlack(Type type, double magnitude) {
  Type accumulator = type.getIntOrFloatBitWidth() < 32 ? Type(Float32Type::get(type.getContext())) : type;
  return std::isfinite(magnitude) ? 64 * getEpsilon(accumulator) * std::abs(magnitude) : 0;
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

static double clampTo(double x, double low, double high) {
  return std::isnan(x) ? x : std::max(std::min(x, high), low);
}

static double apply(GeluOp op, double x) {
  if (!op.getApproximate())
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
static double apply(SiluOp op, double x) { return x / (1 + std::exp(-op.getAlpha().convertToDouble() * x)); }
static double apply(LeakyReluOp op, double x) { return x < 0 ? op.getAlpha().convertToDouble() * x : x; }
static double apply(EluOp op, double x) { return x < 0 ? op.getAlpha().convertToDouble() * std::expm1(x) : x; }
static double apply(SeluOp op, double x) {
  return op.getGamma().convertToDouble() * (x < 0 ? op.getAlpha().convertToDouble() * std::expm1(x) : x);
}
static double apply(CeluOp op, double x) {
  double alpha = op.getAlpha().convertToDouble();
  return x < 0 ? alpha * std::expm1(x / alpha) : x;
}
static double apply(HardSigmoidOp op, double x) {
  return clampTo(op.getAlpha().convertToDouble() * x + op.getBeta().convertToDouble(), 0, 1);
}
static double apply(HardSwishOp, double x) { return x * clampTo(x / 6 + 0.5, 0, 1); }
static double apply(HardTanhOp op, double x) {
  return clampTo(x, op.getLow().convertToDouble(), op.getHigh().convertToDouble());
}
static double apply(SoftplusOp, double x) { return softplus(x); }
static double apply(SoftsignOp, double x) { return x / (1 + std::abs(x)); }
static double apply(MishOp, double x) { return x * std::tanh(softplus(x)); }
static double apply(ThresholdedReluOp op, double x) { return op.getAlpha().convertToDouble() < x ? x : 0; }

template <typename OpTy> static FailureOr<Tensor> interpretActivation(Frame &frame, OpTy op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), x.getDims());
  if (failed(result))
    return failure();
  for (int64_t at = 0; at < x.size(); ++at)
    result->setFloat(at, apply(op, x.f(at)), getSlack(x.getElementType(), std::abs(x.f(at)) + 1));
  return result;
}

static FailureOr<Tensor> interpretPRelu(Frame &frame, PReluOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &slope = frame.tensor(op.getSlope());
  FailureOr<SmallVector<int64_t>> dims = broadcastShapes(frame, {x.getDims(), slope.getDims()});
  if (failed(dims))
    return failure();
  if (ArrayRef<int64_t>(*dims) != x.getDims())
    return frame.fail("slope of shape " + formatShape(slope.getDims()) + " is not broadcast to " +
                      formatShape(x.getDims()));
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), x.getDims());
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    double value = x.f(at);
    result->setFloat(at++, value < 0 ? slope.f(broadcastPosition(slope, index)) * value : value);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

template <typename OpTy> static FailureOr<Tensor> interpretSoftmax(Frame &frame, OpTy op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), x.getDims());
  if (failed(result))
    return failure();
  int64_t axis = op.getAxis(), extent = x.getDim(axis);
  SmallVector<int64_t> rows(x.getDims());
  rows[axis] = 1;
  if (extent == 0)
    return result;
  forEachIndex(rows, [&](ArrayRef<int64_t> first) {
    SmallVector<int64_t> positions, index(first);
    for (index[axis] = 0; index[axis] < extent; ++index[axis])
      positions.push_back(x.at(index));
    double largest = -INFINITY, sum = 0;
    for (int64_t at : positions)
      largest = std::isnan(x.f(at)) || x.f(at) > largest ? x.f(at) : largest;
    for (int64_t at : positions)
      sum += std::exp(x.f(at) - largest);
    for (int64_t at : positions) {
      double distance = x.f(at) - largest;
      // The distance is rounded itself; so is the sum, whose logarithm then is near 0.
      double magnitude = std::abs(x.f(at)) + std::abs(largest) + 1;
      if (std::is_same_v<OpTy, LogSoftmaxOp>) {
        result->setFloat(at, distance - std::log(sum), getSlack(x.getElementType(), magnitude + std::log(sum)));
        continue;
      }
      double value = std::exp(distance) / sum;
      result->setFloat(at, value, getSlack(x.getElementType(), magnitude * std::max(value, 1e-30)));
    }
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

namespace {
/// What one normalization does: groups of positions, and per position a scale and a bias.
struct Normalization {
  bool subtractsMean = true;
  double epsilon = 0;
  std::function<double(ArrayRef<int64_t>)> scale, bias;
};
} // namespace

/// Elements that `key` gives the same number are normalized together.
static FailureOr<Tensor> normalize(Frame &frame, const Tensor &x, const Normalization &how,
                                   llvm::function_ref<int64_t(ArrayRef<int64_t>)> key) {
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), x.getDims());
  if (failed(result))
    return failure();
  struct Group {
    double sum = 0, squares = 0, largest = 0;
    int64_t count = 0;
  };
  llvm::DenseMap<int64_t, Group> groups;
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    Group &group = groups[key(index)];
    double value = x.f(x.at(index));
    group.sum += value;
    group.largest = std::max(group.largest, std::abs(value));
    ++group.count;
  });
  auto getMean = [&](const Group &group) { return how.subtractsMean ? group.sum / group.count : 0; };
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    Group &group = groups[key(index)];
    double distance = x.f(x.at(index)) - getMean(group);
    group.squares += distance * distance;
  });
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    const Group &group = groups[key(index)];
    double deviation = std::sqrt(group.squares / group.count + how.epsilon);
    double scale = how.scale ? how.scale(index) : 1, bias = how.bias ? how.bias(index) : 0;
    double value = (x.f(x.at(index)) - getMean(group)) / deviation * scale + bias;
    double slack =
        getSlack(x.getElementType(), std::abs(scale) * (group.largest / deviation + std::abs(value)) + std::abs(bias));
    if (std::isfinite(group.largest)) {
      slack = getWideError(x.getElementType(), group.squares, slack);
      slack = getWideError(x.getElementType(), group.largest * static_cast<double>(group.count), slack);
    }
    result->setFloat(x.at(index), value, slack);
  });
  return result;
}

/// Row-major number of an index without the dimensions `axes`, or of these alone.
static int64_t getKey(const Tensor &x, ArrayRef<int64_t> index, ArrayRef<int64_t> axes, bool only) {
  int64_t key = 0;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (llvm::is_contained(axes, dim) == only)
      key = key * x.getDim(dim) + index[dim];
  return key;
}

/// Parameters along `axes`; absent ones give no function.
static std::function<double(ArrayRef<int64_t>)> alongAxes(Frame &frame, const Tensor &x, Value parameter,
                                                          ArrayRef<int64_t> axes) {
  if (!parameter)
    return {};
  const Tensor &values = frame.tensor(parameter);
  return [&x, &values, axes = SmallVector<int64_t>(axes)](ArrayRef<int64_t> index) {
    return values.f(getKey(x, index, axes, /*only=*/true));
  };
}

/// Extents of a parameter are those of the axes.
static LogicalResult checkParameter(Frame &frame, const Tensor &x, Value parameter, ArrayRef<int64_t> axes) {
  if (!parameter)
    return success();
  SmallVector<int64_t> wanted;
  for (int64_t axis : axes)
    wanted.push_back(x.getDim(axis));
  ArrayRef<int64_t> dims = frame.tensor(parameter).getDims();
  if (dims == ArrayRef<int64_t>(wanted))
    return success();
  return frame.fail("parameter has shape " + formatShape(dims) + ", expected " + formatShape(wanted));
}

static FailureOr<Tensor> normalizeAxes(Frame &frame, Value operand, Value scale, Value bias, ArrayRef<int64_t> axes,
                                       ArrayRef<int64_t> parameterAxes, double epsilon, bool subtractsMean) {
  const Tensor &x = frame.tensor(operand);
  if (failed(checkParameter(frame, x, scale, parameterAxes)) || failed(checkParameter(frame, x, bias, parameterAxes)))
    return failure();
  Normalization how{subtractsMean, epsilon, alongAxes(frame, x, scale, parameterAxes),
                    alongAxes(frame, x, bias, parameterAxes)};
  return normalize(frame, x, how, [&](ArrayRef<int64_t> index) { return getKey(x, index, axes, /*only=*/false); });
}

static FailureOr<Tensor> interpretLayerNorm(Frame &frame, LayerNormOp op) {
  return normalizeAxes(frame, op.getOperand(), op.getScale(), op.getBias(), op.getAxes(), op.getAxes(),
                       op.getEpsilon().convertToDouble(), true);
}

static FailureOr<Tensor> interpretRMSNorm(Frame &frame, RMSNormOp op) {
  return normalizeAxes(frame, op.getOperand(), op.getScale(), nullptr, op.getAxes(), op.getAxes(),
                       op.getEpsilon().convertToDouble(), false);
}

static FailureOr<Tensor> interpretInstanceNorm(Frame &frame, InstanceNormOp op) {
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, op.getType().getRank()));
  return normalizeAxes(frame, op.getOperand(), op.getScale(), op.getBias(), axes, {1},
                       op.getEpsilon().convertToDouble(), true);
}

static FailureOr<Tensor> interpretGroupNorm(Frame &frame, GroupNormOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  int64_t groups = op.getGroups(), channels = x.getDim(1);
  if (channels % groups != 0)
    return frame.fail(Twine(channels) + " channels cannot be divided into " + Twine(groups) + " groups");
  if (failed(checkParameter(frame, x, op.getScale(), {1})) || failed(checkParameter(frame, x, op.getBias(), {1})))
    return failure();
  Normalization how{true, op.getEpsilon().convertToDouble(), alongAxes(frame, x, op.getScale(), {1}),
                    alongAxes(frame, x, op.getBias(), {1})};
  return normalize(frame, x, how,
                   [&](ArrayRef<int64_t> index) { return index[0] * groups + index[1] / (channels / groups); });
}

static FailureOr<Tensor> interpretBatchNorm(Frame &frame, BatchNormOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  int64_t axis = op.getAxis();
  for (Value parameter : {op.getScale(), op.getBias(), op.getMean(), op.getVariance()})
    if (failed(checkParameter(frame, x, parameter, axis)))
      return failure();
  const Tensor &scale = frame.tensor(op.getScale()), &bias = frame.tensor(op.getBias()),
               &mean = frame.tensor(op.getMean()), &variance = frame.tensor(op.getVariance());
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), x.getDims());
  if (failed(result))
    return failure();
  double epsilon = op.getEpsilon().convertToDouble();
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    int64_t at = x.at(index), channel = index[axis];
    double deviation = std::sqrt(variance.f(channel) + epsilon), factor = scale.f(channel) / deviation;
    double value = (x.f(at) - mean.f(channel)) * factor + bias.f(channel);
    double magnitude = (std::abs(x.f(at)) + std::abs(mean.f(channel))) * std::abs(factor) + std::abs(bias.f(channel));
    double slack = getSlack(x.getElementType(), magnitude);
    result->setFloat(at, value, std::isfinite(x.f(at)) ? getWideError(x.getElementType(), magnitude, slack) : slack);
  });
  return result;
}

void interp::registerNNOps(OpTable &table) {
  table.add(interpretActivation<GeluOp>);
  table.add(interpretActivation<SiluOp>);
  table.add(interpretActivation<LeakyReluOp>);
  table.add(interpretActivation<EluOp>);
  table.add(interpretActivation<SeluOp>);
  table.add(interpretActivation<CeluOp>);
  table.add(interpretActivation<HardSigmoidOp>);
  table.add(interpretActivation<HardSwishOp>);
  table.add(interpretActivation<HardTanhOp>);
  table.add(interpretActivation<SoftplusOp>);
  table.add(interpretActivation<SoftsignOp>);
  table.add(interpretActivation<MishOp>);
  table.add(interpretActivation<ThresholdedReluOp>);
  table.add(interpretPRelu);
  table.add(interpretSoftmax<SoftmaxOp>);
  table.add(interpretSoftmax<LogSoftmaxOp>);
  table.add(interpretLayerNorm);
  table.add(interpretRMSNorm);
  table.add(interpretBatchNorm);
  table.add(interpretGroupNorm);
  table.add(interpretInstanceNorm);
}
