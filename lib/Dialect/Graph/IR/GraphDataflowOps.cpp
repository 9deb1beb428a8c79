//===- GraphDataflowOps.cpp - Dataflow blocks and fusion groups -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

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
static void getOnceSuccessors(Operation *op, Region &body, RegionBranchPoint point,
                              SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&body);
  else
    successors.emplace_back(op, op->getResults());
}

void DataflowOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  getOnceSuccessors(*this, getBody(), point, successors);
}

void DataflowOp::getRegionInvocationBounds(ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(1, 1);
}

LogicalResult DataflowOp::verifyRegions() {
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
