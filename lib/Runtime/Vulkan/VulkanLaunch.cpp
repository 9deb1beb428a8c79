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
// One launch
//===----------------------------------------------------------------------===//

/// The pool is kept from launch to launch, and made anew when a kernel needs a larger one. No launch is running.
relax_rt_status VulkanDevice::preparePool(const DeviceLaunch &launch) {
  uint32_t buffers = 1, sets = static_cast<uint32_t>(launch.kernel->stages.size()) + 1;
  for (const DeviceStage &stage : launch.kernel->stages)
    buffers += static_cast<uint32_t>(stage.bindings.size());
  if (descriptorPool && sets <= poolSets && buffers <= poolBuffers)
    return check(driver.ResetDescriptorPool(device, descriptorPool, 0), "vkResetDescriptorPool");
  driver.DestroyDescriptorPool(device, descriptorPool, nullptr);
  descriptorPool = 0;
  poolSets = std::max(sets, poolSets);
  poolBuffers = std::max(buffers, poolBuffers);
  PoolSize size = {kStorageBuffer, poolBuffers};
  DescriptorPoolCreateInfo info = {kDescriptorPoolCreateInfo, nullptr, 0, poolSets, 1, &size};
  return check(driver.CreateDescriptorPool(device, &info, nullptr, &descriptorPool), "vkCreateDescriptorPool");
}

relax_rt_status VulkanDevice::bindStage(const DeviceLaunch &launch, const DeviceStage &stage, const Pipeline &pipeline,
                                        void *numbers, Handle &set) {
  SetAllocateInfo info = {kDescriptorSetAllocateInfo, nullptr, descriptorPool, 1, &pipeline.setLayout};
  if (relax_rt_status status = check(driver.AllocateDescriptorSets(device, &info, &set), "vkAllocateDescriptorSets"))
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

relax_rt_status VulkanDevice::record(const DeviceLaunch &launch, const std::vector<Pipeline> &pipelines) {
  if (relax_rt_status status = check(driver.ResetCommandPool(device, commandPool, 0), "vkResetCommandPool"))
    return status;
  CommandBufferBeginInfo begin = {kCommandBufferBeginInfo, nullptr, 1, nullptr};
  if (relax_rt_status status = check(driver.BeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer"))
    return status;
  char *numbers = launchNumbers.data();
  for (size_t i = 0; i < pipelines.size(); ++i) {
    const DeviceStage &stage = launch.kernel->stages[i];
    const std::vector<uint32_t> &values = launch.numbers[i];
    if (values[0] == 0)
      continue;
    std::memcpy(numbers, values.data(), values.size() * 4);
    Handle set = 0;
    if (relax_rt_status status = bindStage(launch, stage, pipelines[i], numbers, set))
      return status;
    numbers += LaunchNumbers::getBytes(values);
    driver.CmdBindPipeline(commands, kBindPointCompute, pipelines[i].pipeline);
    driver.CmdBindDescriptorSets(commands, kBindPointCompute, pipelines[i].layout, 0, 1, &set, 0, nullptr);
    uint32_t groups = (values[0] - 1) / stage.workgroup + 1;
    driver.CmdDispatch(commands, std::min(groups, maxWorkgroups), 1, 1);
    MemoryBarrier barrier = {kMemoryBarrier, nullptr, kAccessShaderWrite,
                             kAccessShaderRead | kAccessShaderWrite | kAccessHostRead | kAccessHostWrite};
    driver.CmdPipelineBarrier(commands, kPipelineStageCompute, kPipelineStageCompute | kPipelineStageHost, 0, 1,
                              &barrier, 0, nullptr, 0, nullptr);
  }
  return check(driver.EndCommandBuffer(commands), "vkEndCommandBuffer");
}

relax_rt_status VulkanDevice::submit() {
  SubmitInfo info = {kSubmitInfo, nullptr, 0, nullptr, nullptr, 1, &commands, 0, nullptr};
  if (relax_rt_status status = check(driver.ResetFences(device, 1, &fence), "vkResetFences"))
    return status;
  if (relax_rt_status status = check(driver.QueueSubmit(queue, 1, &info, fence), "vkQueueSubmit"))
    return status;
  return check(driver.WaitForFences(device, 1, &fence, 1, ~uint64_t(0)), "vkWaitForFences");
}

relax_rt_status VulkanDevice::launch(const DeviceLaunch &launch) {
  if (LaunchNumbers::isEmpty(launch))
    return RELAX_RT_OK;
  if (!launchNumbers.reserve(*this, launch))
    return failLiteral(RELAX_RT_OUT_OF_MEMORY, "Vulkan: no memory for the sizes of a kernel");
  std::vector<Pipeline> *pipelines = nullptr;
  if (relax_rt_status status = prepare(*launch.kernel, pipelines))
    return status;
  if (relax_rt_status status = preparePool(launch))
    return status;
  if (relax_rt_status status = record(launch, *pipelines))
    return status;
  return submit();
}
