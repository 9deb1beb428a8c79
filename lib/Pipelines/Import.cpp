//===- Import.cpp - From other dialects to the graph ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Conversion/FrontendPasses.h"
#include "RelaxDialect/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

void relax::buildImportPipeline(OpPassManager &manager) {
  manager.addPass(createImportStablehloPass());
  manager.addPass(createImportTosaPass());
  manager.addPass(createImportLinalgPass());
}

OwningOpRef<ModuleOp> relax::parseAndImport(llvm::SourceMgr &sources, MLIRContext *context, bool all) {
  // Ops of StableHLO are unregistered, and those about shapes beside them.
  bool allowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects(true);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, ParserConfig(context));
  LogicalResult result = success(static_cast<bool>(module));
  if (module) {
    auto walked = module->walk([](Operation *op) {
      StringRef dialect = op->getName().getDialectNamespace();
      if (op->isRegistered() || dialect == "stablehlo" || dialect == "chlo" || dialect == "shape")
        return WalkResult::advance();
      op->emitError() << "unregistered operation '" << op->getName() << "': no dialect of this name is known";
      return WalkResult::interrupt();
    });
    PassManager manager(context, ModuleOp::getOperationName());
    if (all)
      buildImportPipeline(manager);
    else
      manager.addPass(createImportStablehloPass());
    result = success(!walked.wasInterrupted() && succeeded(manager.run(*module)));
  }
  context->allowUnregisteredDialects(allowed);
  return succeeded(result) ? std::move(module) : nullptr;
}
