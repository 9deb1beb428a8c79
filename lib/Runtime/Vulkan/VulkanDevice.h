//===- VulkanDevice.h - A device behind Vulkan ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_VULKAN_VULKANDEVICE_H
#define RELAX_RUNTIME_VULKAN_VULKANDEVICE_H

#include "../Device/LaunchNumbers.h"
#include "VulkanDriver.h"

#include <map>
#include <unordered_map>

namespace relax_rt {

/// Memory is host-visible and coherent, so nothing is copied. Each launch is one submission that is waited for.
class VulkanDevice final : public Device {
public:
  ~VulkanDevice() override;
  relax_rt_status open();

  const std::string &name() const override { return deviceName; }
  uint32_t features() const override { return supported; }
  uint64_t maxBufferBytes() const override { return maxRange; }
  uint64_t offsetAlignment() const override { return alignment; }
  void *allocate(uint64_t bytes) override;
  void release(void *memory) override;
  bool owns(const void *data, uint64_t bytes) const override;
  relax_rt_status launch(const DeviceLaunch &launch) override;

private:
  struct Allocation {
    vk::Handle buffer = 0, memory = 0;
    uint64_t bytes = 0;
  };
  struct Pipeline {
    vk::Handle setLayout = 0, layout = 0, pipeline = 0;
  };

  bool chooseDevice(std::string &reason);
  bool isUsable(vk::PhysicalDevice candidate, std::string &reason);
  relax_rt_status createDevice();
  relax_rt_status check(vk::Result result, const char *what) const;
  const Allocation *find(const void *data, uint64_t bytes, uint64_t &offset) const;
  relax_rt_status prepare(const DeviceKernel &kernel, std::vector<Pipeline> *&pipelines);
  relax_rt_status makePipeline(const DeviceStage &stage, vk::Handle shader, Pipeline &pipeline);
  relax_rt_status preparePool(const DeviceLaunch &launch);
  relax_rt_status record(const DeviceLaunch &launch, const std::vector<Pipeline> &pipelines);
  relax_rt_status bindStage(const DeviceLaunch &launch, const DeviceStage &stage, const Pipeline &pipeline,
                            void *numbers, vk::Handle &set);
  relax_rt_status submit();
  void destroy(std::vector<Pipeline> &pipelines);
  /// Whole words, one at least: a narrow access may be made of wide ones. Memory ends at multiples of 64 bytes.
  static uint64_t getRange(uint64_t bytes) { return bytes ? (bytes + 3) / 4 * 4 : 4; }

  vk::Driver driver;
  vk::PhysicalDevice physical = nullptr;
  vk::Device device = nullptr;
  vk::Queue queue = nullptr;
  vk::Handle commandPool = 0, fence = 0, descriptorPool = 0;
  uint32_t poolSets = 0, poolBuffers = 0; // what the pool has room for
  vk::CommandBuffer commands = nullptr;
  uint32_t family = 0, supported = 0, memoryType = 0, maxWorkgroups = 0;
  uint64_t maxRange = 0, alignment = 0;
  std::string deviceName;
  std::map<uintptr_t, Allocation> allocations; // by address
  std::unordered_map<const DeviceKernel *, std::vector<Pipeline>> prepared;
  LaunchNumbers launchNumbers;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_VULKAN_VULKANDEVICE_H
