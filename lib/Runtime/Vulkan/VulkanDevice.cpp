//===- VulkanDevice.cpp - Choosing a device; its memory -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "VulkanDevice.h"

#include "../Core/Error.h"

#include <algorithm>
#include <cstring>

using namespace relax_rt;
using namespace relax_rt::vk;

VulkanDevice::~VulkanDevice() {
  if (!device)
    return;
  driver.DeviceWaitIdle(device);
  for (auto &[kernel, pipelines] : prepared)
    destroy(pipelines);
  for (auto &[address, allocation] : allocations) {
    driver.DestroyBuffer(device, allocation.buffer, nullptr);
    driver.FreeMemory(device, allocation.memory, nullptr);
  }
  for (const DescriptorPool &it : descriptorPools)
    driver.DestroyDescriptorPool(device, it.pool, nullptr);
  driver.DestroyFence(device, fence, nullptr);
  driver.DestroyCommandPool(device, commandPool, nullptr);
  driver.DestroyDevice(device, nullptr);
}

relax_rt_status VulkanDevice::check(Result result, const char *what) const {
  if (result == 0)
    return RELAX_RT_OK;
  bool noMemory = result == -1 || result == -2;
  return fail(noMemory ? RELAX_RT_OUT_OF_MEMORY : RELAX_RT_INTERNAL,
              std::string("Vulkan: ") + what + " failed with result " + std::to_string(result));
}

//===----------------------------------------------------------------------===//
// Choosing a device
//===----------------------------------------------------------------------===//

/// Memory that both sides see without flushing, of the type that the driver puts first.
static bool findMemoryType(const MemoryProperties &memory, uint32_t &type) {
  for (type = 0; type < memory.numTypes && type < 32; ++type)
    if ((memory.types[type].flags & (kHostVisible | kHostCoherent)) == (kHostVisible | kHostCoherent))
      return true;
  return false;
}

bool VulkanDevice::isUsable(PhysicalDevice candidate, std::string &reason) {
  PhysicalDeviceProperties properties = {};
  driver.GetPhysicalDeviceProperties(candidate, &properties);
  std::string name(properties.name, strnlen(properties.name, sizeof(properties.name)));
  auto refuse = [&](const std::string &why) {
    reason += (reason.empty() ? "" : "; ") + quote(name) + " " + why;
    return false;
  };
  if (properties.apiVersion < kApiVersion11)
    return refuse("has no Vulkan 1.1");
  uint32_t count = 0;
  driver.GetPhysicalDeviceQueueFamilyProperties(candidate, &count, nullptr);
  std::vector<QueueFamilyProperties> families(count);
  driver.GetPhysicalDeviceQueueFamilyProperties(candidate, &count, families.data());
  for (family = 0; family < count; ++family)
    if ((families[family].flags & kQueueCompute) && families[family].count)
      break;
  if (family >= count)
    return refuse("has no queue for computation");
  MemoryProperties memory = {};
  driver.GetPhysicalDeviceMemoryProperties(candidate, &memory);
  if (!findMemoryType(memory, memoryType))
    return refuse("has no memory that the host sees");
  std::memcpy(&alignment, reinterpret_cast<const char *>(&properties.limits) + kOffsetAlignmentAt, sizeof(alignment));
  if (alignment == 0 || alignment > 64)
    return refuse("needs buffers at multiples of " + std::to_string(alignment) + " bytes");
  maxRange = properties.limits.maxStorageBufferRange;
  maxWorkgroups = properties.limits.maxWorkgroups[0];
  deviceName = std::move(name);
  physical = candidate;
  return true;
}

bool VulkanDevice::chooseDevice(std::string &reason) {
  uint32_t count = 0;
  if (driver.EnumeratePhysicalDevices(driver.instance, &count, nullptr) || count == 0) {
    reason = "the Vulkan loader finds no device";
    return false;
  }
  std::vector<PhysicalDevice> devices(count);
  if (driver.EnumeratePhysicalDevices(driver.instance, &count, devices.data()) < 0)
    return false;
  // The first one that will do: the order is the driver's, and the user's.
  for (uint32_t i = 0; i < count; ++i)
    if (isUsable(devices[i], reason))
      return true;
  return false;
}

relax_rt_status VulkanDevice::createDevice() {
  FeaturesFloat16Int8 small = {kFeaturesFloat16Int8, nullptr, 0, 0};
  Features8BitStorage storage8 = {kFeatures8BitStorage, &small, 0, 0, 0};
  Features16BitStorage storage16 = {kFeatures16BitStorage, &storage8, 0, 0, 0, 0};
  Features2 found = {kFeatures2, &storage16, {}};
  driver.GetPhysicalDeviceFeatures2(physical, &found);
  const Features &core = found.features;
  supported = (small.int8 && storage8.storageBuffer ? kDeviceInt8 : 0u) |
              (core.int16 && storage16.storageBuffer ? kDeviceInt16 : 0u) | (core.int64 ? kDeviceInt64 : 0u) |
              (small.float16 && storage16.storageBuffer ? kDeviceFloat16 : 0u) | (core.float64 ? kDeviceFloat64 : 0u);

  // What is used is switched on, nothing else. Before Vulkan 1.2 two of these are extensions.
  Features2 wanted = {kFeatures2, &storage16, {}};
  wanted.features.float64 = core.float64;
  wanted.features.int64 = core.int64;
  wanted.features.int16 = core.int16;
  storage16.uniformAndStorageBuffer = storage16.pushConstant = storage16.inputOutput = 0;
  storage8.uniformAndStorageBuffer = storage8.pushConstant = 0;
  const char *extensions[2];
  uint32_t numExtensions = 0;
  if (storage8.storageBuffer)
    extensions[numExtensions++] = "VK_KHR_8bit_storage";
  if (small.int8 || small.float16)
    extensions[numExtensions++] = "VK_KHR_shader_float16_int8";
  float priority = 1;
  QueueCreateInfo queues = {kDeviceQueueCreateInfo, nullptr, 0, family, 1, &priority};
  DeviceCreateInfo info = {kDeviceCreateInfo, &wanted, 0, 1, &queues, 0, nullptr, numExtensions, extensions, nullptr};
  Result result = driver.CreateDevice(physical, &info, nullptr, &device);
  if (result) {
    device = nullptr;
    return check(result, "vkCreateDevice");
  }
  driver.GetDeviceQueue(device, family, 0, &queue);
  CommandPoolCreateInfo pool = {kCommandPoolCreateInfo, nullptr, 0, family};
  if (relax_rt_status status =
          check(driver.CreateCommandPool(device, &pool, nullptr, &commandPool), "vkCreateCommandPool"))
    return status;
  FenceCreateInfo fenceInfo = {kFenceCreateInfo, nullptr, 0};
  return check(driver.CreateFence(device, &fenceInfo, nullptr, &fence), "vkCreateFence");
}

relax_rt_status VulkanDevice::open() {
  std::string reason;
  if (!driver.open(reason) || !chooseDevice(reason))
    return fail(RELAX_RT_UNAVAILABLE, "device 'vulkan' is unavailable: " + reason);
  return createDevice();
}

relax_rt_status relax_rt::openVulkanDevice(std::unique_ptr<relax_rt::Device> &device) {
  auto opened = std::make_unique<VulkanDevice>();
  if (relax_rt_status status = opened->open())
    return status;
  device = std::move(opened);
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *VulkanDevice::allocate(uint64_t bytes) {
  Allocation allocation;
  allocation.bytes = (bytes + 63) / 64 * 64;
  if (bytes == 0)
    allocation.bytes = 64;
  BufferCreateInfo info = {kBufferCreateInfo, nullptr, 0, allocation.bytes, kUsageStorage, 0, 0, nullptr};
  if (driver.CreateBuffer(device, &info, nullptr, &allocation.buffer))
    return nullptr;
  MemoryRequirements needs = {};
  driver.GetBufferMemoryRequirements(device, allocation.buffer, &needs);
  MemoryAllocateInfo memory = {kMemoryAllocateInfo, nullptr, needs.size, memoryType};
  void *mapped = nullptr;
  bool ok = (needs.typeBits >> memoryType & 1) &&
            driver.AllocateMemory(device, &memory, nullptr, &allocation.memory) == 0 &&
            driver.BindBufferMemory(device, allocation.buffer, allocation.memory, 0) == 0 &&
            driver.MapMemory(device, allocation.memory, 0, ~uint64_t(0), 0, &mapped) == 0 &&
            reinterpret_cast<uintptr_t>(mapped) % 64 == 0;
  if (!ok) {
    driver.DestroyBuffer(device, allocation.buffer, nullptr);
    driver.FreeMemory(device, allocation.memory, nullptr);
    return nullptr;
  }
  allocations[reinterpret_cast<uintptr_t>(mapped)] = allocation;
  return mapped;
}

void VulkanDevice::release(void *memory) {
  auto found = allocations.find(reinterpret_cast<uintptr_t>(memory));
  if (found == allocations.end())
    return;
  driver.DestroyBuffer(device, found->second.buffer, nullptr);
  driver.FreeMemory(device, found->second.memory, nullptr);
  allocations.erase(found);
}

const VulkanDevice::Allocation *VulkanDevice::find(const void *data, uint64_t bytes, uint64_t &offset) const {
  auto address = reinterpret_cast<uintptr_t>(data);
  auto above = allocations.upper_bound(address);
  if (above == allocations.begin())
    return nullptr;
  const auto &[base, allocation] = *std::prev(above);
  offset = address - base;
  return offset <= allocation.bytes && bytes <= allocation.bytes - offset ? &allocation : nullptr;
}

bool VulkanDevice::owns(const void *data, uint64_t bytes) const {
  uint64_t offset = 0;
  return find(data, getRange(bytes), offset) && offset % std::max<uint64_t>(alignment, 4) == 0;
}
