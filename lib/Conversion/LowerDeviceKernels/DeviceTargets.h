//===- DeviceTargets.h - What devices have ---------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICETARGETS_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICETARGETS_H

#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

namespace mlir::relax {

/// A kind of device as data: what its code may use. The runtime checks the features that a kernel needs once more,
/// against the device that it finds.
struct DeviceTargetInfo {
  StringLiteral name;
  spirv::ClientAPI api;
  spirv::Version version;
  uint32_t features; // relax_rt::DeviceFeature
  int32_t subgroupSize, sharedBytes, workgroupLimit;
};

/// Null when there is none of that name.
const DeviceTargetInfo *findDeviceTarget(StringRef name);
spirv::TargetEnvAttr getTargetEnv(const DeviceTargetInfo &target, MLIRContext *context);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICETARGETS_H
