//===- ScalarBodies.cpp - What elementwise ops do to scalars --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ScalarBodies.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

Type relax::getAccumulatorType(Type type) { return type.isF16() ? Float32Type::get(type.getContext()) : type; }

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
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, type, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

Value relax::createScalar(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attr = isa<FloatType>(type) ? TypedAttr(builder.getFloatAttr(type, value))
                                        : TypedAttr(builder.getIntegerAttr(type, static_cast<int64_t>(value)));
  return arith::ConstantOp::create(builder, loc, attr);
}

namespace {
/// Writes the body of one op.
class BodyWriter {
public:
  BodyWriter(OpBuilder &builder, Location loc, ValueRange x)
      : builder(builder), loc(loc), x(x), type(x.back().getType()), isFloat(isa<FloatType>(type)) {}

  Value write(Operation *op) {
    return TypeSwitch<Operation *, Value>(op)
        // Unary
        .Case([&](AbsOp) { return either<math::AbsFOp, math::AbsIOp>(); })
        .Case([&](CeilOp) { return make<math::CeilOp>(x[0]); })
        .Case([&](CosOp) { return make<math::CosOp>(x[0]); })
        .Case([&](ErfOp) { return make<math::ErfOp>(x[0]); })
        .Case([&](ExpOp) { return make<math::ExpOp>(x[0]); })
        .Case([&](FloorOp) { return make<math::FloorOp>(x[0]); })
        .Case([&](LogOp) { return make<math::LogOp>(x[0]); })
        .Case([&](LogicalNotOp) { return make<arith::XOrIOp>(x[0], scalar(1)); })
        .Case([&](NegateOp) { return isFloat ? make<arith::NegFOp>(x[0]) : make<arith::SubIOp>(scalar(0), x[0]); })
        .Case([&](ReciprocalOp) { return make<arith::DivFOp>(scalar(1), x[0]); })
        .Case([&](ReluOp) {
          return isFloat ? make<arith::MaximumFOp>(x[0], scalar(0)) : make<arith::MaxSIOp>(x[0], scalar(0));
        })
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
        .Case([&](AsTypeOp cast) { return writeCast(cast.getDtype()); })
        // Ternary
        .Case([&](ClipOp) {
          Value low = isFloat ? make<arith::MaximumFOp>(x[0], x[1]) : make<arith::MaxSIOp>(x[0], x[1]);
          return isFloat ? make<arith::MinimumFOp>(low, x[2]) : make<arith::MinSIOp>(low, x[2]);
        })
        .Case([&](FmaOp) { return writeFma(); })
        // Binary
        .Case([&](AddOp) { return either<arith::AddFOp, arith::AddIOp>(); })
        .Case([&](SubtractOp) { return either<arith::SubFOp, arith::SubIOp>(); })
        .Case([&](MultiplyOp) { return either<arith::MulFOp, arith::MulIOp>(); })
        .Case([&](DivideOp) { return isFloat ? make<arith::DivFOp>(x[0], x[1]) : writeDivide(/*remainder=*/false); })
        .Case([&](ModOp) { return writeMod(); })
        .Case([&](PowerOp) { return isFloat ? make<math::PowFOp>(x[0], x[1]) : writeIntegerPower(); })
        .Case([&](MaximumOp) { return either<arith::MaximumFOp, arith::MaxSIOp>(); })
        .Case([&](MinimumOp) { return either<arith::MinimumFOp, arith::MinSIOp>(); })
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
    return compareInt(type.isInteger(1) ? getUnsigned(ofIntegers) : ofIntegers, x[0], x[1]);
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
  Value writeCast(Type to);
  Value writeFloatToInt(Type to);
  Value writeDivide(bool remainder);
  Value writeMod();
  Value writeIntegerPower();

  OpBuilder &builder;
  Location loc;
  ValueRange x;
  Type type; // element type of the (last) operand
  bool isFloat;
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
    return make<arith::ShRSIOp>(x[0], amount); // the last bit left is the sign
  return make<arith::SelectOp>(inside, make<arith::ShLIOp>(x[0], amount), scalar(0));
}

Value BodyWriter::writeSigmoid() {
  Value exp = make<math::ExpOp>(make<arith::NegFOp>(x[0]));
  return make<arith::DivFOp>(scalar(1), make<arith::AddFOp>(scalar(1), exp));
}

Value BodyWriter::writeSign() {
  Value zero = scalar(0), one = scalar(1), minusOne = scalar(-1);
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
  Type wide = value.getType();
  unsigned width = to.getIntOrFloatBitWidth();
  double bound = std::ldexp(1.0, width - 1); // exact in f32
  Value tooLarge = compareFloat(arith::CmpFPredicate::OGE, value, createScalar(builder, loc, wide, bound));
  Value tooSmall = compareFloat(arith::CmpFPredicate::OLT, value, createScalar(builder, loc, wide, -bound));
  Value isNaN = compareFloat(arith::CmpFPredicate::UNO, value, value);
  auto integer = [&](const APInt &constant) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(to, constant));
  };
  // The conversion of a value that does not fit has no defined result; it is not chosen.
  Value result = arith::FPToSIOp::create(builder, loc, to, value);
  result = make<arith::SelectOp>(tooLarge, integer(APInt::getSignedMaxValue(width)), result);
  result = make<arith::SelectOp>(tooSmall, integer(APInt::getSignedMinValue(width)), result);
  return make<arith::SelectOp>(isNaN, integer(APInt(width, 0)), result);
}

Value BodyWriter::writeCast(Type to) {
  if (type == to)
    return x[0];
  if (to.isInteger(1))
    return isFloat ? compareFloat(arith::CmpFPredicate::UNE, x[0], scalar(0))
                   : compareInt(arith::CmpIPredicate::ne, x[0], scalar(0));
  if (isFloat)
    return isa<FloatType>(to) ? convertFloat(builder, loc, x[0], to) : writeFloatToInt(to);
  if (isa<FloatType>(to))
    return type.isInteger(1) ? arith::UIToFPOp::create(builder, loc, to, x[0]).getResult()
                             : arith::SIToFPOp::create(builder, loc, to, x[0]).getResult();
  unsigned from = type.getIntOrFloatBitWidth(), width = to.getIntOrFloatBitWidth();
  if (width < from)
    return arith::TruncIOp::create(builder, loc, to, x[0]);
  return from == 1 ? arith::ExtUIOp::create(builder, loc, to, x[0]).getResult()
                   : arith::ExtSIOp::create(builder, loc, to, x[0]).getResult();
}

/// Quotient rounded toward zero, or its remainder, without the two cases that trap in hardware.
Value BodyWriter::writeDivide(bool remainder) {
  Value zero = scalar(0), minusOne = scalar(-1);
  Value nonzero = compareInt(arith::CmpIPredicate::ne, x[1], zero);
  tp::AssertOp::create(builder, loc, nonzero, "integer division by zero");
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
  Value nonnegative = compareInt(arith::CmpIPredicate::sge, x[1], zero);
  tp::AssertOp::create(builder, loc, nonnegative, "negative exponent of an integer power");
  Value exponent = make<arith::SelectOp>(nonnegative, x[1], zero);
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
  return BodyWriter(builder, loc, operands).write(op);
}
