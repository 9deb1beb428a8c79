//===- MemoryPlaces.cpp - Where the contents of a tensor may be -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

StringRef relax::getStorageSpace(TensorAtOp at) {
  auto storage = at.getStorage().getDefiningOp<StorageOp>();
  return storage ? storage.getSpace() : StringRef();
}

MemoryPlaces::MemoryPlaces(func::FuncOp function) {
  function.walk([&](StorageOp storage) {
    auto number = storage->getAttrOfType<IntegerAttr>("relax.donated");
    if (!number || number.getInt() < 0 || number.getInt() >= function.getNumArguments())
      return;
    PlaceSet own;
    own.insert(MemoryPlace(storage, false));
    add(function.getArgument(number.getInt()), own);
  });
  // Sets only grow, and there are finitely many places.
  bool changed = true;
  while (changed) {
    changed = false;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= update(op); });
  }
}

const PlaceSet &MemoryPlaces::get(Value tensor) const {
  static const PlaceSet none;
  auto found = places.find(tensor);
  return found == places.end() ? none : found->second;
}

bool MemoryPlaces::add(Value to, const PlaceSet &found) {
  if (found.empty())
    return false;
  PlaceSet &set = places[to];
  size_t before = set.size();
  set.insert_range(found);
  return set.size() != before;
}

/// What is yielded has become what the iteration before made; what that was is overwritten by now.
bool MemoryPlaces::addRotated(Value to, Value yielded, Operation *loop) {
  PlaceSet rotated;
  for (MemoryPlace place : get(yielded)) {
    auto at = dyn_cast<TensorAtOp>(place.getPointer());
    bool alternates = at && getStorageSpace(at) == "alternating" && at->getParentOp() == loop;
    rotated.insert(MemoryPlace(place.getPointer(), alternates ? !place.getInt() : place.getInt()));
  }
  return add(to, rotated);
}

bool MemoryPlaces::update(Operation *op) {
  bool changed = false;
  auto addOwn = [&](Value result) {
    PlaceSet own;
    own.insert(MemoryPlace(op, false));
    changed |= add(result, own);
  };
  auto forward = [&](Value from, Value to) {
    PlaceSet copy = get(from); // adding moves what the map holds
    changed |= add(to, copy);
  };
  if (isa<TensorAtOp, ShapeToTensorOp>(op)) {
    addOwn(op->getResult(0));
  } else if (isa<CallOp>(op)) {
    // A function may give back what it was given.
    for (Value result : op->getResults()) {
      if (!isa<TensorType>(result.getType()))
        continue;
      addOwn(result);
      for (Value operand : op->getOperands())
        if (isa<TensorType>(operand.getType()))
          forward(operand, result);
    }
  } else if (isa<MatchCastOp, RefineOp, EraseShapeOp, ReshapeOp>(op)) {
    forward(op->getOperand(0), op->getResult(0));
  } else if (auto call = dyn_cast<ProgramCallOpInterface>(op)) {
    for (OpResult result : op->getResults())
      if (OpOperand *tied = call.getTiedOperand(result.getResultNumber()))
        forward(tied->get(), result);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    forward(select.getTrueValue(), select.getResult());
    forward(select.getFalseValue(), select.getResult());
  } else if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        for (auto [yielded, result] : llvm::zip(region.front().getTerminator()->getOperands(), op->getResults()))
          forward(yielded, result);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Operation *yield = loop.getBody()->getTerminator();
    for (auto [init, yielded, argument, result] :
         llvm::zip_equal(loop.getInitArgs(), yield->getOperands(), loop.getRegionIterArgs(), loop.getResults()))
      for (Value to : {Value(argument), Value(result)}) {
        forward(init, to);
        changed |= addRotated(to, yielded, op);
      }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Operation *yield = loop.getAfterBody()->getTerminator();
    for (auto [init, yielded, argument] :
         llvm::zip_equal(loop.getInits(), yield->getOperands(), loop.getBeforeArguments())) {
      forward(init, argument);
      changed |= addRotated(argument, yielded, op);
    }
    for (auto [passed, argument, result] :
         llvm::zip_equal(loop.getConditionOp().getArgs(), loop.getAfterArguments(), loop.getResults())) {
      forward(passed, argument);
      forward(passed, result);
    }
  }
  return changed;
}

PlaceSet MemoryPlaces::getCarried(Operation *loop) const {
  PlaceSet carried;
  if (auto counted = dyn_cast<scf::ForOp>(loop))
    for (Value argument : counted.getRegionIterArgs())
      carried.insert_range(get(argument));
  if (auto whileOp = dyn_cast<scf::WhileOp>(loop))
    for (Value argument : whileOp.getBeforeArguments())
      carried.insert_range(get(argument));
  return carried;
}

PlaceSet MemoryPlaces::getWritten(Operation *op) const {
  PlaceSet written;
  op->walk([&](Operation *inner) {
    if (auto call = dyn_cast<ProgramCallOpInterface>(inner))
      for (Value destination : call.getDestinations())
        written.insert_range(get(destination));
    // Memory that grows loses its contents; a call overwrites its results and scratch memory.
    auto at = dyn_cast<TensorAtOp>(inner);
    StringRef space = at ? getStorageSpace(at) : "";
    if (space == "growing" || space == "alternating" || isa<CallOp, ShapeToTensorOp>(inner) ||
        (isa<CallDPSOp>(inner) && inner->hasAttr("relax.workspace_offset")))
      written.insert(MemoryPlace(inner, false));
  });
  return written;
}

PlaceSet MemoryPlaces::getRead(Operation *op) const {
  PlaceSet read;
  op->walk([&](Operation *inner) {
    auto call = dyn_cast<ProgramCallOpInterface>(inner);
    for (Value operand : call ? OperandRange(call.getProgramInputs()) : inner->getOperands())
      if (isa<TensorType>(operand.getType()))
        read.insert_range(get(operand));
  });
  return read;
}
