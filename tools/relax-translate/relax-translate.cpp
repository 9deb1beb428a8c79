//===- relax-translate.cpp - Import of models ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "../ImportFlags.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

int main(int argc, char **argv) {
  llvm::cl::OptionCategory category("relax-translate: models");
  ImportFlags flags(category);
  auto read = [&flags](auto options) {
    std::string problem;
    if (!flags.get(options, problem)) {
      llvm::errs() << "relax-translate: error: " << problem << "\n";
      std::exit(1);
    }
    return options;
  };
  mlir::relax::registerImportONNXTranslation([read] { return read(mlir::relax::ONNXImportOptions()); });
  mlir::relax::registerImportGGUFTranslation([read] { return read(mlir::relax::GGUFImportOptions()); });
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "relax-translate: reads models into relax"));
}
