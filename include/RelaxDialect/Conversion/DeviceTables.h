//===- DeviceTables.h - Device code in a module ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// `relax.device_code` is a list of `{target, kernels}`, the kernels a list of
// `{kernel, sizes, buffers, scratch, features, stages, code}`, the stages a list
// of `{entry, workgroup, bindings, written, words}`; RelaxDialect/Runtime/DeviceCode.h
// says what these are.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_DEVICETABLES_H
#define RELAXDIALECT_CONVERSION_DEVICETABLES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::relax {

inline constexpr StringLiteral kDeviceCodeAttrName = "relax.device_code";
/// The module in which device kernels are made.
inline constexpr StringLiteral kDeviceModuleName = "relax_device";

/// Whether a target is a device, known or not: "vulkan", "vulkan:mali".
bool isDeviceName(StringRef name);
/// Fails, with the reason, where there is no such device.
LogicalResult checkDevice(StringRef name, std::string &reason);

} // namespace mlir::relax

#endif // RELAXDIALECT_CONVERSION_DEVICETABLES_H
