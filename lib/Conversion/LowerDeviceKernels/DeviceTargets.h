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
  std::string chip; // "sm_80", "gfx90a", "compute_80" for PTX of that chip; empty: SPIR-V

  bool isOpenCL() const { return StringRef(name).split(':').first == "opencl"; }
  bool isSPIRV() const { return chip.empty(); }
  bool isAMD() const { return StringRef(chip).starts_with("gfx"); }
  /// Text that a driver compiles for chips that came later.
  bool isPTX() const { return StringRef(chip).starts_with("compute_"); }
};

/// A profile by its name, or the one that file `FILE` of "vulkan:FILE.json" describes. On failure `reason` tells what
/// is wrong.
FailureOr<DeviceTargetInfo> findDeviceTarget(StringRef name, std::string &reason);
/// The same for a list of names, each target once. "nvidia" and "amd" are all chips of these.
FailureOr<SmallVector<DeviceTargetInfo>> findDeviceTargets(ArrayRef<std::string> names, std::string &reason);
spirv::TargetEnvAttr getTargetEnv(const DeviceTargetInfo &target, MLIRContext *context);

/// Features in words: "8-bit integers, f16".
std::string describeFeatures(uint32_t features);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_DEVICETARGETS_H
