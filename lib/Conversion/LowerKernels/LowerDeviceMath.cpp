//===- LowerDeviceMath.cpp - Math functions of device kernels -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "KernelMath.h"
#include "RelaxDialect/Conversion/DevicePasses.h"
#include "RelaxDialect/Conversion/DeviceTables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::relax {
#define GEN_PASS_DEF_LOWERDEVICEMATHPASS
#include "RelaxDialect/Conversion/DevicePasses.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;

namespace {
struct LowerDeviceMathPass final : relax::impl::LowerDeviceMathPassBase<LowerDeviceMathPass> {
  using Base::Base;

  void runOnOperation() override {
    auto device = getOperation().lookupSymbol<ModuleOp>(kDeviceModuleName);
    if (!device)
      return;
    for (auto kernel : device.getOps<func::FuncOp>())
      if (failed(lowerKernelMath(kernel, /*keepCombiners=*/true)))
        return signalPassFailure();
    for (auto kernel : device.getOps<gpu::GPUModuleOp>())
      for (auto stage : kernel.getOps<gpu::GPUFuncOp>())
        if (failed(lowerKernelMath(stage, /*keepCombiners=*/false)))
          return signalPassFailure();
  }
};
} // namespace
