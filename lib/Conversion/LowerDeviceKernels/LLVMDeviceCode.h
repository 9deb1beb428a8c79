//===- LLVMDeviceCode.h - Device code by LLVM's back ends ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_LLVMDEVICECODE_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_LLVMDEVICECODE_H

#include "DeviceTargets.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax {

/// Code of one kernel on its way.
struct LLVMDeviceCode {
  std::string llvmIR;   // optimized: what the back end gets
  std::string assembly; // PTX, or AMD's
  std::string object;   // of AMD only: what the linker gets
};

/// A gpu.module of the LLVM dialect as code of a target.
LogicalResult emitDeviceCode(gpu::GPUModuleOp module, const DeviceTargetInfo &target, LLVMDeviceCode &code,
                             std::string &reason);

/// Registers, spills and memory of each function: what `ptxas -v` prints.
llvm::StringMap<std::string> readPtxasResources(StringRef messages);
/// The same, from the metadata in AMD's assembly.
llvm::StringMap<std::string> readAMDResources(StringRef assembly);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_LLVMDEVICECODE_H
