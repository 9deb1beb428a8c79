//===- Register.cpp - Names of the pipelines ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void relax::registerRelaxPipelines() {
  PassPipelineRegistration<>("relax-import", "Functions in StableHLO, TOSA and linalg to the graph phase.",
                             buildImportPipeline);
  PassPipelineRegistration<>("relax-simplify", "Graph phase without calls, shapes inferred, checks explicit.",
                             buildSimplifyPipeline);
  PassPipelineRegistration<>("relax-optimize", "Raises loops and fuses calls in the mixed phase.",
                             buildOptimizePipeline);
  PassPipelineRegistration<>("relax-plan", "Mixed phase to planned phase.", buildPlanPipeline);
  PassPipelineRegistration<KernelPipelineOptions>("relax-lower-kernels",
                                                  "Kernels over buffers, and host code beside them, to LLVM dialect.",
                                                  buildLowerKernelsPipeline);
  PassPipelineRegistration<KernelPipelineOptions>("relax-lower", "Mixed phase to LLVM dialect.", buildLowerPipeline);
  PassPipelineRegistration<KernelPipelineOptions>(
      "relax-default-pipeline", "Graph phase to LLVM dialect, as relax-compile does it.", buildDefaultPipeline);
  PassPipelineRegistration<ToLinalgPipelineOptions>(
      "relax-to-linalg", "Graph phase to plain func, linalg and tensor, for other compilers.", buildToLinalgPipeline);
}
