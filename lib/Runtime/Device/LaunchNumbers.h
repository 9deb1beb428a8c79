//===- LaunchNumbers.h - Sizes that the stages of launches read -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_DEVICE_LAUNCHNUMBERS_H
#define RELAX_RUNTIME_DEVICE_LAUNCHNUMBERS_H

#include "Device.h"

#include <algorithm>
#include <cstring>

namespace relax_rt {

/// Memory of a device for the numbers of the stages that were not waited for. It goes with the device's own.
class LaunchNumbers {
public:
  /// Whether no stage has an element.
  static bool isEmpty(const DeviceLaunch &launch) {
    return std::all_of(launch.numbers.begin(), launch.numbers.end(),
                       [](const std::vector<uint32_t> &values) { return values[0] == 0; });
  }

  /// A copy of the numbers of a stage, where a buffer may begin; null when the device has no memory for them.
  void *add(Device &device, const std::vector<uint32_t> &values) {
    uint64_t needed = (values.size() * 4 + 63) / 64 * 64;
    while (next < chunks.size() && chunks[next].bytes - used < needed) {
      ++next;
      used = 0;
    }
    if (next == chunks.size()) {
      uint64_t bytes = std::max(needed, kChunkBytes);
      void *memory = device.allocate(bytes);
      if (!memory)
        return nullptr;
      chunks.push_back({static_cast<char *>(memory), bytes});
    }
    char *place = chunks[next].memory + used;
    std::memcpy(place, values.data(), values.size() * 4);
    used += needed;
    return place;
  }
  /// All that was added has been read.
  void reset() { next = used = 0; }

private:
  static constexpr uint64_t kChunkBytes = 16384;
  struct Chunk {
    char *memory;
    uint64_t bytes;
  };
  std::vector<Chunk> chunks;
  size_t next = 0; // the chunk that is being filled
  uint64_t used = 0;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_DEVICE_LAUNCHNUMBERS_H
