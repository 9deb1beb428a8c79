//===- Memory.cpp - Aligned blocks and byte counts ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Memory.h"

#include "../Device/Device.h"

#include <cstdlib>
#include <utility>

using namespace relax_rt;

Block::Block(Block &&other) noexcept : base(other.base), size(other.size), owner(other.owner) {
  other.base = nullptr;
  other.size = 0;
}

Block &Block::operator=(Block &&other) noexcept {
  std::swap(base, other.base);
  std::swap(size, other.size);
  std::swap(owner, other.owner);
  return *this;
}

Block::~Block() { release(); }

void Block::release() {
  if (owner && base)
    owner->release(base);
  else
    std::free(base);
  base = nullptr;
  size = 0;
}

bool Block::allocate(uint64_t bytes, Device *device) {
  release();
  owner = device;
  // Room for rounding up, within what pointers can be subtracted over.
  if (bytes > static_cast<uint64_t>(PTRDIFF_MAX) - kAlignment)
    return false;
  uint64_t rounded = bytes == 0 ? kAlignment : (bytes + kAlignment - 1) / kAlignment * kAlignment;
  base = device ? device->allocate(rounded) : std::aligned_alloc(kAlignment, rounded);
  if (!base)
    return false;
  size = rounded;
  return true;
}

bool Block::contains(const void *pointer) const {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer), begin = reinterpret_cast<uintptr_t>(base);
  return base && address >= begin && address - begin < size;
}

bool relax_rt::countBytes(const int64_t *dims, int64_t rank, uint64_t elementBytes, uint64_t &bytes) {
  bytes = 0;
  // Before multiplying: an empty tensor may have extents whose product does not fit.
  for (int64_t i = 0; i < rank; ++i)
    if (dims[i] == 0)
      return true;
  int64_t product = static_cast<int64_t>(elementBytes);
  for (int64_t i = 0; i < rank; ++i)
    if (__builtin_mul_overflow(product, dims[i], &product))
      return false;
  bytes = static_cast<uint64_t>(product);
  return true;
}
