//===- LaunchNumbers.h - Sizes that the stages of a launch read -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_DEVICE_LAUNCHNUMBERS_H
#define RELAX_RUNTIME_DEVICE_LAUNCHNUMBERS_H

#include "Device.h"

#include <algorithm>

namespace relax_rt {

/// Memory of a device for the numbers of a launch's stages, kept for the next launch. It goes with the device's own.
class LaunchNumbers {
public:
  /// Room for the numbers of a stage, so that those of the next begin where a buffer may.
  static uint64_t getBytes(const std::vector<uint32_t> &values) { return (values.size() * 4 + 63) / 64 * 64; }
  /// Whether no stage has an element.
  static bool isEmpty(const DeviceLaunch &launch) {
    return std::all_of(launch.numbers.begin(), launch.numbers.end(),
                       [](const std::vector<uint32_t> &values) { return values[0] == 0; });
  }

  /// False when the device has no memory for them.
  bool reserve(Device &device, const DeviceLaunch &launch) {
    uint64_t needed = 0;
    for (const std::vector<uint32_t> &values : launch.numbers)
      needed += getBytes(values);
    if (bytes >= needed)
      return true;
    device.release(memory);
    memory = device.allocate(needed);
    bytes = memory ? needed : 0;
    return memory != nullptr;
  }
  char *data() const { return static_cast<char *>(memory); }

private:
  void *memory = nullptr;
  uint64_t bytes = 0;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_DEVICE_LAUNCHNUMBERS_H
