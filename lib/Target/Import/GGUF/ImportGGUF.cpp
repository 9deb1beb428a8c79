//===- ImportGGUF.cpp - Import of GGUF models -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ModelBuilder.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "RelaxDialect/Target/Import/GGUF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

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
  // Weights refer to the model by its name, so the file is opened again by it; what the tool has read is not used.
  TranslateToMLIRRegistration registration(
      "import-gguf", "read a GGUF model into relax graph ops",
      [getOptions](llvm::SourceMgr &sourceMgr, MLIRContext *context) -> OwningOpRef<Operation *> {
        StringRef path = sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())->getBufferIdentifier();
        if (path == "<stdin>") {
          emitError(UnknownLoc::get(context)) << "a model is read from a named file: weights refer to it";
          return {};
        }
        return OwningOpRef<Operation *>(
            importGGUF(path, context, getOptions ? getOptions() : GGUFImportOptions()).release());
      },
      [](DialectRegistry &registry) {
        registry.insert<func::FuncDialect, sym::RelaxSymDialect, graph::RelaxDialect>();
      });
}
