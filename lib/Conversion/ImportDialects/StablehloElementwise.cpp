//===- StablehloElementwise.cpp - Elementwise ops of StableHLO ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.h"
#include "Stablehlo.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

static bool isBool(Value value) { return getElementTypeOrSelf(value.getType()).isInteger(1); }
static bool isInteger(Value value) { return isa<IntegerType>(getElementTypeOrSelf(value.getType())); }

//===----------------------------------------------------------------------===//
// Followed elements
//===----------------------------------------------------------------------===//

/// Null when the result is no expression of the operands.
static SymExpr combine(ForeignImporter &w, StringRef name, SymExpr a, SymExpr b) {
  if (!a || !b)
    return {};
  if (name == "add")
    return a + b;
  if (name == "subtract")
    return a - b;
  if (name == "multiply")
    return a * b;
  if (name == "maximum")
    return SymExpr::max({a, b});
  if (name == "minimum")
    return SymExpr::min({a, b});
  // Both round to zero, as floor division does where nothing is negative.
  bool isNatural = w.getProver().lowerBound(a).value_or(-1) >= 0 && w.getProver().lowerBound(b).value_or(0) >= 1;
  if (isNatural && name == "divide")
    return SymExpr::floordiv(a, b);
  if (isNatural && name == "remainder")
    return SymExpr::mod(a, b);
  return {};
}

static std::optional<sym::Fact> makeFact(StringRef direction, SymExpr a, SymExpr b) {
  using Op = sym::Fact::Op;
  std::optional<Op> op = llvm::StringSwitch<std::optional<Op>>(direction)
                             .Case("EQ", Op::Equal)
                             .Case("LE", Op::LessEqual)
                             .Case("GE", Op::GreaterEqual)
                             .Case("LT", Op::Less)
                             .Case("GT", Op::Greater)
                             .Default(std::nullopt);
  if (!op || !a || !b)
    return std::nullopt;
  return sym::Fact{a, *op, b};
}

static void follow(ForeignImporter &w, Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (w.failed())
    return;
  if (name == "compare") {
    std::optional<Dims> a = w.getElements(op->getOperand(0)), b = w.getElements(op->getOperand(1));
    if (!a || !b || a->size() != 1 || b->size() != 1)
      return;
    std::optional<sym::Fact> fact = makeFact(stablehlo::getEnum(op, "comparison_direction"), (*a)[0], (*b)[0]);
    if (!fact)
      return;
    w.setFact(op->getResult(0), *fact);
    sym::Verdict verdict = w.getProver().holds(*fact);
    if (verdict != sym::Verdict::Depends)
      w.setElements(op->getResult(0), {w.expr(verdict == sym::Verdict::True)});
    return;
  }
  if (!isInteger(op->getResult(0)) || isBool(op->getResult(0)))
    return;
  SmallVector<Dims> known;
  for (Value operand : op->getOperands()) {
    std::optional<Dims> found = w.getElements(operand);
    if (!found)
      return;
    known.push_back(*found);
  }
  if (known.size() == 1 && name == "convert")
    return w.setElements(op->getResult(0), known[0]);
  if (known.size() == 3 && name == "select" && known[0].size() == known[1].size()) {
    for (auto [one, other, condition] : llvm::zip_equal(known[1], known[2], known[0]))
      one = condition && condition.getConstant() ? (*condition.getConstant() ? one : other) : SymExpr();
    return w.setElements(op->getResult(0), known[1]);
  }
  if (known.size() != 2)
    return;
  for (auto [a, b] : llvm::zip_equal(known[0], known[1]))
    a = combine(w, name, a, b);
  w.setElements(op->getResult(0), known[0]);
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// Operands of equal shapes, checked.
static SmallVector<Value> getOperands(ForeignImporter &w, Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(w.get(operand));
    if (operands.size() == 1)
      continue;
    w.requireSameDims(operands[0], operands.back());
    // In a branch, what is compared there gets the first one's symbols.
    operands.back() = w.withDims(operands.back(), w.dims(operands[0]));
  }
  return operands;
}

template <typename OpTy> static void emitPlain(ForeignImporter &w, Operation *op) {
  w.set(op->getResult(0), w.create<OpTy>(getOperands(w, op)));
  follow(w, op);
}

/// Bools have ops of their own.
template <typename OpTy, typename BoolOpTy> static void emitNumberOrBool(ForeignImporter &w, Operation *op) {
  if (isBool(op->getOperand(0)))
    return emitPlain<BoolOpTy>(w, op);
  emitPlain<OpTy>(w, op);
}

static void emitCompare(ForeignImporter &w, Operation *op) {
  if (stablehlo::getEnum(op, "compare_type") == "TOTALORDER" && !isInteger(op->getOperand(0)))
    return w.fail("compares in total order, which is only supported in a sort");
  StringRef direction = stablehlo::getEnum(op, "comparison_direction");
  Emit emit = llvm::StringSwitch<Emit>(direction)
                  .Case("EQ", emitPlain<graph::EqualOp>)
                  .Case("NE", emitPlain<graph::NotEqualOp>)
                  .Case("LT", emitPlain<graph::LessOp>)
                  .Case("LE", emitPlain<graph::LessEqualOp>)
                  .Case("GT", emitPlain<graph::GreaterOp>)
                  .Case("GE", emitPlain<graph::GreaterEqualOp>)
                  .Default(nullptr);
  if (!emit)
    return w.fail("has the unknown direction '" + direction + "'");
  emit(w, op);
}

static void emitConvert(ForeignImporter &w, Operation *op) {
  w.set(op->getResult(0), w.astype(w.get(op->getOperand(0)), getElementTypeOrSelf(op->getResult(0).getType())));
  follow(w, op);
}

static void emitBitcast(ForeignImporter &w, Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (type.getIntOrFloatBitWidth() != getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth())
    return w.fail("changes the number of elements, which is not supported");
  w.set(op->getResult(0), w.create<graph::BitcastOp>(w.get(op->getOperand(0)), w.attr("dtype", TypeAttr::get(type))));
}

/// Rounds to zero and has the sign of the dividend; exact for floats.
static void emitRemainder(ForeignImporter &w, Operation *op) {
  SmallVector<Value> x = getOperands(w, op);
  if (w.failed())
    return;
  Value result;
  if (isInteger(x[0]))
    result = w.sub(x[0], w.mul(x[1], w.create<graph::DivideOp>({x[0], x[1]})));
  else {
    Value rest = w.create<graph::ModOp>({w.create<graph::AbsOp>(x[0]), w.create<graph::AbsOp>(x[1])});
    Value isNegative = w.create<graph::LessOp>({x[0], w.scalarLike(0, x[0])});
    result = w.select(isNegative, w.create<graph::NegateOp>(rest), rest);
  }
  w.set(op->getResult(0), result);
  follow(w, op);
}

/// Halves go away from zero. What is cut off is exact, x + 0.5 would not be.
static void emitRoundAway(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0)), whole = w.create<graph::TruncOp>(x);
  Value rest = w.create<graph::AbsOp>(w.sub(x, whole));
  Value isHalf = w.create<graph::GreaterEqualOp>({rest, w.scalarLike(0.5, x)});
  w.set(op->getResult(0), w.select(isHalf, w.add(whole, w.create<graph::SignOp>(x)), whole));
}

static void emitIsFinite(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  Value isOdd = w.create<graph::LogicalOrOp>({w.create<graph::IsInfOp>(x), w.create<graph::IsNaNOp>(x)});
  w.set(op->getResult(0), w.create<graph::LogicalNotOp>(isOdd));
}

static void emitSelect(ForeignImporter &w, Operation *op) {
  Value condition = w.get(op->getOperand(0)), a = w.get(op->getOperand(1)), b = w.get(op->getOperand(2));
  w.requireSameDims(a, b);
  b = w.withDims(b, w.dims(a));
  if (condition && w.rank(condition) != 0) {
    w.requireSameDims(condition, a);
    condition = w.withDims(condition, w.dims(a));
  }
  w.set(op->getResult(0), w.select(condition, a, b));
  follow(w, op);
}

/// min(max(x, low), high); the bounds may be scalars.
static void emitClamp(ForeignImporter &w, Operation *op) {
  Value low = w.get(op->getOperand(0)), x = w.get(op->getOperand(1)), high = w.get(op->getOperand(2));
  for (Value bound : {low, high})
    if (bound && w.rank(bound) != 0)
      w.requireSameDims(bound, x);
  w.set(op->getResult(0), w.create<graph::MinimumOp>({w.create<graph::MaximumOp>({x, low}), high}));
  std::optional<Dims> a = w.getElements(op->getOperand(0)), known = w.getElements(op->getOperand(1)),
                      b = w.getElements(op->getOperand(2));
  if (!a || !b || !known || a->size() != 1 || b->size() != 1)
    return;
  for (SymExpr &element : *known)
    element = combine(w, "minimum", combine(w, "maximum", element, (*a)[0]), (*b)[0]);
  w.setElements(op->getResult(0), *known);
}

/// Zeros come from above.
static void emitLogicalShift(ForeignImporter &w, Operation *op) {
  SmallVector<Value> x = getOperands(w, op);
  if (w.failed())
    return;
  Type own = w.elementType(x[0]),
       bits = IntegerType::get(w.getContext(), own.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  Value shifted = w.create<graph::ShiftRightOp>({w.astype(x[0], bits), w.astype(x[1], bits)});
  w.set(op->getResult(0), w.astype(shifted, own));
}

static void emitSquare(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  w.set(op->getResult(0), w.mul(x, x));
}

/// The root of a negative number is negative.
static void emitCubeRoot(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  Value root = w.create<graph::PowerOp>({w.create<graph::AbsOp>(x), w.scalarLike(1.0 / 3.0, x)});
  w.set(op->getResult(0), w.mul(w.create<graph::SignOp>(x), root));
}

Emit stablehlo::getElementwiseRule(StringRef name) {
  using namespace mlir::relax::graph;
  return llvm::StringSwitch<Emit>(name)
      .Case("stablehlo.abs", emitPlain<AbsOp>)
      .Case("stablehlo.add", emitNumberOrBool<AddOp, LogicalOrOp>)
      .Case("stablehlo.and", emitNumberOrBool<BitwiseAndOp, LogicalAndOp>)
      .Case("stablehlo.bitcast_convert", emitBitcast)
      .Case("stablehlo.cbrt", emitCubeRoot)
      .Case("stablehlo.ceil", emitPlain<CeilOp>)
      .Case("stablehlo.clamp", emitClamp)
      .Case("stablehlo.compare", emitCompare)
      .Case("stablehlo.convert", emitConvert)
      .Case("stablehlo.cosine", emitPlain<CosOp>)
      .Case("stablehlo.divide", emitPlain<DivideOp>)
      .Case("stablehlo.exponential", emitPlain<ExpOp>)
      .Case("stablehlo.exponential_minus_one", emitPlain<Expm1Op>)
      .Case("stablehlo.floor", emitPlain<FloorOp>)
      .Case("stablehlo.is_finite", emitIsFinite)
      .Case("stablehlo.log", emitPlain<LogOp>)
      .Case("stablehlo.log_plus_one", emitPlain<Log1pOp>)
      .Case("stablehlo.logistic", emitPlain<SigmoidOp>)
      .Case("stablehlo.maximum", emitNumberOrBool<MaximumOp, LogicalOrOp>)
      .Case("stablehlo.minimum", emitNumberOrBool<MinimumOp, LogicalAndOp>)
      .Case("stablehlo.multiply", emitNumberOrBool<MultiplyOp, LogicalAndOp>)
      .Case("stablehlo.negate", emitPlain<NegateOp>)
      .Case("stablehlo.not", emitNumberOrBool<BitwiseNotOp, LogicalNotOp>)
      .Case("stablehlo.or", emitNumberOrBool<BitwiseOrOp, LogicalOrOp>)
      .Case("stablehlo.power", emitPlain<PowerOp>)
      .Case("stablehlo.remainder", emitRemainder)
      .Case("stablehlo.round_nearest_afz", emitRoundAway)
      .Case("stablehlo.round_nearest_even", emitPlain<RoundOp>)
      .Case("stablehlo.rsqrt", emitPlain<RsqrtOp>)
      .Case("stablehlo.select", emitSelect)
      .Case("stablehlo.shift_left", emitPlain<ShiftLeftOp>)
      .Case("stablehlo.shift_right_arithmetic", emitPlain<ShiftRightOp>)
      .Case("stablehlo.shift_right_logical", emitLogicalShift)
      .Case("stablehlo.sign", emitPlain<SignOp>)
      .Case("stablehlo.sine", emitPlain<SinOp>)
      .Case("stablehlo.sqrt", emitPlain<SqrtOp>)
      .Case("stablehlo.subtract", emitPlain<SubtractOp>)
      .Case("stablehlo.tan", emitPlain<TanOp>)
      .Case("stablehlo.tanh", emitPlain<TanhOp>)
      .Case("stablehlo.xor", emitNumberOrBool<BitwiseXorOp, LogicalXorOp>)
      .Case("chlo.acos", emitPlain<AcosOp>)
      .Case("chlo.acosh", emitPlain<AcoshOp>)
      .Case("chlo.asin", emitPlain<AsinOp>)
      .Case("chlo.asinh", emitPlain<AsinhOp>)
      .Case("chlo.atan", emitPlain<AtanOp>)
      .Case("chlo.atanh", emitPlain<AtanhOp>)
      .Case("chlo.cosh", emitPlain<CoshOp>)
      .Case("chlo.erf", emitPlain<ErfOp>)
      .Case("chlo.is_inf", emitPlain<IsInfOp>)
      .Case("chlo.sinh", emitPlain<SinhOp>)
      .Case("chlo.square", emitSquare)
      .Case("chlo.tan", emitPlain<TanOp>)
      .Default(nullptr);
}
