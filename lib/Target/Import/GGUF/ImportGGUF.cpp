//===- ImportGGUF.cpp - Import of GGUF models -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "../ModelTranslation.h"
#include "ModelBuilder.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "RelaxDialect/Target/Import/GGUF.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::relax;

OwningOpRef<ModuleOp> mlir::relax::importGGUF(StringRef path, MLIRContext *context, const GGUFImportOptions &options) {
  context->loadDialect<func::FuncDialect, sym::RelaxSymDialect, graph::RelaxDialect>();
  auto fail = [&](StringRef message) -> OwningOpRef<ModuleOp> {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << message;
    return {};
  };
  std::string error;
  std::unique_ptr<gguf::GGUFFile> file = gguf::GGUFFile::open(path, error);
  if (!file)
    return fail(error);
  std::optional<gguf::ModelConfig> config = gguf::ModelConfig::read(*file, error);
  if (!config)
    return fail(error);
  OwningOpRef<ModuleOp> module = gguf::ModelBuilder(*file, *config, context, options).run();
  if (!module || failed(verify(*module)))
    return {};
  return module;
}

void mlir::relax::registerImportGGUFTranslation(std::function<GGUFImportOptions()> getOptions) {
  registerModelTranslation(
      "import-gguf", "read a GGUF model into relax graph ops",
      [getOptions = std::move(getOptions)](StringRef path, MLIRContext *context) {
        return importGGUF(path, context, getOptions ? getOptions() : GGUFImportOptions());
      },
      [](DialectRegistry &registry) {
        registry.insert<func::FuncDialect, sym::RelaxSymDialect, graph::RelaxDialect>();
      });
}
