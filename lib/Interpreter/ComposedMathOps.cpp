//===- ComposedMathOps.cpp - Meaning of abbreviations that compute --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphEinsum.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

//===- Ranges -------------------------------------------------------------===//

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
    __int128 sum = distance + stride - (stride > 0 ? 1 : -1), rounded = sum / stride;
    if (distance != static_cast<int64_t>(distance) || sum != static_cast<int64_t>(sum))
      return frame.fail("the distance of the bounds leaves 64 bits");
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

/// What a sum of squares may change; everything where it does not fit the type in which it is computed.
static double getSquaresError(double squares, double epsilon, double error) {
  bool isDouble = epsilon < std::numeric_limits<float>::epsilon();
  double largest = isDouble ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
  return squares > largest ? std::numeric_limits<double>::infinity() : error;
}

/// Calls `compute` with the elements reduced to each one of the result, whose error it may set.
static FailureOr<Tensor>
reduceFloats(Frame &frame, Value operand, ArrayRef<int64_t> axes, bool keepDims,
             llvm::function_ref<double(ArrayRef<double>, double epsilon, double &error)> compute) {
  const Tensor &x = frame.tensor(operand);
  // f16 is computed in f32.
  double epsilon = std::min(getEpsilon(x.getElementType()), std::ldexp(1.0, -23));
  return reduce(frame, x, axes, keepDims, [&](Tensor &result, int64_t at, ArrayRef<int64_t> positions) {
    auto elements = llvm::map_to_vector(positions, [&](int64_t position) { return x.f(position); });
    double error = 0, value = compute(elements, epsilon, error);
    bool isFinite = llvm::all_of(elements, [](double element) { return std::isfinite(element); });
    result.setFloat(at, value, isFinite ? error : 0);
  });
}

static FailureOr<Tensor> interpretVariance(Frame &frame, VarianceOp op) {
  Type type = frame.tensor(op.getOperand()).getElementType();
  auto compute = [&](ArrayRef<double> x, double epsilon, double &error) {
    auto count = static_cast<double>(x.size());
    double mean = 0, squares = 0, largest = 0;
    for (double element : x) {
      mean += element / count;
      largest = std::max(largest, std::fabs(element));
    }
    double lost = 0;
    for (double element : x) {
      double square = (element - mean) * (element - mean);
      squares += square;
      lost += getLostPower(type, square);
    }
    double divisor = std::max(0.0, count - static_cast<double>(op.getCorrection())), result = squares / divisor;
    error = 8 * epsilon * (std::fabs(result) + largest * std::sqrt(std::fabs(result)) + epsilon * largest * largest);
    error += divisor > 0 ? lost / divisor : 0;
    error = getSquaresError(squares, epsilon, error);
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
  Type type = frame.tensor(op.getOperand()).getElementType();
  auto compute = [&](ArrayRef<double> x, double epsilon, double &error) {
    double sum = 0, lost = 0;
    for (double element : x) {
      sum += element * element;
      lost += getLostPower(type, element * element);
    }
    error = epsilon * std::sqrt(sum) * static_cast<double>(x.size() + 2) + std::sqrt(lost);
    error = getSquaresError(sum, epsilon, error);
    return std::sqrt(sum);
  };
  return reduceFloats(frame, op.getOperand(), op.getAxes(), op.getKeepdims(), compute);
}

template <typename OpTy> static FailureOr<Tensor> interpretFlags(Frame &frame, OpTy op) {
  const Tensor &x = frame.tensor(op.getOperand());
  auto isOn = [&](int64_t position) { return x.i(position) != 0; };
  return reduce(frame, x, op.getAxes(), op.getKeepdims(), [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements) {
    result.setInt(at, std::is_same_v<OpTy, AnyOp> ? llvm::any_of(elements, isOn) : llvm::all_of(elements, isOn));
  });
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

namespace {
/// A tensor with a label for each dimension, all different.
struct Labelled {
  Tensor value;
  SmallVector<int64_t> labels;

  bool has(int64_t label) const { return llvm::is_contained(labels, label); }
};

/// The operands are multiplied from the left; each label is summed as soon as neither the result nor a later operand
/// has it.
class EinsumEvaluator {
public:
  EinsumEvaluator(Frame &frame, EinsumOp op) : frame(frame), op(op) {}

  FailureOr<Tensor> run() {
    SmallVector<int64_t> ranks;
    for (Value operand : op.getOperands())
      ranks.push_back(frame.tensor(operand).getRank());
    std::string error;
    FailureOr<EinsumEquation> parsed = EinsumEquation::parse(op.getEquation(), ranks, error);
    if (failed(parsed))
      return frame.fail(error);
    equation = *parsed;
    if (failed(findExtents()))
      return failure();
    FailureOr<Labelled> result = read(0);
    for (unsigned index = 1; succeeded(result) && index != op.getNumOperands(); ++index) {
      FailureOr<Labelled> next = read(index);
      if (failed(next))
        return failure();
      result = multiply(*result, *next, index);
    }
    if (succeeded(result))
      result = combine({&*result}, equation.output);
    if (failed(result))
      return failure();
    return result->value;
  }

private:
  /// Only an extent that the type gives as 1 repeats.
  bool repeats(unsigned index, unsigned dim) {
    return cast<RankedTensorType>(op.getOperands()[index].getType()).getDimSize(dim) == 1;
  }

  LogicalResult findExtents() {
    for (auto [index, labels] : llvm::enumerate(equation.inputs))
      for (auto [dim, label] : llvm::enumerate(labels)) {
        if (repeats(index, dim))
          continue;
        int64_t extent = frame.tensor(op.getOperands()[index]).getDim(dim);
        auto [known, isNew] = extents.try_emplace(label, extent);
        if (!isNew && known->second != extent)
          return frame.fail("a label has the extents " + Twine(known->second) + " and " + Twine(extent));
      }
    return success();
  }

  int64_t getExtent(int64_t label) const {
    auto found = extents.find(label);
    return found == extents.end() ? 1 : found->second;
  }

  bool isNeededAfter(int64_t label, unsigned index) const {
    return llvm::is_contained(equation.output, label) ||
           llvm::any_of(ArrayRef(equation.inputs).drop_front(index + 1),
                        [&](ArrayRef<int64_t> labels) { return llvm::is_contained(labels, label); });
  }

  /// An operand without dimensions that repeat; of labels that occur twice the diagonal.
  FailureOr<Labelled> read(unsigned index) {
    const Tensor &x = frame.tensor(op.getOperands()[index]);
    ArrayRef<int64_t> labels = equation.inputs[index];
    Labelled result;
    SmallVector<int64_t> dims;
    for (int64_t label : labels)
      if (!result.has(label)) {
        result.labels.push_back(label);
        dims.push_back(getExtent(label));
      }
    FailureOr<Tensor> value = frame.makeTensor(x.getElementType(), dims);
    if (failed(value))
      return failure();
    int64_t at = 0;
    forEachIndex(dims, [&](ArrayRef<int64_t> place) {
      SmallVector<int64_t> from;
      for (auto [dim, label] : llvm::enumerate(labels))
        from.push_back(repeats(index, dim) ? 0 : place[llvm::find(result.labels, label) - result.labels.begin()]);
      value->set(at++, x[x.at(from)]);
    });
    result.value = std::move(*value);
    return result;
  }

  FailureOr<Labelled> multiply(const Labelled &a, const Labelled &b, unsigned index) {
    auto sumAlone = [&](const Labelled &x, const Labelled &other) {
      SmallVector<int64_t> kept = llvm::to_vector(llvm::make_filter_range(
          x.labels, [&](int64_t label) { return other.has(label) || isNeededAfter(label, index); }));
      return combine({&x}, kept);
    };
    FailureOr<Labelled> left = sumAlone(a, b), right = sumAlone(b, a);
    if (failed(left) || failed(right))
      return failure();
    SmallVector<int64_t> kept;
    for (int64_t label : left->labels)
      if (!right->has(label) || isNeededAfter(label, index))
        kept.push_back(label);
    for (int64_t label : right->labels)
      if (!left->has(label))
        kept.push_back(label);
    return combine({&*left, &*right}, kept);
  }

  /// The sum of products over the labels that are not kept, rounded once.
  FailureOr<Labelled> combine(ArrayRef<const Labelled *> factors, ArrayRef<int64_t> kept) {
    SmallVector<int64_t> labels(kept), dims, inner;
    for (const Labelled *factor : factors)
      for (int64_t label : factor->labels)
        if (!llvm::is_contained(labels, label))
          labels.push_back(label);
    for (int64_t label : labels)
      (dims.size() != kept.size() ? dims : inner).push_back(getExtent(label));
    Type type = factors.front()->value.getElementType();
    FailureOr<Tensor> result = frame.makeTensor(type, dims);
    if (failed(result))
      return failure();
    Type accumulator = getWideType(isa<FloatType>(type) ? type : Type(Float64Type::get(op.getContext())));
    int64_t at = 0;
    forEachIndex(dims, [&](ArrayRef<int64_t> first) {
      Sum sum;
      uint64_t integer = 0;
      double error = 0; // what the factors' own errors make of the sum
      forEachIndex(inner, [&](ArrayRef<int64_t> second) {
        double product = 1, productError = 0;
        uint64_t integerProduct = 1;
        for (const Labelled *factor : factors) {
          SmallVector<int64_t> from;
          for (int64_t label : factor->labels) {
            size_t place = llvm::find(labels, label) - labels.begin();
            from.push_back(place < first.size() ? first[place] : second[place - first.size()]);
          }
          int64_t position = factor->value.at(from);
          if (isa<FloatType>(type)) {
            ArrayRef<double> errors = factor->value.getErrors();
            double number = factor->value.f(position), own = errors.empty() ? 0 : errors[position];
            productError = productError * std::fabs(number) + own * (std::fabs(product) + productError);
            product *= number;
          } else
            integerProduct *= static_cast<uint64_t>(factor->value.i(position));
        }
        integer += integerProduct;
        sum.add(product);
        error += productError;
      });
      bool isCopy = inner.empty() && factors.size() == 1;
      if (isa<FloatType>(type))
        result->setFloat(at++, sum.get(), error + (isCopy ? 0 : sum.getError(accumulator)));
      else
        result->setInt(at++, static_cast<int64_t>(integer));
    });
    return Labelled{std::move(*result), SmallVector<int64_t>(kept)};
  }

  Frame &frame;
  EinsumOp op;
  EinsumEquation equation;
  DenseMap<int64_t, int64_t> extents;
};
} // namespace

static FailureOr<Tensor> interpretEinsum(Frame &frame, EinsumOp op) { return EinsumEvaluator(frame, op).run(); }

void interp::registerComposedMathOps(OpTable &table) {
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
