//===- DeviceFiles.h - What is written about device code -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TOOLS_RELAXCOMPILE_DEVICEFILES_H
#define RELAXDIALECT_TOOLS_RELAXCOMPILE_DEVICEFILES_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

/// What the kernels of devices move and compute.
void printDeviceReport(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Files CHIP.KERNEL with .ll, .ptx and .cubin, or .ll, .s and .hsaco, of kernels for NVIDIA and AMD.
mlir::LogicalResult saveDeviceCode(mlir::ModuleOp module, llvm::StringRef folder, std::string &problem);

#endif // RELAXDIALECT_TOOLS_RELAXCOMPILE_DEVICEFILES_H
