//===- LowerKernelMath.cpp - Math functions that vectorize ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ExpandBFloat16.h"
#include "KernelSignature.h"
#include "RelaxDialect/Conversion/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::relax {
#define GEN_PASS_DEF_LOWERKERNELMATHPASS
#include "RelaxDialect/Conversion/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {

struct LowerKernelMathPass final : relax::impl::LowerKernelMathPassBase<LowerKernelMathPass> {
  using Base::Base;

  void runOnOperation() override {
    if (!getKernelSignature(getOperation()))
      return;
    expandBFloat16(getOperation());
    // sinh, cosh and exp2 stay: written with exp they lose digits near 0 or of large arguments. sin, cos and pow stay:
    // their approximations lose all digits of large arguments, or several of every argument.
    auto approximated = [](StringRef name) {
      return llvm::is_contained({math::ExpOp::getOperationName(), math::LogOp::getOperationName(),
                                 math::TanhOp::getOperationName(), math::ErfOp::getOperationName()},
                                name);
    };
    RewritePatternSet patterns(&getContext());
    populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(patterns, approximated);
    math::populateExpansionPatterns(patterns, {"rsqrt", "ctlz"});
    arith::populateArithExpandOpsPatterns(patterns);
    auto config = GreedyRewriteConfig().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
  }
};

} // namespace
