//===- LegalizeOps.cpp - relax-legalize-ops -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"
#include "RelaxDialect/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::relax {
#define GEN_PASS_DEF_LEGALIZEOPSPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {
struct LegalizeOpsPass final : relax::impl::LegalizeOpsPassBase<LegalizeOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    ProgramLibrary library(getOperation());
    RewritePatternSet patterns(&getContext());
    populateElementwiseToTensorProgramPatterns(patterns, library);
    populateReductionToTensorProgramPatterns(patterns, library);
    populateLinearAlgebraToTensorProgramPatterns(patterns, library);
    populateManipulationToTensorProgramPatterns(patterns, library, leaveViews);
    populateCreationToTensorProgramPatterns(patterns, library);
    populateSearchToTensorProgramPatterns(patterns, library);
    populatePoolToTensorProgramPatterns(patterns, library);
    populateAttentionToTensorProgramPatterns(patterns, library);
    populateBlockToTensorProgramPatterns(patterns, library);
    populateImageToTensorProgramPatterns(patterns, library);
    populateQuantizationToTensorProgramPatterns(patterns, library);
    populateRecurrentToTensorProgramPatterns(patterns, library);
    populateIndexingToTensorProgramPatterns(patterns, library);
    populateScansToTensorProgramPatterns(patterns, library);
    populateSortToTensorProgramPatterns(patterns, library);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (func::FuncOp function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      prepareForPrograms(function);
      walkAndApplyPatterns(function, frozen);
    }
  }
};
} // namespace
