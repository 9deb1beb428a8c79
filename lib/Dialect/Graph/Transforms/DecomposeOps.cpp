//===- DecomposeOps.cpp - relax-decompose-ops -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "CheckInsertion.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphComposite.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_DECOMPOSEOPSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {
struct DecomposeOpsPass final : mlir::relax::graph::impl::DecomposeOpsPassBase<DecomposeOpsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateActivationDecompositionPatterns(patterns);
    populateAttentionDecompositionPatterns(patterns);
    populateCreationDecompositionPatterns(patterns);
    populateEinsumDecompositionPatterns(patterns);
    populateManipulationDecompositionPatterns(patterns);
    populateNormalizationDecompositionPatterns(patterns);
    populateQuantizationDecompositionPatterns(patterns);
    populateRecurrentDecompositionPatterns(patterns);
    populateReductionDecompositionPatterns(patterns);
    populateSearchDecompositionPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    SymbolTableCollection symbols;
    auto isComposite = [](Operation *op) { return op->hasTrait<Composite>(); };
    for (auto function : getOperation().getOps<func::FuncOp>())
      // What stands for an op may be composite again, of something simpler.
      for (unsigned round = 0; round != kMaxRounds && hasAny(function, isComposite); ++round) {
        // The simpler ops have other rules: what the op itself asks for is asserted before it goes.
        insertShapeChecks(function, symbols, isComposite);
        walkAndApplyPatterns(function, frozen);
      }
  }

private:
  static constexpr unsigned kMaxRounds = 8;

  static bool hasAny(func::FuncOp function, function_ref<bool(Operation *)> isWanted) {
    return function.walk([&](Operation *op) { return isWanted(op) ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }
};
} // namespace
