//===- Optimize.cpp - Better programs in the mixed phase ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"
#include "RelaxDialect/Pipelines/Pipelines.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

void relax::buildOptimizePipeline(OpPassManager &manager) {
  // Programs written as loops fuse once they are raised.
  manager.addPass(tp::createRaiseLoopsPass());
  manager.addPass(tp::createAnnotatePatternKindsPass());
  manager.addPass(createFuseOpsPass());
  manager.addPass(createFuseTensorProgramsPass());
  manager.addPass(createMergeProgramsPass());
}
