//===- DeviceStage.h - linalg ops as device functions ----------*- C++ -*-===//
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
inline constexpr StringLiteral kScheduleAttrName = "relax.schedule";
inline constexpr StringLiteral kGridAttrName = "relax.grid";
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

  /// Every element of the root, in their order.
  bool isWhole() const { return isContiguous && getConstantIntValue(offset) == 0; }
};

/// The memrefs and scalars of a kernel that its stages may use.
struct DeviceScope {
  explicit DeviceScope(DeviceSizes &sizes) : sizes(sizes) {}

  DeviceSizes &sizes;
  DenseMap<Value, DeviceView> views;
  SmallVector<Type> rootTypes; // element types as they are stored
  unsigned numBuffers = 0;     // roots that are arguments
  Value errorWord;
  /// Numbers of the stages made so far, one after the other.
  SmallVector<Size> words;
  /// What a result has before its reduction, where that is a constant: nothing writes it then.
  DenseMap<OpOperand *, Operation *> initial;

  const DeviceView *find(Value memref) const {
    auto found = views.find(memref);
    return found == views.end() ? nullptr : &found->second;
  }
};

/// How elements of a type lie in device buffers; null when they cannot.
Type getStorageType(Type element);

/// Appends gpu.funcs that compute `ops`, one after the other, to `module`, and their numbers to the scope. On failure
/// `reason` tells what is in the way.
LogicalResult emitStages(ArrayRef<linalg::GenericOp> ops, DeviceScope &scope, gpu::GPUModuleOp module,
                         std::string &reason);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICESTAGE_H
