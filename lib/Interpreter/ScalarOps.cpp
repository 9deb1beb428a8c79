//===- ScalarOps.cpp - Meaning of arith and math on scalars ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Floats are computed in double and rounded once to their type, integers are
// read with the sign that the op says.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Interpreter/OpTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;

namespace {
using Floats = ArrayRef<double>;

/// Operands of an integer op, with and without sign.
struct Ints {
  SmallVector<int64_t> s;
  SmallVector<uint64_t> u;
  unsigned width;
};
using IntResult = std::optional<int64_t>;
} // namespace

static unsigned getWidth(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

static int64_t readSigned(Type type, int64_t value) { return type.isInteger(1) ? -(value & 1) : value; }
static uint64_t readUnsigned(Type type, int64_t value) {
  unsigned width = getWidth(type);
  return width >= 64 ? static_cast<uint64_t>(value) : static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
}

/// Vectors and tensors of scalars are not bodies of ours.
static LogicalResult requireScalars(Frame &frame, Operation *op) {
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat() && (type.isIndex() || isSupportedElement(type)); };
  if (llvm::all_of(op->getOperandTypes(), isScalar) && llvm::all_of(op->getResultTypes(), isScalar))
    return success();
  return frame.fail("is interpreted for scalars of at most 64 bits only");
}

static Ints readInts(Frame &frame, Operation *op) {
  Ints ints;
  for (Value operand : op->getOperands()) {
    int64_t value = frame.scalar(operand).i;
    ints.s.push_back(readSigned(operand.getType(), value));
    ints.u.push_back(readUnsigned(operand.getType(), value));
    ints.width = getWidth(operand.getType());
  }
  return ints;
}

template <typename OpTy> static void addFloat(OpTable &table, double (*function)(Floats)) {
  table.addFunction<OpTy>([function](Frame &frame, Operation *op) -> LogicalResult {
    if (failed(requireScalars(frame, op)))
      return failure();
    SmallVector<double> operands;
    for (Value operand : op->getOperands())
      operands.push_back(frame.scalar(operand).f);
    frame.setScalar(op->getResult(0), floatNumber(function(operands)));
    return success();
  });
}
template <typename OpTy> static void addFloat(OpTable &table, double (*function)(double)) {
  table.addFunction<OpTy>([function](Frame &frame, Operation *op) -> LogicalResult {
    if (failed(requireScalars(frame, op)))
      return failure();
    frame.setScalar(op->getResult(0), floatNumber(function(frame.scalar(op->getOperand(0)).f)));
    return success();
  });
}

/// Nothing as a result is an error.
template <typename OpTy> static void addInt(OpTable &table, IntResult (*function)(const Ints &)) {
  table.addFunction<OpTy>([function](Frame &frame, Operation *op) -> LogicalResult {
    if (failed(requireScalars(frame, op)))
      return failure();
    IntResult result = function(readInts(frame, op));
    if (!result)
      return frame.fail("has no defined result for these operands");
    frame.setScalar(op->getResult(0), intNumber(*result));
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Comparisons, choices and conversions
//===----------------------------------------------------------------------===//

static LogicalResult interpretCmpI(Frame &frame, arith::CmpIOp op) {
  if (failed(requireScalars(frame, op)))
    return failure();
  Ints x = readInts(frame, op);
  bool result = arith::applyCmpPredicate(op.getPredicate(), APInt(64, static_cast<uint64_t>(x.s[0])),
                                         APInt(64, static_cast<uint64_t>(x.s[1])));
  frame.setScalar(op.getResult(), intNumber(result));
  return success();
}

static LogicalResult interpretCmpF(Frame &frame, arith::CmpFOp op) {
  if (failed(requireScalars(frame, op)))
    return failure();
  bool result = arith::applyCmpPredicate(op.getPredicate(), APFloat(frame.scalar(op.getLhs()).f),
                                         APFloat(frame.scalar(op.getRhs()).f));
  frame.setScalar(op.getResult(), intNumber(result));
  return success();
}

static LogicalResult interpretSelect(Frame &frame, arith::SelectOp op) {
  if (!op.getCondition().getType().isInteger(1))
    return frame.fail("is interpreted for a scalar condition only");
  frame.set(op.getResult(), frame.get(frame.scalar(op.getCondition()).i ? op.getTrueValue() : op.getFalseValue()));
  return success();
}

static LogicalResult interpretConstant(Frame &frame, arith::ConstantOp op) {
  if (auto elements = dyn_cast<ElementsAttr>(op.getValue())) {
    FailureOr<Tensor> value = readElements(elements);
    if (failed(value))
      return frame.fail("the value cannot be read");
    frame.set(op.getResult(), std::move(*value));
    return success();
  }
  if (failed(requireScalars(frame, op)))
    return failure();
  if (auto value = dyn_cast<FloatAttr>(op.getValue()))
    frame.setScalar(op.getResult(), floatNumber(value.getValueAsDouble()));
  else
    frame.setScalar(op.getResult(), intNumber(readUnsigned(op.getType(), cast<IntegerAttr>(op.getValue()).getInt())));
  return success();
}

/// Value of the float for any integer, rounded once.
template <bool isSigned, typename OpTy> static LogicalResult interpretIntToFloat(Frame &frame, OpTy op) {
  if (failed(requireScalars(frame, op)))
    return failure();
  Ints x = readInts(frame, op);
  APFloat result(cast<FloatType>(op.getType()).getFloatSemantics());
  result.convertFromAPInt(APInt(64, isSigned ? static_cast<uint64_t>(x.s[0]) : x.u[0]), isSigned,
                          APFloat::rmNearestTiesToEven);
  bool losesInfo = false;
  result.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  frame.setScalar(op.getResult(), floatNumber(result.convertToDouble()));
  return success();
}

/// What does not fit has no defined result; bodies do not choose it.
template <bool isSigned, typename OpTy> static LogicalResult interpretFloatToInt(Frame &frame, OpTy op) {
  if (failed(requireScalars(frame, op)))
    return failure();
  double value = frame.scalar(op.getIn()).f;
  llvm::APSInt result(getWidth(op.getType()), !isSigned);
  bool isExact = false;
  if (!std::isfinite(value) ||
      APFloat(value).convertToInteger(result, APFloat::rmTowardZero, &isExact) == APFloat::opInvalidOp)
    result = llvm::APSInt(getWidth(op.getType()), !isSigned);
  frame.setScalar(op.getResult(), intNumber(static_cast<int64_t>(result.getZExtValue())));
  return success();
}

static LogicalResult interpretBitcast(Frame &frame, arith::BitcastOp op) {
  if (failed(requireScalars(frame, op)))
    return failure();
  if (getElementBytes(op.getIn().getType()) != getElementBytes(op.getType()))
    return frame.fail("changes the number of bytes");
  Tensor from(op.getIn().getType(), {}), to(op.getType(), {});
  from.set(0, frame.scalar(op.getIn()));
  uint8_t bytes[8];
  writeBytes(from, bytes);
  readBytes(bytes, to);
  frame.setScalar(op.getResult(), to[0]);
  return success();
}

static void registerConversions(OpTable &table) {
  table.add(interpretCmpI);
  table.add(interpretCmpF);
  table.add(interpretSelect);
  table.add(interpretConstant);
  table.add(interpretBitcast);
  table.add(interpretIntToFloat<true, arith::SIToFPOp>);
  table.add(interpretIntToFloat<false, arith::UIToFPOp>);
  table.add(interpretFloatToInt<true, arith::FPToSIOp>);
  table.add(interpretFloatToInt<false, arith::FPToUIOp>);
  addFloat<arith::ExtFOp>(table, [](double x) { return x; });
  addFloat<arith::TruncFOp>(table, [](double x) { return x; });
  addInt<arith::ExtSIOp>(table, [](const Ints &x) -> IntResult { return x.s[0]; });
  addInt<arith::ExtUIOp>(table, [](const Ints &x) -> IntResult { return x.u[0]; });
  addInt<arith::TruncIOp>(table, [](const Ints &x) -> IntResult { return x.s[0]; });
  addInt<arith::IndexCastOp>(table, [](const Ints &x) -> IntResult { return x.s[0]; });
  addInt<arith::IndexCastUIOp>(table, [](const Ints &x) -> IntResult { return x.u[0]; });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Division by zero, and the lowest number by -1, have no result.
static bool isDivisible(const Ints &x) {
  int64_t lowest = x.width >= 64 ? INT64_MIN : -(int64_t(1) << (x.width - 1));
  return x.s[1] != 0 && !(x.s[0] == lowest && x.s[1] == -1);
}

static void registerDivisions(OpTable &table) {
  addInt<arith::DivSIOp>(
      table, [](const Ints &x) -> IntResult { return isDivisible(x) ? IntResult(x.s[0] / x.s[1]) : std::nullopt; });
  addInt<arith::RemSIOp>(
      table, [](const Ints &x) -> IntResult { return isDivisible(x) ? IntResult(x.s[0] % x.s[1]) : std::nullopt; });
  addInt<arith::DivUIOp>(table,
                         [](const Ints &x) -> IntResult { return x.u[1] ? IntResult(x.u[0] / x.u[1]) : std::nullopt; });
  addInt<arith::RemUIOp>(table,
                         [](const Ints &x) -> IntResult { return x.u[1] ? IntResult(x.u[0] % x.u[1]) : std::nullopt; });
  addInt<arith::CeilDivUIOp>(table, [](const Ints &x) -> IntResult {
    return x.u[1] ? IntResult(x.u[0] / x.u[1] + (x.u[0] % x.u[1] != 0)) : std::nullopt;
  });
  addInt<arith::FloorDivSIOp>(table, [](const Ints &x) -> IntResult {
    return isDivisible(x) ? IntResult(llvm::divideFloorSigned(x.s[0], x.s[1])) : std::nullopt;
  });
  addInt<arith::CeilDivSIOp>(table, [](const Ints &x) -> IntResult {
    return isDivisible(x) ? IntResult(llvm::divideCeilSigned(x.s[0], x.s[1])) : std::nullopt;
  });
}

static void registerIntegers(OpTable &table) {
  addInt<arith::AddIOp>(table, [](const Ints &x) -> IntResult { return x.u[0] + x.u[1]; });
  addInt<arith::SubIOp>(table, [](const Ints &x) -> IntResult { return x.u[0] - x.u[1]; });
  addInt<arith::MulIOp>(table, [](const Ints &x) -> IntResult { return x.u[0] * x.u[1]; });
  addInt<arith::AndIOp>(table, [](const Ints &x) -> IntResult { return x.u[0] & x.u[1]; });
  addInt<arith::OrIOp>(table, [](const Ints &x) -> IntResult { return x.u[0] | x.u[1]; });
  addInt<arith::XOrIOp>(table, [](const Ints &x) -> IntResult { return x.u[0] ^ x.u[1]; });
  addInt<arith::MaxSIOp>(table, [](const Ints &x) -> IntResult { return std::max(x.s[0], x.s[1]); });
  addInt<arith::MinSIOp>(table, [](const Ints &x) -> IntResult { return std::min(x.s[0], x.s[1]); });
  addInt<arith::MaxUIOp>(table, [](const Ints &x) -> IntResult { return std::max(x.u[0], x.u[1]); });
  addInt<arith::MinUIOp>(table, [](const Ints &x) -> IntResult { return std::min(x.u[0], x.u[1]); });
  addInt<arith::ShLIOp>(
      table, [](const Ints &x) -> IntResult { return x.u[1] < x.width ? IntResult(x.u[0] << x.u[1]) : std::nullopt; });
  addInt<arith::ShRUIOp>(
      table, [](const Ints &x) -> IntResult { return x.u[1] < x.width ? IntResult(x.u[0] >> x.u[1]) : std::nullopt; });
  addInt<arith::ShRSIOp>(
      table, [](const Ints &x) -> IntResult { return x.u[1] < x.width ? IntResult(x.s[0] >> x.u[1]) : std::nullopt; });
  addInt<math::AbsIOp>(table, [](const Ints &x) -> IntResult { return x.s[0] < 0 ? -x.u[0] : x.u[0]; });
  addInt<math::CtPopOp>(table, [](const Ints &x) -> IntResult { return llvm::popcount(x.u[0]); });
  registerDivisions(table);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static double maximum(Floats x) { return std::isnan(x[0]) || std::isnan(x[1]) ? std::nan("") : std::max(x[0], x[1]); }
static double minimum(Floats x) { return std::isnan(x[0]) || std::isnan(x[1]) ? std::nan("") : std::min(x[0], x[1]); }

static void registerFloats(OpTable &table) {
  addFloat<arith::AddFOp>(table, [](Floats x) { return x[0] + x[1]; });
  addFloat<arith::SubFOp>(table, [](Floats x) { return x[0] - x[1]; });
  addFloat<arith::MulFOp>(table, [](Floats x) { return x[0] * x[1]; });
  addFloat<arith::DivFOp>(table, [](Floats x) { return x[0] / x[1]; });
  addFloat<arith::RemFOp>(table, [](Floats x) { return std::fmod(x[0], x[1]); });
  addFloat<arith::NegFOp>(table, [](double x) { return -x; });
  addFloat<arith::MaximumFOp>(table, maximum);
  addFloat<arith::MinimumFOp>(table, minimum);
  addFloat<arith::MaxNumFOp>(table, [](Floats x) { return std::fmax(x[0], x[1]); });
  addFloat<arith::MinNumFOp>(table, [](Floats x) { return std::fmin(x[0], x[1]); });
  addFloat<math::AbsFOp>(table, [](double x) { return std::fabs(x); });
  addFloat<math::Atan2Op>(table, [](Floats x) { return std::atan2(x[0], x[1]); });
  addFloat<math::CopySignOp>(table, [](Floats x) { return std::copysign(x[0], x[1]); });
  addFloat<math::FmaOp>(table, [](Floats x) { return std::fma(x[0], x[1], x[2]); });
  addFloat<math::PowFOp>(table, [](Floats x) { return std::pow(x[0], x[1]); });
  addFloat<math::RoundEvenOp>(table, [](double x) { return std::nearbyint(x); });
  addFloat<math::RsqrtOp>(table, [](double x) { return 1 / std::sqrt(x); });
}

static void registerFunctions(OpTable &table) {
  addFloat<math::AcosOp>(table, std::acos);
  addFloat<math::AcoshOp>(table, std::acosh);
  addFloat<math::AsinOp>(table, std::asin);
  addFloat<math::AsinhOp>(table, std::asinh);
  addFloat<math::AtanOp>(table, std::atan);
  addFloat<math::AtanhOp>(table, std::atanh);
  addFloat<math::CbrtOp>(table, std::cbrt);
  addFloat<math::CeilOp>(table, std::ceil);
  addFloat<math::CosOp>(table, std::cos);
  addFloat<math::CoshOp>(table, std::cosh);
  addFloat<math::ErfOp>(table, std::erf);
  addFloat<math::ErfcOp>(table, std::erfc);
  addFloat<math::Exp2Op>(table, std::exp2);
  addFloat<math::ExpM1Op>(table, std::expm1);
  addFloat<math::ExpOp>(table, std::exp);
  addFloat<math::FloorOp>(table, std::floor);
  addFloat<math::Log10Op>(table, std::log10);
  addFloat<math::Log1pOp>(table, std::log1p);
  addFloat<math::Log2Op>(table, std::log2);
  addFloat<math::LogOp>(table, std::log);
  addFloat<math::RoundOp>(table, std::round);
  addFloat<math::SinOp>(table, std::sin);
  addFloat<math::SinhOp>(table, std::sinh);
  addFloat<math::SqrtOp>(table, std::sqrt);
  addFloat<math::TanOp>(table, std::tan);
  addFloat<math::TanhOp>(table, std::tanh);
  addFloat<math::TruncOp>(table, std::trunc);
}

void interp::registerScalarOps(OpTable &table) {
  registerConversions(table);
  registerIntegers(table);
  registerFloats(table);
  registerFunctions(table);
}
