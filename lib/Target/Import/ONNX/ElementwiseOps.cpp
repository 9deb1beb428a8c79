//===- ElementwiseOps.cpp - Elementwise operators -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "Quantization.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.h"
#include "TensorData.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;

template <typename OpTy> static void emitUnary(NodeEmitter &e) { e.setResult(0, e.create<OpTy>(e.getTensor(0))); }

/// The second operand. Before opset 7 it is aligned at the dimension `axis` of the first.
static Value getSecond(NodeEmitter &e) {
  Value second = e.getTensor(1);
  if (e.getOpset() >= 7)
    return second;
  int64_t rank = e.getRank(0), missing = rank - e.getRank(1), axis = e.getInt("axis", missing);
  bool broadcasts = e.getInt("broadcast", 0);
  axis = axis < 0 ? axis + rank : axis;
  if (!broadcasts || axis == missing)
    return second;
  if (axis < 0 || axis > missing) {
    e.fail("attribute 'axis' is " + Twine(axis) + ", expected at most " + Twine(missing));
    return {};
  }
  return e.expandDims(second, llvm::to_vector(llvm::seq<int64_t>(rank - axis - (missing - axis), rank - axis)));
}

template <typename OpTy> static void emitBinary(NodeEmitter &e) {
  e.setResult(0, e.create<OpTy>({e.getTensor(0), getSecond(e)}));
}

/// Max, Min, Sum: one or more operands.
template <typename OpTy> static Value chain(NodeEmitter &e) {
  Value result = e.getTensor(0);
  for (unsigned index = 1; index < e.getNumInputs(); ++index)
    result = e.create<OpTy>({result, e.getTensor(index)});
  return result;
}

template <typename OpTy> static void emitVariadic(NodeEmitter &e) { e.setResult(0, chain<OpTy>(e)); }

static void emitVariadicMean(NodeEmitter &e) {
  Value sum = chain<graph::AddOp>(e);
  e.setResult(0, e.divide(sum, e.makeScalarLike(e.getNumInputs(), sum)));
}

static void emitIdentity(NodeEmitter &e) { e.setResult(0, e.getTensor(0)); }

static void emitPow(NodeEmitter &e) {
  Value base = e.getTensor(0), exponent = getSecond(e);
  Type baseType = e.getType(0).getElementType(), exponentType = e.getType(1).getElementType();
  // The result has the base's type; an integer base with a float exponent is computed in float.
  Type computeType = isa<IntegerType>(baseType) && isa<FloatType>(exponentType) ? exponentType : baseType;
  Value result = e.create<graph::PowerOp>({e.cast(base, computeType), e.cast(exponent, computeType)});
  e.setResult(0, e.cast(result, baseType));
}

static void emitMod(NodeEmitter &e) {
  if (!e.getInt("fmod", 0))
    return e.setResult(0, e.create<graph::ModOp>({e.getTensor(0), e.getTensor(1)}));
  // The remainder with the dividend's sign, from absolute values.
  Value a = e.getTensor(0), b = e.getTensor(1);
  if (e.getType(0).getElementType().isUnsignedInteger())
    return e.setResult(0, e.create<graph::ModOp>({a, b}));
  Value remainder = e.create<graph::ModOp>({e.create<graph::AbsOp>(a), e.create<graph::AbsOp>(b)});
  Value isNegative = e.create<graph::LessOp>({a, e.makeScalarLike(0, a)});
  e.setResult(0, e.select(isNegative, e.create<graph::NegateOp>(remainder), remainder));
}

static void emitBitShift(NodeEmitter &e) {
  std::string direction = e.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return e.fail("attribute 'direction' is '" + printable(direction) + "', expected LEFT or RIGHT");
  Value x = e.getTensor(0), amount = e.getTensor(1);
  e.setResult(0, direction == "LEFT" ? e.create<graph::ShiftLeftOp>({x, amount})
                                     : e.create<graph::ShiftRightOp>({x, amount}));
}

static void emitWhere(NodeEmitter &e) { e.setResult(0, e.select(e.getTensor(0), e.getTensor(1), e.getTensor(2))); }

/// A power of two as its exponent alone, as f8E8M0FNU has it, from the bits of an f32. Saturating, zero and what is too
/// small become the lowest, infinity and what is too large the highest; else NaN. So does what is negative.
static Value castToPower(NodeEmitter &e, Value x, StringRef rounding, bool saturates) {
  Type i32 = IntegerType::get(e.getContext(), 32), u8 = IntegerType::get(e.getContext(), 8, IntegerType::Unsigned);
  auto bitcast = [&](Value value, Type type) {
    return e.create<graph::BitcastOp>(value, e.attr("dtype", TypeAttr::get(type)));
  };
  auto constant = [&](int32_t value) {
    return e.makeConstant(DenseElementsAttr::get(RankedTensorType::get({}, i32), value));
  };
  auto isAtLeast = [&](Value a, int32_t bound) { return e.create<graph::GreaterEqualOp>({a, constant(bound)}); };
  Value bits = bitcast(e.cast(x, e.getF32()), i32),
        fraction = e.create<graph::BitwiseAndOp>({bits, constant(0x7fffff)});
  // The fraction from which on the exponent grows; numbers below 2^-126 have their leading bit in the fraction.
  bool isUp = rounding == "up", isDown = rounding == "down";
  Value grows = isAtLeast(fraction, isUp ? 1 : isDown ? 0x800000 : 0x400000);
  Value growsBelow = isAtLeast(fraction, isUp ? 0x400001 : isDown ? 0x800000 : 0x600000);
  grows = e.select(isAtLeast(bits, 0x800000), grows, growsBelow);
  Value code = e.add(e.create<graph::ShiftRightOp>({bits, constant(23)}), e.cast(grows, i32));
  Value isNumber = e.create<graph::LogicalAndOp>(
      {isAtLeast(bits, saturates ? 0 : 1), e.create<graph::LessEqualOp>({bits, constant(0x7f800000 - !saturates)})});
  if (saturates)
    code = e.create<graph::MinimumOp>({code, constant(254)});
  code = e.select(isNumber, code, constant(255));
  return bitcast(e.cast(code, u8), Float8E8M0FNUType::get(e.getContext()));
}

/// What is too large for a small float becomes its largest number unless the node asks for what astype does.
static void castTo(NodeEmitter &e, Type type) {
  bool saturates = e.getInt("saturate", 1) && isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8 &&
                   !isa<Float8E8M0FNUType>(type);
  std::string rounding = e.getString("round_mode", "up");
  if (rounding != "up" && rounding != "down" && rounding != "nearest")
    return e.fail("attribute 'round_mode' is '" + printable(rounding) + "', expected up, down or nearest");
  Value x = e.getTensor(0);
  Type source = e.getType(0).getElementType();
  auto isSmallFloat = [](Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8; };
  auto isWideFloat = [](Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() > 8; };
  if (isa<Float8E8M0FNUType>(type) && source != type && (rounding != "nearest" || e.getInt("saturate", 1))) {
    if (source.isF64())
      return e.fail("rounding mode '" + rounding + "' is not supported for doubles");
    return e.setResult(0, castToPower(e, x, rounding, e.getInt("saturate", 1)));
  }
  // astype converts floats of 8 and 4 bits from and to wider floats only.
  if (source != type && ((isSmallFloat(source) && !isWideFloat(type)) || (isSmallFloat(type) && !isWideFloat(source))))
    x = e.cast(x, e.getF32());
  // A number keeps its low bits, as other integers do and the reference.
  if (isa<FloatType>(source) && isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 8 && !type.isInteger(1))
    x = e.cast(x, e.getI64());
  if (saturates && isa<FloatType>(source))
    return e.setResult(0, saturate(e, x, type));
  e.setResult(0, e.cast(x, type));
}

static void emitCast(NodeEmitter &e) {
  if (!e.hasAttr("to"))
    return e.fail("attribute 'to' is missing");
  int32_t code = e.getInt("to", 0);
  Type elementType = getElementType(e.getContext(), code);
  if (!elementType)
    return e.fail("unsupported element type " + getTypeName(code));
  castTo(e, elementType);
}

static void emitCastLike(NodeEmitter &e) { castTo(e, e.getType(1).getElementType()); }

static void emitBitCast(NodeEmitter &e) {
  if (!e.hasAttr("to"))
    return e.fail("attribute 'to' is missing");
  int32_t code = e.getInt("to", 0);
  Type from = e.getType(0).getElementType(), to = getElementType(e.getContext(), code);
  if (e.failed() || from == to)
    return e.setResult(0, e.getTensor(0));
  auto getBits = [](Type type) { return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth(); };
  if (!to || getBits(from) != getBits(to))
    return e.fail("the bits of " + getTypeName(getTypeCode(from)) + " are not those of " + getTypeName(code));
  // A bool is 0 or 1.
  if (from.isInteger(1))
    return e.setResult(0, e.cast(e.getTensor(0), to));
  if (getBits(from) < 8 || to.isInteger(1))
    return e.fail("the bits of " + getTypeName(getTypeCode(from)) + " as " + getTypeName(code) + " are not supported");
  e.setResult(0, e.create<graph::BitcastOp>(e.getTensor(0), e.attr("dtype", TypeAttr::get(to))));
}

/// Inference: nothing is dropped.
static void emitDropout(NodeEmitter &e) {
  e.ignoreAttr("ratio");
  if (e.getOpset() < 7 && !e.getInt("is_test", 0))
    return e.fail("attribute 'is_test' must be 1: training is not supported");
  e.ignoreAttr("seed");
  if (e.has(2)) {
    SmallVector<int64_t> training = e.requireIntegers(2, "training_mode");
    if (!e.failed() && training != SmallVector<int64_t>{0})
      return e.fail("training_mode must be false");
  }
  Value x = e.getTensor(0);
  e.setResult(0, x);
  if (e.wants(1) && e.getOpset() < 10)
    return e.fail("output 1 is supported from opset 10 on");
  if (e.wants(1))
    e.setResult(1, e.full(e.getDims(0), BoolAttr::get(e.getContext(), true)));
}

static void emitClip(NodeEmitter &e) {
  Value x = e.getTensor(0);
  bool inputs = e.getOpset() >= 11;
  Value low = inputs ? e.getTensor(1) : e.hasAttr("min") ? e.makeScalarLike(e.getFloat("min", 0), x) : Value();
  Value high = inputs ? e.getTensor(2) : e.hasAttr("max") ? e.makeScalarLike(e.getFloat("max", 0), x) : Value();
  if (low)
    x = e.create<graph::MaximumOp>({x, low});
  if (high)
    x = e.create<graph::MinimumOp>({x, high});
  e.setResult(0, x);
}

ArrayRef<OpEntry> mlir::relax::onnx::getElementwiseOps() {
  static constexpr OpEntry entries[] = {
      {"Abs", 1, 1, 1, 1, emitUnary<graph::AbsOp>},
      {"Ceil", 1, 1, 1, 1, emitUnary<graph::CeilOp>},
      {"Cos", 7, 1, 1, 1, emitUnary<graph::CosOp>},
      {"Erf", 9, 1, 1, 1, emitUnary<graph::ErfOp>},
      {"Exp", 1, 1, 1, 1, emitUnary<graph::ExpOp>},
      {"Floor", 1, 1, 1, 1, emitUnary<graph::FloorOp>},
      {"Log", 1, 1, 1, 1, emitUnary<graph::LogOp>},
      {"Neg", 1, 1, 1, 1, emitUnary<graph::NegateOp>},
      {"Not", 1, 1, 1, 1, emitUnary<graph::LogicalNotOp>},
      {"Reciprocal", 1, 1, 1, 1, emitUnary<graph::ReciprocalOp>},
      {"Round", 11, 1, 1, 1, emitUnary<graph::RoundOp>},
      {"Sign", 9, 1, 1, 1, emitUnary<graph::SignOp>},
      {"Sin", 7, 1, 1, 1, emitUnary<graph::SinOp>},
      {"Sqrt", 1, 1, 1, 1, emitUnary<graph::SqrtOp>},
      {"Acos", 7, 1, 1, 1, emitUnary<graph::AcosOp>},
      {"Acosh", 9, 1, 1, 1, emitUnary<graph::AcoshOp>},
      {"Asin", 7, 1, 1, 1, emitUnary<graph::AsinOp>},
      {"Asinh", 9, 1, 1, 1, emitUnary<graph::AsinhOp>},
      {"Atan", 7, 1, 1, 1, emitUnary<graph::AtanOp>},
      {"Atanh", 9, 1, 1, 1, emitUnary<graph::AtanhOp>},
      {"Cosh", 9, 1, 1, 1, emitUnary<graph::CoshOp>},
      {"Sinh", 9, 1, 1, 1, emitUnary<graph::SinhOp>},
      {"Tan", 7, 1, 1, 1, emitUnary<graph::TanOp>},
      {"BitwiseNot", 18, 1, 1, 1, emitUnary<graph::BitwiseNotOp>},
      {"BitwiseAnd", 18, 2, 2, 1, emitBinary<graph::BitwiseAndOp>},
      {"BitwiseOr", 18, 2, 2, 1, emitBinary<graph::BitwiseOrOp>},
      {"BitwiseXor", 18, 2, 2, 1, emitBinary<graph::BitwiseXorOp>},
      {"BitShift", 11, 2, 2, 1, emitBitShift},
      {"Add", 1, 2, 2, 1, emitBinary<graph::AddOp>},
      {"Sub", 1, 2, 2, 1, emitBinary<graph::SubtractOp>},
      {"Mul", 1, 2, 2, 1, emitBinary<graph::MultiplyOp>},
      {"Div", 1, 2, 2, 1, emitBinary<graph::DivideOp>},
      {"Pow", 1, 2, 2, 1, emitPow},
      {"Mod", 10, 2, 2, 1, emitMod},
      {"And", 1, 2, 2, 1, emitBinary<graph::LogicalAndOp>},
      {"Or", 1, 2, 2, 1, emitBinary<graph::LogicalOrOp>},
      {"Xor", 1, 2, 2, 1, emitBinary<graph::LogicalXorOp>},
      {"Equal", 1, 2, 2, 1, emitBinary<graph::EqualOp>},
      {"Less", 1, 2, 2, 1, emitBinary<graph::LessOp>},
      {"LessOrEqual", 12, 2, 2, 1, emitBinary<graph::LessEqualOp>},
      {"Greater", 1, 2, 2, 1, emitBinary<graph::GreaterOp>},
      {"GreaterOrEqual", 12, 2, 2, 1, emitBinary<graph::GreaterEqualOp>},
      {"IsNaN", 9, 1, 1, 1, emitUnary<graph::IsNaNOp>},
      {"Max", 1, 1, kVariadic, 1, emitVariadic<graph::MaximumOp>},
      {"Min", 1, 1, kVariadic, 1, emitVariadic<graph::MinimumOp>},
      {"Sum", 1, 1, kVariadic, 1, emitVariadic<graph::AddOp>},
      {"Mean", 1, 1, kVariadic, 1, emitVariadicMean},
      {"Identity", 1, 1, 1, 1, emitIdentity},
      {"Where", 9, 3, 3, 1, emitWhere},
      {"Cast", 1, 1, 1, 1, emitCast},
      {"CastLike", 15, 2, 2, 1, emitCastLike},
      {"BitCast", 26, 1, 1, 1, emitBitCast},
      {"Dropout", 1, 1, 3, 2, emitDropout},
      {"Clip", 1, 1, 3, 1, emitClip},
  };
  return entries;
}
