//===- Memory.h - Aligned blocks and byte counts --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_MEMORY_H
#define RELAX_RUNTIME_CORE_MEMORY_H

#include <cstdint>

namespace relax_rt {

/// Alignment of everything that is handed to compiled code.
constexpr uint64_t kAlignment = 64;

class Device;

/// A block of memory that is owned by this object.
class Block {
public:
  Block() = default;
  Block(Block &&other) noexcept;
  Block &operator=(Block &&other) noexcept;
  ~Block();

  /// Replaces the block by one of at least `bytes` with undefined contents, never of size 0, in memory of `device`
  /// where there is one, which must live longer. The old one is freed first, so that both never exist together. False,
  /// and no block, when the system refuses.
  bool allocate(uint64_t bytes, Device *device = nullptr);
  void release();
  bool contains(const void *pointer) const;

  void *data() const { return base; }
  uint64_t capacity() const { return size; }

private:
  void *base = nullptr;
  uint64_t size = 0;
  Device *owner = nullptr; // null: the system
};

/// Product of `elementBytes` and the extents (each >= 0); false when it does not fit int64. An extent 0 makes it 0.
bool countBytes(const int64_t *dims, int64_t rank, uint64_t elementBytes, uint64_t &bytes);

} // namespace relax_rt

#endif // RELAX_RUNTIME_CORE_MEMORY_H
