//===- OtherPlugin.cpp - A third party's plugin for the tests ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// One dialect, `other`, that takes any op, and one pass, which counts those ops.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

namespace other {
class OtherDialect : public mlir::Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OtherDialect)
  explicit OtherDialect(mlir::MLIRContext *context)
      : mlir::Dialect(getDialectNamespace(), context, mlir::TypeID::get<OtherDialect>()) {
    allowUnknownOperations();
  }
  static llvm::StringRef getDialectNamespace() { return "other"; }
};

class CountPass : public mlir::PassWrapper<CountPass, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountPass)
  llvm::StringRef getArgument() const override { return "other-count"; }
  llvm::StringRef getDescription() const override { return "Writes the number of `other` ops to the module."; }
  void runOnOperation() override {
    int64_t count = 0;
    getOperation()->walk([&](mlir::Operation *op) { count += op->getName().getDialectNamespace() == "other"; });
    getOperation()->setAttr("other.count", mlir::Builder(&getContext()).getI64IntegerAttr(count));
  }
};
} // namespace other

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "OtherPlugin", "1",
          [](mlir::DialectRegistry *registry) { registry->insert<other::OtherDialect>(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "OtherPlugin", "1", [] { mlir::PassRegistration<other::CountPass>(); }};
}
