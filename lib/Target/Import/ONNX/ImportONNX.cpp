//===- ImportONNX.cpp - Import of ONNX models -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "GraphImporter.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "RelaxDialect/Target/Import/ONNX.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::relax;

OwningOpRef<ModuleOp> mlir::relax::importONNX(StringRef path, MLIRContext *context, const ONNXImportOptions &options) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, sym::RelaxSymDialect,
                       graph::RelaxDialect, tensor::TensorDialect>();
  std::string error;
  std::unique_ptr<onnx::ModelFile> file = onnx::ModelFile::open(path, error);
  if (!file) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << error;
    return {};
  }
  OwningOpRef<ModuleOp> module = onnx::GraphImporter(*file, context, options).run();
  if (!module || failed(verify(*module)))
    return {};
  return module;
}

void mlir::relax::registerImportONNXTranslation(std::function<ONNXImportOptions()> getOptions) {
  // Weights refer to the model by its name, so the file is opened again by it; what the tool has read is not used.
  TranslateToMLIRRegistration registration(
      "import-onnx", "read an ONNX model into relax graph ops",
      [getOptions](llvm::SourceMgr &sourceMgr, MLIRContext *context) -> OwningOpRef<Operation *> {
        StringRef path = sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())->getBufferIdentifier();
        if (path == "<stdin>") {
          emitError(UnknownLoc::get(context)) << "a model is read from a named file: weights refer to it";
          return {};
        }
        return OwningOpRef<Operation *>(
            importONNX(path, context, getOptions ? getOptions() : ONNXImportOptions()).release());
      },
      [](DialectRegistry &registry) {
        registry.insert<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, sym::RelaxSymDialect,
                        graph::RelaxDialect, tensor::TensorDialect>();
      });
}
