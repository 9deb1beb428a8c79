//===- WrongPasses.cpp - Passes that change what modules compute ----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// One for each phase, to show that validation finds them. A pass plugin.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;
using namespace mlir::relax;

namespace {
template <typename ConcretePass> struct ModulePass : PassWrapper<ConcretePass, OperationPass<ModuleOp>> {
  StringRef getArgument() const final { return ConcretePass::kName; }
  StringRef getDescription() const final { return "Changes what a module computes."; }
};

/// Graph phase: a - b becomes b - a.
struct SwapOperands : ModulePass<SwapOperands> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SwapOperands)
  static constexpr StringLiteral kName = "test-wrong-graph";
  void runOnOperation() override {
    getOperation()->walk([](graph::SubtractOp op) {
      if (op.getLhs().getType() == op.getRhs().getType())
        op->setOperands({op.getRhs(), op.getLhs()});
    });
  }
};

/// Products, in whatever phase: a running product takes one factor more or less, others are sums.
struct WrongProducts : ModulePass<WrongProducts> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongProducts)
  static constexpr StringLiteral kName = "test-wrong-products";
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      OpBuilder builder(op);
      if (auto scan = dyn_cast<graph::CumprodOp>(op)) {
        scan.setExclusive(!scan.getExclusive());
      } else if (auto prod = dyn_cast<graph::ProdOp>(op)) {
        auto sum = graph::SumOp::create(builder, op->getLoc(), op->getResultTypes(), op->getOperands(), op->getAttrs());
        op->replaceAllUsesWith(sum);
        op->erase();
      } else if (auto product = dyn_cast<arith::MulFOp>(op)) {
        op->replaceAllUsesWith(arith::AddFOp::create(builder, op->getLoc(), product.getLhs(), product.getRhs()));
        op->erase();
      }
    });
  }
};

/// Mixed and kernel phase: additions in tensor programs and in what becomes of them.
struct SubtractInstead : ModulePass<SubtractInstead> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SubtractInstead)
  static constexpr StringLiteral kName = "test-wrong-program";
  void runOnOperation() override {
    getOperation()->walk([](arith::AddFOp op) {
      // The bodies of named structured ops are fixed.
      if (isa<linalg::LinalgOp>(op->getParentOp()) && !isa<linalg::GenericOp>(op->getParentOp()))
        return;
      OpBuilder builder(op);
      op.replaceAllUsesWith(arith::SubFOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs()).getResult());
      op.erase();
    });
  }
};

/// Destination phase: tensors of one type share the memory of the first.
struct ShareDestinations : ModulePass<ShareDestinations> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareDestinations)
  static constexpr StringLiteral kName = "test-wrong-destinations";
  void runOnOperation() override {
    DenseMap<Type, Value> first;
    getOperation()->walk([&](graph::AllocOp op) {
      auto [known, isNew] = first.try_emplace(op.getType(), op.getResult());
      if (!isNew)
        op.getResult().replaceAllUsesWith(known->second);
    });
  }
};

/// Planned phase: tensors of one type share one place.
struct SamePlace : ModulePass<SamePlace> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SamePlace)
  static constexpr StringLiteral kName = "test-wrong-plan";
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      DenseMap<Type, graph::TensorAtOp> first;
      if (function.isExternal())
        continue;
      for (auto op : function.getBody().front().getOps<graph::TensorAtOp>()) {
        auto [known, isNew] = first.try_emplace(op.getType(), op);
        if (isNew)
          continue;
        op.getStorageMutable().assign(known->second.getStorage());
        op.getOffsetMutable().assign(known->second.getOffset());
      }
    }
  }
};

/// Host phase: the entry does not launch its last kernel.
struct SkipLaunch : ModulePass<SkipLaunch> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SkipLaunch)
  static constexpr StringLiteral kName = "test-wrong-host";
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<LLVM::LLVMDialect>(); }
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      LLVM::CallOp last;
      if (function.getName().starts_with("relax_entry_"))
        function->walk([&](LLVM::CallOp op) {
          // launch(invocation, kernel, buffers, scalars, grid)
          if (op.getNumResults() == 1 && op->getNumOperands() == 6)
            last = op;
        });
      if (!last)
        continue;
      OpBuilder builder(last);
      Value ok = LLVM::ConstantOp::create(builder, last.getLoc(), builder.getI32Type(), 0);
      last.getResult().replaceAllUsesWith(ok);
      last.erase();
    }
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "WrongPasses", "1", [] {
            PassRegistration<SwapOperands>();
            PassRegistration<WrongProducts>();
            PassRegistration<SubtractInstead>();
            PassRegistration<ShareDestinations>();
            PassRegistration<SamePlace>();
            PassRegistration<SkipLaunch>();
          }};
}
