//===- VulkanDriver.h - Functions of the Vulkan loader --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_VULKAN_VULKANDRIVER_H
#define RELAX_RUNTIME_VULKAN_VULKANDRIVER_H

#include "VulkanTypes.h"

#include <string>

namespace relax_rt::vk {

/// Functions that are found without an instance, with one, and with a device: name, result, parameters.
#define RELAX_VK_INSTANCE_FUNCTIONS(F)                                                                                 \
  F(DestroyInstance, void, (Instance, const void *))                                                                   \
  F(EnumeratePhysicalDevices, Result, (Instance, uint32_t *, PhysicalDevice *))                                        \
  F(GetPhysicalDeviceProperties, void, (PhysicalDevice, PhysicalDeviceProperties *))                                   \
  F(GetPhysicalDeviceFeatures2, void, (PhysicalDevice, Features2 *))                                                   \
  F(GetPhysicalDeviceQueueFamilyProperties, void, (PhysicalDevice, uint32_t *, QueueFamilyProperties *))               \
  F(GetPhysicalDeviceMemoryProperties, void, (PhysicalDevice, MemoryProperties *))                                     \
  F(CreateDevice, Result, (PhysicalDevice, const DeviceCreateInfo *, const void *, Device *))                          \
  F(DestroyDevice, void, (Device, const void *))                                                                       \
  F(GetDeviceQueue, void, (Device, uint32_t, uint32_t, Queue *))                                                       \
  F(DeviceWaitIdle, Result, (Device))                                                                                  \
  F(AllocateMemory, Result, (Device, const MemoryAllocateInfo *, const void *, Handle *))                              \
  F(FreeMemory, void, (Device, Handle, const void *))                                                                  \
  F(MapMemory, Result, (Device, Handle, uint64_t, uint64_t, Flags, void **))                                           \
  F(CreateBuffer, Result, (Device, const BufferCreateInfo *, const void *, Handle *))                                  \
  F(DestroyBuffer, void, (Device, Handle, const void *))                                                               \
  F(GetBufferMemoryRequirements, void, (Device, Handle, MemoryRequirements *))                                         \
  F(BindBufferMemory, Result, (Device, Handle, Handle, uint64_t))                                                      \
  F(CreateShaderModule, Result, (Device, const ShaderModuleCreateInfo *, const void *, Handle *))                      \
  F(DestroyShaderModule, void, (Device, Handle, const void *))                                                         \
  F(CreateDescriptorSetLayout, Result, (Device, const SetLayoutCreateInfo *, const void *, Handle *))                  \
  F(DestroyDescriptorSetLayout, void, (Device, Handle, const void *))                                                  \
  F(CreatePipelineLayout, Result, (Device, const PipelineLayoutCreateInfo *, const void *, Handle *))                  \
  F(DestroyPipelineLayout, void, (Device, Handle, const void *))                                                       \
  F(CreateComputePipelines, Result,                                                                                    \
    (Device, Handle, uint32_t, const ComputePipelineCreateInfo *, const void *, Handle *))                             \
  F(DestroyPipeline, void, (Device, Handle, const void *))                                                             \
  F(CreateDescriptorPool, Result, (Device, const DescriptorPoolCreateInfo *, const void *, Handle *))                  \
  F(DestroyDescriptorPool, void, (Device, Handle, const void *))                                                       \
  F(ResetDescriptorPool, Result, (Device, Handle, Flags))                                                              \
  F(AllocateDescriptorSets, Result, (Device, const SetAllocateInfo *, Handle *))                                       \
  F(UpdateDescriptorSets, void, (Device, uint32_t, const WriteSet *, uint32_t, const void *))                          \
  F(CreateCommandPool, Result, (Device, const CommandPoolCreateInfo *, const void *, Handle *))                        \
  F(DestroyCommandPool, void, (Device, Handle, const void *))                                                          \
  F(ResetCommandPool, Result, (Device, Handle, Flags))                                                                 \
  F(AllocateCommandBuffers, Result, (Device, const CommandBufferAllocateInfo *, CommandBuffer *))                      \
  F(BeginCommandBuffer, Result, (CommandBuffer, const CommandBufferBeginInfo *))                                       \
  F(EndCommandBuffer, Result, (CommandBuffer))                                                                         \
  F(CmdBindPipeline, void, (CommandBuffer, int32_t, Handle))                                                           \
  F(CmdBindDescriptorSets, void,                                                                                       \
    (CommandBuffer, int32_t, Handle, uint32_t, uint32_t, const Handle *, uint32_t, const uint32_t *))                  \
  F(CmdDispatch, void, (CommandBuffer, uint32_t, uint32_t, uint32_t))                                                  \
  F(CmdPipelineBarrier, void,                                                                                          \
    (CommandBuffer, Flags, Flags, Flags, uint32_t, const MemoryBarrier *, uint32_t, const void *, uint32_t,            \
     const void *))                                                                                                    \
  F(QueueSubmit, Result, (Queue, uint32_t, const SubmitInfo *, Handle))                                                \
  F(CreateFence, Result, (Device, const FenceCreateInfo *, const void *, Handle *))                                    \
  F(DestroyFence, void, (Device, Handle, const void *))                                                                \
  F(ResetFences, Result, (Device, uint32_t, const Handle *))                                                           \
  F(WaitForFences, Result, (Device, uint32_t, const Handle *, uint32_t, uint64_t))

/// The loader, opened once, and an instance of its own.
class Driver {
public:
  Driver() = default;
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;
  ~Driver();
  /// False and the reason when there is no loader, or when it finds no driver.
  bool open(std::string &reason);

  Instance instance = nullptr;
#define RELAX_VK_DECLARE(name, result, parameters) result(*name) parameters = nullptr;
  RELAX_VK_INSTANCE_FUNCTIONS(RELAX_VK_DECLARE)
#undef RELAX_VK_DECLARE

private:
  void *library = nullptr;
};

} // namespace relax_rt::vk

#endif // RELAX_RUNTIME_VULKAN_VULKANDRIVER_H
