//===- ComposedMathOps.cpp - Meaning of abbreviations that compute --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphEinsum.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

//===- Creation -----------------------------------------------------------===//

static FailureOr<Tensor> interpretIota(Frame &frame, IotaOp op) {
  Shape dims = frame.shape(op.getShape());
  FailureOr<Tensor> result = frame.makeTensor(op.getDtype(), dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    int64_t value = index[op.getAxis()];
    result->isFloat() ? result->setFloat(at++, static_cast<double>(value)) : result->setInt(at++, value);
  });
  return result;
}

static FailureOr<Tensor> interpretEye(Frame &frame, EyeOp op) {
  Shape dims = frame.shape(op.getShape());
  FailureOr<Tensor> result = frame.makeTensor(op.getDtype(), dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    bool isOn = index[1] - index[0] == static_cast<int64_t>(op.getDiagonal());
    result->isFloat() ? result->setFloat(at++, isOn) : result->setInt(at++, isOn);
  });
  return result;
}

static FailureOr<Tensor> interpretFullLike(Frame &frame, FullLikeOp op) {
  FailureOr<Tensor> result = frame.makeTensor(op.getValue().getType(), frame.tensor(op.getOperand()).getDims());
  if (failed(result))
    return failure();
  for (int64_t at = 0; at < result->size(); ++at) {
    if (auto value = dyn_cast<FloatAttr>(op.getValue()))
      result->setFloat(at, value.getValueAsDouble());
    else
      result->setInt(at, static_cast<int64_t>(cast<IntegerAttr>(op.getValue()).getValue().getZExtValue()));
  }
  return result;
}

static LogicalResult interpretArange(Frame &frame, ArangeOp op) {
  const Tensor &start = frame.tensor(op.getStart()), &stop = frame.tensor(op.getStop());
  const Tensor &step = frame.tensor(op.getStep());
  if (start.isFloat() ? step.f(0) == 0 : step.i(0) == 0)
    return frame.fail("the step is 0");
  int64_t count = 0;
  if (start.isFloat()) {
    double exact = std::ceil((stop.f(0) - start.f(0)) / step.f(0));
    count = exact > 0 ? static_cast<int64_t>(std::min(exact, 9e18)) : 0;
  } else {
    // In 128 bits nothing overflows.
    __int128 distance = static_cast<__int128>(stop.i(0)) - start.i(0), stride = step.i(0);
    __int128 rounded = (distance + stride - (stride > 0 ? 1 : -1)) / stride;
    count = static_cast<int64_t>(std::max<__int128>(0, rounded));
  }
  FailureOr<Tensor> result = frame.makeTensor(start.getElementType(), {count});
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < count; ++i) {
    if (!start.isFloat()) {
      result->setInt(i, static_cast<int64_t>(static_cast<uint64_t>(start.i(0)) +
                                             static_cast<uint64_t>(i) * static_cast<uint64_t>(step.i(0))));
      continue;
    }
    double product = static_cast<double>(i) * step.f(0), epsilon = getEpsilon(start.getElementType());
    result->setFloat(i, start.f(0) + product, epsilon * (std::fabs(product) + std::fabs(start.f(0))));
  }
  frame.set(op.getResult(), std::move(*result));
  frame.bind(op.getBoundSymbols()[0], count);
  return frame.checkFacts(sym::getScope(op), op.getBoundSymbols());
}

//===- Random numbers -----------------------------------------------------===//

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// In [0, 1), with as many digits as the type has.
static double getUniform(uint64_t seed, int64_t position, Type type) {
  unsigned digits = cast<FloatType>(type).getFPMantissaWidth();
  uint64_t bits = mix(mix(seed) + (static_cast<uint64_t>(position) + 1) * 0x9E3779B97F4A7C15ULL);
  return std::ldexp(static_cast<double>(bits >> (64 - digits)), -static_cast<int>(digits));
}

static FailureOr<Tensor> interpretRandomUniform(Frame &frame, RandomUniformOp op) {
  FailureOr<Tensor> result = frame.makeTensor(op.getDtype(), frame.shape(op.getShape()));
  if (failed(result))
    return failure();
  for (int64_t at = 0; at < result->size(); ++at)
    result->setFloat(at, getUniform(op.getSeed(), at, op.getDtype()));
  return result;
}

static FailureOr<Tensor> interpretRandomNormal(Frame &frame, RandomNormalOp op) {
  FailureOr<Tensor> result = frame.makeTensor(op.getDtype(), frame.shape(op.getShape()));
  if (failed(result))
    return failure();
  Type wide = op.getDtype();
  if (wide.getIntOrFloatBitWidth() < 32)
    wide = Float32Type::get(op.getContext());
  for (int64_t at = 0; at < result->size(); ++at) {
    double a = getUniform(op.getSeed(), at, wide), b = getUniform(~op.getSeed(), at, wide);
    double radius = std::sqrt(-2 * std::log1p(-a));
    result->setFloat(at, radius * std::cos(2 * 3.14159265358979323846 * b), 16 * getEpsilon(wide) * (1 + radius));
  }
  return result;
}

//===- Reductions ---------------------------------------------------------===//

/// Calls `compute` with the elements reduced to each one of the result, whose error it may set.
static FailureOr<Tensor>
reduceFloats(Frame &frame, Value operand, ArrayRef<int64_t> axes, bool keepDims,
             llvm::function_ref<double(ArrayRef<double>, double epsilon, double &error)> compute) {
  const Tensor &x = frame.tensor(operand);
  SmallVector<int64_t> outer(x.getDims()), inner(x.getRank(), 1), dims;
  for (int64_t axis : axes) {
    outer[axis] = 1;
    inner[axis] = x.getDim(axis);
  }
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (keepDims || !llvm::is_contained(axes, dim))
      dims.push_back(outer[dim]);
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  // f16 is computed in f32.
  double epsilon = std::min(getEpsilon(x.getElementType()), std::ldexp(1.0, -23));
  int64_t at = 0;
  forEachIndex(outer, [&](ArrayRef<int64_t> first) {
    SmallVector<double> elements;
    forEachIndex(inner, [&](ArrayRef<int64_t> step) {
      SmallVector<int64_t> index(first);
      for (auto [dim, value] : llvm::enumerate(step))
        index[dim] += value;
      elements.push_back(x.f(x.at(index)));
    });
    double error = 0, value = compute(elements, epsilon, error);
    result->setFloat(at++, value, std::isfinite(error) ? error : 0);
  });
  return result;
}

static FailureOr<Tensor> interpretVariance(Frame &frame, VarianceOp op) {
  auto compute = [&](ArrayRef<double> x, double epsilon, double &error) {
    auto count = static_cast<double>(x.size());
    double mean = 0, squares = 0, largest = 0;
    for (double element : x) {
      mean += element / count;
      largest = std::max(largest, std::fabs(element));
    }
    for (double element : x)
      squares += (element - mean) * (element - mean);
    double result = squares / std::max(0.0, count - static_cast<double>(op.getCorrection()));
    error = 8 * epsilon * (std::fabs(result) + largest * std::sqrt(std::fabs(result)) + epsilon * largest * largest);
    return result;
  };
  return reduceFloats(frame, op.getOperand(), op.getAxes(), op.getKeepdims(), compute);
}

static FailureOr<Tensor> interpretLogSumExp(Frame &frame, LogSumExpOp op) {
  auto compute = [&](ArrayRef<double> x, double epsilon, double &error) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (double element : x)
      largest = std::isnan(element) || std::isnan(largest) ? std::nan("") : std::max(largest, element);
    if (!std::isfinite(largest))
      return largest;
    for (double element : x)
      sum += std::exp(element - largest);
    error = epsilon * (16 + std::fabs(largest) + std::fabs(std::log(sum)));
    return largest + std::log(sum);
  };
  return reduceFloats(frame, op.getOperand(), op.getAxes(), op.getKeepdims(), compute);
}

static FailureOr<Tensor> interpretNormL1(Frame &frame, NormL1Op op) {
  auto compute = [&](ArrayRef<double> x, double epsilon, double &error) {
    double sum = 0;
    for (double element : x)
      sum += std::fabs(element);
    error = epsilon * sum * static_cast<double>(x.size());
    return sum;
  };
  return reduceFloats(frame, op.getOperand(), op.getAxes(), op.getKeepdims(), compute);
}

static FailureOr<Tensor> interpretNormL2(Frame &frame, NormL2Op op) {
  auto compute = [&](ArrayRef<double> x, double epsilon, double &error) {
    double sum = 0;
    for (double element : x)
      sum += element * element;
    error = epsilon * std::sqrt(sum) * static_cast<double>(x.size() + 2);
    return std::sqrt(sum);
  };
  return reduceFloats(frame, op.getOperand(), op.getAxes(), op.getKeepdims(), compute);
}

template <typename OpTy> static FailureOr<Tensor> interpretFlags(Frame &frame, OpTy op) {
  constexpr bool isAny = std::is_same_v<OpTy, AnyOp>;
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> outer(x.getDims()), inner(x.getRank(), 1), dims;
  for (int64_t axis : op.getAxes()) {
    outer[axis] = 1;
    inner[axis] = x.getDim(axis);
  }
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (op.getKeepdims() || !llvm::is_contained(op.getAxes(), dim))
      dims.push_back(outer[dim]);
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(outer, [&](ArrayRef<int64_t> first) {
    bool flag = !isAny;
    forEachIndex(inner, [&](ArrayRef<int64_t> step) {
      SmallVector<int64_t> index(first);
      for (auto [dim, value] : llvm::enumerate(step))
        index[dim] += value;
      bool element = x.i(x.at(index)) != 0;
      flag = isAny ? flag || element : flag && element;
    });
    result->setInt(at++, flag);
  });
  return result;
}

//===- Products -----------------------------------------------------------===//

static FailureOr<Tensor> interpretOuter(Frame &frame, OuterOp op) {
  const Tensor &a = frame.tensor(op.getLhs()), &b = frame.tensor(op.getRhs());
  FailureOr<Tensor> result = frame.makeTensor(a.getElementType(), {a.size(), b.size()});
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < a.size(); ++i)
    for (int64_t j = 0; j < b.size(); ++j) {
      if (a.isFloat())
        result->setFloat(i * b.size() + j, a.f(i) * b.f(j));
      else
        result->setInt(i * b.size() + j,
                       static_cast<int64_t>(static_cast<uint64_t>(a.i(i)) * static_cast<uint64_t>(b.i(j))));
    }
  return result;
}

/// The definition: every combination of indices.
static FailureOr<Tensor> interpretEinsum(Frame &frame, EinsumOp op) {
  SmallVector<std::shared_ptr<const Tensor>> operands;
  SmallVector<int64_t> ranks;
  for (Value operand : op.getOperands()) {
    operands.push_back(frame.tensorPointer(operand));
    ranks.push_back(operands.back()->getRank());
  }
  std::string error;
  FailureOr<EinsumEquation> equation = EinsumEquation::parse(op.getEquation(), ranks, error);
  if (failed(equation))
    return frame.fail(error);
  // The labels of the result first, then those that are summed.
  SmallVector<int64_t> labels(equation->output), extents(labels.size(), 1);
  for (auto [operand, names] : llvm::zip_equal(operands, equation->inputs))
    for (auto [label, extent] : llvm::zip_equal(names, operand->getDims())) {
      auto found = llvm::find(labels, label);
      size_t place = found - labels.begin();
      if (found == labels.end()) {
        labels.push_back(label);
        extents.push_back(1);
      }
      if (extent != 1 && extents[place] != 1 && extents[place] != extent)
        return frame.fail("a label has the extents " + Twine(extents[place]) + " and " + Twine(extent));
      if (extents[place] == 1)
        extents[place] = extent;
    }
  size_t rank = equation->output.size();
  ArrayRef<int64_t> outer = ArrayRef(extents).take_front(rank), inner = ArrayRef(extents).drop_front(rank);
  FailureOr<Tensor> result = frame.makeTensor(operands[0]->getElementType(), outer);
  if (failed(result))
    return failure();
  // Each product of two operands is rounded by itself.
  double epsilon = getEpsilon(Float32Type::get(op.getContext()));
  if (result->isFloat())
    epsilon = std::min(epsilon, getEpsilon(result->getElementType())) +
              (operands.size() > 2 ? getEpsilon(result->getElementType()) : 0);
  int64_t at = 0;
  forEachIndex(outer, [&](ArrayRef<int64_t> first) {
    double sum = 0, magnitude = 0, count = 1;
    uint64_t integer = 0;
    forEachIndex(inner, [&](ArrayRef<int64_t> second) {
      SmallVector<int64_t> all(first);
      llvm::append_range(all, second);
      double product = 1;
      uint64_t integerProduct = 1;
      for (auto [operand, names] : llvm::zip_equal(operands, equation->inputs)) {
        SmallVector<int64_t> index;
        for (auto [label, extent] : llvm::zip_equal(names, operand->getDims()))
          index.push_back(extent == 1 ? 0 : all[llvm::find(labels, label) - labels.begin()]);
        int64_t position = operand->at(index);
        if (operand->isFloat())
          product *= operand->f(position);
        else
          integerProduct *= static_cast<uint64_t>(operand->i(position));
      }
      sum += product;
      magnitude += std::fabs(product);
      integer += integerProduct;
      ++count;
    });
    if (!result->isFloat())
      return result->setInt(at++, static_cast<int64_t>(integer));
    double bound = epsilon * magnitude * count;
    result->setFloat(at++, sum, std::isfinite(bound) ? bound : 0);
  });
  return result;
}

void interp::registerComposedMathOps(OpTable &table) {
  table.add(interpretIota);
  table.add(interpretEye);
  table.add(interpretFullLike);
  table.add(interpretArange);
  table.add(interpretRandomUniform);
  table.add(interpretRandomNormal);
  table.add(interpretVariance);
  table.add(interpretLogSumExp);
  table.add(interpretNormL1);
  table.add(interpretNormL2);
  table.add(interpretFlags<AnyOp>);
  table.add(interpretFlags<AllOp>);
  table.add(interpretOuter);
  table.add(interpretEinsum);
}
