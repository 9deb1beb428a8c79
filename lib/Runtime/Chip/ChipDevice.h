//===- ChipDevice.h - A device behind CUDA or HIP -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CHIP_CHIPDEVICE_H
#define RELAX_RUNTIME_CHIP_CHIPDEVICE_H

#include "../Device/Allocations.h"
#include "../Device/LaunchNumbers.h"
#include "ChipDriver.h"

#include <unordered_map>

namespace relax_rt {

/// Memory is managed: host and device see it at the same address.
class ChipDevice final : public Device {
public:
  explicit ChipDevice(bool isHIP) : driver(isHIP) {}
  ~ChipDevice() override;
  relax_rt_status open();

  const std::string &name() const override { return deviceName; }
  uint32_t features() const override { return kAllDeviceFeatures; }
  uint64_t maxBufferBytes() const override { return maxBytes; }
  uint64_t offsetAlignment() const override { return 16; }
  int rank(const std::string &target) const override;
  void *allocate(uint64_t bytes) override;
  void release(void *memory) override;
  bool owns(const void *data, uint64_t bytes) const override;
  relax_rt_status launch(const DeviceLaunch &launch) override;
  relax_rt_status finish() override;

private:
  struct Prepared {
    chip::Handle module = nullptr;
    std::vector<chip::Handle> functions;
  };
  relax_rt_status check(chip::Result result, const char *what) const;
  bool chooseDevice(std::string &reason);
  bool makeCurrent() const;
  relax_rt_status prepare(const DeviceKernel &kernel, const std::vector<chip::Handle> *&functions);
  relax_rt_status enqueue(const DeviceLaunch &launch, const DeviceStage &stage, chip::Handle function, void *numbers,
                          uint32_t elements);

  chip::Driver driver;
  int device = 0;
  chip::Handle context = nullptr; // of CUDA; HIP has one for each device
  chip::Handle stream = nullptr;
  std::string deviceName;
  std::string architecture; // of AMD: "gfx90a"
  int capability = 0;       // of NVIDIA: 90
  uint64_t maxBytes = 0;
  Allocations allocations;
  std::unordered_map<const DeviceKernel *, Prepared> prepared;
  LaunchNumbers launchNumbers;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_CHIP_CHIPDEVICE_H
