//===- InlineDataflow.cpp - relax-inline-dataflow -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_INLINEDATAFLOWPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax::graph;

namespace {
struct InlineDataflowPass final : mlir::relax::graph::impl::InlineDataflowPassBase<InlineDataflowPass> {
  void runOnOperation() override {
    // Inner blocks first.
    getOperation()->walk([](DataflowOp op) {
      Block &body = op.getBody().front();
      Operation *output = body.getTerminator();
      op->replaceAllUsesWith(output->getOperands());
      output->erase();
      op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
      op->erase();
    });
  }
};
} // namespace
