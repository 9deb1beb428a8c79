//===- ElementwiseOps.cpp - Meaning of elementwise ops --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Float results are the exact ones, rounded once (library functions: as good as
// the C library's in double). Integers wrap around.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

using Floats = ArrayRef<double>;
using Ints = ArrayRef<int64_t>;
using IntResult = std::optional<int64_t>;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

// Without the undefined overflow of C++.
static int64_t addWrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
static int64_t subtractWrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
static int64_t multiplyWrapped(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Toward zero; the lowest integer divided by -1 wraps around. Nothing for a divisor of zero.
static IntResult divide(Ints x) {
  if (x[1] == 0)
    return std::nullopt;
  return x[1] == -1 ? subtractWrapped(0, x[0]) : x[0] / x[1];
}

/// With the sign of the divisor.
static IntResult mod(Ints x) {
  if (x[1] == 0)
    return std::nullopt;
  int64_t rest = x[1] == -1 ? 0 : x[0] % x[1];
  return rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}

using Bits = ArrayRef<uint64_t>;
using BitsResult = std::optional<uint64_t>;

static double modFloats(Floats x) {
  double rest = std::fmod(x[0], x[1]);
  if (rest == 0)
    return std::copysign(0.0, x[1]);
  return (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}

static BitsResult powerOfBits(Bits x) {
  uint64_t result = 1, base = x[0];
  for (uint64_t exponent = x[1]; exponent != 0; exponent >>= 1) {
    if (exponent & 1)
      result *= base;
    base *= base;
  }
  return result;
}

static IntResult power(Ints x) {
  if (x[1] < 0)
    return std::nullopt;
  return static_cast<int64_t>(*powerOfBits({static_cast<uint64_t>(x[0]), static_cast<uint64_t>(x[1])}));
}

static double maximum(Floats x) {
  if (std::isnan(x[0]) || std::isnan(x[1]))
    return std::numeric_limits<double>::quiet_NaN();
  return std::max(x[0], x[1]);
}

static double minimum(Floats x) {
  if (std::isnan(x[0]) || std::isnan(x[1]))
    return std::numeric_limits<double>::quiet_NaN();
  return std::min(x[0], x[1]);
}

/// Halves go to the even neighbour.
static double roundHalfEven(double x) {
  double below = std::floor(x), rest = x - below;
  if (rest != 0.5)
    return std::copysign(rest < 0.5 ? below : below + 1, x);
  return std::copysign(std::fmod(below, 2) == 0 ? below : below + 1, x);
}

//===----------------------------------------------------------------------===//
// astype and where
//===----------------------------------------------------------------------===//

/// The fraction is cut off; what does not fit becomes the nearest representable integer, NaN becomes 0.
static int64_t toInteger(double value, Type type) {
  if (std::isnan(value))
    return 0;
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = isUnsignedElement(type);
  APInt lowest = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
  APInt highest = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  llvm::APSInt result(width, isUnsigned);
  bool isExact = false;
  if (std::isinf(value) ||
      APFloat(value).convertToInteger(result, APFloat::rmTowardZero, &isExact) == APFloat::opInvalidOp)
    result = llvm::APSInt(value < 0 ? lowest : highest, isUnsigned);
  return wrapToType(type, static_cast<int64_t>(result.getZExtValue()));
}

/// Rounded once, straight from the integer.
static double toFloat(int64_t value, Type from, Type to) {
  APFloat result(cast<FloatType>(to).getFloatSemantics());
  APInt bits(64, static_cast<uint64_t>(value));
  result.convertFromAPInt(bits, /*IsSigned=*/!isUnsignedElement(from), APFloat::rmNearestTiesToEven);
  bool losesInfo = false;
  result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return result.convertToDouble();
}

static FailureOr<Tensor> interpretAsType(Frame &frame, AsTypeOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Tensor> result = frame.makeTensor(op.getDtype(), x.getDims());
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < x.size(); ++i) {
    if (op.getDtype().isInteger(1))
      result->setInt(i, x.isFloat() ? x.f(i) != 0 : x.i(i) != 0);
    else if (x.isFloat() && result->isFloat())
      result->setFloat(i, x.f(i));
    else if (x.isFloat())
      result->setInt(i, toInteger(x.f(i), op.getDtype()));
    else if (result->isFloat())
      result->setFloat(i, toFloat(x.i(i), x.getElementType(), op.getDtype()));
    else
      result->setInt(i, x.i(i));
  }
  return result;
}

static FailureOr<Tensor> interpretWhere(Frame &frame, WhereOp op) {
  const Tensor &condition = frame.tensor(op.getCondition()), &x = frame.tensor(op.getX()), &y = frame.tensor(op.getY());
  FailureOr<SmallVector<int64_t>> dims = broadcastShapes(frame, {condition.getDims(), x.getDims(), y.getDims()});
  if (failed(dims))
    return failure();
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), *dims);
  if (failed(result))
    return failure();
  int64_t position = 0;
  forEachIndex(*dims, [&](ArrayRef<int64_t> index) {
    bool takesX = condition.i(broadcastPosition(condition, index)) != 0;
    const Tensor &chosen = takesX ? x : y;
    result->set(position++, chosen[broadcastPosition(chosen, index)]);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

/// A function of one float, and of nothing else.
template <typename OpTy> static void addFloat(OpTable &table, double (*function)(double)) {
  table.addElementwise<OpTy>({[function](Floats x) { return function(x[0]); }, nullptr, nullptr});
}

/// A comparison, the same for floats and integers; NaN compares false but for `!=`.
template <typename OpTy, typename Compare> static void addCompare(OpTable &table, Compare compare) {
  table.addElementwise<OpTy>({nullptr, [compare](Ints x) -> IntResult { return compare(x[0], x[1]); },
                              [compare](Floats x) { return compare(x[0], x[1]); }, "",
                              [compare](Bits x) -> BitsResult { return compare(x[0], x[1]); }});
}

static void registerUnary(OpTable &table) {
  addFloat<CeilOp>(table, std::ceil);
  addFloat<CosOp>(table, std::cos);
  addFloat<ErfOp>(table, std::erf);
  addFloat<ExpOp>(table, std::exp);
  addFloat<FloorOp>(table, std::floor);
  addFloat<LogOp>(table, std::log);
  addFloat<ReciprocalOp>(table, [](double x) { return 1 / x; });
  addFloat<RoundOp>(table, roundHalfEven);
  addFloat<RsqrtOp>(table, [](double x) { return 1 / std::sqrt(x); });
  addFloat<SigmoidOp>(table, [](double x) { return 1 / (1 + std::exp(-x)); });
  addFloat<SinOp>(table, std::sin);
  addFloat<SqrtOp>(table, std::sqrt);
  addFloat<TanhOp>(table, std::tanh);
  table.addElementwise<AbsOp>({[](Floats x) { return std::fabs(x[0]); },
                               [](Ints x) -> IntResult { return x[0] < 0 ? subtractWrapped(0, x[0]) : x[0]; }, nullptr,
                               "", [](Bits x) -> BitsResult { return x[0]; }});
  table.addElementwise<NegateOp>(
      {[](Floats x) { return -x[0]; }, [](Ints x) -> IntResult { return subtractWrapped(0, x[0]); }, nullptr});
  table.addElementwise<ReluOp>({[](Floats x) { return x[0] < 0 ? 0.0 : x[0]; },
                                [](Ints x) -> IntResult { return x[0] < 0 ? 0 : x[0]; }, nullptr, "",
                                [](Bits x) -> BitsResult { return x[0]; }});
  table.addElementwise<SignOp>({[](Floats x) {
                                  return x[0] > 0 ? 1.0 : x[0] < 0 ? -1.0 : x[0] + 0.0;
                                }, // -0.0 gives 0.0, NaN stays
                                [](Ints x) -> IntResult { return (x[0] > 0) - (x[0] < 0); }, nullptr, "",
                                [](Bits x) -> BitsResult { return x[0] != 0; }});
  table.addElementwise<LogicalNotOp>({nullptr, [](Ints x) -> IntResult { return !x[0]; }, nullptr});
  addFloat<AcosOp>(table, std::acos);
  addFloat<AcoshOp>(table, std::acosh);
  addFloat<AsinOp>(table, std::asin);
  addFloat<AsinhOp>(table, std::asinh);
  addFloat<AtanOp>(table, std::atan);
  addFloat<AtanhOp>(table, std::atanh);
  addFloat<CoshOp>(table, std::cosh);
  addFloat<Exp2Op>(table, std::exp2);
  addFloat<Expm1Op>(table, std::expm1);
  addFloat<Log1pOp>(table, std::log1p);
  addFloat<Log2Op>(table, std::log2);
  addFloat<SinhOp>(table, std::sinh);
  addFloat<TanOp>(table, std::tan);
  addFloat<TruncOp>(table, std::trunc);
  table.addElementwise<BitwiseNotOp>({nullptr, [](Ints x) -> IntResult { return ~x[0]; }, nullptr});
  table.addElementwise<IsInfOp>({nullptr, nullptr, [](Floats x) { return std::isinf(x[0]); }});
  table.addElementwise<IsNaNOp>({nullptr, nullptr, [](Floats x) { return std::isnan(x[0]); }});
  table.add(interpretAsType);
}

static void registerBinary(OpTable &table) {
  table.addElementwise<AddOp>(
      {[](Floats x) { return x[0] + x[1]; }, [](Ints x) -> IntResult { return addWrapped(x[0], x[1]); }, nullptr});
  table.addElementwise<SubtractOp>(
      {[](Floats x) { return x[0] - x[1]; }, [](Ints x) -> IntResult { return subtractWrapped(x[0], x[1]); }, nullptr});
  table.addElementwise<MultiplyOp>(
      {[](Floats x) { return x[0] * x[1]; }, [](Ints x) -> IntResult { return multiplyWrapped(x[0], x[1]); }, nullptr});
  table.addElementwise<DivideOp>({[](Floats x) { return x[0] / x[1]; }, divide, nullptr, "integer division by zero",
                                  [](Bits x) { return x[1] == 0 ? BitsResult() : x[0] / x[1]; }});
  table.addElementwise<ModOp>({modFloats, mod, nullptr, "integer division by zero",
                               [](Bits x) { return x[1] == 0 ? BitsResult() : x[0] % x[1]; }});
  table.addElementwise<PowerOp>({[](Floats x) { return std::pow(x[0], x[1]); }, power, nullptr,
                                 "negative exponent of an integer power", powerOfBits});
  table.addElementwise<MaximumOp>({maximum, [](Ints x) -> IntResult { return std::max(x[0], x[1]); }, nullptr, "",
                                   [](Bits x) -> BitsResult { return std::max(x[0], x[1]); }});
  table.addElementwise<MinimumOp>({minimum, [](Ints x) -> IntResult { return std::min(x[0], x[1]); }, nullptr, "",
                                   [](Bits x) -> BitsResult { return std::min(x[0], x[1]); }});
  table.addElementwise<LogicalAndOp>({nullptr, [](Ints x) -> IntResult { return x[0] & x[1]; }, nullptr});
  table.addElementwise<LogicalOrOp>({nullptr, [](Ints x) -> IntResult { return x[0] | x[1]; }, nullptr});
}

/// Every bit leaves by an amount outside of the width; signs come in from above.
template <typename OpTy> static FailureOr<Tensor> interpretShift(Frame &frame, OpTy op) {
  constexpr bool isLeft = std::is_same_v<OpTy, ShiftLeftOp>;
  const Tensor &x = frame.tensor(op.getLhs()), &amounts = frame.tensor(op.getRhs());
  FailureOr<SmallVector<int64_t>> dims = broadcastShapes(frame, {x.getDims(), amounts.getDims()});
  if (failed(dims))
    return failure();
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), *dims);
  if (failed(result))
    return failure();
  int64_t position = 0, width = x.getElementType().getIntOrFloatBitWidth();
  forEachIndex(*dims, [&](ArrayRef<int64_t> index) {
    int64_t value = x.i(broadcastPosition(x, index)), amount = amounts.i(broadcastPosition(amounts, index));
    bool isInside = amount >= 0 && amount < width;
    int64_t left = isInside ? static_cast<int64_t>(static_cast<uint64_t>(value) << amount) : 0;
    int64_t right = value >> (isInside ? amount : width - 1);
    if (isUnsignedElement(x.getElementType()))
      right = isInside ? static_cast<int64_t>(static_cast<uint64_t>(value) >> amount) : 0;
    result->setInt(position++, isLeft ? left : right);
  });
  return result;
}

static void registerBits(OpTable &table) {
  table.addElementwise<LogicalXorOp>({nullptr, [](Ints x) -> IntResult { return x[0] ^ x[1]; }, nullptr});
  table.addElementwise<BitwiseAndOp>({nullptr, [](Ints x) -> IntResult { return x[0] & x[1]; }, nullptr});
  table.addElementwise<BitwiseOrOp>({nullptr, [](Ints x) -> IntResult { return x[0] | x[1]; }, nullptr});
  table.addElementwise<BitwiseXorOp>({nullptr, [](Ints x) -> IntResult { return x[0] ^ x[1]; }, nullptr});
  table.add(interpretShift<ShiftLeftOp>);
  table.add(interpretShift<ShiftRightOp>);
}

static void registerTernary(OpTable &table) {
  table.addElementwise<ClipOp>({[](Floats x) { return minimum({maximum({x[0], x[1]}), x[2]}); },
                                [](Ints x) -> IntResult { return std::min(std::max(x[0], x[1]), x[2]); }, nullptr, "",
                                [](Bits x) -> BitsResult { return std::min(std::max(x[0], x[1]), x[2]); }});
  table.addElementwise<FmaOp>({[](Floats x) { return std::fma(x[0], x[1], x[2]); }, nullptr, nullptr});
}

void interp::registerElementwiseOps(OpTable &table) {
  registerBits(table);
  registerTernary(table);
  registerUnary(table);
  registerBinary(table);
  addCompare<EqualOp>(table, [](auto a, auto b) { return a == b; });
  addCompare<NotEqualOp>(table, [](auto a, auto b) { return a != b; });
  addCompare<LessOp>(table, [](auto a, auto b) { return a < b; });
  addCompare<LessEqualOp>(table, [](auto a, auto b) { return a <= b; });
  addCompare<GreaterOp>(table, [](auto a, auto b) { return a > b; });
  addCompare<GreaterEqualOp>(table, [](auto a, auto b) { return a >= b; });
  table.add(interpretWhere);
}
