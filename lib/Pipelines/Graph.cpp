//===- Graph.cpp - From the graph phase to the mixed phase, and all -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/QuantizationPasses.h"
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h"
#include "RelaxDialect/Pipelines/Pipelines.h"
#include "RelaxDialect/Transforms/DispatchPasses.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "RelaxDialect/Transforms/PrecisionPasses.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::relax;

void relax::buildSimplifyPipeline(OpPassManager &manager) {
  manager.addPass(graph::createInlineDataflowPass());
  manager.addPass(graph::createInlineCallsPass());
  manager.addPass(createSymbolDCEPass());
  // Shapes first: folders and every later pass read them. What is folded may show more of them.
  manager.addPass(graph::createInferShapesPass());
  manager.addPass(graph::createSimplifyMatchCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(graph::createInferShapesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(graph::createInsertChecksPass());
  manager.addPass(graph::createHoistChecksPass());
}

void relax::buildDecomposePipeline(OpPassManager &manager) {
  manager.addPass(graph::createDecomposeOpsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Some compute shapes by tensors, which folding has made known.
  manager.addPass(graph::createInferShapesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(graph::createInsertChecksPass());
  manager.addPass(graph::createHoistChecksPass());
}

/// Nothing unless it is asked for.
static void addDispatch(OpPassManager &manager, const KernelPipelineOptions &options) {
  if (!options.libraries.empty()) {
    DispatchLibrariesPassOptions libraries;
    libraries.libraries.assign(options.libraries.begin(), options.libraries.end());
    manager.addPass(createDispatchLibrariesPass(libraries));
  }
  if (!options.patterns.empty())
    manager.addPass(createGroupPatternsPass({options.patterns}));
  if (!options.dispatchTable.empty())
    manager.addPass(createDispatchByShapePass({options.dispatchTable}));
}

/// Nothing unless it is asked for. New ops are checked as those that they replace were.
static void addQuantization(OpPassManager &manager, const KernelPipelineOptions &options) {
  if (options.quantizeWeights.empty())
    return;
  graph::QuantizeWeightsPassOptions quantization;
  quantization.format = options.quantizeWeights;
  manager.addPass(graph::createQuantizeWeightsPass(quantization));
  manager.addPass(graph::createInsertChecksPass());
}

/// Libraries get the products that are left, so it comes before them.
static void addRewrites(OpPassManager &manager, const KernelPipelineOptions &options) {
  if (options.sinkMoves)
    manager.addPass(graph::createSinkMovesPass());
  if (options.combineProducts && options.liftWeights)
    manager.addPass(graph::createCombineParallelMatmulsPass());
}

/// What libraries have not taken. Faster on CPUs, and only because of packed weights.
static void addLayout(OpPassManager &manager, const KernelPipelineOptions &options) {
  if (!options.convLayout || !options.packWeights || !options.liftWeights || !options.devices.empty())
    return;
  manager.addPass(graph::createConvertConvLayoutPass());
  if (options.sinkMoves)
    manager.addPass(graph::createSinkMovesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// Nothing unless it is asked for. Weights become what products read.
static void addMixedPrecision(OpPassManager &manager, const KernelPipelineOptions &options) {
  if (options.mixedPrecision.empty())
    return;
  MixedPrecisionPassOptions precision;
  StringRef type(options.mixedPrecision);
  precision.weightsOnly = type.consume_back("-weights");
  precision.to = type.str();
  manager.addPass(createMixedPrecisionPass(precision));
  manager.addPass(createCSEPass());
  manager.addPass(createLegalizeOpsPass({/*leaveViews=*/options.fuse}));
  manager.addPass(createSymbolDCEPass());
}

/// Nothing unless it is asked for: last, for weights that were quantized too.
static void addActivations(OpPassManager &manager, const KernelPipelineOptions &options) {
  if (!options.quantizeActivations)
    return;
  manager.addPass(graph::createQuantizeActivationsPass());
  manager.addPass(graph::createInsertChecksPass());
}

/// Graph phase to mixed phase.
static void addMixedPasses(OpPassManager &manager, const KernelPipelineOptions &options) {
  // First: the signature of the function changes.
  if (options.preallocateCaches) {
    manager.addPass(graph::createInlineDataflowPass());
    manager.addPass(graph::createInferShapesPass());
    manager.addPass(graph::createPreallocateCachesPass());
  }
  buildSimplifyPipeline(manager);
  // Composite ops, then what they consist of. Libraries get the products that are left.
  addQuantization(manager, options);
  addRewrites(manager, options);
  addDispatch(manager, options);
  buildDecomposePipeline(manager);
  addQuantization(manager, options);
  addRewrites(manager, options);
  addDispatch(manager, options);
  addLayout(manager, options);
  addActivations(manager, options);
  manager.addPass(createLegalizeOpsPass({/*leaveViews=*/options.fuse}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  addMixedPrecision(manager, options);
  // Before fusion, which would merge it into programs that run each time.
  if (options.liftWeights)
    manager.addPass(createLiftWeightComputationPass());
  if (options.fuse) {
    buildOptimizePipeline(manager);
    manager.addPass(createViewReshapesPass());
  }
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createVerifyMixedPass());
}

void relax::buildCommonPipeline(OpPassManager &manager, const KernelPipelineOptions &options) {
  addMixedPasses(manager, options);
  buildPlannedKernelsPipeline(manager, options);
}

void relax::buildDefaultPipeline(OpPassManager &manager, const KernelPipelineOptions &options) {
  buildCommonPipeline(manager, options);
  buildKernelCodePipeline(manager, options);
}
