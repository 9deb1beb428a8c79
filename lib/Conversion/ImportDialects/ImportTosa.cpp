//===- ImportTosa.cpp - relax-import-tosa ---------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Conversion/FrontendPasses.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "Tosa.h"

namespace mlir::relax {
#define GEN_PASS_DEF_IMPORTTOSAPASS
#include "RelaxDialect/Conversion/FrontendPasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

static ForeignImporter::Emit getRule(StringRef name) {
  for (auto getFamilyRule : {tosa_import::getElementwiseRule, tosa_import::getTensorRule, tosa_import::getScalingRule})
    if (ForeignImporter::Emit emit = getFamilyRule(name))
      return emit;
  return nullptr;
}

namespace {
struct ImportTosaPass final : relax::impl::ImportTosaPassBase<ImportTosaPass> {
  void runOnOperation() override {
    auto isForeign = [](func::FuncOp function) { return usesDialect(function, "tosa"); };
    if (failed(inlineForeignCalls(getOperation(), isForeign)) ||
        failed(importForeignFunctions(getOperation(), isForeign, getRule)))
      signalPassFailure();
  }
};
} // namespace
