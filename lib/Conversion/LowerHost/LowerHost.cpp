//===- LowerHost.cpp - Functions of the planned phase to host code --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "HostEmitter.h"
#include "RelaxDialect/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relax {
#define GEN_PASS_DEF_LOWERHOSTPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {

struct LowerHostPass final : relax::impl::LowerHostPassBase<LowerHostPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    HostTables tables(module);
    llvm::SetVector<func::FuncOp> functions;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        functions.insert(function);
    size_t numEntries = functions.size();
    llvm::SetVector<func::FuncOp> called = findCalled(functions, tables);
    functions.insert_range(called);
    for (func::FuncOp function : functions.getArrayRef().take_front(numEntries))
      if (failed(HostEmitter(function, tables, HostForm::Entry).emit()))
        return signalPassFailure();
    for (func::FuncOp function : called)
      if (failed(HostEmitter(function, tables, HostForm::Internal).emit()))
        return signalPassFailure();
    tables.store();
    for (func::FuncOp function : functions)
      function.erase();
    eraseUnused();
  }

private:
  /// Functions that the entries call, directly or not.
  static llvm::SetVector<func::FuncOp> findCalled(const llvm::SetVector<func::FuncOp> &entries, HostTables &tables) {
    llvm::SetVector<func::FuncOp> called;
    SmallVector<func::FuncOp> pending(entries.begin(), entries.end());
    while (!pending.empty())
      pending.pop_back_val().walk([&](CallOp call) {
        auto callee = dyn_cast_or_null<func::FuncOp>(tables.lookup(call.getCallee()));
        if (callee && !callee.isExternal() && called.insert(callee))
          pending.push_back(callee);
      });
    return called;
  }

  /// Weights are in the table now, library functions too; private functions and programs without a caller go.
  void eraseUnused() {
    ModuleOp module = getOperation();
    llvm::StringSet<> kernels;
    for (StringRef name : getStringTable(module, kKernelsAttrName))
      kernels.insert(name);
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      bool unused = false;
      if (isa<WeightDataOp>(op))
        unused = true;
      else if (isa<sym::TensorProgramInterface>(op))
        unused = !kernels.contains(SymbolTable::getSymbolName(&op).getValue());
      else if (auto function = dyn_cast<func::FuncOp>(op))
        unused = function.isPrivate() && !function.isExternal() && SymbolTable::symbolKnownUseEmpty(function, module);
      if (unused)
        op.erase();
    }
  }
};

} // namespace
