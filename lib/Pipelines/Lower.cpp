//===- Lower.cpp - From the mixed phase to LLVM dialect -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Conversion/CapturePasses.h"
#include "RelaxDialect/Conversion/DevicePasses.h"
#include "RelaxDialect/Conversion/Passes.h"
#include "RelaxDialect/Conversion/WorkspacePasses.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"
#include "RelaxDialect/Pipelines/Pipelines.h"
#include "RelaxDialect/Transforms/DonationPasses.h"
#include "RelaxDialect/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::relax;

static void addPlan(OpPassManager &manager, bool grow, bool share) {
  manager.addPass(createMakeDestinationsPass());
  manager.addPass(createVerifyDestinationsPass());
  if (grow) {
    manager.addPass(createGrowInPlacePass());
    manager.addPass(createReuseDonatedPass());
  }
  manager.addPass(createPlanMemoryPass({share}));
  manager.addPass(createVerifyPlannedPass());
}

void relax::buildPlanPipeline(OpPassManager &manager) { addPlan(manager, /*grow=*/true, /*share=*/true); }

/// What devices run; CPU kernels are made of everything all the same.
static void addDevicePasses(OpPassManager &manager, const KernelPipelineOptions &options) {
  if (options.devices.empty())
    return;
  manager.addPass(createCloneDeviceKernelsPass());
  manager.addPass(createLowerDeviceMathPass());
  OpPassManager &kernels = manager.nest<ModuleOp>();
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  manager.addPass(createOutlineDeviceKernelsPass());
  manager.addPass(createLowerDeviceMathPass()); // combiners
  DeviceKernelsToBinaryPassOptions binary;
  llvm::append_range(binary.targets, options.devices);
  binary.ptxas = options.ptxas;
  manager.addPass(createDeviceKernelsToBinaryPass(binary));
  DeviceKernelsToSPIRVPassOptions spirv;
  llvm::append_range(spirv.targets, options.devices);
  manager.addPass(createDeviceKernelsToSPIRVPass(spirv));
}

void relax::buildPartitionKernelsPipeline(OpPassManager &manager, const KernelPipelineOptions &options) {
  addDevicePasses(manager, options);
  // Tensors, then buffers.
  manager.addNestedPass<func::FuncOp>(createTileRowsPass());
  manager.addNestedPass<func::FuncOp>(createScheduleKernelsPass());
  manager.addPass(createBufferizeKernelsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createVerifyKernelPass());
  // Parts.
  manager.addNestedPass<func::FuncOp>(createPartitionKernelsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void relax::buildKernelCodePipeline(OpPassManager &manager, const KernelPipelineOptions &options) {
  manager.addNestedPass<func::FuncOp>(createLowerKernelLoopsPass({options.vectorBits, options.dots}));
  manager.addNestedPass<func::FuncOp>(createLowerKernelMathPass());
  manager.addPass(createWrapKernelsPass());
  // LLVM dialect; host code goes along.
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  // Last: the region of an atomic update is converted only after what is inside.
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void relax::buildLowerKernelsPipeline(OpPassManager &manager, const KernelPipelineOptions &options) {
  buildPartitionKernelsPipeline(manager, options);
  buildKernelCodePipeline(manager, options);
}

void relax::buildPlannedKernelsPipeline(OpPassManager &manager, const KernelPipelineOptions &options) {
  if (options.packWeights)
    manager.addPass(createPackWeightsPass({options.vectorBits, /*blobDirectory=*/""}));
  manager.addPass(createSymbolDCEPass()); // programs that only read weights in the other layout
  if (options.liftWorkspaces)
    manager.addPass(createLiftWorkspacesPass());
  addPlan(manager, options.growInPlace, options.shareMemory);
  if (options.capture)
    manager.addPass(createCaptureRegionsPass());
  manager.addPass(createLowerHostPass());
  manager.addPass(createVerifyHostPass());
  manager.addNestedPass<tp::ProgramOp>(tp::createCountWorkPass());
  manager.addPass(tp::createConvertTensorProgramToFuncPass());
  buildPartitionKernelsPipeline(manager, options);
}

void relax::buildLowerPipeline(OpPassManager &manager, const KernelPipelineOptions &options) {
  buildPlannedKernelsPipeline(manager, options);
  buildKernelCodePipeline(manager, options);
}
