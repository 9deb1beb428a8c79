//===- VulkanTypes.h - The part of Vulkan that is used --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Own declarations, so that no header of Vulkan is needed; layouts and numbers
// are those of the Vulkan 1.1 ABI. Parts of structs that are never read are
// bytes.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_VULKAN_VULKANTYPES_H
#define RELAX_RUNTIME_VULKAN_VULKANTYPES_H

#include <cstddef>
#include <cstdint>

namespace relax_rt::vk {

using Result = int32_t; // 0: success
using Flags = uint32_t;
using Instance = void *;
using PhysicalDevice = void *;
using Device = void *;
using Queue = void *;
using CommandBuffer = void *;
using Handle = uint64_t; // of everything else

constexpr uint32_t kApiVersion11 = (1u << 22) | (1u << 12);
enum StructureType : int32_t {
  kApplicationInfo = 0,
  kInstanceCreateInfo = 1,
  kDeviceQueueCreateInfo = 2,
  kDeviceCreateInfo = 3,
  kSubmitInfo = 4,
  kMemoryAllocateInfo = 5,
  kFenceCreateInfo = 8,
  kBufferCreateInfo = 12,
  kShaderModuleCreateInfo = 16,
  kPipelineShaderStageCreateInfo = 18,
  kComputePipelineCreateInfo = 29,
  kPipelineLayoutCreateInfo = 30,
  kDescriptorSetLayoutCreateInfo = 32,
  kDescriptorPoolCreateInfo = 33,
  kDescriptorSetAllocateInfo = 34,
  kWriteDescriptorSet = 35,
  kCommandPoolCreateInfo = 39,
  kCommandBufferAllocateInfo = 40,
  kCommandBufferBeginInfo = 42,
  kMemoryBarrier = 46,
  kFeatures2 = 1000059000,
  kFeaturesFloat16Int8 = 1000082000,
  kFeatures16BitStorage = 1000083000,
  kFeatures8BitStorage = 1000177000
};
constexpr int32_t kStorageBuffer = 7; // VkDescriptorType
constexpr Flags kUsageStorage = 0x20, kQueueCompute = 2, kStageCompute = 0x20, kHostVisible = 2, kHostCoherent = 4,
                kPipelineStageCompute = 0x800, kPipelineStageHost = 0x4000, kAccessShaderRead = 0x20,
                kAccessShaderWrite = 0x40, kAccessHostRead = 0x2000, kAccessHostWrite = 0x4000;
constexpr int32_t kBindPointCompute = 1;

struct ApplicationInfo {
  int32_t type;
  const void *next;
  const char *name;
  uint32_t version;
  const char *engine;
  uint32_t engineVersion, apiVersion;
};
struct InstanceCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  const ApplicationInfo *application;
  uint32_t numLayers;
  const char *const *layers;
  uint32_t numExtensions;
  const char *const *extensions;
};
struct QueueCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  uint32_t family, count;
  const float *priorities;
};
struct DeviceCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  uint32_t numQueues;
  const QueueCreateInfo *queues;
  uint32_t numLayers;
  const char *const *layers;
  uint32_t numExtensions;
  const char *const *extensions;
  const void *features;
};
struct Limits {
  uint32_t before[7];
  uint32_t maxStorageBufferRange;
  uint8_t between[216 - 32];
  uint32_t maxSharedBytes;
  uint32_t maxWorkgroups[3], maxInvocations, maxWorkgroupSize[3];
  uint8_t rest[504 - 248];
};
struct PhysicalDeviceProperties {
  uint32_t apiVersion, driverVersion, vendor, device, kind;
  char name[256];
  uint8_t uuid[16];
  alignas(8) Limits limits;
  uint32_t sparse[5];
};
/// Where minStorageBufferOffsetAlignment is in the limits.
constexpr size_t kOffsetAlignmentAt = 328;

struct Features {
  uint32_t before[39];
  uint32_t float64, int64, int16;
  uint32_t rest[13];
};
struct Features2 {
  int32_t type;
  void *next;
  Features features;
};
struct Features16BitStorage {
  int32_t type;
  void *next;
  uint32_t storageBuffer, uniformAndStorageBuffer, pushConstant, inputOutput;
};
struct Features8BitStorage {
  int32_t type;
  void *next;
  uint32_t storageBuffer, uniformAndStorageBuffer, pushConstant;
};
struct FeaturesFloat16Int8 {
  int32_t type;
  void *next;
  uint32_t float16, int8;
};
struct QueueFamilyProperties {
  Flags flags;
  uint32_t count, timestampBits, granularity[3];
};
struct MemoryProperties {
  uint32_t numTypes;
  struct {
    Flags flags;
    uint32_t heap;
  } types[32];
  uint32_t numHeaps;
  struct {
    uint64_t size;
    Flags flags;
  } heaps[16];
};
struct MemoryRequirements {
  uint64_t size, alignment;
  uint32_t typeBits;
};
struct MemoryAllocateInfo {
  int32_t type;
  const void *next;
  uint64_t size;
  uint32_t memoryType;
};
struct BufferCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  uint64_t size;
  Flags usage;
  int32_t sharing;
  uint32_t numFamilies;
  const uint32_t *families;
};
struct ShaderModuleCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  size_t bytes;
  const uint32_t *code;
};
struct SetLayoutBinding {
  uint32_t binding;
  int32_t kind;
  uint32_t count;
  Flags stages;
  const void *samplers;
};
struct SetLayoutCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  uint32_t count;
  const SetLayoutBinding *bindings;
};
struct PipelineLayoutCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  uint32_t numLayouts;
  const Handle *layouts;
  uint32_t numRanges;
  const void *ranges;
};
struct ShaderStageCreateInfo {
  int32_t type;
  const void *next;
  Flags flags, stage;
  Handle module;
  const char *entry;
  const void *specialization;
};
struct ComputePipelineCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  ShaderStageCreateInfo stage;
  Handle layout, base;
  int32_t baseIndex;
};
struct PoolSize {
  int32_t kind;
  uint32_t count;
};
struct DescriptorPoolCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  uint32_t maxSets, numSizes;
  const PoolSize *sizes;
};
struct SetAllocateInfo {
  int32_t type;
  const void *next;
  Handle pool;
  uint32_t count;
  const Handle *layouts;
};
struct BufferInfo {
  Handle buffer;
  uint64_t offset, range;
};
struct WriteSet {
  int32_t type;
  const void *next;
  Handle set;
  uint32_t binding, element, count;
  int32_t kind;
  const void *images;
  const BufferInfo *buffers;
  const void *views;
};
struct CommandPoolCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
  uint32_t family;
};
struct CommandBufferAllocateInfo {
  int32_t type;
  const void *next;
  Handle pool;
  int32_t level;
  uint32_t count;
};
struct CommandBufferBeginInfo {
  int32_t type;
  const void *next;
  Flags flags;
  const void *inheritance;
};
struct MemoryBarrier {
  int32_t type;
  const void *next;
  Flags source, destination;
};
struct SubmitInfo {
  int32_t type;
  const void *next;
  uint32_t numWaits;
  const Handle *waits;
  const Flags *waitStages;
  uint32_t numBuffers;
  const CommandBuffer *buffers;
  uint32_t numSignals;
  const Handle *signals;
};
struct FenceCreateInfo {
  int32_t type;
  const void *next;
  Flags flags;
};

static_assert(offsetof(Limits, maxSharedBytes) == 216 && sizeof(Limits) == 504, "layout is Vulkan's");
static_assert(offsetof(PhysicalDeviceProperties, limits) == 296 && sizeof(PhysicalDeviceProperties) == 824,
              "layout is Vulkan's");
static_assert(sizeof(Features) == 220, "layout is Vulkan's");

} // namespace relax_rt::vk

#endif // RELAX_RUNTIME_VULKAN_VULKANTYPES_H
