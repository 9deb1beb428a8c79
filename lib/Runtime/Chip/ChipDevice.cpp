//===- ChipDevice.cpp - A device behind CUDA or HIP -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ChipDevice.h"
#include "../Core/Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace relax_rt;
using namespace relax_rt::chip;

/// Workgroups of a launch: every number is right, and this many keep any device busy.
static constexpr uint32_t kMaxWorkgroups = 65535;

ChipDevice::~ChipDevice() {
  if (!stream || !makeCurrent())
    return;
  driver.SynchronizeStream(stream);
  for (auto &[kernel, made] : prepared)
    if (made.module)
      driver.UnloadModule(made.module);
  while (void *memory = allocations.first())
    release(memory);
  driver.DestroyStream(stream);
  if (context)
    driver.ReleaseContext(device);
}

relax_rt_status ChipDevice::check(Result result, const char *what) const {
  if (result == 0)
    return RELAX_RT_OK;
  return fail(RELAX_RT_INTERNAL,
              std::string(driver.isHIP ? "HIP: " : "CUDA: ") + what + " failed with " + std::to_string(result));
}

/// Drivers keep it for each thread of the host.
bool ChipDevice::makeCurrent() const {
  return (driver.isHIP ? driver.SetDevice(device) : driver.SetContext(context)) == 0;
}

bool ChipDevice::chooseDevice(std::string &reason) {
  const char *vendor = driver.isHIP ? "the HIP driver" : "the CUDA driver";
  // Stub libraries and drivers without hardware fail here.
  Result result = driver.Init(0);
  int count = 0;
  if (result == 0)
    result = driver.GetDeviceCount(&count);
  if (result || count == 0) {
    reason = std::string(vendor) + " finds no device (result " + std::to_string(result) + ")";
    return false;
  }
  char text[256] = "";
  size_t bytes = 0;
  if (driver.GetDevice(&device, 0) || driver.GetName(text, sizeof(text) - 1, device) ||
      driver.GetTotalMemory(&bytes, device)) {
    reason = std::string(vendor) + " does not describe its device";
    return false;
  }
  deviceName = text;
  maxBytes = bytes;
  if (!driver.isHIP) {
    int major = 0, minor = 0;
    driver.GetAttribute(&major, kCapabilityMajor, device);
    driver.GetAttribute(&minor, kCapabilityMinor, device);
    capability = 10 * major + minor;
    return true;
  }
  // Where the name of the architecture is depends on the version; nothing else in the struct looks like it.
  std::vector<char> properties(16384);
  if (driver.GetProperties(properties.data(), device) == 0) {
    const char pattern[] = {'g', 'f', 'x'};
    auto found = std::search(properties.begin(), properties.end() - 32, std::begin(pattern), std::end(pattern));
    if (found != properties.end() - 32)
      architecture = &*found;
    architecture = architecture.substr(0, architecture.find(':'));
  }
  return true;
}

relax_rt_status ChipDevice::open() {
  const char *kind = driver.isHIP ? "amd" : "nvidia";
  std::string reason;
  if (!driver.open(reason) || !chooseDevice(reason))
    return fail(RELAX_RT_UNAVAILABLE, std::string("device '") + kind + "' is unavailable: " + reason);
  if (!driver.isHIP)
    if (relax_rt_status status = check(driver.RetainContext(&context, device), "cuDevicePrimaryCtxRetain"))
      return status;
  if (!makeCurrent())
    return check(1, driver.isHIP ? "hipSetDevice" : "cuCtxSetCurrent");
  return check(driver.CreateStream(&stream, kNonBlocking), "the creation of a stream");
}

relax_rt_status relax_rt::openChipDevice(bool isHIP, std::unique_ptr<relax_rt::Device> &device) {
  auto opened = std::make_unique<ChipDevice>(isHIP);
  if (relax_rt_status status = opened->open())
    return status;
  device = std::move(opened);
  return RELAX_RT_OK;
}

int ChipDevice::rank(const std::string &target) const {
  std::string chip = target.substr(target.find(':') + 1);
  if (driver.isHIP)
    return chip == architecture ? 1 : -1;
  int number = std::atoi(chip.substr(chip.find('_') + 1).c_str());
  if (chip.compare(0, 8, "compute_") == 0)
    return number <= capability ? 0 : -1; // the driver compiles it
  // Code of a chip runs on later ones of its generation, but not what is for one chip alone (the letter) or for boards.
  constexpr int kBoard = 87;
  bool isExact = number == capability;
  bool isLater = number / 10 == capability / 10 && number < capability && chip.back() != 'a' && number != kBoard &&
                 capability != kBoard;
  return isExact || isLater ? number : -1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *ChipDevice::allocate(uint64_t bytes) {
  bytes = std::max<uint64_t>((bytes + 63) / 64 * 64, 64);
  void *memory = nullptr;
  if (bytes > maxBytes || !makeCurrent() || driver.AllocateManaged(&memory, bytes, kVisibleEverywhere))
    return nullptr;
  allocations.add(memory, bytes);
  return memory;
}

void ChipDevice::release(void *memory) {
  if (allocations.remove(memory) && makeCurrent())
    driver.Free(memory);
}

bool ChipDevice::owns(const void *data, uint64_t bytes) const {
  return allocations.own(data, bytes, offsetAlignment());
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

relax_rt_status ChipDevice::prepare(const DeviceKernel &kernel, const std::vector<Handle> *&functions) {
  Prepared &made = prepared[&kernel];
  functions = &made.functions;
  if (!made.module)
    if (Result result = driver.LoadModule(&made.module, kernel.code.data())) {
      made.module = nullptr;
      return check(result, driver.isHIP ? "hipModuleLoadData" : "cuModuleLoadData");
    }
  while (made.functions.size() < kernel.stages.size()) {
    const std::string &entry = kernel.stages[made.functions.size()].entry;
    Handle function = nullptr;
    if (Result result = driver.GetFunction(&function, made.module, entry.c_str()))
      return check(result, driver.isHIP ? "hipModuleGetFunction" : "cuModuleGetFunction");
    made.functions.push_back(function);
  }
  return RELAX_RT_OK;
}

relax_rt_status ChipDevice::enqueue(const DeviceLaunch &launch, const DeviceStage &stage, Handle function,
                                    void *numbers, uint32_t elements) {
  std::vector<void *> values;
  values.reserve(stage.bindings.size());
  for (uint32_t binding : stage.bindings)
    values.push_back(binding == kBindWords   ? numbers
                     : binding == kBindError ? launch.error
                                             : launch.buffers[binding].data);
  std::vector<void *> arguments;
  arguments.reserve(values.size());
  for (void *&value : values)
    arguments.push_back(&value);
  uint32_t grid = std::min((elements - 1) / stage.workgroup + 1, kMaxWorkgroups);
  return check(driver.Launch(function, grid, 1, 1, stage.workgroup, 1, 1, 0, stream, arguments.data(), nullptr),
               driver.isHIP ? "hipModuleLaunchKernel" : "cuLaunchKernel");
}

relax_rt_status ChipDevice::launch(const DeviceLaunch &launch) {
  if (LaunchNumbers::isEmpty(launch))
    return RELAX_RT_OK;
  if (!makeCurrent())
    return check(1, driver.isHIP ? "hipSetDevice" : "cuCtxSetCurrent");
  const std::vector<Handle> *functions = nullptr;
  if (relax_rt_status status = prepare(*launch.kernel, functions))
    return status;
  for (size_t i = 0; i < functions->size(); ++i) {
    const std::vector<uint32_t> &values = launch.numbers[i];
    if (values[0] == 0)
      continue;
    void *numbers = launchNumbers.add(*this, values);
    if (!numbers)
      return failLiteral(RELAX_RT_OUT_OF_MEMORY, "no memory for the sizes of a kernel");
    if (relax_rt_status status = enqueue(launch, launch.kernel->stages[i], (*functions)[i], numbers, values[0]))
      return status;
  }
  return RELAX_RT_OK;
}

relax_rt_status ChipDevice::finish() {
  if (!makeCurrent())
    return check(1, driver.isHIP ? "hipSetDevice" : "cuCtxSetCurrent");
  launchNumbers.reset();
  return check(driver.SynchronizeStream(stream), driver.isHIP ? "hipStreamSynchronize" : "cuStreamSynchronize");
}
