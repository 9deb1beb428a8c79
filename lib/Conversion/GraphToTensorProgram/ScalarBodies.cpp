//===- ScalarBodies.cpp - What elementwise ops do to scalars --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ScalarBodies.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

Type relax::getAccumulatorType(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32 ? Type(Float32Type::get(type.getContext())) : type;
}

Value relax::roundToOddF32(OpBuilder &builder, Location loc, Value value) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Value nearest = arith::TruncFOp::create(builder, loc, f32, value);
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  Value isInexact = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ONE, back, value);
  Value isAbove =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(builder, loc, back),
                            math::AbsFOp::create(builder, loc, value));
  // Bits of floats of one sign are ordered as integers.
  Value bits = arith::BitcastOp::create(builder, loc, i32, nearest);
  bits = arith::SubIOp::create(builder, loc, bits, arith::ExtUIOp::create(builder, loc, i32, isAbove));
  bits = arith::OrIOp::create(builder, loc, bits, arith::ExtUIOp::create(builder, loc, i32, isInexact));
  return arith::BitcastOp::create(builder, loc, f32, bits);
}

Value relax::convertFloat(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isF64() && type.isF16()) // no instruction does this in one step
    value = roundToOddF32(builder, loc, value);
  if (value.getType().getIntOrFloatBitWidth() == type.getIntOrFloatBitWidth()) // f16 and bf16
    value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value relax::createScalar(OpBuilder &builder, Location loc, Type type, double value) {
  type = sym::getProgramType(type);
  TypedAttr attr = isa<FloatType>(type) ? TypedAttr(builder.getFloatAttr(type, value))
                                        : TypedAttr(builder.getIntegerAttr(type, static_cast<int64_t>(value)));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value relax::createExtreme(OpBuilder &builder, Location loc, Type type, bool isHighest) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(type, APFloat::getInf(floatType.getFloatSemantics(), !isHighest)));
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = type.isUnsignedInteger()
                    ? (isHighest ? APInt::getMaxValue(width) : APInt::getMinValue(width))
                    : (isHighest ? APInt::getSignedMaxValue(width) : APInt::getSignedMinValue(width));
  return arith::ConstantOp::create(builder, loc, sym::getProgramAttr(builder.getIntegerAttr(type, value)));
}

Value relax::createMax(OpBuilder &builder, Location loc, Type type, Value a, Value b) {
  if (isa<FloatType>(type))
    return arith::MaximumFOp::create(builder, loc, a, b);
  if (type.isUnsignedInteger())
    return arith::MaxUIOp::create(builder, loc, a, b);
  return arith::MaxSIOp::create(builder, loc, a, b);
}

Value relax::createMin(OpBuilder &builder, Location loc, Type type, Value a, Value b) {
  if (isa<FloatType>(type))
    return arith::MinimumFOp::create(builder, loc, a, b);
  if (type.isUnsignedInteger())
    return arith::MinUIOp::create(builder, loc, a, b);
  return arith::MinSIOp::create(builder, loc, a, b);
}

namespace {
/// Writes the body of one op.
class BodyWriter {
public:
  BodyWriter(Operation *op, OpBuilder &builder, Location loc, ValueRange x)
      : builder(builder), loc(loc), x(x), graphType(getElementTypeOrSelf(op->getOperands().back())),
        type(x.back().getType()), isFloat(isa<FloatType>(type)), isUnsigned(graphType.isUnsignedInteger()) {}

  Value write(Operation *op) {
    return TypeSwitch<Operation *, Value>(op)
        // Unary
        .Case([&](AbsOp) { return isUnsigned ? x[0] : either<math::AbsFOp, math::AbsIOp>(); })
        .Case([&](CeilOp) { return make<math::CeilOp>(x[0]); })
        .Case([&](CosOp) { return make<math::CosOp>(x[0]); })
        .Case([&](ErfOp) { return make<math::ErfOp>(x[0]); })
        .Case([&](ExpOp) { return make<math::ExpOp>(x[0]); })
        .Case([&](FloorOp) { return make<math::FloorOp>(x[0]); })
        .Case([&](LogOp) { return make<math::LogOp>(x[0]); })
        .Case([&](LogicalNotOp) { return make<arith::XOrIOp>(x[0], scalar(1)); })
        .Case([&](NegateOp) { return isFloat ? make<arith::NegFOp>(x[0]) : make<arith::SubIOp>(scalar(0), x[0]); })
        .Case([&](ReciprocalOp) { return make<arith::DivFOp>(scalar(1), x[0]); })
        .Case([&](ReluOp) { return isUnsigned ? x[0] : createMax(builder, loc, type, x[0], scalar(0)); })
        .Case([&](RoundOp) { return make<math::RoundEvenOp>(x[0]); })
        .Case([&](RsqrtOp) { return make<arith::DivFOp>(scalar(1), make<math::SqrtOp>(x[0])); })
        .Case([&](SigmoidOp) { return writeSigmoid(); })
        .Case([&](SignOp) { return writeSign(); })
        .Case([&](SinOp) { return make<math::SinOp>(x[0]); })
        .Case([&](SqrtOp) { return make<math::SqrtOp>(x[0]); })
        .Case([&](TanhOp) { return make<math::TanhOp>(x[0]); })
        .Case([&](AcosOp) { return make<math::AcosOp>(x[0]); })
        .Case([&](AcoshOp) { return make<math::AcoshOp>(x[0]); })
        .Case([&](AsinOp) { return make<math::AsinOp>(x[0]); })
        .Case([&](AsinhOp) { return make<math::AsinhOp>(x[0]); })
        .Case([&](AtanOp) { return make<math::AtanOp>(x[0]); })
        .Case([&](AtanhOp) { return make<math::AtanhOp>(x[0]); })
        .Case([&](BitwiseNotOp) { return make<arith::XOrIOp>(x[0], scalar(-1)); })
        .Case([&](CoshOp) { return make<math::CoshOp>(x[0]); })
        .Case([&](Exp2Op) { return make<math::Exp2Op>(x[0]); })
        .Case([&](Expm1Op) { return make<math::ExpM1Op>(x[0]); })
        .Case([&](IsInfOp) {
          Value infinity = scalar(std::numeric_limits<double>::infinity());
          return compareFloat(arith::CmpFPredicate::OEQ, make<math::AbsFOp>(x[0]), infinity);
        })
        .Case([&](IsNaNOp) { return compareFloat(arith::CmpFPredicate::UNO, x[0], x[0]); })
        .Case([&](Log1pOp) { return make<math::Log1pOp>(x[0]); })
        .Case([&](Log2Op) { return make<math::Log2Op>(x[0]); })
        .Case([&](SinhOp) { return make<math::SinhOp>(x[0]); })
        .Case([&](TanOp) { return make<math::TanOp>(x[0]); })
        .Case([&](TruncOp) { return make<math::TruncOp>(x[0]); })
        .Case([&](AsTypeOp cast) { return writeCast(cast, cast.getDtype()); })
        // Ternary
        .Case([&](ClipOp) {
          return createMin(builder, loc, graphType, createMax(builder, loc, graphType, x[0], x[1]), x[2]);
        })
        .Case([&](FmaOp) { return writeFma(); })
        // Binary
        .Case([&](AddOp) { return either<arith::AddFOp, arith::AddIOp>(); })
        .Case([&](SubtractOp) { return either<arith::SubFOp, arith::SubIOp>(); })
        .Case([&](MultiplyOp) { return either<arith::MulFOp, arith::MulIOp>(); })
        .Case([&](DivideOp) { return isFloat ? make<arith::DivFOp>(x[0], x[1]) : writeDivide(/*remainder=*/false); })
        .Case([&](ModOp) { return writeMod(); })
        .Case([&](PowerOp) { return isFloat ? make<math::PowFOp>(x[0], x[1]) : writeIntegerPower(); })
        .Case([&](MaximumOp) { return createMax(builder, loc, graphType, x[0], x[1]); })
        .Case([&](MinimumOp) { return createMin(builder, loc, graphType, x[0], x[1]); })
        .Case([&](BitwiseAndOp) { return make<arith::AndIOp>(x[0], x[1]); })
        .Case([&](BitwiseOrOp) { return make<arith::OrIOp>(x[0], x[1]); })
        .Case([&](BitwiseXorOp) { return make<arith::XOrIOp>(x[0], x[1]); })
        .Case([&](LogicalXorOp) { return make<arith::XOrIOp>(x[0], x[1]); })
        .Case([&](ShiftLeftOp) { return writeShift(/*isLeft=*/true); })
        .Case([&](ShiftRightOp) { return writeShift(/*isLeft=*/false); })
        .Case([&](LogicalAndOp) { return make<arith::AndIOp>(x[0], x[1]); })
        .Case([&](LogicalOrOp) { return make<arith::OrIOp>(x[0], x[1]); })
        .Case([&](WhereOp) { return make<arith::SelectOp>(x[0], x[1], x[2]); })
        // Comparisons; NaN differs from everything.
        .Case([&](EqualOp) { return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq); })
        .Case([&](NotEqualOp) { return compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne); })
        .Case([&](LessOp) { return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt); })
        .Case([&](LessEqualOp) { return compare(arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle); })
        .Case([&](GreaterOp) { return compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt); })
        .Case([&](GreaterEqualOp) { return compare(arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge); })
        .Default([](Operation *) { return Value(); });
  }

private:
  template <typename OpTy, typename... Args> Value make(Args... args) { return OpTy::create(builder, loc, args...); }
  /// The float or the integer operation on all operands.
  template <typename FloatOp, typename IntOp> Value either() {
    if (x.size() == 1)
      return isFloat ? makeUnary<FloatOp>() : makeUnary<IntOp>();
    return isFloat ? makeBinary<FloatOp>() : makeBinary<IntOp>();
  }
  template <typename OpTy> Value makeUnary() {
    if constexpr (OpTy::template hasTrait<OpTrait::OneOperand>())
      return make<OpTy>(x[0]);
    return {};
  }
  template <typename OpTy> Value makeBinary() {
    if constexpr (!OpTy::template hasTrait<OpTrait::OneOperand>())
      return make<OpTy>(x[0], x[1]);
    return {};
  }
  Value scalar(double value) { return createScalar(builder, loc, type, value); }
  Value compareFloat(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value compareInt(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  Value compare(arith::CmpFPredicate ofFloats, arith::CmpIPredicate ofIntegers) {
    if (isFloat)
      return compareFloat(ofFloats, x[0], x[1]);
    return compareInt(isUnsigned || type.isInteger(1) ? getUnsigned(ofIntegers) : ofIntegers, x[0], x[1]);
  }
  /// false is less than true.
  static arith::CmpIPredicate getUnsigned(arith::CmpIPredicate predicate) {
    switch (predicate) {
    case arith::CmpIPredicate::slt:
      return arith::CmpIPredicate::ult;
    case arith::CmpIPredicate::sle:
      return arith::CmpIPredicate::ule;
    case arith::CmpIPredicate::sgt:
      return arith::CmpIPredicate::ugt;
    case arith::CmpIPredicate::sge:
      return arith::CmpIPredicate::uge;
    default:
      return predicate;
    }
  }

  Value writeFma();
  Value writeShift(bool isLeft);
  Value writeSigmoid();
  Value writeSign();
  void setType(Type to) {
    graphType = to;
    isUnsigned = to.isUnsignedInteger();
  }
  Value writeSmallInteger(Value byte, Type small);
  Value writeSmallFloat(Value code, FloatType small);
  Value writeStorageCast(AsTypeOp op, Type to);
  Value writeCast(AsTypeOp op, Type to);
  Value writeFloatToInt(Type to);
  Value writeDivide(bool remainder);
  Value writeMod();
  Value writeIntegerPower();

  OpBuilder &builder;
  Location loc;
  ValueRange x;
  Type graphType; // element type of the (last) operand
  Type type;      // the same as the program sees it
  bool isFloat, isUnsigned;
};
} // namespace

Value BodyWriter::writeFma() {
  Type wide = getAccumulatorType(type);
  auto widen = [&](Value value) { return convertFloat(builder, loc, value, wide); };
  return convertFloat(builder, loc, make<math::FmaOp>(widen(x[0]), widen(x[1]), widen(x[2])), type);
}

/// The machine's shift is defined inside of the width only.
Value BodyWriter::writeShift(bool isLeft) {
  unsigned width = type.getIntOrFloatBitWidth();
  Value inside = compareInt(arith::CmpIPredicate::ult, x[1], scalar(width));
  Value amount = make<arith::SelectOp>(inside, x[1], scalar(width - 1));
  if (!isLeft)
    return isUnsigned ? make<arith::SelectOp>(inside, make<arith::ShRUIOp>(x[0], amount), scalar(0))
                      : make<arith::ShRSIOp>(x[0], amount); // the last bit left is the sign
  return make<arith::SelectOp>(inside, make<arith::ShLIOp>(x[0], amount), scalar(0));
}

Value BodyWriter::writeSigmoid() {
  Value exp = make<math::ExpOp>(make<arith::NegFOp>(x[0]));
  return make<arith::DivFOp>(scalar(1), make<arith::AddFOp>(scalar(1), exp));
}

Value BodyWriter::writeSign() {
  Value zero = scalar(0), one = scalar(1), minusOne = scalar(-1);
  if (isUnsigned)
    return make<arith::MinUIOp>(x[0], one);
  if (!isFloat) {
    Value negative = make<arith::SelectOp>(compareInt(arith::CmpIPredicate::slt, x[0], zero), minusOne, zero);
    return make<arith::SelectOp>(compareInt(arith::CmpIPredicate::sgt, x[0], zero), one, negative);
  }
  Value rest = make<arith::SelectOp>(compareFloat(arith::CmpFPredicate::OEQ, x[0], zero), zero, x[0]); // 0 or NaN
  Value negative = make<arith::SelectOp>(compareFloat(arith::CmpFPredicate::OLT, x[0], zero), minusOne, rest);
  return make<arith::SelectOp>(compareFloat(arith::CmpFPredicate::OGT, x[0], zero), one, negative);
}

Value BodyWriter::writeFloatToInt(Type to) {
  // f16 does not reach the bounds of wide integers.
  Value value = convertFloat(builder, loc, x[0], getAccumulatorType(type));
  Type wide = value.getType(), integer = sym::getProgramType(to);
  bool toUnsigned = to.isUnsignedInteger();
  unsigned width = to.getIntOrFloatBitWidth();
  double bound = std::ldexp(1.0, toUnsigned ? width : width - 1); // exact in f32
  Value tooLarge = compareFloat(arith::CmpFPredicate::OGE, value, createScalar(builder, loc, wide, bound));
  Value tooSmall =
      compareFloat(arith::CmpFPredicate::OLT, value, createScalar(builder, loc, wide, toUnsigned ? 0 : -bound));
  Value isNaN = compareFloat(arith::CmpFPredicate::UNO, value, value);
  // The conversion of a value that does not fit has no defined result; it is not chosen.
  Value result = toUnsigned ? arith::FPToUIOp::create(builder, loc, integer, value).getResult()
                            : arith::FPToSIOp::create(builder, loc, integer, value).getResult();
  result = make<arith::SelectOp>(tooLarge, createExtreme(builder, loc, to, /*isHighest=*/true), result);
  result = make<arith::SelectOp>(tooSmall, createExtreme(builder, loc, to, /*isHighest=*/false), result);
  return make<arith::SelectOp>(isNaN, createScalar(builder, loc, integer, 0), result);
}

/// The low bits of a byte as one of an integer type of 2 or 4 bits.
Value BodyWriter::writeSmallInteger(Value byte, Type small) {
  unsigned width = small.getIntOrFloatBitWidth();
  if (small.isUnsignedInteger())
    return make<arith::AndIOp>(byte, createScalar(builder, loc, byte.getType(), (1 << width) - 1));
  Value unused = createScalar(builder, loc, byte.getType(), 8 - width);
  return make<arith::ShRSIOp>(make<arith::ShLIOp>(byte, unused), unused);
}

/// A code of a float type of up to 8 bits, as f32: exponent and mantissa move to their place, a product sets the
/// exponent right, which is exact.
Value BodyWriter::writeSmallFloat(Value code, FloatType small) {
  const llvm::fltSemantics &semantics = small.getFloatSemantics();
  Type i32 = builder.getI32Type(), f32 = builder.getF32Type();
  Value bits = arith::ExtUIOp::create(builder, loc, i32, code);
  auto integer = [&](int64_t value) { return createScalar(builder, loc, i32, static_cast<double>(value)); };
  auto isCode = [&](arith::CmpIPredicate predicate, Value a, int64_t value) {
    return compareInt(predicate, a, integer(value));
  };
  Value nan = createScalar(builder, loc, f32, std::numeric_limits<double>::quiet_NaN());
  if (isa<Float8E8M0FNUType>(small)) {
    // The smallest power is a subnormal f32.
    Value power = make<arith::ShLIOp>(bits, integer(23));
    power = make<arith::SelectOp>(isCode(arith::CmpIPredicate::eq, bits, 0), integer(0x400000), power);
    return make<arith::SelectOp>(isCode(arith::CmpIPredicate::eq, bits, 255), nan,
                                 arith::BitcastOp::create(builder, loc, f32, power).getResult());
  }
  unsigned width = small.getWidth(), mantissa = APFloat::semanticsPrecision(semantics) - 1;
  int bias = 1 - APFloat::semanticsMinExponent(semantics);
  Value magnitude = make<arith::AndIOp>(bits, integer((1 << (width - 1)) - 1));
  Value moved = make<arith::ShLIOp>(magnitude, integer(23 - mantissa));
  Value number = make<arith::MulFOp>(arith::BitcastOp::create(builder, loc, f32, moved).getResult(),
                                     createScalar(builder, loc, f32, std::ldexp(1.0, 127 - bias)));
  int64_t largest = APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue();
  if (APFloat::semanticsHasInf(semantics)) {
    Value infinity = createScalar(builder, loc, f32, std::numeric_limits<double>::infinity());
    number = make<arith::SelectOp>(isCode(arith::CmpIPredicate::eq, magnitude, largest + 1), infinity, number);
  }
  Value sign = make<arith::AndIOp>(bits, integer(1 << (width - 1)));
  sign = make<arith::ShLIOp>(sign, integer(32 - width));
  number = arith::BitcastOp::create(
      builder, loc, f32, make<arith::OrIOp>(arith::BitcastOp::create(builder, loc, i32, number).getResult(), sign));
  if (isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(small)) // what would be minus zero
    return make<arith::SelectOp>(isCode(arith::CmpIPredicate::eq, bits, 0x80), nan, number);
  if (!APFloat::semanticsHasNaN(semantics))
    return number;
  int64_t last = APFloat::semanticsHasInf(semantics) ? largest + 1 : largest;
  return make<arith::SelectOp>(isCode(arith::CmpIPredicate::ugt, magnitude, last), nan, number);
}

/// From or to a type that is only stored, through one that is computed with.
Value BodyWriter::writeStorageCast(AsTypeOp op, Type to) {
  auto castFrom = [&](Value value, Type from) {
    BodyWriter writer(op, builder, loc, value);
    writer.setType(from);
    return writer.writeCast(op, to);
  };
  auto smallFloat = dyn_cast<FloatType>(graphType);
  if (sym::isElementOf(graphType, sym::kStorage)) {
    if (smallFloat)
      return castFrom(writeSmallFloat(x[0], smallFloat), builder.getF32Type());
    Type byte = graphType.isUnsignedInteger() ? builder.getIntegerType(8, /*isSigned=*/false) : builder.getI8Type();
    return castFrom(writeSmallInteger(x[0], graphType), byte);
  }
  Type byte = builder.getI8Type();
  if (isa<FloatType>(to)) {
    Value value = type.isF64() ? roundToOddF32(builder, loc, x[0]) : x[0];
    std::string format = StringRef(sym::getElementKind(to)->name).lower();
    Value code = encodeFloat(builder, loc, convertFloat(builder, loc, value, builder.getF32Type()), format);
    return arith::TruncIOp::create(builder, loc, byte, code);
  }
  if (isFloat)
    return writeFloatToInt(to);
  Value low = x[0];
  if (type.isInteger(1))
    low = arith::ExtUIOp::create(builder, loc, byte, low);
  else if (type != byte)
    low = arith::TruncIOp::create(builder, loc, byte, low);
  return writeSmallInteger(low, to);
}

Value BodyWriter::writeCast(AsTypeOp op, Type to) {
  if (graphType == to)
    return x[0];
  if (sym::isElementOf(graphType, sym::kStorage) || sym::isElementOf(to, sym::kStorage))
    return writeStorageCast(op, to);
  if (to.isInteger(1))
    return isFloat ? compareFloat(arith::CmpFPredicate::UNE, x[0], scalar(0))
                   : compareInt(arith::CmpIPredicate::ne, x[0], scalar(0));
  if (isFloat)
    return isa<FloatType>(to) ? convertFloat(builder, loc, x[0], to) : writeFloatToInt(to);
  bool isNonnegative = isUnsigned || type.isInteger(1);
  if (isa<FloatType>(to))
    return isNonnegative ? arith::UIToFPOp::create(builder, loc, to, x[0]).getResult()
                         : arith::SIToFPOp::create(builder, loc, to, x[0]).getResult();
  unsigned from = type.getIntOrFloatBitWidth(), width = to.getIntOrFloatBitWidth();
  to = sym::getProgramType(to);
  if (width == from)
    return x[0];
  if (width < from)
    return arith::TruncIOp::create(builder, loc, to, x[0]);
  return isNonnegative ? arith::ExtUIOp::create(builder, loc, to, x[0]).getResult()
                       : arith::ExtSIOp::create(builder, loc, to, x[0]).getResult();
}

/// Quotient rounded toward zero, or its remainder, without the two cases that trap in hardware.
Value BodyWriter::writeDivide(bool remainder) {
  Value zero = scalar(0), minusOne = scalar(-1);
  Value nonzero = compareInt(arith::CmpIPredicate::ne, x[1], zero);
  tp::AssertOp::create(builder, loc, nonzero, "integer division by zero");
  if (isUnsigned) {
    Value harmless = make<arith::SelectOp>(nonzero, x[1], scalar(1));
    return remainder ? make<arith::RemUIOp>(x[0], harmless) : make<arith::DivUIOp>(x[0], harmless);
  }
  // The lowest integer divided by -1 wraps around: it is negated.
  Value negates = compareInt(arith::CmpIPredicate::eq, x[1], minusOne);
  Value harmless = make<arith::SelectOp>(make<arith::OrIOp>(negates, compareInt(arith::CmpIPredicate::eq, x[1], zero)),
                                         scalar(1), x[1]);
  if (remainder)
    return make<arith::RemSIOp>(x[0], harmless); // rest of dividing by 1 or -1 is 0
  Value negated = make<arith::SubIOp>(zero, x[0]);
  return make<arith::SelectOp>(negates, negated, make<arith::DivSIOp>(x[0], harmless));
}

Value BodyWriter::writeMod() {
  Value zero = scalar(0);
  if (!isFloat) {
    Value rest = writeDivide(/*remainder=*/true);
    if (isUnsigned)
      return rest;
    Value isRest = compareInt(arith::CmpIPredicate::ne, rest, zero);
    Value differ = compareInt(arith::CmpIPredicate::slt, make<arith::XOrIOp>(rest, x[1]), zero);
    return make<arith::SelectOp>(make<arith::AndIOp>(isRest, differ), make<arith::AddIOp>(rest, x[1]), rest);
  }
  Value rest = make<arith::RemFOp>(x[0], x[1]);
  Value isRest = compareFloat(arith::CmpFPredicate::UNE, rest, zero);
  Value differ = make<arith::XOrIOp>(compareFloat(arith::CmpFPredicate::OLT, rest, zero),
                                     compareFloat(arith::CmpFPredicate::OLT, x[1], zero));
  Value moved = make<arith::SelectOp>(differ, make<arith::AddFOp>(rest, x[1]), rest);
  // No rest: a zero with the divisor's sign.
  return make<arith::SelectOp>(isRest, moved, make<math::CopySignOp>(zero, x[1]));
}

/// By squaring; wraps around.
Value BodyWriter::writeIntegerPower() {
  Value zero = scalar(0), one = scalar(1);
  Value exponent = x[1];
  if (!isUnsigned) {
    Value nonnegative = compareInt(arith::CmpIPredicate::sge, x[1], zero);
    tp::AssertOp::create(builder, loc, nonnegative, "negative exponent of an integer power");
    exponent = make<arith::SelectOp>(nonnegative, x[1], zero);
  }
  auto isLeft = [&](OpBuilder &, Location, ValueRange state) { // state: exponent, base, result
    Value left = compareInt(arith::CmpIPredicate::ne, state[0], zero);
    scf::ConditionOp::create(builder, loc, left, state);
  };
  auto step = [&](OpBuilder &, Location, ValueRange state) {
    Value odd = compareInt(arith::CmpIPredicate::ne, make<arith::AndIOp>(state[0], one), zero);
    Value result = make<arith::SelectOp>(odd, make<arith::MulIOp>(state[2], state[1]), state[2]);
    Value rest = make<arith::ShRUIOp>(state[0], one), square = make<arith::MulIOp>(state[1], state[1]);
    scf::YieldOp::create(builder, loc, ValueRange{rest, square, result});
  };
  auto loop =
      scf::WhileOp::create(builder, loc, TypeRange{type, type, type}, ValueRange{exponent, x[0], one}, isLeft, step);
  return loop.getResult(2);
}

Value relax::buildScalarBody(Operation *op, OpBuilder &builder, Location loc, ValueRange operands) {
  return BodyWriter(op, builder, loc, operands).write(op);
}
