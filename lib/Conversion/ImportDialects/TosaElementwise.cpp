//===- TosaElementwise.cpp - Elementwise ops of TOSA ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Extents are broadcast as in the graph: equal, or one of them is 1.
//
//===----------------------------------------------------------------------===//
#include "Tosa.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using Emit = ForeignImporter::Emit;

bool tosa_import::isZero(Value value) {
  return value && (matchPattern(value, m_Zero()) || matchPattern(value, m_AnyZeroFloat()));
}

bool tosa_import::isPlain(ForeignImporter &w, Operation *op, unsigned first) {
  if (auto mode = op->getAttrOfType<tosa::NanPropagationModeAttr>("nan_mode");
      mode && mode.getValue() != tosa::NanPropagationMode::PROPAGATE) {
    w.fail("ignores NaN, which is not supported");
    return false;
  }
  for (Value operand : op->getOperands().drop_front(first)) {
    Value value = w.get(operand);
    if (!value)
      return false;
    if (!isZero(value)) {
      w.fail("has a zero point or a shift that is not the constant 0, which is not supported");
      return false;
    }
  }
  return true;
}

static SmallVector<Value> getOperands(ForeignImporter &w, Operation *op) {
  return llvm::map_to_vector(op->getOperands(), [&](Value operand) { return w.get(operand); });
}

template <typename OpTy> static void emitPlain(ForeignImporter &w, Operation *op) {
  if (tosa_import::isPlain(w, op, op->getNumOperands()))
    w.set(op->getResult(0), w.create<OpTy>(getOperands(w, op)));
}

/// 2^(amount - 1), the half of what is shifted away, and 0 where nothing is.
static Value half(ForeignImporter &w, Value amount) {
  Value one = w.scalarLike(1, amount), zero = w.scalarLike(0, amount);
  Value power = w.create<graph::ShiftLeftOp>({one, w.create<graph::MaximumOp>({w.sub(amount, one), zero})});
  return w.select(w.create<graph::GreaterOp>({amount, zero}), power, zero);
}

/// Products of integers of 32 bits are shifted in 64, and rounded.
static void emitMul(ForeignImporter &w, Operation *op) {
  Value a = w.get(op->getOperand(0)), b = w.get(op->getOperand(1)), shift = w.get(op->getOperand(2));
  if (w.failed())
    return;
  if (tosa_import::isZero(shift))
    return w.set(op->getResult(0), w.mul(a, b));
  Type type = getElementTypeOrSelf(op->getResult(0).getType()), wide = w.builder.getI64Type();
  if (!type.isInteger(32))
    return w.fail("shifts a product that is not of 32 bits");
  shift = w.squeeze(w.astype(shift, wide), {0});
  Value product = w.add(w.mul(w.astype(a, wide), w.astype(b, wide)), half(w, shift));
  w.set(op->getResult(0), w.astype(w.create<graph::ShiftRightOp>({product, shift}), type));
}

/// Half of the bits at a time: where all of them are 0 they are counted and left behind.
static void emitClz(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  if (w.failed())
    return;
  Type own = w.elementType(x), type = w.builder.getIntegerType(own.getIntOrFloatBitWidth(), /*isSigned=*/false);
  x = w.astype(x, type);
  Value count = w.scalar(0, type), zero = count;
  int64_t bits = own.getIntOrFloatBitWidth();
  auto isEmpty = [&](int64_t top) {
    Value rest = w.create<graph::ShiftRightOp>({x, w.scalar(static_cast<double>(bits - top), type)});
    return w.create<graph::EqualOp>({rest, zero});
  };
  for (int64_t top = bits / 2; top > 0; top /= 2) {
    Value empty = isEmpty(top), number = w.scalar(static_cast<double>(top), type);
    count = w.add(count, w.select(empty, number, zero));
    x = w.select(empty, w.create<graph::ShiftLeftOp>({x, number}), x);
  }
  // Of nothing but zeros one is left.
  count = w.add(count, w.select(isEmpty(1), w.scalar(1, type), zero));
  w.set(op->getResult(0), w.astype(count, own));
}

static void emitNegate(ForeignImporter &w, Operation *op) {
  if (tosa_import::isPlain(w, op, 1))
    w.set(op->getResult(0), w.create<graph::NegateOp>(w.get(op->getOperand(0))));
}

static void emitClamp(ForeignImporter &w, Operation *op) {
  if (!tosa_import::isPlain(w, op, 1))
    return;
  Value x = w.get(op->getOperand(0));
  auto bound = [&](StringRef name) -> Value {
    auto attribute = op->getAttrOfType<TypedAttr>(name);
    if (!x || !attribute)
      return {};
    return w.constant(DenseElementsAttr::get(RankedTensorType::get({}, attribute.getType()), Attribute(attribute)));
  };
  w.set(op->getResult(0),
        w.create<graph::MinimumOp>({w.create<graph::MaximumOp>({x, bound("min_val")}), bound("max_val")}));
}

static void emitShift(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0)), amount = w.get(op->getOperand(1));
  if (w.failed())
    return;
  Type own = w.elementType(x), type = own;
  if (isa<tosa::LogicalRightShiftOp>(op)) // zeros come from above
    type = IntegerType::get(w.getContext(), own.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  Value shifted = w.astype(w.create<graph::ShiftRightOp>({w.astype(x, type), w.astype(amount, type)}), own);
  if (auto shift = dyn_cast<tosa::ArithmeticRightShiftOp>(op); shift && shift.getRound()) {
    // The highest bit of what is shifted away says where the middle is.
    Value zero = w.scalar(0, own);
    Value lost = w.create<graph::NotEqualOp>({w.create<graph::BitwiseAndOp>({x, half(w, amount)}), zero});
    shifted = w.add(shifted, w.astype(lost, own));
  }
  w.set(op->getResult(0), shifted);
}

/// Floats are rounded to the nearest integer, halves to the even one.
static void emitCast(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (x && isa<FloatType>(w.elementType(x)) && type.isInteger() && !type.isInteger(1))
    x = w.create<graph::RoundOp>(x);
  w.set(op->getResult(0), w.astype(x, type));
}

static void emitIdentity(ForeignImporter &w, Operation *op) {
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults()))
    w.set(result, w.get(operand));
}

Emit tosa_import::getElementwiseRule(StringRef name) {
  using namespace mlir::relax::graph;
  return llvm::StringSwitch<Emit>(name)
      .Case("tosa.abs", emitPlain<AbsOp>)
      .Case("tosa.add", emitPlain<AddOp>)
      .Cases({"tosa.arithmetic_right_shift", "tosa.logical_right_shift"}, emitShift)
      .Case("tosa.bitwise_and", emitPlain<BitwiseAndOp>)
      .Case("tosa.bitwise_not", emitPlain<BitwiseNotOp>)
      .Case("tosa.bitwise_or", emitPlain<BitwiseOrOp>)
      .Case("tosa.bitwise_xor", emitPlain<BitwiseXorOp>)
      .Case("tosa.cast", emitCast)
      .Case("tosa.ceil", emitPlain<CeilOp>)
      .Case("tosa.clamp", emitClamp)
      .Case("tosa.clz", emitClz)
      .Case("tosa.cos", emitPlain<CosOp>)
      .Case("tosa.equal", emitPlain<EqualOp>)
      .Case("tosa.erf", emitPlain<ErfOp>)
      .Case("tosa.exp", emitPlain<ExpOp>)
      .Case("tosa.floor", emitPlain<FloorOp>)
      .Case("tosa.greater", emitPlain<GreaterOp>)
      .Case("tosa.greater_equal", emitPlain<GreaterEqualOp>)
      .Case("tosa.identity", emitIdentity)
      .Case("tosa.intdiv", emitPlain<DivideOp>)
      .Case("tosa.log", emitPlain<LogOp>)
      .Case("tosa.logical_and", emitPlain<LogicalAndOp>)
      .Case("tosa.logical_left_shift", emitPlain<ShiftLeftOp>)
      .Case("tosa.logical_not", emitPlain<LogicalNotOp>)
      .Case("tosa.logical_or", emitPlain<LogicalOrOp>)
      .Case("tosa.logical_xor", emitPlain<LogicalXorOp>)
      .Case("tosa.maximum", emitPlain<MaximumOp>)
      .Case("tosa.minimum", emitPlain<MinimumOp>)
      .Case("tosa.mul", emitMul)
      .Case("tosa.negate", emitNegate)
      .Case("tosa.pow", emitPlain<PowerOp>)
      .Case("tosa.reciprocal", emitPlain<ReciprocalOp>)
      .Case("tosa.rsqrt", emitPlain<RsqrtOp>)
      .Case("tosa.select", emitPlain<WhereOp>)
      .Case("tosa.sigmoid", emitPlain<SigmoidOp>)
      .Case("tosa.sin", emitPlain<SinOp>)
      .Case("tosa.sub", emitPlain<SubtractOp>)
      .Case("tosa.tanh", emitPlain<TanhOp>)
      .Default(nullptr);
}
