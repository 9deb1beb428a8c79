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
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Launches of the block that may be recorded; nothing when it holds anything else that cannot precede them.
static std::optional<unsigned> countLaunches(Block &block, const SymbolTable &symbols);

/// Of the op, of a branch those of the side that makes more; 0 when it cannot be recorded.
static unsigned countLaunches(Operation *op, const SymbolTable &symbols) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return isCapturable(op, symbols);
  unsigned count = 0;
  for (Region &side : branch->getRegions())
    for (Block &block : side) {
      std::optional<unsigned> launches = countLaunches(block, symbols);
      if (!launches)
        return 0;
      count = std::max(count, *launches);
    }
  return count;
}

static std::optional<unsigned> countLaunches(Block &block, const SymbolTable &symbols) {
  unsigned count = 0;
  for (Operation &op : block.without_terminator()) {
    unsigned launches = countLaunches(&op, symbols);
    if (launches == 0 && !mayPrecedeLaunches(&op))
      return std::nullopt;
    count += launches;
  }
  return count;
}

bool relax::isCapturable(Operation *op, const SymbolTable &symbols) {
  if (isa<scf::IfOp>(op))
    return countLaunches(op, symbols) != 0;
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
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return llvm::all_of(branch->getRegions(), [](Region &side) {
      return llvm::all_of(side.getOps(),
                          [](Operation &inner) { return isa<scf::YieldOp>(inner) || mayPrecedeLaunches(&inner); });
    });
  // The extents of tensors are known without their contents, as is whether a library is there.
  if (isa<ShapeOfOp, MakeShapeOp, MatchCastOp, RefineOp, EraseShapeOp, ReshapeOp, EvalExprOp, AssertShapeOp,
          ShapeToTensorOp, WeightOp, ConstantOp, StorageOp, tensor::DimOp, ext::AvailableOp>(op))
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
      function.walk([](Operation *op) { op->removeAttr(kCaptureAttrName); });
      for (Block &block : function.getBody())
        mark(block, symbols);
    }
  }

private:
  void mark(Block &block, const SymbolTable &symbols) {
    SmallVector<Operation *> calls;
    unsigned count = 0;
    for (Operation &op : block) {
      unsigned launches = countLaunches(&op, symbols);
      // A branch with too many has regions of its own.
      bool isCall = launches != 0 && (launches <= maxCalls || !isa<scf::IfOp>(op));
      if (count + launches > maxCalls || (!isCall && !mayPrecedeLaunches(&op)))
        close(calls, count);
      if (isCall) {
        calls.push_back(&op);
        count += launches;
        continue;
      }
      for (Region &inner : op.getRegions())
        for (Block &innerBlock : inner)
          mark(innerBlock, symbols);
    }
    close(calls, count);
  }

  void close(SmallVectorImpl<Operation *> &calls, unsigned &count) {
    bool isRegion = count >= std::max(1u, minCalls.getValue());
    if (isRegion)
      remark::passed(calls.front()->getLoc(), remark::RemarkOpts::name("Captured").category(DEBUG_TYPE))
          << (Twine(count) + (count == 1 ? " launch is" : " launches are") + " recorded as region " + Twine(next))
                 .str();
    else if (!calls.empty())
      remark::missed(calls.front()->getLoc(), remark::RemarkOpts::name("NotCaptured").category(DEBUG_TYPE))
          << ("not recorded: " + Twine(count) + " in a row, wanted are " + Twine(minCalls.getValue())).str();
    if (isRegion) {
      for (Operation *call : calls)
        call->setAttr(kCaptureAttrName, IntegerAttr::get(IntegerType::get(&getContext(), 64), next));
      ++next;
    }
    calls.clear();
    count = 0;
  }

  int64_t next = 0;
};
} // namespace
