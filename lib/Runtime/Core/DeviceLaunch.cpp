//===- DeviceLaunch.cpp - Kernels on a device -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Arena and outputs of a context with a device lie in memory that both see.
// Weights are copied there when they are first used, inputs once in a call.
// Launches are given to the device one after the other and waited for together:
// when host code reads what kernels have written, before a kernel or library
// function runs on the CPU, and at the end of a call.
//
//===----------------------------------------------------------------------===//
#include "Context.h"
#include "Error.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

using namespace relax_rt;

/// Elements of one stage, and bytes of one buffer: addresses and counts on devices have 32 bits with a sign.
static constexpr int64_t kMaxElements = int64_t(1) << 30, kMaxBytes = INT32_MAX;

/// Copies of memory of host code that launches may be reading at a time.
static constexpr size_t kMaxCopies = 64;

static uint64_t readClock() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

relax_rt_status relax_rt_context::setDevice(const std::string &name) {
  if (running || counters.kernel_launches || heldBytes())
    return failLiteral(RELAX_RT_INVALID_ARGUMENT, "the context has run already: give it its device first");
  if (name == "cpu") {
    device.reset();
    return RELAX_RT_OK;
  }
  // "vulkan:mali" is a device of kind "vulkan", for which an artifact may have code of several kinds.
  std::string kind = name.substr(0, name.find(':'));
  if (kind != "vulkan" && kind != "opencl" && kind != "nvidia" && kind != "amd")
    return fail(RELAX_RT_INVALID_ARGUMENT,
                "unknown device " + quote(name) + ", expected 'cpu', 'vulkan', 'opencl', 'nvidia' or 'amd'");
  std::vector<const DeviceTarget *> candidates;
  for (const DeviceTarget &target : module.devices)
    if (target.name == name || (name == kind && target.name.substr(0, target.name.find(':')) == kind))
      candidates.push_back(&target);
  if (candidates.empty())
    return fail(RELAX_RT_UNAVAILABLE,
                "the artifact has no code for device " + quote(name) + ": compile it with --target=cpu," + name);
  if (relax_rt_status status = kind == "vulkan"   ? openVulkanDevice(device)
                               : kind == "opencl" ? openOpenCLDevice(device)
                                                  : openChipDevice(kind == "amd", device))
    return status;
  auto cannotRun = [&](const DeviceTarget *target) { return device->rank(target->name) < 0; };
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(), cannotRun), candidates.end());
  if (candidates.empty()) {
    std::string found = device->name();
    device.reset();
    return fail(RELAX_RT_UNAVAILABLE, "the artifact has no code for device " + quote(name) + " that runs on " +
                                          quote(found) + ": compile it with --target=cpu," + kind);
  }
  auto runs = [&](const DeviceKernel &kernel) { return (kernel.features & ~device->features()) == 0; };
  auto count = [&](const DeviceTarget *target) {
    return std::make_pair(device->rank(target->name),
                          std::count_if(target->kernels.begin(), target->kernels.end(), runs));
  };
  const DeviceTarget *target =
      *std::max_element(candidates.begin(), candidates.end(),
                        [&](const DeviceTarget *a, const DeviceTarget *b) { return count(a) < count(b); });
  deviceKernels.assign(module.kernels.size(), nullptr);
  for (const DeviceKernel &kernel : target->kernels)
    if (runs(kernel))
      deviceKernels[kernel.kernel] = &kernel;
  return RELAX_RT_OK;
}

/// What the sizes of a launch are; false when they do not fit.
bool relax_rt_context::describeLaunch(const DeviceKernel &code, void *const *buffers, const int64_t *scalars,
                                      DeviceLaunch &launch) const {
  std::vector<int64_t> words(code.countWords());
  module.kernels[code.kernel].sizes(scalars, words.data());
  const int64_t *next = words.data();
  int64_t most =
      std::min<int64_t>(kMaxBytes, static_cast<int64_t>(std::min<uint64_t>(device->maxBufferBytes(), INT64_MAX)));
  for (uint32_t i = 0; i < code.buffers + code.scratch; ++i, ++next) {
    if (*next < 0 || *next > most)
      return false;
    launch.buffers.push_back({i < code.buffers ? buffers[i] : nullptr, static_cast<uint64_t>(*next)});
  }
  for (const DeviceStage &stage : code.stages) {
    if (*next < 0 || *next > kMaxElements)
      return false;
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < stage.words; ++i, ++next) {
      if (*next < INT32_MIN || *next > INT32_MAX)
        return false;
      numbers.push_back(static_cast<uint32_t>(static_cast<int32_t>(*next)));
    }
    launch.numbers.push_back(std::move(numbers));
  }
  return true;
}

/// Inputs and weights are not in memory of the device; `buffer` becomes the copy that is.
relax_rt_status relax_rt_context::moveToDevice(DeviceBuffer &buffer) {
  if (device->owns(buffer.data, buffer.bytes))
    return RELAX_RT_OK;
  auto copy = [&](Block &block) {
    if (block.capacity() < buffer.bytes || !block.data())
      if (!grow(block, buffer.bytes))
        return false;
    std::memcpy(block.data(), buffer.data, buffer.bytes);
    deviceCounters.bytes_to_device += buffer.bytes;
    buffer.data = block.data();
    return true;
  };
  auto refuse = [&] {
    return failHere(RELAX_RT_OUT_OF_MEMORY,
                    "the device has no memory for " + std::to_string(buffer.bytes) + " bytes of an input or weight");
  };
  if (module.weights.contains(buffer.data)) {
    auto [found, isNew] = deviceWeights.try_emplace(buffer.data);
    if (found->second.data() && found->second.capacity() >= buffer.bytes) {
      buffer.data = found->second.data();
      return RELAX_RT_OK;
    }
    return copy(found->second) ? RELAX_RT_OK : refuse();
  }
  const auto *data = static_cast<const char *>(buffer.data);
  if (!isRead(data, data + std::max<uint64_t>(buffer.bytes, 1))) {
    // Host code may write something else there for the next launch.
    if (numDeviceCopies == deviceCopies.size())
      deviceCopies.emplace_back();
    return copy(deviceCopies[numDeviceCopies++]) ? RELAX_RT_OK : refuse();
  }
  for (size_t i = 0; i < numDeviceInputs; ++i)
    if (deviceInputs[i].data == data && deviceInputs[i].bytes >= buffer.bytes) {
      buffer.data = deviceInputs[i].block.data();
      return RELAX_RT_OK;
    }
  if (numDeviceInputs == deviceInputs.size())
    deviceInputs.emplace_back();
  DeviceInput &input = deviceInputs[numDeviceInputs++];
  input.data = nullptr;
  if (!copy(input.block))
    return refuse();
  input.data = data;
  input.bytes = buffer.bytes;
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::awaitDevice() {
  if (!isLaunching)
    return RELAX_RT_OK;
  isLaunching = false;
  relax_rt_status status = device->finish();
  deviceCounters.nanoseconds += readClock() - launchesBegan;
  ++deviceCounters.waits;
  if (status)
    return failHere(status, relax_rt_last_error());
  uint32_t error = 0;
  std::memcpy(&error, errorWord.data(), sizeof(error));
  if (error == 0)
    return RELAX_RT_OK;
  std::memset(errorWord.data(), 0, sizeof(error));
  hasDeviceError = true;
  return failHere(RELAX_RT_KERNEL_ERROR, "a check of a kernel failed on the device");
}

relax_rt_status relax_rt_context::launchOnDevice(size_t kernel, void *const *buffers, const int64_t *scalars,
                                                 bool &isDone) {
  isDone = false;
  const DeviceKernel *code = deviceKernels[kernel];
  DeviceLaunch launch = {};
  launch.kernel = code;
  if (!code || !describeLaunch(*code, buffers, scalars, launch))
    return RELAX_RT_OK;
  // Not at any other time: what this launch reads is copied before memory for it is found, which may wait.
  if (numDeviceCopies >= kMaxCopies)
    if (relax_rt_status status = awaitDevice())
      return status;
  if (!isLaunching)
    numDeviceCopies = 0;
  std::vector<bool> isWritten(launch.buffers.size());
  for (const DeviceStage &stage : code->stages)
    for (size_t i = 0; i < stage.bindings.size(); ++i)
      if (stage.written[i] && stage.bindings[i] < isWritten.size())
        isWritten[stage.bindings[i]] = true;
  uint64_t charged = 0;
  scratch.resize(std::max<size_t>(scratch.size(), code->scratch));
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    DeviceBuffer &buffer = launch.buffers[i];
    if (i >= code->buffers) {
      Block &block = scratch[i - code->buffers];
      charged += buffer.bytes;
      if (!charge(buffer.bytes))
        return overLimit("intermediate of a device kernel", buffer.bytes);
      if ((block.capacity() < buffer.bytes || !block.data()) && !grow(block, buffer.bytes))
        return failHere(RELAX_RT_OUT_OF_MEMORY,
                        "the device has no memory for " + std::to_string(buffer.bytes) + " bytes of an intermediate");
      buffer.data = block.data();
    } else if (isWritten[i]) {
      // Results at places that the device cannot address.
      if (!device->owns(buffer.data, buffer.bytes)) {
        chargedBytes -= charged;
        return RELAX_RT_OK;
      }
    } else if (relax_rt_status status = moveToDevice(buffer)) {
      return status;
    }
  }
  if (!errorWord.data()) {
    if (!grow(errorWord, kAlignment))
      return failHere(RELAX_RT_OUT_OF_MEMORY, "the device has no memory");
    std::memset(errorWord.data(), 0, kAlignment);
  }
  launch.error = errorWord.data();
  if (!isLaunching)
    launchesBegan = readClock();
  isLaunching = true; // also what could not be given to it whole is waited for
  if (relax_rt_status status = device->launch(launch))
    return failHere(status, "kernel " + quote(module.metadata.kernels[kernel].name) + ": " + relax_rt_last_error());
  chargedBytes -= charged;
  ++deviceCounters.device_launches;
  for (const std::vector<uint32_t> &numbers : launch.numbers)
    deviceCounters.dispatches += numbers[0] != 0;
  isDone = true;
  // A trace tells how long each took; earlier code does not say when it reads.
  return traceFn || !module.awaitsLaunches ? awaitDevice() : RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

relax_rt_status relax_rt_context_set_device(relax_rt_context *context, const char *device) {
  return guarded([&] {
    if (!context || !device)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context or device is NULL");
    return context->setDevice(device);
  });
}

const char *relax_rt_context_device_name(const relax_rt_context *context) {
  return !context ? nullptr : context->device ? context->device->name().c_str() : "cpu";
}

relax_rt_status relax_rt_context_device_counters(const relax_rt_context *context,
                                                 relax_rt_device_counters *out_counters) {
  if (!context || !out_counters)
    return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context or out_counters is NULL");
  *out_counters = context->deviceCounters;
  return RELAX_RT_OK;
}
