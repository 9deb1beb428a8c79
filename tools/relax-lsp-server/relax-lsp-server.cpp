//===- relax-lsp-server.cpp - The language server of editors ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What MLIR's language server does, with the project's dialects: messages while a file is edited, places of definitions
// and uses, and what is under the cursor with its type, which holds the symbolic shape.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::relax::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
