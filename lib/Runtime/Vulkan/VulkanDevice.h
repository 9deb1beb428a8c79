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

/// Memory is host-visible and coherent, so nothing is copied. Launches are recorded one after the other and submitted
/// some at a time; barriers are between those that use the same memory.
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
  relax_rt_status finish() override;

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
  relax_rt_status allocateSet(uint32_t numBuffers, vk::Handle layout, vk::Handle &set);
  relax_rt_status bindStage(const DeviceLaunch &launch, const DeviceStage &stage, const Pipeline &pipeline,
                            void *numbers, vk::Handle &set);
  relax_rt_status openCommands();
  relax_rt_status recordStage(const DeviceLaunch &launch, size_t stage, const Pipeline &pipeline);
  void orderStage(const DeviceLaunch &launch, const DeviceStage &stage);
  relax_rt_status submit(vk::Handle signal);
  void destroy(std::vector<Pipeline> &pipelines);
  /// Whole words, one at least: a narrow access may be made of wide ones. Memory ends at multiples of 64 bytes.
  static uint64_t getRange(uint64_t bytes) { return bytes ? (bytes + 3) / 4 * 4 : 4; }

  vk::Driver driver;
  vk::PhysicalDevice physical = nullptr;
  vk::Device device = nullptr;
  vk::Queue queue = nullptr;
  vk::Handle commandPool = 0, fence = 0;
  struct DescriptorPool {
    static constexpr uint32_t kSets = 64;
    vk::Handle pool = 0;
    uint32_t sets = kSets, buffers = 0; // that it has room for
    uint32_t capacity = 512;            // of buffers
  };
  std::vector<DescriptorPool> descriptorPools;
  size_t usedPools = 0; // full ones, in front of the one that is being filled
  std::vector<vk::CommandBuffer> commandBuffers;
  size_t usedCommands = 0; // submitted since the last wait
  bool isRecording = false;
  uint32_t numRecorded = 0, numPending = 0; // launches in the open commands, since the last wait
  /// Memory that stages since the last barrier have used.
  struct Access {
    uintptr_t begin, end;
    bool isWrite;
  };
  std::vector<Access> accesses;
  uint32_t family = 0, supported = 0, memoryType = 0, maxWorkgroups = 0;
  uint64_t maxRange = 0, alignment = 0;
  std::string deviceName;
  std::map<uintptr_t, Allocation> allocations; // by address
  std::unordered_map<const DeviceKernel *, std::vector<Pipeline>> prepared;
  LaunchNumbers launchNumbers;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_VULKAN_VULKANDEVICE_H
