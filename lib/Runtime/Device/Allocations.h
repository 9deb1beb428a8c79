//===- Allocations.h - Memory that a device gave --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_DEVICE_ALLOCATIONS_H
#define RELAX_RUNTIME_DEVICE_ALLOCATIONS_H

#include <cstdint>
#include <iterator>
#include <map>

namespace relax_rt {

/// Bytes of each allocation, for devices on which any address in one may be a buffer.
class Allocations {
public:
  void add(void *memory, uint64_t bytes) { byAddress[reinterpret_cast<uintptr_t>(memory)] = bytes; }
  /// False where it is none.
  bool remove(void *memory) { return byAddress.erase(reinterpret_cast<uintptr_t>(memory)) != 0; }
  /// Whether [data, data + bytes) lies in one of them, at an offset that is a multiple of `alignment`.
  bool own(const void *data, uint64_t bytes, uint64_t alignment) const {
    auto address = reinterpret_cast<uintptr_t>(data);
    auto above = byAddress.upper_bound(address);
    if (above == byAddress.begin())
      return false;
    const auto &[base, size] = *std::prev(above);
    uint64_t offset = address - base;
    return offset <= size && bytes <= size - offset && offset % alignment == 0;
  }
  /// Any of them, null when there is none.
  void *first() const { return byAddress.empty() ? nullptr : reinterpret_cast<void *>(byAddress.begin()->first); }

private:
  std::map<uintptr_t, uint64_t> byAddress;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_DEVICE_ALLOCATIONS_H
