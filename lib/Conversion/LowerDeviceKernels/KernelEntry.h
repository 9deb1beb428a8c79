//===- KernelEntry.h - A kernel in the table of device code ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_KERNELENTRY_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_KERNELENTRY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax {

/// What the code of a kernel needs of a device: relax_rt::DeviceFeature.
uint32_t findFeatures(gpu::GPUModuleOp module);

/// The entry of the table of device code. `texts` are kept under their names for those who read the module, `resources`
/// is a line for the report of each stage; neither goes to an artifact.
DictionaryAttr makeKernelEntry(gpu::GPUModuleOp kernel, uint32_t features, ArrayRef<int32_t> code,
                               ArrayRef<std::pair<StringRef, std::string>> texts = {},
                               const llvm::StringMap<std::string> &resources = {});

/// Takes away what only the entry tells of a stage: its code has no use for it.
void removeStageAttrs(gpu::GPUFuncOp stage);

/// Puts the kernels of one more target into the table.
void addTargetEntry(ModuleOp module, StringRef target, ArrayRef<Attribute> kernels);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_KERNELENTRY_H
