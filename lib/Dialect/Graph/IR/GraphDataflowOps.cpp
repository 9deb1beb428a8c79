//===- GraphDataflowOps.cpp - Dataflow blocks and fusion groups -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphDataflowOps.cpp.inc"

void RelaxDialect::registerDataflowOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphDataflowOps.cpp.inc"
      >();
}

/// The region runs once: parent to body, body to parent.
static void getOnceSuccessors(Operation *op, Region &body, RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&body);
  else
    successors.emplace_back(op, op->getResults());
}

/// Result types are the terminator's operand types.
static LogicalResult verifyTerminatorTypes(Operation *op, Region &body) {
  Operation *terminator = body.front().getTerminator();
  if (terminator->getNumOperands() != op->getNumResults())
    return terminator->emitOpError("gives ") << terminator->getNumOperands() << " values, but the parent has "
                                             << op->getNumResults() << " results";
  for (auto [index, types] : llvm::enumerate(llvm::zip_equal(terminator->getOperandTypes(), op->getResultTypes())))
    if (std::get<0>(types) != std::get<1>(types))
      return terminator->emitOpError("value ") << index << " has type " << std::get<0>(types) << ", but result " << index
                                               << " of the parent has type " << std::get<1>(types);
  return success();
}

void DataflowOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  getOnceSuccessors(*this, getBody(), point, successors);
}

void DataflowOp::getRegionInvocationBounds(ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(1, 1);
}

LogicalResult DataflowOp::verifyRegions() {
  if (failed(verifyTerminatorTypes(*this, getBody())))
    return failure();
  for (Operation &op : getBody().front()) {
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects = getEffectsRecursively(&op);
    if (effects && llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
          return isa<GuardResource>(effect.getResource());
        }))
      continue;
    InFlightDiagnostic diag = emitOpError("contains an op that may have a memory effect");
    diag.attachNote(op.getLoc()) << "'" << op.getName() << "' is here";
    return diag;
  }
  return success();
}

void FusionGroupOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  getOnceSuccessors(*this, getBody(), point, successors);
}

void FusionGroupOp::getRegionInvocationBounds(ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(1, 1);
}

LogicalResult FusionGroupOp::verifyRegions() { return verifyTerminatorTypes(*this, getBody()); }
