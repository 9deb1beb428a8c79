//===- VulkanLaunch.cpp - Running the stages of a kernel ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "../Core/Error.h"
#include "VulkanDevice.h"

#include <algorithm>
#include <cstring>

using namespace relax_rt;
using namespace relax_rt::vk;

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

relax_rt_status VulkanDevice::makePipeline(const DeviceStage &stage, Handle shader, Pipeline &pipeline) {
  std::vector<SetLayoutBinding> bindings;
  bindings.reserve(stage.bindings.size());
  for (size_t i = 0; i < stage.bindings.size(); ++i)
    bindings.push_back({static_cast<uint32_t>(i), kStorageBuffer, 1, kStageCompute, nullptr});
  SetLayoutCreateInfo set = {kDescriptorSetLayoutCreateInfo, nullptr, 0, static_cast<uint32_t>(bindings.size()),
                             bindings.data()};
  if (relax_rt_status status = check(driver.CreateDescriptorSetLayout(device, &set, nullptr, &pipeline.setLayout),
                                     "vkCreateDescriptorSetLayout"))
    return status;
  PipelineLayoutCreateInfo layout = {kPipelineLayoutCreateInfo, nullptr, 0, 1, &pipeline.setLayout, 0, nullptr};
  if (relax_rt_status status =
          check(driver.CreatePipelineLayout(device, &layout, nullptr, &pipeline.layout), "vkCreatePipelineLayout"))
    return status;
  ShaderStageCreateInfo code = {
      kPipelineShaderStageCreateInfo, nullptr, 0, kStageCompute, shader, stage.entry.c_str(), nullptr};
  ComputePipelineCreateInfo info = {kComputePipelineCreateInfo, nullptr, 0, code, pipeline.layout, 0, -1};
  return check(driver.CreateComputePipelines(device, 0, 1, &info, nullptr, &pipeline.pipeline),
               "vkCreateComputePipelines");
}

void VulkanDevice::destroy(std::vector<Pipeline> &pipelines) {
  for (Pipeline &pipeline : pipelines) {
    driver.DestroyPipeline(device, pipeline.pipeline, nullptr);
    driver.DestroyPipelineLayout(device, pipeline.layout, nullptr);
    driver.DestroyDescriptorSetLayout(device, pipeline.setLayout, nullptr);
  }
}

relax_rt_status VulkanDevice::prepare(const DeviceKernel &kernel, std::vector<Pipeline> *&pipelines) {
  auto found = prepared.find(&kernel);
  if (found != prepared.end()) {
    pipelines = &found->second;
    return RELAX_RT_OK;
  }
  Handle shader = 0;
  ShaderModuleCreateInfo info = {kShaderModuleCreateInfo, nullptr, 0, kernel.code.size() * 4, kernel.code.data()};
  if (relax_rt_status status =
          check(driver.CreateShaderModule(device, &info, nullptr, &shader), "vkCreateShaderModule"))
    return status;
  std::vector<Pipeline> made(kernel.stages.size());
  relax_rt_status status = RELAX_RT_OK;
  for (size_t i = 0; i < made.size() && status == RELAX_RT_OK; ++i)
    status = makePipeline(kernel.stages[i], shader, made[i]);
  driver.DestroyShaderModule(device, shader, nullptr);
  if (status != RELAX_RT_OK) {
    destroy(made);
    return status;
  }
  auto &kept = prepared[&kernel];
  kept = std::move(made);
  pipelines = &kept;
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// Buffers of a stage
//===----------------------------------------------------------------------===//

/// Pools are kept from wait to wait; another one is made when these are full.
relax_rt_status VulkanDevice::allocateSet(uint32_t numBuffers, Handle layout, Handle &set) {
  auto isFull = [&](const DescriptorPool &it) { return it.sets == 0 || it.buffers < numBuffers; };
  while (usedPools < descriptorPools.size() && isFull(descriptorPools[usedPools]))
    ++usedPools;
  if (usedPools == descriptorPools.size()) {
    DescriptorPool made;
    made.capacity = std::max(made.capacity, numBuffers);
    made.buffers = made.capacity;
    PoolSize size = {kStorageBuffer, made.buffers};
    DescriptorPoolCreateInfo info = {kDescriptorPoolCreateInfo, nullptr, 0, made.sets, 1, &size};
    if (relax_rt_status status =
            check(driver.CreateDescriptorPool(device, &info, nullptr, &made.pool), "vkCreateDescriptorPool"))
      return status;
    descriptorPools.push_back(made);
  }
  DescriptorPool &pool = descriptorPools[usedPools];
  SetAllocateInfo info = {kDescriptorSetAllocateInfo, nullptr, pool.pool, 1, &layout};
  --pool.sets;
  pool.buffers -= numBuffers;
  return check(driver.AllocateDescriptorSets(device, &info, &set), "vkAllocateDescriptorSets");
}

relax_rt_status VulkanDevice::bindStage(const DeviceLaunch &launch, const DeviceStage &stage, const Pipeline &pipeline,
                                        void *numbers, Handle &set) {
  if (relax_rt_status status = allocateSet(static_cast<uint32_t>(stage.bindings.size()), pipeline.setLayout, set))
    return status;
  std::vector<BufferInfo> buffers(stage.bindings.size());
  std::vector<WriteSet> writes(stage.bindings.size());
  for (size_t i = 0; i < stage.bindings.size(); ++i) {
    uint32_t binding = stage.bindings[i];
    DeviceBuffer buffer = binding == kBindWords   ? DeviceBuffer{numbers, uint64_t(4) * stage.words}
                          : binding == kBindError ? DeviceBuffer{launch.error, 4}
                                                  : launch.buffers[binding];
    uint64_t range = getRange(buffer.bytes), offset = 0;
    const Allocation *allocation = find(buffer.data, range, offset);
    if (!allocation)
      return failLiteral(RELAX_RT_INTERNAL, "Vulkan: a buffer is not in memory of the device");
    buffers[i] = {allocation->buffer, offset, range};
    writes[i] = {kWriteDescriptorSet, nullptr, set, static_cast<uint32_t>(i), 0, 1, kStorageBuffer, nullptr,
                 &buffers[i],         nullptr};
  }
  driver.UpdateDescriptorSets(device, static_cast<uint32_t>(writes.size()), writes.data(), 0, nullptr);
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

relax_rt_status VulkanDevice::openCommands() {
  if (isRecording)
    return RELAX_RT_OK;
  if (usedCommands == commandBuffers.size()) {
    CommandBuffer made = nullptr;
    CommandBufferAllocateInfo info = {kCommandBufferAllocateInfo, nullptr, commandPool, 0, 1};
    if (relax_rt_status status = check(driver.AllocateCommandBuffers(device, &info, &made), "vkAllocateCommandBuffers"))
      return status;
    commandBuffers.push_back(made);
  }
  CommandBufferBeginInfo begin = {kCommandBufferBeginInfo, nullptr, 1, nullptr};
  if (relax_rt_status status =
          check(driver.BeginCommandBuffer(commandBuffers[usedCommands], &begin), "vkBeginCommandBuffer"))
    return status;
  isRecording = true;
  return RELAX_RT_OK;
}

/// A barrier where the stage uses memory that an earlier one has written, or writes what one has read. All stages set
/// the error word to the same number.
void VulkanDevice::orderStage(const DeviceLaunch &launch, const DeviceStage &stage) {
  std::vector<Access> its;
  for (size_t i = 0; i < stage.bindings.size(); ++i) {
    if (stage.bindings[i] == kBindWords || stage.bindings[i] == kBindError)
      continue;
    const DeviceBuffer &buffer = launch.buffers[stage.bindings[i]];
    auto begin = reinterpret_cast<uintptr_t>(buffer.data);
    its.push_back({begin, begin + getRange(buffer.bytes), stage.written[i] != 0});
  }
  auto clash = [](const Access &a, const Access &b) {
    return a.begin < b.end && b.begin < a.end && (a.isWrite || b.isWrite);
  };
  bool mustWait = std::any_of(accesses.begin(), accesses.end(), [&](const Access &earlier) {
    return std::any_of(its.begin(), its.end(), [&](const Access &it) { return clash(earlier, it); });
  });
  if (mustWait) {
    MemoryBarrier barrier = {kMemoryBarrier, nullptr, kAccessShaderWrite, kAccessShaderRead | kAccessShaderWrite};
    driver.CmdPipelineBarrier(commandBuffers[usedCommands], kPipelineStageCompute, kPipelineStageCompute, 0, 1,
                              &barrier, 0, nullptr, 0, nullptr);
    accesses.clear();
  }
  accesses.insert(accesses.end(), its.begin(), its.end());
}

relax_rt_status VulkanDevice::recordStage(const DeviceLaunch &launch, size_t stage, const Pipeline &pipeline) {
  const DeviceStage &code = launch.kernel->stages[stage];
  const std::vector<uint32_t> &values = launch.numbers[stage];
  void *numbers = launchNumbers.add(*this, values);
  if (!numbers)
    return failLiteral(RELAX_RT_OUT_OF_MEMORY, "Vulkan: no memory for the sizes of a kernel");
  Handle set = 0;
  if (relax_rt_status status = bindStage(launch, code, pipeline, numbers, set))
    return status;
  if (relax_rt_status status = openCommands())
    return status;
  orderStage(launch, code);
  CommandBuffer commands = commandBuffers[usedCommands];
  driver.CmdBindPipeline(commands, kBindPointCompute, pipeline.pipeline);
  driver.CmdBindDescriptorSets(commands, kBindPointCompute, pipeline.layout, 0, 1, &set, 0, nullptr);
  driver.CmdDispatch(commands, std::min((values[0] - 1) / code.workgroup + 1, maxWorkgroups), 1, 1);
  return RELAX_RT_OK;
}

/// Gives what was recorded to the device. The host sees what it and all before it wrote when `signal` is set.
relax_rt_status VulkanDevice::submit(Handle signal) {
  CommandBuffer commands = commandBuffers[usedCommands];
  MemoryBarrier barrier = {kMemoryBarrier, nullptr, kAccessShaderWrite, kAccessHostRead | kAccessHostWrite};
  driver.CmdPipelineBarrier(commands, kPipelineStageCompute, kPipelineStageHost, 0, 1, &barrier, 0, nullptr, 0,
                            nullptr);
  isRecording = false;
  numRecorded = 0;
  ++usedCommands;
  if (relax_rt_status status = check(driver.EndCommandBuffer(commands), "vkEndCommandBuffer"))
    return status;
  SubmitInfo info = {kSubmitInfo, nullptr, 0, nullptr, nullptr, 1, &commands, 0, nullptr};
  return check(driver.QueueSubmit(queue, 1, &info, signal), "vkQueueSubmit");
}

relax_rt_status VulkanDevice::launch(const DeviceLaunch &launch) {
  // The device begins while the host goes on; what is kept for launches that were not waited for has an end.
  constexpr uint32_t kPerSubmission = 16, kMaxPending = 1024;
  if (LaunchNumbers::isEmpty(launch))
    return RELAX_RT_OK;
  std::vector<Pipeline> *pipelines = nullptr;
  if (relax_rt_status status = prepare(*launch.kernel, pipelines))
    return status;
  if (numPending == kMaxPending)
    if (relax_rt_status status = finish())
      return status;
  ++numPending;
  for (size_t i = 0; i < pipelines->size(); ++i)
    if (launch.numbers[i][0] != 0)
      if (relax_rt_status status = recordStage(launch, i, (*pipelines)[i]))
        return status;
  return ++numRecorded == kPerSubmission ? submit(0) : RELAX_RT_OK;
}

relax_rt_status VulkanDevice::finish() {
  if (numPending == 0)
    return RELAX_RT_OK;
  // A fence waits for its own submission and for all before it.
  relax_rt_status status = openCommands();
  if (status == RELAX_RT_OK)
    status = check(driver.ResetFences(device, 1, &fence), "vkResetFences");
  if (status == RELAX_RT_OK)
    status = submit(fence);
  if (status == RELAX_RT_OK)
    status = check(driver.WaitForFences(device, 1, &fence, 1, ~uint64_t(0)), "vkWaitForFences");
  if (status != RELAX_RT_OK)
    driver.DeviceWaitIdle(device);
  isRecording = false;
  numPending = numRecorded = 0;
  usedCommands = usedPools = 0;
  accesses.clear();
  launchNumbers.reset();
  relax_rt_status reset = check(driver.ResetCommandPool(device, commandPool, 0), "vkResetCommandPool");
  for (DescriptorPool &it : descriptorPools) {
    if (reset == RELAX_RT_OK)
      reset = check(driver.ResetDescriptorPool(device, it.pool, 0), "vkResetDescriptorPool");
    it.sets = DescriptorPool::kSets;
    it.buffers = it.capacity;
  }
  return status == RELAX_RT_OK ? reset : status;
}
