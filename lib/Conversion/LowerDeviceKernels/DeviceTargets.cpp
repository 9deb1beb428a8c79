//===- DeviceTargets.cpp - What devices have ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "DeviceTargets.h"
#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Runtime/DeviceCode.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

struct Profile {
  StringLiteral name;
  spirv::Version version;
  uint32_t features;
  int64_t workgroupLimit, sharedBytes;
};

constexpr uint32_t Int8 = relax_rt::kDeviceInt8, Int16 = relax_rt::kDeviceInt16, Int64 = relax_rt::kDeviceInt64,
                   Float16 = relax_rt::kDeviceFloat16, Float64 = relax_rt::kDeviceFloat64;
const Profile kProfiles[] = {
#define RELAX_DEVICE_PROFILE(name, version, features, workgroup, shared)                                               \
  {name, spirv::Version::version, features, workgroup, shared},
#include "DeviceProfiles.def"
#undef RELAX_DEVICE_PROFILE
};

/// Chips that code is made for without a driver.
struct ChipProfile {
  StringLiteral name;
  int64_t sharedBytes;

  DeviceTargetInfo getInfo() const {
    constexpr int64_t kWorkgroupLimit = 1024;
    return {name.str(),      spirv::Version::V_1_0, relax_rt::kAllDeviceFeatures,
            kWorkgroupLimit, sharedBytes,           StringRef(name).split(':').second.str()};
  }
};
const ChipProfile kChips[] = {
#define RELAX_CHIP_PROFILE(name, shared) {name, shared},
#include "ChipProfiles.def"
#undef RELAX_CHIP_PROFILE
};

struct FeatureName {
  uint32_t feature;
  StringLiteral key, text;
};
constexpr FeatureName kFeatures[] = {{Int8, "int8", "8-bit integers"},
                                     {Int16, "int16", "16-bit integers"},
                                     {Int64, "int64", "64-bit integers"},
                                     {Float16, "float16", "f16"},
                                     {Float64, "float64", "f64"}};

/// What every schedule needs; no device has less.
constexpr int64_t kLeastWorkgroup = 64, kLeastShared = 16384;

LogicalResult readFeatures(const llvm::json::Object &object, uint32_t &features, std::string &reason) {
  const llvm::json::Array *list = object.getArray("features");
  if (!list) {
    reason = "expected a list 'features'";
    return failure();
  }
  features = 0;
  for (const llvm::json::Value &value : *list) {
    StringRef name = value.getAsString().value_or("");
    const auto *found = llvm::find_if(kFeatures, [&](const FeatureName &it) { return it.key == name; });
    if (found == std::end(kFeatures)) {
      reason = "unknown feature '" + name.str() + "'";
      return failure();
    }
    features |= found->feature;
  }
  return success();
}

FailureOr<DeviceTargetInfo> readProfile(StringRef name, StringRef path, std::string &reason) {
  auto fail = [&](const Twine &text) {
    reason = ("device description '" + path + "': " + text).str();
    return failure();
  };
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return fail(buffer.getError().message());
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return fail(llvm::toString(parsed.takeError()));
  const llvm::json::Object *object = parsed->getAsObject();
  if (!object)
    return fail("expected an object");
  DeviceTargetInfo info{name.str(), spirv::Version::V_1_3, 0, 0, 0, ""};
  std::string detail;
  if (failed(readFeatures(*object, info.features, detail)))
    return fail(detail);
  info.workgroupLimit = object->getInteger("workgroup").value_or(0);
  info.sharedBytes = object->getInteger("shared").value_or(0);
  if (info.workgroupLimit < kLeastWorkgroup)
    return fail("expected a 'workgroup' of at least " + Twine(kLeastWorkgroup) + " invocations");
  if (info.sharedBytes < kLeastShared)
    return fail("expected 'shared' of at least " + Twine(kLeastShared) + " bytes");
  return info;
}

} // namespace

FailureOr<DeviceTargetInfo> relax::findDeviceTarget(StringRef name, std::string &reason) {
  for (const Profile &profile : kProfiles)
    if (profile.name == name)
      return DeviceTargetInfo{profile.name.str(),     profile.version,     profile.features,
                              profile.workgroupLimit, profile.sharedBytes, ""};
  for (const ChipProfile &chip : kChips)
    if (chip.name == name)
      return chip.getInfo();
  if (StringRef path = name; path.consume_front("vulkan:") && path.ends_with(".json"))
    return readProfile(name, path, reason);
  reason = "unknown device '" + name.str() + "', expected ";
  for (const Profile &profile : kProfiles)
    reason += (&profile == kProfiles ? "'" : ", '") + profile.name.str() + "'";
  for (const ChipProfile &chip : kChips)
    reason += ", '" + chip.name.str() + "'";
  reason += " or 'vulkan:FILE.json'";
  return failure();
}

FailureOr<SmallVector<DeviceTargetInfo>> relax::findDeviceTargets(ArrayRef<std::string> names, std::string &reason) {
  SmallVector<DeviceTargetInfo> found;
  auto add = [&](const DeviceTargetInfo &target) {
    if (llvm::none_of(found, [&](const DeviceTargetInfo &it) { return it.name == target.name; }))
      found.push_back(target);
  };
  for (const std::string &name : names) {
    if (name == "nvidia" || name == "amd") {
      for (const ChipProfile &chip : kChips)
        if (StringRef(chip.name).split(':').first == name)
          add(chip.getInfo());
      continue;
    }
    FailureOr<DeviceTargetInfo> target = findDeviceTarget(name, reason);
    if (failed(target))
      return failure();
    add(*target);
  }
  return found;
}

bool relax::isDeviceName(StringRef name) {
  return llvm::is_contained({"vulkan", "opencl", "nvidia", "amd"}, name.split(':').first);
}

LogicalResult relax::checkDevice(StringRef name, std::string &reason) {
  return failure(failed(findDeviceTargets(name.str(), reason)));
}

std::string relax::describeFeatures(uint32_t features) {
  std::string text;
  for (const FeatureName &it : kFeatures)
    if (features & it.feature)
      text += (text.empty() ? "" : ", ") + it.text.str();
  return text;
}

spirv::TargetEnvAttr relax::getTargetEnv(const DeviceTargetInfo &target, MLIRContext *context) {
  using spirv::Capability;
  SmallVector<Capability> capabilities;
  SmallVector<spirv::Extension> extensions;
  auto add = [&](uint32_t feature, ArrayRef<Capability> added) {
    if (target.features & feature)
      llvm::append_range(capabilities, added);
  };
  if (target.isOpenCL()) {
    // Pointers have 64 bits whatever the kernel computes.
    capabilities = {Capability::Kernel, Capability::Addresses, Capability::Int64, Capability::Linkage};
    add(relax_rt::kDeviceInt8, {Capability::Int8});
    add(relax_rt::kDeviceInt16, {Capability::Int16});
    add(relax_rt::kDeviceFloat16, {Capability::Float16});
  } else {
    capabilities = {Capability::Shader};
    extensions = {spirv::Extension::SPV_KHR_storage_buffer_storage_class, spirv::Extension::SPV_KHR_8bit_storage,
                  spirv::Extension::SPV_KHR_16bit_storage};
    add(relax_rt::kDeviceInt8, {Capability::Int8, Capability::StorageBuffer8BitAccess});
    add(relax_rt::kDeviceInt16, {Capability::Int16, Capability::StorageBuffer16BitAccess});
    add(relax_rt::kDeviceInt64, {Capability::Int64});
    add(relax_rt::kDeviceFloat16, {Capability::Float16, Capability::StorageBuffer16BitAccess});
  }
  add(relax_rt::kDeviceFloat64, {Capability::Float64});
  auto triple = spirv::VerCapExtAttr::get(target.version, capabilities, extensions, context);
  auto api = target.isOpenCL() ? spirv::ClientAPI::OpenCL : spirv::ClientAPI::Vulkan;
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context), api, spirv::Vendor::Unknown,
                                   spirv::DeviceType::Unknown, spirv::TargetEnvAttr::kUnknownDeviceID);
}
