//===- Outputs.cpp - Where outputs live -----------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Each output of a call has a block, which is kept from call to call. An output
// of one call may be an input of the next one, whole or some rows of it: its
// block is set aside then, so that it is not overwritten while it is read. What
// continues such an input gets its block back and grows behind it.
//
//===----------------------------------------------------------------------===//
#include "Context.h"
#include "Error.h"

#include <algorithm>
#include <cstring>

using namespace relax_rt;

/// What all outputs are checked for; counts their bytes as the call's.
relax_rt_status relax_rt_context::beginOutput(int64_t index, const int64_t *dims, uint64_t &bytes) {
  if (index < 0 || static_cast<uint64_t>(index) >= current->outputs.size())
    return failHere(RELAX_RT_INTERNAL, "compiled code asked for output " + std::to_string(index));
  const relax_rt_tensor_info &info = current->outputs[static_cast<size_t>(index)].info;
  auto name = [&] { return "output " + quote(info.name); };
  if (slots[static_cast<size_t>(index)].ready)
    return failHere(RELAX_RT_INTERNAL, name() + " was made twice");
  for (int64_t i = 0; i < info.rank; ++i)
    if (dims[i] < 0)
      return failHere(RELAX_RT_INTERNAL,
                      name() + ": dimension " + std::to_string(i) + " is negative: " + std::to_string(dims[i]));
  if (!countBytes(dims, info.rank, (info.dtype.bits + 7u) / 8, bytes)) {
    std::string shape;
    for (int64_t i = 0; i < info.rank; ++i)
      shape += (i ? ", " : "") + std::to_string(dims[i]);
    return failHere(RELAX_RT_OUT_OF_MEMORY, name() + ": a tensor of shape [" + shape + "] exceeds 2^63 bytes");
  }
  return charge(bytes) ? RELAX_RT_OK : overLimit(name(), bytes);
}

/// Gives the slot a block of at least `bytes`: its own, a spare one, or a new one of `wanted` bytes.
bool relax_rt_context::takeBlock(OutputSlot &slot, uint64_t bytes, uint64_t wanted) {
  slot.offset = 0;
  auto isSmall = [&] { return slot.block.capacity() < std::max<uint64_t>(bytes, 1); };
  if (isSmall()) {
    // The smallest spare block that is large enough, else the largest one makes place for a new block.
    auto better = [&](const Block &a, const Block &b) {
      bool fitsA = a.capacity() >= bytes, fitsB = b.capacity() >= bytes;
      return fitsA != fitsB ? fitsA : fitsA ? a.capacity() < b.capacity() : a.capacity() > b.capacity();
    };
    auto spare = std::min_element(spares.begin(), spares.end(), better);
    if (spare != spares.end()) {
      slot.block = std::move(*spare);
      spares.erase(spare);
    }
  }
  return !isSmall() || grow(slot.block, wanted, /*stepwise=*/wanted == bytes);
}

relax_rt_status relax_rt_context::allocOutput(int64_t index, const int64_t *dims, void **outData) {
  uint64_t bytes;
  if (relax_rt_status status = beginOutput(index, dims, bytes))
    return status;
  OutputSlot &slot = slots[static_cast<size_t>(index)];
  const relax_rt_tensor_info &info = current->outputs[static_cast<size_t>(index)].info;
  if (!takeBlock(slot, bytes, bytes))
    return failHere(RELAX_RT_OUT_OF_MEMORY,
                    "output " + quote(info.name) + ": cannot allocate " + std::to_string(bytes) + " bytes");
  slot.dims.assign(dims, dims + info.rank);
  slot.ready = true;
  *outData = slot.block.data();
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// Outputs that continue an input
//===----------------------------------------------------------------------===//

/// The inputs were checked: their bytes can be counted.
uint64_t relax_rt_context::countInputBytes(size_t input) const {
  const relax_rt_tensor_info &info = current->inputs[input].info;
  uint64_t bytes = 0;
  countBytes(inputs[input].dims, info.rank, (info.dtype.bits + 7u) / 8, bytes);
  return bytes;
}

/// Some input of the call has bytes in [begin, end).
bool relax_rt_context::isRead(const char *begin, const char *end) const {
  for (size_t i = 0; i < current->inputs.size(); ++i) {
    const auto *first = static_cast<const char *>(inputs[i].data);
    uint64_t bytes = countInputBytes(i);
    if (bytes && first < end && begin < first + bytes)
      return true;
  }
  return false;
}

/// Takes the block in which the input lies: where it is when there is room behind it, else at the start of the block
/// when the rows there were given up. False when neither is so, or another input lies there.
bool relax_rt_context::extendInPlace(OutputSlot &slot, SetAside &aside, void *data, uint64_t kept, uint64_t bytes) {
  auto *base = static_cast<char *>(aside.block.data()), *first = static_cast<char *>(data);
  uint64_t offset = static_cast<uint64_t>(first - base), capacity = aside.block.capacity();
  bool fits = offset % kAlignment == 0 && bytes <= capacity - offset && !isRead(first + kept, first + bytes);
  if (!fits && (bytes > offset || isRead(base, base + bytes)))
    return false;
  if (slot.block.data())
    spares.push_back(std::move(slot.block));
  slot.block = std::move(aside.block);
  slot.offset = fits ? offset : 0;
  if (!fits) {
    std::memcpy(base, first, kept);
    counters.copied_bytes += kept;
  }
  return true;
}

relax_rt_status relax_rt_context::extendOutput(int64_t index, const int64_t *dims, int64_t input, void **outData) {
  uint64_t bytes;
  if (relax_rt_status status = beginOutput(index, dims, bytes))
    return status;
  if (relax_rt_status status = awaitDevice()) // rows may be copied
    return status;
  const relax_rt_tensor_info &info = current->outputs[static_cast<size_t>(index)].info;
  auto name = [&] { return "output " + quote(info.name); };
  if (input < 0 || static_cast<uint64_t>(input) >= current->inputs.size())
    return failHere(RELAX_RT_INTERNAL, name() + " continues input " + std::to_string(input));
  uint64_t kept = countInputBytes(static_cast<size_t>(input));
  if (kept > bytes)
    return failHere(RELAX_RT_INTERNAL, name() + " is smaller than the input that it continues");

  ++counters.extensions;
  OutputSlot &slot = slots[static_cast<size_t>(index)];
  void *data = inputs[static_cast<size_t>(input)].data;
  auto aside =
      std::find_if(setAside.begin(), setAside.end(), [&](const SetAside &it) { return it.block.contains(data); });
  if (aside == setAside.end() || !extendInPlace(slot, *aside, data, kept, bytes)) {
    // Twice as much, so that what grows row by row is copied a few times only.
    uint64_t wanted = kept && memoryLimit == 0 && bytes <= UINT64_MAX / 2 ? 2 * bytes : bytes;
    if (!takeBlock(slot, bytes, wanted))
      return failHere(RELAX_RT_OUT_OF_MEMORY, name() + ": cannot allocate " + std::to_string(wanted) + " bytes");
    if (kept)
      std::memcpy(slot.block.data(), data, kept);
    counters.copied_bytes += kept;
    if (aside != setAside.end())
      aside->outgrown = true;
  }
  slot.dims.assign(dims, dims + info.rank);
  slot.ready = true;
  *outData = static_cast<char *>(slot.block.data()) + slot.offset;
  return RELAX_RT_OK;
}
