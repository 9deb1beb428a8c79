//===- PlannedChoices.cpp - What is chosen at entry -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "PlannedChoices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relax;

Value PlannedChoices::resolve(Value value) {
  while (auto select = value.getDefiningOp<arith::SelectOp>()) {
    Value condition = select.getCondition();
    if (!condition.getType().isInteger(1))
      break;
    bool holds;
    if (IntegerAttr constant; matchPattern(condition, m_Constant(&constant)))
      holds = !constant.getValue().isZero();
    else
      holds = assumed.insert({condition, true}).first->second;
    value = holds ? select.getTrueValue() : select.getFalseValue();
  }
  return value;
}

/// What follows from `condition` being `holds`.
static void addFacts(Value condition, bool holds, function_ref<void(Value, Value)> onAtMost) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op) ? holds : isa_and_nonnull<arith::OrIOp>(op) && !holds) {
    for (Value operand : op->getOperands())
      addFacts(operand, holds, onAtMost);
    return;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isIndex())
    return;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::slt:
    return holds ? onAtMost(compare.getLhs(), compare.getRhs()) : onAtMost(compare.getRhs(), compare.getLhs());
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::sgt:
    return holds ? onAtMost(compare.getRhs(), compare.getLhs()) : onAtMost(compare.getLhs(), compare.getRhs());
  default:
    return;
  }
}

void PlannedChoices::forEachFact(function_ref<void(Value, Value)> onAtMost) const {
  for (auto [condition, holds] : assumed)
    addFacts(condition, holds, onAtMost);
}

bool PlannedChoices::advance() {
  // The cases are the leaves of a tree: the last condition that was assumed to hold now does not.
  while (!assumed.empty() && !assumed.back().second)
    assumed.pop_back();
  if (assumed.empty())
    return false;
  assumed.back().second = false;
  return true;
}
