//===- StablehloControl.cpp - Branches, loops and custom calls ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ControlRules.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "Stablehlo.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using Emit = ForeignImporter::Emit;

static void emitIf(ForeignImporter &w, Operation *op) {
  Value condition = control::extractScalar(w, w.get(op->getOperand(0)));
  if (op->getNumRegions() != 2)
    return w.fail("has no two branches");
  control::setResults(w, op, control::emitBranches(w, op, condition, {}));
}

static void emitCase(ForeignImporter &w, Operation *op) {
  Value index = w.get(op->getOperand(0));
  SmallVector<Value> conditions;
  // An index outside takes the last branch.
  for (unsigned branch = 0; branch + 1 < op->getNumRegions(); ++branch)
    conditions.push_back(control::extractScalar(w, w.create<graph::EqualOp>({index, w.scalarLike(branch, index)})));
  if (!w.failed())
    control::setResults(w, op, control::emitBranches(w, op, conditions, {}));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// What an exporter knows of the sizes: it is checked, or known already.
static void emitShapeAssertion(ForeignImporter &w, Operation *op) {
  if (std::optional<SmallVector<int64_t>> known = w.getIntegers(op->getOperand(0)); known && known->size() == 1) {
    if ((*known)[0] == 0)
      w.fail("asserts what never holds");
    return;
  }
  std::optional<sym::Fact> fact = w.getFact(op->getOperand(0));
  if (!fact)
    return w.fail("asserts something that is no comparison of sizes");
  w.require(*fact, "a size is not as the exporter assumed");
}

static void emitCustomCall(ForeignImporter &w, Operation *op) {
  auto callee = op->getAttrOfType<StringAttr>("call_target_name");
  StringRef name = callee ? callee.getValue() : StringRef();
  if (name == "shape_assertion" && op->getNumOperands() > 0)
    return emitShapeAssertion(w, op);
  // Where things are placed is not our concern.
  if ((name == "Sharding" || name == "annotate_device_placement") && op->getNumOperands() == 1)
    return w.set(op->getResult(0), w.get(op->getOperand(0)));
  w.fail("calls '" + name + "', which is not known");
}

static void emitForward(ForeignImporter &w, Operation *op) {
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
    w.set(result, w.get(operand));
    if (std::optional<Dims> known = w.getElements(operand))
      w.setElements(result, *known);
  }
}

static void emitBatchNorm(ForeignImporter &w, Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(w.get(operand));
  auto epsilon = op->getAttrOfType<FloatAttr>("epsilon");
  if (!epsilon)
    return w.fail("has no epsilon");
  w.set(op->getResult(0), w.create<graph::BatchNormOp>(
                              operands, {w.attr("axis", stablehlo::getInteger(op, "feature_index", 1)),
                                         w.attr("epsilon", w.builder.getF64FloatAttr(epsilon.getValueAsDouble()))}));
}

Emit stablehlo::getControlRule(StringRef name) {
  return llvm::StringSwitch<Emit>(name)
      .Case("stablehlo.batch_norm_inference", emitBatchNorm)
      .Case("stablehlo.case", emitCase)
      .Case("stablehlo.custom_call", emitCustomCall)
      .Case("stablehlo.if", emitIf)
      .Case("stablehlo.optimization_barrier", emitForward)
      .Case("stablehlo.while", control::emitWhile)
      .Default(nullptr);
}
