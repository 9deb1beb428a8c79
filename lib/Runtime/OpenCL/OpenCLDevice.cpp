//===- OpenCLDevice.cpp - A device behind OpenCL --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpenCLDevice.h"
#include "../Core/Error.h"

#include <algorithm>
#include <cstring>

using namespace relax_rt;
using namespace relax_rt::cl;

/// Workgroups of a launch: every number is right, and this many keep any device busy.
static constexpr uint32_t kMaxWorkgroups = 65535;

OpenCLDevice::~OpenCLDevice() {
  if (queue)
    driver.Finish(queue);
  for (auto &[kernel, made] : prepared) {
    for (cl::Kernel it : made.kernels)
      driver.ReleaseKernel(it);
    driver.ReleaseProgram(made.program);
  }
  while (void *memory = allocations.first())
    release(memory);
  if (queue)
    driver.ReleaseCommandQueue(queue);
  if (context)
    driver.ReleaseContext(context);
}

relax_rt_status OpenCLDevice::check(Int result, const char *what) const {
  if (result == 0)
    return RELAX_RT_OK;
  return fail(RELAX_RT_INTERNAL, std::string("OpenCL: ") + what + " failed with " + std::to_string(result));
}

std::string OpenCLDevice::getText(cl::Device candidate, uint32_t what) const {
  size_t size = 0;
  if (driver.GetDeviceInfo(candidate, what, 0, nullptr, &size) || size == 0)
    return "";
  std::string text(size, '\0');
  if (driver.GetDeviceInfo(candidate, what, size, text.data(), nullptr))
    return "";
  return text.c_str();
}

bool OpenCLDevice::isUsable(cl::Device candidate, std::string &reason) {
  std::string name = getText(candidate, kDeviceName);
  auto refuse = [&](const char *text) {
    reason = quote(name) + " " + text;
    return false;
  };
  if (getText(candidate, kDeviceILVersion).find("SPIR-V") == std::string::npos)
    return refuse("does not take SPIR-V");
  if (!(getNumber<Bits>(candidate, kDeviceSvm) & kSvmFineGrainBuffer))
    return refuse("has no memory that it shares with the host");
  if (getNumber<size_t>(candidate, kDeviceMaxWorkgroup) < 64 ||
      getNumber<uint64_t>(candidate, kDeviceLocalBytes) < 16384)
    return refuse("has too small workgroups");
  std::string extensions = " " + getText(candidate, kDeviceExtensions) + " ";
  auto has = [&](const char *extension) { return extensions.find(extension) != std::string::npos; };
  // Integers of all widths are part of OpenCL.
  supported = kDeviceInt8 | kDeviceInt16 | kDeviceInt64 | (has(" cl_khr_fp16 ") ? kDeviceFloat16 : 0u) |
              (has(" cl_khr_fp64 ") ? kDeviceFloat64 : 0u);
  maxBytes = getNumber<uint64_t>(candidate, kDeviceMaxAllocation);
  deviceName = std::move(name);
  device = candidate;
  return true;
}

bool OpenCLDevice::chooseDevice(std::string &reason) {
  uint32_t count = 0;
  reason = "the OpenCL loader finds no device";
  if (driver.GetPlatformIDs(0, nullptr, &count) || count == 0)
    return false;
  std::vector<Platform> platforms(count);
  if (driver.GetPlatformIDs(count, platforms.data(), nullptr))
    return false;
  // The first one that will do: the order is the loader's, and the user's.
  for (Platform platform : platforms) {
    if (driver.GetDeviceIDs(platform, kDeviceTypeAll, 0, nullptr, &count) || count == 0)
      continue;
    std::vector<cl::Device> devices(count);
    if (driver.GetDeviceIDs(platform, kDeviceTypeAll, count, devices.data(), nullptr))
      continue;
    for (cl::Device candidate : devices)
      if (isUsable(candidate, reason))
        return true;
  }
  return false;
}

relax_rt_status OpenCLDevice::open() {
  std::string reason;
  if (!driver.open(reason) || !chooseDevice(reason))
    return fail(RELAX_RT_UNAVAILABLE, "device 'opencl' is unavailable: " + reason);
  Int result = 0;
  context = driver.CreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
  if (!context)
    return check(result, "clCreateContext");
  queue = driver.CreateCommandQueue(context, device, 0, &result);
  return queue ? RELAX_RT_OK : check(result, "clCreateCommandQueue");
}

relax_rt_status relax_rt::openOpenCLDevice(std::unique_ptr<relax_rt::Device> &device) {
  auto opened = std::make_unique<OpenCLDevice>();
  if (relax_rt_status status = opened->open())
    return status;
  device = std::move(opened);
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *OpenCLDevice::allocate(uint64_t bytes) {
  bytes = std::max<uint64_t>((bytes + 63) / 64 * 64, 64);
  if (bytes > maxBytes)
    return nullptr;
  void *memory = driver.SVMAlloc(context, kSvmReadWrite | kSvmFineGrain, bytes, 64);
  if (!memory)
    return nullptr;
  allocations.add(memory, bytes);
  return memory;
}

void OpenCLDevice::release(void *memory) {
  if (allocations.remove(memory))
    driver.SVMFree(context, memory);
}

bool OpenCLDevice::owns(const void *data, uint64_t bytes) const {
  return allocations.own(data, bytes, offsetAlignment());
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

relax_rt_status OpenCLDevice::prepare(const DeviceKernel &kernel, const std::vector<cl::Kernel> *&kernels) {
  auto [found, isNew] = prepared.try_emplace(&kernel);
  Prepared &made = found->second;
  kernels = &made.kernels;
  if (!isNew && made.kernels.size() == kernel.stages.size())
    return RELAX_RT_OK;
  Int result = 0;
  if (!made.program) {
    made.program = driver.CreateProgramWithIL(context, kernel.code.data(), kernel.code.size() * 4, &result);
    if (!made.program)
      return check(result, "clCreateProgramWithIL");
    if ((result = driver.BuildProgram(made.program, 1, &device, "", nullptr, nullptr))) {
      std::string log(4096, '\0');
      driver.GetProgramBuildInfo(made.program, device, kProgramBuildLog, log.size(), log.data(), nullptr);
      return fail(RELAX_RT_INTERNAL, std::string("OpenCL: clBuildProgram failed: ") + log.c_str());
    }
  }
  while (made.kernels.size() < kernel.stages.size()) {
    const std::string &entry = kernel.stages[made.kernels.size()].entry;
    cl::Kernel stage = driver.CreateKernel(made.program, entry.c_str(), &result);
    if (!stage)
      return check(result, "clCreateKernel");
    made.kernels.push_back(stage);
  }
  return RELAX_RT_OK;
}

relax_rt_status OpenCLDevice::enqueue(const DeviceLaunch &launch, const DeviceStage &stage, cl::Kernel kernel,
                                      void *numbers, uint32_t elements) {
  for (uint32_t i = 0; i < stage.bindings.size(); ++i) {
    uint32_t binding = stage.bindings[i];
    const void *data = binding == kBindWords   ? numbers
                       : binding == kBindError ? launch.error
                                               : launch.buffers[binding].data;
    if (relax_rt_status status = check(driver.SetKernelArgSVMPointer(kernel, i, data), "clSetKernelArgSVMPointer"))
      return status;
  }
  size_t local = stage.workgroup;
  size_t global = local * std::min((elements - 1) / stage.workgroup + 1, kMaxWorkgroups);
  return check(driver.EnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
               "clEnqueueNDRangeKernel");
}

relax_rt_status OpenCLDevice::launch(const DeviceLaunch &launch) {
  if (LaunchNumbers::isEmpty(launch))
    return RELAX_RT_OK;
  const std::vector<cl::Kernel> *kernels = nullptr;
  if (relax_rt_status status = prepare(*launch.kernel, kernels))
    return status;
  for (size_t i = 0; i < kernels->size(); ++i) {
    const std::vector<uint32_t> &values = launch.numbers[i];
    if (values[0] == 0)
      continue;
    void *numbers = launchNumbers.add(*this, values);
    if (!numbers)
      return failLiteral(RELAX_RT_OUT_OF_MEMORY, "OpenCL: no memory for the sizes of a kernel");
    if (relax_rt_status status = enqueue(launch, launch.kernel->stages[i], (*kernels)[i], numbers, values[0]))
      return status;
  }
  return RELAX_RT_OK;
}

relax_rt_status OpenCLDevice::finish() {
  launchNumbers.reset();
  return check(driver.Finish(queue), "clFinish");
}
