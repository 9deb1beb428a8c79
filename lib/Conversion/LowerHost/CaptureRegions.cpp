//===- CaptureRegions.cpp - Which launches are recorded together ----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "CaptureRegions.h"
#include "RelaxDialect/Conversion/CapturePasses.h"
#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-capture-regions"

namespace mlir::relax {
#define GEN_PASS_DEF_CAPTUREREGIONSPASS
#include "RelaxDialect/Conversion/CapturePasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

bool relax::isCapturable(Operation *op, const SymbolTable &symbols) {
  auto call = dyn_cast<ProgramCallOpInterface>(op);
  if (!call || !isa<CallTPOp, CallDPSOp>(op) || call.getDestinations().empty() ||
      op->getNumResults() != call.getDestinations().size())
    return false;
  if (isa<CallTPOp>(op))
    return true;
  auto library = symbols.lookup<ext::ExternFuncOp>(call.getCalleeAttr().getValue());
  return library && library.getCapturable();
}

/// Its contents stay: it does not grow.
static bool isFixedStorage(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return isFixedStorage(select.getTrueValue()) && isFixedStorage(select.getFalseValue());
  auto storage = value.getDefiningOp<StorageOp>();
  return storage && (storage.getSpace() == "arena" || storage.getSpace() == "output");
}

bool relax::mayPrecedeLaunches(Operation *op) {
  // Memory that grows loses its contents, which launches in front may read.
  if (auto at = dyn_cast<TensorAtOp>(op))
    return isFixedStorage(at.getStorage());
  // The extents of tensors are known without their contents.
  if (isa<ShapeOfOp, MakeShapeOp, MatchCastOp, RefineOp, EraseShapeOp, ReshapeOp, EvalExprOp, AssertShapeOp,
          ShapeToTensorOp, WeightOp, ConstantOp, StorageOp, tensor::DimOp>(op))
    return true;
  return op->getNumRegions() == 0 && isa<arith::ArithDialect>(op->getDialect()) && isMemoryEffectFree(op);
}

namespace {
struct CaptureRegionsPass final : relax::impl::CaptureRegionsPassBase<CaptureRegionsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      next = 0;
      function.walk([&](Block *block) { mark(*block, symbols); });
    }
  }

private:
  void mark(Block &block, const SymbolTable &symbols) {
    SmallVector<Operation *> calls;
    for (Operation &op : block) {
      op.removeAttr(kCaptureAttrName);
      bool isCall = isCapturable(&op, symbols);
      if (isCall)
        calls.push_back(&op);
      if (calls.size() >= maxCalls || (!isCall && !mayPrecedeLaunches(&op)))
        close(calls);
    }
    close(calls);
  }

  void close(SmallVectorImpl<Operation *> &calls) {
    bool isRegion = calls.size() >= std::max(1u, minCalls.getValue());
    if (isRegion)
      remark::passed(calls.front()->getLoc(), remark::RemarkOpts::name("Captured").category(DEBUG_TYPE))
          << (Twine(calls.size()) + (calls.size() == 1 ? " launch is" : " launches are") + " recorded as region " +
              Twine(next))
                 .str();
    else if (!calls.empty())
      remark::missed(calls.front()->getLoc(), remark::RemarkOpts::name("NotCaptured").category(DEBUG_TYPE))
          << ("not recorded: " + Twine(calls.size()) + " in a row, wanted are " + Twine(minCalls.getValue())).str();
    if (isRegion) {
      for (Operation *call : calls)
        call->setAttr(kCaptureAttrName, IntegerAttr::get(IntegerType::get(&getContext(), 64), next));
      ++next;
    }
    calls.clear();
  }

  int64_t next = 0;
};
} // namespace
