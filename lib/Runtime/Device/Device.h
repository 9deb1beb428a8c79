//===- Device.h - What the runtime asks of a device -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_DEVICE_DEVICE_H
#define RELAX_RUNTIME_DEVICE_DEVICE_H

#include "RelaxDialect/Runtime/DeviceCode.h"
#include "RelaxDialect/Runtime/Runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace relax_rt {

/// Memory of a launch, by its address on the host. All of it was given by the device's own `allocate`. A device whose
/// memory is not the host's copies what a launch reads and what it has written.
struct DeviceBuffer {
  void *data;
  uint64_t bytes; // may be 0
};

struct DeviceLaunch {
  const DeviceKernel *kernel;
  std::vector<DeviceBuffer> buffers;          // of the launch, then intermediates
  std::vector<std::vector<uint32_t>> numbers; // of each stage; one with 0 elements is left out
  void *error;                                // the error word, of 32 bits
};

/// One queue of one device. Used by one thread at a time. Texts of failures do not name the device.
class Device {
public:
  virtual ~Device() = default;
  /// What the driver calls it.
  virtual const std::string &name() const = 0;
  virtual uint32_t features() const = 0;
  virtual uint64_t maxBufferBytes() const = 0;
  /// Offsets of buffers in allocated memory are multiples of this.
  virtual uint64_t offsetAlignment() const = 0;
  /// How well code of a target runs here, more being better; negative: not at all.
  virtual int rank(const std::string &target) const {
    (void)target;
    return 0;
  }

  /// Memory that host and device see, 64-byte aligned; null when the device refuses.
  virtual void *allocate(uint64_t bytes) = 0;
  virtual void release(void *memory) = 0;
  /// Whether [data, data + bytes) lies in one allocation, at an offset that a buffer may have.
  virtual bool owns(const void *data, uint64_t bytes) const = 0;

  /// Runs all stages after those of earlier launches, of which each sees what these wrote. They may be running when
  /// this returns: memory of the launch stays what it is until `finish`.
  virtual relax_rt_status launch(const DeviceLaunch &launch) = 0;
  /// Waits for all launches; the host sees what they wrote.
  virtual relax_rt_status finish() = 0;
};

/// RELAX_RT_UNAVAILABLE, with the reason, where there is no driver or no device.
relax_rt_status openVulkanDevice(std::unique_ptr<Device> &device);
relax_rt_status openOpenCLDevice(std::unique_ptr<Device> &device);
/// Of NVIDIA by CUDA, of AMD by HIP.
relax_rt_status openChipDevice(bool isHIP, std::unique_ptr<Device> &device);

} // namespace relax_rt

#endif // RELAX_RUNTIME_DEVICE_DEVICE_H
