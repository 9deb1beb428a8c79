//===- relax-translate.cpp - Import of models ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/InitAll.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::relax::registerAllTranslations();
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "relax-translate: reads models into relax"));
}
