//===- GraphRegions.cpp - Regions that only group ops ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphRegions.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;

void relax::dissolveGraphRegion(Operation *op) {
  Block &body = op->getRegion(0).front();
  Operation *terminator = body.getTerminator();
  op->replaceAllUsesWith(terminator->getOperands());
  terminator->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
  op->erase();
}

void relax::dissolveGraphRegions(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<graph::DataflowOp, graph::FusionGroupOp>(op))
      ops.push_back(op);
  });
  // Inner ones come first in this order and are gone when their parent is dissolved.
  for (Operation *op : ops)
    dissolveGraphRegion(op);
}
