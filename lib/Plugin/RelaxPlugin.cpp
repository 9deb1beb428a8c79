//===- RelaxPlugin.cpp - Entry points for foreign opt tools ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// `mlir-opt --load-dialect-plugin=libRelaxDialect.so
// --load-pass-plugin=libRelaxDialect.so --pass-pipeline=...`. Both callbacks
// register the passes, so that either option alone is enough for them.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/InitAll.h"
#include "RelaxDialect/Support/Version.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "RelaxDialect", relax::getVersion().data(), [](DialectRegistry *registry) {
            relax::registerAllDialects(*registry);
            relax::registerAllPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "RelaxDialect", relax::getVersion().data(), [] { relax::registerAllPasses(); }};
}
