//===- ImportONNX.cpp - Import of ONNX models -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "../ModelTranslation.h"
#include "GraphImporter.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "RelaxDialect/Target/Import/ONNX.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

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
  registerModelTranslation(
      "import-onnx", "read an ONNX model into relax graph ops",
      [getOptions = std::move(getOptions)](StringRef path, MLIRContext *context) {
        return importONNX(path, context, getOptions ? getOptions() : ONNXImportOptions());
      },
      [](DialectRegistry &registry) {
        registry.insert<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, sym::RelaxSymDialect,
                        graph::RelaxDialect, tensor::TensorDialect>();
      });
}
