//===- ToLinalg.cpp - The way out to other compilers ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Pipelines/Pipelines.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void relax::buildToLinalgPipeline(OpPassManager &manager, const ToLinalgPipelineOptions &options) {
  // Calls instead of graph ops.
  buildSimplifyPipeline(manager);
  buildDecomposePipeline(manager);
  manager.addPass(createLegalizeOpsPass());
  if (options.fuse)
    buildOptimizePipeline(manager);
  // Bodies instead of calls, plain types instead of symbols.
  manager.addPass(createInlineTensorProgramsPass());
  manager.addPass(createLibraryCallsToFuncPass());
  manager.addPass(createWeightsToConstantsPass({options.blobDirectory}));
  manager.addPass(graph::createStripShapesPass());
  // Nobody outside knows our symbols: what is left of the programs goes.
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass()); // comparisons of what became one value
  manager.addPass(createVerifyPlainPass());
}
