//===- consumer-opt.cpp - An opt tool of another project -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Registers the Relax dialects and passes and the few upstream ones that its
// input uses: nothing of ours may rely on a program that registers everything.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/InitAll.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  mlir::relax::registerAllDialects(registry);
  mlir::relax::registerAllPasses();
  mlir::registerCanonicalizerPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Consumer optimizer driver\n", registry));
}
