//===- OpenCLDevice.h - A device behind OpenCL ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_OPENCL_OPENCLDEVICE_H
#define RELAX_RUNTIME_OPENCL_OPENCLDEVICE_H

#include "../Device/Allocations.h"
#include "../Device/LaunchNumbers.h"
#include "OpenCLDriver.h"

#include <unordered_map>

namespace relax_rt {

/// Memory is shared with the host at a fine grain, so that nothing is copied and any address in it may be a buffer.
class OpenCLDevice final : public Device {
public:
  ~OpenCLDevice() override;
  relax_rt_status open();

  const std::string &name() const override { return deviceName; }
  uint32_t features() const override { return supported; }
  uint64_t maxBufferBytes() const override { return maxBytes; }
  uint64_t offsetAlignment() const override { return 4; }
  void *allocate(uint64_t bytes) override;
  void release(void *memory) override;
  bool owns(const void *data, uint64_t bytes) const override;
  relax_rt_status launch(const DeviceLaunch &launch) override;
  relax_rt_status finish() override;

private:
  bool chooseDevice(std::string &reason);
  bool isUsable(cl::Device candidate, std::string &reason);
  relax_rt_status check(cl::Int result, const char *what) const;
  std::string getText(cl::Device candidate, uint32_t what) const;
  template <typename T> T getNumber(cl::Device candidate, uint32_t what) const {
    T value = 0;
    return driver.GetDeviceInfo(candidate, what, sizeof(value), &value, nullptr) == 0 ? value : T(0);
  }
  relax_rt_status prepare(const DeviceKernel &kernel, const std::vector<cl::Kernel> *&kernels);
  relax_rt_status enqueue(const DeviceLaunch &launch, const DeviceStage &stage, cl::Kernel kernel, void *numbers,
                          uint32_t elements);

  cl::Driver driver;
  cl::Device device = nullptr;
  cl::Context context = nullptr;
  cl::Queue queue = nullptr;
  uint32_t supported = 0;
  uint64_t maxBytes = 0;
  std::string deviceName;
  Allocations allocations;
  struct Prepared {
    cl::Program program = nullptr;
    std::vector<cl::Kernel> kernels;
  };
  std::unordered_map<const DeviceKernel *, Prepared> prepared;
  LaunchNumbers launchNumbers;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_OPENCL_OPENCLDEVICE_H
