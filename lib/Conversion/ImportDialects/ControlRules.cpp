//===- ControlRules.cpp - Branches and loops of foreign dialects ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ControlRules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;

/// The values in the given types, checked at run time where that is not proved.
static SmallVector<Value> toTypes(ForeignImporter &w, ValueRange values, TypeRange types) {
  SmallVector<Value> result;
  for (auto [value, type] : llvm::zip_equal(values, types))
    result.push_back(w.withDims(value, sym::getSymbolicDims(type)));
  return result;
}

Value control::extractScalar(ForeignImporter &w, Value tensor) {
  if (w.rank(tensor) > 0)
    tensor = w.reshape(tensor, {});
  return tensor ? tensor::ExtractOp::create(w.builder, w.getLoc(), tensor, ValueRange()) : Value();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

SmallVector<Value> control::emitBranches(ForeignImporter &w, Operation *op, ArrayRef<Value> conditions,
                                         ValueRange arguments, unsigned first) {
  auto writeBranch = [&](unsigned index) {
    SmallVector<Value> results = w.writeBlock(op->getRegion(index).front(), arguments);
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
  SmallVector<Value> elseValues = emitBranches(w, op, conditions, arguments, first + 1);
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

void control::setResults(ForeignImporter &w, Operation *op, ArrayRef<Value> results) {
  w.setOp(op);
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    w.set(result, value);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void control::emitWhile(ForeignImporter &w, Operation *op) {
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
