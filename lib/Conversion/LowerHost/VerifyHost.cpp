//===- VerifyHost.cpp - The end of the host phase -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Conversion/ModuleTables.h"
#include "RelaxDialect/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::relax {
#define GEN_PASS_DEF_VERIFYHOSTPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

LogicalResult verifyBody(func::FuncOp function) {
  WalkResult result = function.getBody().walk([](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (llvm::is_contained({"func", "arith", "scf", "cf", "llvm"}, dialect))
      return WalkResult::advance();
    op->emitOpError("is left in host code, expected func, arith, scf, cf and llvm only");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult verifyEntry(func::FuncOp entry) {
  MLIRContext *context = entry.getContext();
  auto expected = FunctionType::get(context, {LLVM::LLVMPointerType::get(context)}, {IntegerType::get(context, 32)});
  if (entry.getFunctionType() != expected)
    return entry.emitError("entry has type ") << entry.getFunctionType() << ", expected " << expected;
  return verifyBody(entry);
}

struct VerifyHostPass final : relax::impl::VerifyHostPassBase<VerifyHostPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto table = module->getAttrOfType<ArrayAttr>(kFunctionsAttrName);
    for (Attribute attribute : table ? table.getValue() : ArrayRef<Attribute>()) {
      auto function = dyn_cast<DictionaryAttr>(attribute);
      auto symbol = function ? function.getAs<StringAttr>("symbol") : StringAttr();
      auto entry = symbol ? module.lookupSymbol<func::FuncOp>(symbol) : func::FuncOp();
      if (!entry) {
        emitError(module.getLoc(), "no entry for ") << attribute;
        return signalPassFailure();
      }
      if (failed(verifyEntry(entry)))
        return signalPassFailure();
    }
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (function.getName().starts_with(getFunctionSymbol("")) && failed(verifyBody(function)))
        return signalPassFailure();
    for (Operation &op : *module.getBody()) {
      StringRef dialect = op.getName().getDialectNamespace();
      if (dialect != "relax" && dialect != "relax_ext")
        continue;
      op.emitOpError("is left beside host code");
      return signalPassFailure();
    }
  }
};

} // namespace
