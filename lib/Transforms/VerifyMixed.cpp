//===- VerifyMixed.cpp - The border after legalization --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_VERIFYMIXEDPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

/// Conditions and bounds of control flow: arithmetic on scalars.
/// Upstream makes arith.select of an scf.if that only hands on.
static bool isScalarOp(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return select.getCondition().getType().isInteger(1);
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) && llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

static LogicalResult verifyOp(Operation *op) {
  // A reshape is a view: memory under another shape.
  if (isa<graph::ShapeRuleOpInterface>(op) && !isa<graph::ReshapeOp>(op))
    return op->emitOpError("computes, but the mixed phase expects a call of a tensor program");
  if (auto call = dyn_cast<graph::ProgramCallOpInterface>(op); call && !call.getDestinations().empty())
    return op->emitOpError("has destinations, which the mixed phase does not expect yet");
  if (isa<graph::AllocOp, graph::StorageOp, graph::TensorAtOp>(op))
    return op->emitOpError("belongs to a later phase than the mixed phase");
  bool allowed = isa_and_nonnull<graph::RelaxDialect, scf::SCFDialect>(op->getDialect()) ||
                 isa<ext::AvailableOp, arith::ConstantOp, tensor::DimOp, tensor::ExtractOp, func::ReturnOp>(op) ||
                 isScalarOp(op);
  return allowed ? success() : op->emitOpError("is not expected in the mixed phase");
}

namespace {
struct VerifyMixedPass final : relax::impl::VerifyMixedPassBase<VerifyMixedPass> {
  void runOnOperation() override {
    bool valid = true;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      function.getBody().walk([&](Operation *op) { valid &= succeeded(verifyOp(op)); });
    if (!valid)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
