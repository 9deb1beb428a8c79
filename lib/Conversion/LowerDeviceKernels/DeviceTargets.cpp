//===- DeviceTargets.cpp - What devices have ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DeviceTargets.h"
#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Runtime/DeviceCode.h"

using namespace mlir;
using namespace mlir::relax;

// What Vulkan 1.1 guarantees, and features that most devices add; a kernel that needs one of these runs on the CPU
// where it is missing.
static const DeviceTargetInfo kTargets[] = {
    {"vulkan", spirv::ClientAPI::Vulkan, spirv::Version::V_1_3, relax_rt::kAllDeviceFeatures, /*subgroupSize=*/1,
     /*sharedBytes=*/16384, /*workgroupLimit=*/128},
};
static const StringLiteral kNames[] = {"vulkan"};

ArrayRef<StringLiteral> relax::getDeviceNames() { return kNames; }

const DeviceTargetInfo *relax::findDeviceTarget(StringRef name) {
  for (const DeviceTargetInfo &target : kTargets)
    if (target.name == name)
      return &target;
  return nullptr;
}

spirv::TargetEnvAttr relax::getTargetEnv(const DeviceTargetInfo &target, MLIRContext *context) {
  using spirv::Capability;
  SmallVector<Capability> capabilities = {Capability::Shader};
  SmallVector<spirv::Extension> extensions = {spirv::Extension::SPV_KHR_storage_buffer_storage_class};
  auto add = [&](uint32_t feature, ArrayRef<Capability> added) {
    if (target.features & feature)
      llvm::append_range(capabilities, added);
  };
  add(relax_rt::kDeviceInt8, {Capability::Int8, Capability::StorageBuffer8BitAccess});
  add(relax_rt::kDeviceInt16, {Capability::Int16, Capability::StorageBuffer16BitAccess});
  add(relax_rt::kDeviceInt64, {Capability::Int64});
  add(relax_rt::kDeviceFloat16, {Capability::Float16, Capability::StorageBuffer16BitAccess});
  add(relax_rt::kDeviceFloat64, {Capability::Float64});
  extensions.push_back(spirv::Extension::SPV_KHR_8bit_storage);
  extensions.push_back(spirv::Extension::SPV_KHR_16bit_storage);
  auto triple = spirv::VerCapExtAttr::get(target.version, capabilities, extensions, context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context), target.api, spirv::Vendor::Unknown,
                                   spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
}
