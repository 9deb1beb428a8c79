//===- DeviceStage.h - One linalg op as a device function ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICESTAGE_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICESTAGE_H

#include "DeviceSizes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::relax {

/// Attributes of a stage and of the gpu.module of a kernel, until they go to the table of device code.
inline constexpr StringLiteral kBindingsAttrName = "relax.bindings";
inline constexpr StringLiteral kWrittenAttrName = "relax.written";
inline constexpr StringLiteral kWordsAttrName = "relax.words";
inline constexpr StringLiteral kSizesAttrName = "relax.sizes";
inline constexpr StringLiteral kBuffersAttrName = "relax.buffers";
inline constexpr StringLiteral kScratchAttrName = "relax.scratch";
inline constexpr StringLiteral kWideIndexAttrName = "relax.wide_index";

/// Where the elements of a memref of the kernel are: `root` is an argument, or an intermediate behind these.
struct DeviceView {
  unsigned root;
  SmallVector<Size> sizes, strides;
  Size offset;
  bool isContiguous; // row-major from the offset on
};

/// The memrefs and scalars of a kernel that its stages may use.
struct DeviceScope {
  DeviceSizes &sizes;
  DenseMap<Value, DeviceView> views;
  SmallVector<Type> rootTypes; // element types as they are stored
  Value errorWord;
};

/// How elements of a type lie in device buffers; null when they cannot.
Type getStorageType(Type element);

/// Appends a gpu.func that computes `op` to `module`, and its numbers to the sizes. On failure `reason` tells what is
/// in the way.
LogicalResult emitStage(linalg::GenericOp op, DeviceScope &scope, gpu::GPUModuleOp module, std::string &reason);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICESTAGE_H
