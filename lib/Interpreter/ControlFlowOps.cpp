//===- ControlFlowOps.cpp - Meaning of regions ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Symbols that are bound inside of a region get new values each time it runs.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

using Values = SmallVector<RuntimeValue>;

static Values getAll(Frame &frame, ValueRange range) {
  Values values;
  for (Value value : range)
    values.push_back(frame.get(value));
  return values;
}

static void setAll(Frame &frame, ValueRange range, const Values &values) {
  for (auto [value, to] : llvm::zip_equal(range, values))
    frame.set(value, to);
}

/// relax.dataflow and relax.fusion_group: the region runs once.
template <typename OpTy> static LogicalResult interpretRegion(Frame &frame, OpTy op) {
  Values results;
  if (failed(frame.runBlock(op.getBody().front(), {}, {}, results)))
    return failure();
  setAll(frame, op->getResults(), results);
  return success();
}

static LogicalResult interpretIf(Frame &frame, scf::IfOp op) {
  Region &region = frame.scalar(op.getCondition()).i ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  Values results;
  if (failed(frame.runBlock(region.front(), {}, {}, results)))
    return failure();
  setAll(frame, op.getResults(), results);
  return success();
}

static LogicalResult interpretFor(Frame &frame, scf::ForOp op) {
  int64_t step = frame.index(op.getStep()), upper = frame.index(op.getUpperBound());
  if (step <= 0)
    return frame.fail("step: expected a positive number, actual " + Twine(step));
  Values carried = getAll(frame, op.getInitArgs());
  for (int64_t i = frame.index(op.getLowerBound()); i < upper;) {
    if (!frame.interpreter.countStep())
      return frame.failAtLimit("the run takes too many steps");
    frame.setIndex(op.getInductionVar(), i);
    Values next;
    if (failed(frame.runBlock(*op.getBody(), op.getRegionIterArgs(), carried, next)))
      return failure();
    carried = std::move(next);
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  setAll(frame, op.getResults(), carried);
  return success();
}

static LogicalResult interpretWhile(Frame &frame, scf::WhileOp op) {
  Values carried = getAll(frame, op.getInits());
  while (true) {
    if (!frame.interpreter.countStep())
      return frame.failAtLimit("the run takes too many steps");
    Values condition; // the flag, then what goes on
    if (failed(frame.runBlock(*op.getBeforeBody(), op.getBeforeArguments(), carried, condition)))
      return failure();
    bool goesOn = std::get<Scalar>(condition.front()).value.i != 0;
    condition.erase(condition.begin());
    if (!goesOn) {
      setAll(frame, op.getResults(), condition);
      return success();
    }
    if (failed(frame.runBlock(*op.getAfterBody(), op.getAfterArguments(), condition, carried)))
      return failure();
  }
}

static LogicalResult interpretIndexSwitch(Frame &frame, scf::IndexSwitchOp op) {
  int64_t value = frame.index(op.getArg());
  Region *region = &op.getDefaultRegion();
  for (auto [index, label] : llvm::enumerate(op.getCases()))
    if (label == value)
      region = &op.getCaseRegions()[index];
  Values results;
  if (failed(frame.runBlock(region->front(), {}, {}, results)))
    return failure();
  setAll(frame, op.getResults(), results);
  return success();
}

static LogicalResult interpretAssert(Frame &frame, cf::AssertOp op) {
  return frame.scalar(op.getArg()).i ? success() : frame.fail(op.getMsg());
}

void interp::registerControlFlowOps(OpTable &table) {
  table.add(interpretRegion<DataflowOp>);
  table.add(interpretRegion<FusionGroupOp>);
  table.add(interpretIf);
  table.add(interpretFor);
  table.add(interpretWhile);
  table.add(interpretIndexSwitch);
  table.add(interpretAssert);
}
