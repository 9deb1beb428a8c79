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
    if (!matchPattern(value, m_Zero()) && !matchPattern(value, m_AnyZeroFloat())) {
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

static void emitMul(ForeignImporter &w, Operation *op) {
  if (tosa_import::isPlain(w, op, 2))
    w.set(op->getResult(0), w.mul(w.get(op->getOperand(0)), w.get(op->getOperand(1))));
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
  if (auto shift = dyn_cast<tosa::ArithmeticRightShiftOp>(op); shift && shift.getRound())
    return w.fail("rounds, which is not supported");
  Value x = w.get(op->getOperand(0)), amount = w.get(op->getOperand(1));
  if (w.failed())
    return;
  Type own = w.elementType(x), type = own;
  if (isa<tosa::LogicalRightShiftOp>(op)) // zeros come from above
    type = IntegerType::get(w.getContext(), own.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  w.set(op->getResult(0), w.astype(w.create<graph::ShiftRightOp>({w.astype(x, type), w.astype(amount, type)}), own));
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
