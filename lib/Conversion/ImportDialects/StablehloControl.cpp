//===- StablehloControl.cpp - Branches, loops and custom calls ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "Stablehlo.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using Emit = ForeignImporter::Emit;

/// The values in the given types, checked at run time where that is not proved.
static SmallVector<Value> toTypes(ForeignImporter &w, ValueRange values, TypeRange types) {
  SmallVector<Value> result;
  for (auto [value, type] : llvm::zip_equal(values, types))
    result.push_back(w.withDims(value, sym::getSymbolicDims(type)));
  return result;
}

static Value extractScalar(ForeignImporter &w, Value tensor) {
  return tensor ? tensor::ExtractOp::create(w.builder, w.getLoc(), tensor, ValueRange()) : Value();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

/// A chain of `scf.if`: branch `first` when the condition of its place holds, else the rest.
static SmallVector<Value> emitBranches(ForeignImporter &w, Operation *op, ArrayRef<Value> conditions, unsigned first) {
  auto writeBranch = [&](unsigned index) {
    SmallVector<Value> results = w.writeBlock(op->getRegion(index).front(), {});
    return results;
  };
  if (first + 1 == op->getNumRegions())
    return writeBranch(first);
  if (w.failed())
    return SmallVector<Value>(op->getNumResults());
  // The types of the results are those of the branches, which are written first.
  Location loc = w.getLoc();
  OpBuilder::InsertionGuard guard(w.builder);
  auto branch = scf::IfOp::create(w.builder, loc, TypeRange(), conditions[first], /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  Block *thenBlock = &branch.getThenRegion().front(), *elseBlock = &branch.getElseRegion().front();
  for (Block *block : {thenBlock, elseBlock})
    if (!block->empty())
      block->back().erase();
  w.builder.setInsertionPointToEnd(thenBlock);
  SmallVector<Value> thenValues = writeBranch(first);
  w.builder.setInsertionPointToEnd(elseBlock);
  SmallVector<Value> elseValues = emitBranches(w, op, conditions, first + 1);
  if (w.failed())
    return SmallVector<Value>(op->getNumResults());
  for (auto [one, other] : llvm::zip_equal(thenValues, elseValues))
    if (one.getType() != other.getType())
      if (w.dims(one) != w.dims(other)) {
        w.fail("has branches whose results differ in their extents");
        return SmallVector<Value>(op->getNumResults());
      }
  w.builder.setInsertionPointToEnd(thenBlock);
  scf::YieldOp::create(w.builder, loc, thenValues);
  w.builder.setInsertionPointToEnd(elseBlock);
  scf::YieldOp::create(w.builder, loc, elseValues);
  w.builder.setInsertionPoint(branch);
  auto typed = scf::IfOp::create(w.builder, loc, ValueRange(thenValues).getTypes(), conditions[first],
                                 /*withElseRegion=*/true);
  for (auto [from, to] : {std::pair(&branch.getThenRegion(), &typed.getThenRegion()),
                          std::pair(&branch.getElseRegion(), &typed.getElseRegion())})
    to->takeBody(*from);
  branch.erase();
  return llvm::to_vector_of<Value>(typed.getResults());
}

static void setResults(ForeignImporter &w, Operation *op, ArrayRef<Value> results) {
  w.setOp(op);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    w.set(result, value);
}

static void emitIf(ForeignImporter &w, Operation *op) {
  Value condition = extractScalar(w, w.get(op->getOperand(0)));
  if (op->getNumRegions() != 2)
    return w.fail("has no two branches");
  setResults(w, op, emitBranches(w, op, condition, 0));
}

static void emitCase(ForeignImporter &w, Operation *op) {
  Value index = w.get(op->getOperand(0));
  SmallVector<Value> conditions;
  // An index outside takes the last branch.
  for (unsigned branch = 0; branch + 1 < op->getNumRegions(); ++branch)
    conditions.push_back(extractScalar(w, w.create<graph::EqualOp>({index, w.scalarLike(branch, index)})));
  if (!w.failed())
    setResults(w, op, emitBranches(w, op, conditions, 0));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static void emitWhile(ForeignImporter &w, Operation *op) {
  SmallVector<Value> initial;
  for (Value operand : op->getOperands())
    initial.push_back(w.get(operand));
  if (w.failed())
    return;
  if (op->getNumRegions() != 2)
    return w.fail("has no condition and body");
  SmallVector<Type> types(ValueRange(initial).getTypes());
  SmallVector<Location> locations(types.size(), w.getLoc());
  Location loc = w.getLoc();
  auto loop = scf::WhileOp::create(w.builder, loc, types, initial);
  OpBuilder::InsertionGuard guard(w.builder);
  Block *before = w.builder.createBlock(&loop.getBefore(), {}, types, locations);
  SmallVector<Value> condition = w.writeBlock(op->getRegion(0).front(), before->getArguments());
  if (w.failed() || condition.size() != 1)
    return w.fail("has a condition that is no bool");
  scf::ConditionOp::create(w.builder, loc, extractScalar(w, condition[0]), before->getArguments());
  Block *after = w.builder.createBlock(&loop.getAfter(), {}, types, locations);
  SmallVector<Value> next = w.writeBlock(op->getRegion(1).front(), after->getArguments());
  next = toTypes(w, next, types);
  if (w.failed())
    return;
  scf::YieldOp::create(w.builder, loc, next);
  w.builder.setInsertionPointAfter(loop);
  setResults(w, op, llvm::to_vector_of<Value>(loop.getResults()));
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
      .Case("stablehlo.while", emitWhile)
      .Default(nullptr);
}
