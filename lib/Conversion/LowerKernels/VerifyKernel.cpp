//===- VerifyKernel.cpp - The end of the kernel phase ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "KernelSignature.h"
#include "RelaxDialect/Conversion/ModuleTables.h"
#include "RelaxDialect/Conversion/Passes.h"

namespace mlir::relax {
#define GEN_PASS_DEF_VERIFYKERNELPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

LogicalResult verifyKernel(Operation *operation) {
  auto kernel = dyn_cast<func::FuncOp>(operation);
  if (!kernel)
    return operation->emitError("kernel is '") << operation->getName() << "', expected 'func.func'";
  std::string reason;
  if (!getKernelSignature(kernel, &reason))
    return kernel.emitError("kernel '") << kernel.getName() << "' " << reason;
  WalkResult result = kernel.walk([](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect != "relax" && dialect != "relax_tp" && dialect != "relax_ext")
      return WalkResult::advance();
    op->emitOpError("is left in a kernel, expected upstream dialects only");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

struct VerifyKernelPass final : relax::impl::VerifyKernelPassBase<VerifyKernelPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (StringRef name : getStringTable(module, kKernelsAttrName)) {
      Operation *kernel = symbols.lookup(name);
      if (!kernel) {
        emitError(module.getLoc(), "no kernel '") << name << "', which " << kKernelsAttrName << " names";
        return signalPassFailure();
      }
      if (failed(verifyKernel(kernel)))
        return signalPassFailure();
    }
  }
};

} // namespace
