//===- VerifyGraph.cpp - relax-verify-graph -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_VERIFYGRAPHPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

/// Each known extent of `to` is the one of `from`.
static bool onlyForgets(Type from, Type to) {
  SmallVector<sym::SymExpr> fromDims = sym::getSymbolicDims(from), toDims = sym::getSymbolicDims(to);
  return fromDims.size() == toDims.size() && llvm::all_of(llvm::zip_equal(fromDims, toDims), [](auto dims) {
           return !std::get<1>(dims) || std::get<0>(dims) == std::get<1>(dims);
         });
}

/// Conditions and bounds of control flow.
/// Upstream makes arith.select of an scf.if that only hands on.
static bool isScalarOp(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return select.getCondition().getType().isInteger(1);
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) && llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

static bool isGraphOp(Operation *op) {
  if (isa<ProgramCallOpInterface, AllocOp, StorageOp, TensorAtOp, FusionGroupOp, YieldOp>(op))
    return false;
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return onlyForgets(cast.getSource().getType(), cast.getType());
  // Whether a library function is there.
  if (op->getName().getDialectNamespace() == "relax_ext")
    return true;
  return isa_and_nonnull<RelaxDialect, scf::SCFDialect>(op->getDialect()) ||
         isa<arith::ConstantOp, tensor::DimOp, tensor::ExtractOp, func::ReturnOp>(op) || isScalarOp(op);
}

/// Encodings say nothing that the static dimensions contradict or repeat.
static LogicalResult verifyNormalized(Operation *op, TypeRange types) {
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getEncoding())
      continue;
    if (RankedTensorType normal = sym::getTensorType(sym::getSymbolicDims(type), tensor.getElementType());
        normal != type)
      return op->emitOpError("has the type ") << type << ", which should be " << normal;
  }
  return success();
}

static LogicalResult verifyRefine(RefineOp op) {
  sym::Prover prover(op.getContext(), sym::getScope(op));
  for (auto [from, to] :
       llvm::zip_equal(sym::getSymbolicDims(op.getSource().getType()), sym::getSymbolicDims(op.getType())))
    if (from && to && prover.isEqual(from, to) != sym::Verdict::True)
      return op.emitOpError("is not proved: ") << from.str() << " == " << to.str();
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  if (!isGraphOp(op))
    return op->emitOpError("is not allowed in the graph phase");
  if (failed(verifyNormalized(op, op->getResultTypes())))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(verifyNormalized(op, block.getArgumentTypes())))
        return failure();
  auto refine = dyn_cast<RefineOp>(op);
  return refine ? verifyRefine(refine) : success();
}

namespace {
struct VerifyGraphPass final : mlir::relax::graph::impl::VerifyGraphPassBase<VerifyGraphPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool failed = mlir::failed(verifyNormalized(function, function.getArgumentTypes())) ||
                    mlir::failed(verifyNormalized(function, function.getResultTypes()));
      function.getBody().walk([&](Operation *op) { failed |= mlir::failed(verifyOp(op)); });
      if (failed)
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
