//===- ImportStablehlo.cpp - relax-import-stablehlo -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "IndexRules.h"
#include "RelaxDialect/Conversion/FrontendPasses.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "Stablehlo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::relax {
#define GEN_PASS_DEF_IMPORTSTABLEHLOPASS
#include "RelaxDialect/Conversion/FrontendPasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

static ForeignImporter::Emit getRule(StringRef name) {
  for (auto getFamilyRule : {stablehlo::getElementwiseRule, stablehlo::getShapeRule, stablehlo::getLinearAlgebraRule,
                             stablehlo::getReductionRule, stablehlo::getIndexingRule, stablehlo::getControlRule,
                             getShapeDialectRule, getIndexRule})
    if (ForeignImporter::Emit emit = getFamilyRule(name))
      return emit;
  return nullptr;
}

namespace {
struct ImportStablehloPass final : relax::impl::ImportStablehloPassBase<ImportStablehloPass> {
  void runOnOperation() override {
    auto isForeign = [](func::FuncOp function) {
      return usesDialect(function, "stablehlo") || usesDialect(function, "chlo");
    };
    if (failed(inlineForeignCalls(getOperation(), isForeign)) ||
        failed(importForeignFunctions(getOperation(), isForeign, getRule)))
      signalPassFailure();
  }
};
} // namespace
