//===- GraphElementwiseFolders.cpp - Folding elementwise ops --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphFolding.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

//===----------------------------------------------------------------------===//
// Neutral elements
//===----------------------------------------------------------------------===//

/// The constant is this number everywhere. Zero is told apart from minus zero: x + 0.0 is not x for x = -0.0.
static bool isSplatOf(Attribute attr, double value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!dense || !dense.isSplat())
    return false;
  if (isa<FloatType>(dense.getElementType())) {
    APFloat expected(value), actual = dense.getSplatValue<APFloat>();
    bool losesInfo = false;
    actual.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return actual.bitwiseIsEqual(expected);
  }
  return isa<IntegerType>(dense.getElementType()) && dense.getElementType().getIntOrFloatBitWidth() > 1 &&
         dense.getSplatValue<APInt>() == static_cast<uint64_t>(value == 0 ? 0 : 1) && value >= 0;
}

/// The operand that the op leaves as it is, null when there is none.
static Value getUnchangedOperand(Operation *op, ArrayRef<Attribute> operands) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  auto neutral = [&](double value, bool commutes) -> Value {
    if (isSplatOf(operands[1], value))
      return op->getOperand(0);
    return commutes && isSplatOf(operands[0], value) ? op->getOperand(1) : Value();
  };
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return neutral(isFloat ? -0.0 : 0.0, /*commutes=*/true); })
      .Case([&](SubtractOp) { return neutral(0.0, /*commutes=*/false); })
      .Case([&](MultiplyOp) { return neutral(1.0, /*commutes=*/true); })
      .Case([&](DivideOp) { return neutral(1.0, /*commutes=*/false); })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Remainder with the sign of the divisor.
static APInt floorMod(const APInt &a, const APInt &b) {
  APInt rest = a.srem(b);
  return !rest.isZero() && rest.isNegative() != b.isNegative() ? rest + b : rest;
}

/// Value of the op for these operands; nullopt when it is not folded. Bools are APInts of one bit.
static std::optional<APInt> evaluate(Operation *op, ArrayRef<APInt> x) {
  auto flag = [](bool value) { return APInt(1, value); };
  // i1 compares as 0 and 1.
  Type operandType = getElementTypeOrSelf(op->getOperands().back());
  bool isUnsigned = operandType.isUnsignedInteger() || operandType.isInteger(1);
  auto less = [&](const APInt &a, const APInt &b) { return isUnsigned ? a.ult(b) : a.slt(b); };
  auto isNegative = [&](const APInt &a) { return !isUnsigned && a.isNegative(); };
  using Result = std::optional<APInt>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](AbsOp) -> Result { return isUnsigned ? x[0] : x[0].abs(); })
      .Case([&](NegateOp) -> Result { return -x[0]; })
      .Case([&](ReluOp) -> Result { return isNegative(x[0]) ? APInt(x[0].getBitWidth(), 0) : x[0]; })
      .Case([&](SignOp) -> Result {
        return APInt(x[0].getBitWidth(), isNegative(x[0]) ? -1 : !x[0].isZero(), /*isSigned=*/true);
      })
      .Case([&](LogicalNotOp) -> Result { return ~x[0]; })
      .Case([&](AddOp) -> Result { return x[0] + x[1]; })
      .Case([&](SubtractOp) -> Result { return x[0] - x[1]; })
      .Case([&](MultiplyOp) -> Result { return x[0] * x[1]; })
      .Case([&](DivideOp) -> Result {
        return x[1].isZero() ? Result() : isUnsigned ? x[0].udiv(x[1]) : x[0].sdiv(x[1]);
      })
      .Case([&](ModOp) -> Result {
        return x[1].isZero() ? Result() : isUnsigned ? x[0].urem(x[1]) : floorMod(x[0], x[1]);
      })
      .Case([&](MaximumOp) -> Result { return less(x[0], x[1]) ? x[1] : x[0]; })
      .Case([&](MinimumOp) -> Result { return less(x[0], x[1]) ? x[0] : x[1]; })
      .Case([&](LogicalAndOp) -> Result { return x[0] & x[1]; })
      .Case([&](LogicalOrOp) -> Result { return x[0] | x[1]; })
      .Case([&](EqualOp) -> Result { return flag(x[0] == x[1]); })
      .Case([&](NotEqualOp) -> Result { return flag(x[0] != x[1]); })
      .Case([&](LessOp) -> Result { return flag(less(x[0], x[1])); })
      .Case([&](LessEqualOp) -> Result { return flag(!less(x[1], x[0])); })
      .Case([&](GreaterOp) -> Result { return flag(less(x[1], x[0])); })
      .Case([&](GreaterEqualOp) -> Result { return flag(!less(x[0], x[1])); })
      .Case([&](WhereOp) -> Result { return x[0].isZero() ? x[2] : x[1]; })
      .Case([&](AsTypeOp cast) -> Result {
        unsigned width = cast.getType().getElementType().getIntOrFloatBitWidth();
        if (width == 1)
          return flag(!x[0].isZero());
        return isUnsigned ? x[0].zextOrTrunc(width) : x[0].sextOrTrunc(width);
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

OpFoldResult graph::foldElementwise(Operation *op, ArrayRef<Attribute> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (operands.size() == 2)
    if (Value unchanged = getUnchangedOperand(op, operands); unchanged && unchanged.getType() == type)
      return unchanged;

  if (!isFoldable(type) || !isa<IntegerType>(type.getElementType()))
    return {};
  SmallVector<DenseElementsAttr> constants;
  for (Attribute operand : operands) {
    constants.push_back(dyn_cast_or_null<DenseElementsAttr>(operand));
    if (!constants.back() || !isa<IntegerType>(constants.back().getElementType()))
      return {};
  }
  SmallVector<APInt> values;
  SmallVector<int64_t> index(type.getRank(), 0);
  for (int64_t count = type.getNumElements(); count != 0; --count, nextPosition(type.getShape(), index)) {
    SmallVector<APInt> scalars;
    for (DenseElementsAttr constant : constants)
      scalars.push_back(constant.getValues<APInt>()[getBroadcastOffset(constant.getType().getShape(), index)]);
    std::optional<APInt> value = evaluate(op, scalars);
    if (!value)
      return {};
    values.push_back(*value);
  }
  return DenseElementsAttr::get(type, values);
}
