//===- VerifyDestinations.cpp - The end of the destination phase ----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryUtils.h"
#include "RelaxDialect/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relax {
#define GEN_PASS_DEF_VERIFYDESTINATIONSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {

LogicalResult verifyOp(Operation *op) {
  if (!isAllowedAfterLegalization(op))
    return op->emitOpError("is left in the destination phase, expected a call of a tensor program");
  if (isa<StorageOp, TensorAtOp>(op))
    return op->emitOpError("belongs to the planned phase, expected 'relax.alloc'");
  auto call = dyn_cast<ProgramCallOpInterface>(op);
  if (!call)
    return success();
  if (isa<CallTPInplaceOp>(op) || call.getDestinations().empty())
    return op->emitOpError("has no destinations, expected one for each result");
  for (auto [index, destination] : llvm::enumerate(call.getDestinations())) {
    if (!destination.getDefiningOp<AllocOp>())
      return op->emitOpError("destination ") << index << " is not made by 'relax.alloc'";
    if (!destination.hasOneUse())
      return op->emitOpError("destination ") << index << " has more than one use, expected one call";
  }
  return success();
}

struct VerifyDestinationsPass final : relax::impl::VerifyDestinationsPassBase<VerifyDestinationsPass> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation().walk([](Operation *op) { return WalkResult(verifyOp(op)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
