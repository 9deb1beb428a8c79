//===- DeviceCode.h - Kernels of devices in an artifact -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The devices section of an artifact, as a value. Shared by the compiler
// (writer) and the runtime (reader); depends on neither.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_RUNTIME_DEVICECODE_H
#define RELAXDIALECT_RUNTIME_DEVICECODE_H

#include <cstdint>
#include <string>
#include <vector>

namespace relax_rt {

/// What a kernel needs of a device beyond 32-bit numbers.
enum DeviceFeature : uint32_t {
  kDeviceInt8 = 1,  // arithmetic and buffers of 8-bit integers
  kDeviceInt16 = 2, // arithmetic and buffers of 16-bit integers
  kDeviceInt64 = 4,
  kDeviceFloat16 = 8, // arithmetic and buffers
  kDeviceFloat64 = 16,
  kAllDeviceFeatures = 31
};

/// One dispatch of a launch. Stages run in order, each sees what those before it wrote.
struct DeviceStage {
  std::string entry;      // in the kernel's code
  uint32_t workgroup = 0; // invocations of a workgroup; every number of workgroups is right
  /// What the buffers at bindings 0.. are: a buffer of the launch, behind these an intermediate, or one of the two
  /// below.
  std::vector<uint32_t> bindings;
  std::vector<uint32_t> written; // 0 or 1 for each binding
  uint32_t words = 0;            // numbers of the stage, 32 bits each: the elements to make, then sizes
};
constexpr uint32_t kBindWords = 0xfffffffe; // the numbers of the stage
constexpr uint32_t kBindError = 0xffffffff; // a 32-bit word, 0 before the launch; what it is after one that failed is
                                            // of no meaning

struct DeviceKernel {
  uint32_t kernel = 0; // which one of the metadata
  /// `void f(const int64_t *scalars, int64_t *out)` of the code section: bytes of each buffer, bytes of each
  /// intermediate, the numbers of each stage. What cannot be counted is INT64_MAX.
  std::string sizes;
  uint32_t buffers = 0, scratch = 0;
  uint32_t features = 0; // of DeviceFeature
  std::vector<DeviceStage> stages;
  std::vector<uint32_t> code; // SPIR-V, an ELF file, or PTX as text that ends with a 0

  uint64_t countWords() const;
};

struct DeviceTarget {
  std::string name; // "vulkan", "nvidia:sm_90a"
  std::vector<DeviceKernel> kernels;
};

std::string encodeDeviceCode(const std::vector<DeviceTarget> &targets);
/// Reads untrusted bytes; false (and `error`) on anything malformed. `numKernels`: of the metadata.
bool decodeDeviceCode(const uint8_t *data, uint64_t size, uint64_t numKernels, std::vector<DeviceTarget> &targets,
                      std::string &error);

} // namespace relax_rt

#endif // RELAXDIALECT_RUNTIME_DEVICECODE_H
