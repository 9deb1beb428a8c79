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
  std::string name; // "vulkan:mali"
  spirv::Version version;
  uint32_t features; // relax_rt::DeviceFeature
  int64_t workgroupLimit, sharedBytes;

  bool isOpenCL() const { return StringRef(name).split(':').first == "opencl"; }
};

/// A profile by its name, or the one that file `FILE` of "vulkan:FILE.json" describes. On failure `reason` tells what
/// is wrong.
FailureOr<DeviceTargetInfo> findDeviceTarget(StringRef name, std::string &reason);
spirv::TargetEnvAttr getTargetEnv(const DeviceTargetInfo &target, MLIRContext *context);

/// Features in words: "8-bit integers, f16".
std::string describeFeatures(uint32_t features);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICETARGETS_H
