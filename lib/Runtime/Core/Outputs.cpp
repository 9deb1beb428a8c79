//===- Outputs.cpp - Where outputs live -----------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Each output of a call has a block, which is kept from call to call. An output
// of one call may be an input of the next one, whole or some rows of it: its
// block is set aside then, so that it is not overwritten while it is read. What
// continues such an input gets its block back and grows behind it. What a call
// donates is where its outputs live, if they fit.
//
//===----------------------------------------------------------------------===//
#include "Context.h"
#include "Error.h"

#include <algorithm>
#include <cstring>

using namespace relax_rt;

/// What all outputs are checked for; counts their bytes.
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
  return RELAX_RT_OK;
}

/// Counts the bytes of an output that has memory of the context as the call's.
relax_rt_status relax_rt_context::chargeOutput(int64_t index, uint64_t bytes) {
  return charge(bytes) ? RELAX_RT_OK
                       : overLimit("output " + quote(current->outputs[static_cast<size_t>(index)].info.name), bytes);
}

void relax_rt_context::finishOutput(int64_t index, const int64_t *dims, void **outData) {
  OutputSlot &slot = slots[static_cast<size_t>(index)];
  slot.dims.assign(dims, dims + current->outputs[static_cast<size_t>(index)].info.rank);
  slot.ready = true;
  *outData = slot.data();
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
  if (relax_rt_status status = chargeOutput(index, bytes))
    return status;
  const relax_rt_tensor_info &info = current->outputs[static_cast<size_t>(index)].info;
  if (!takeBlock(slots[static_cast<size_t>(index)], bytes, bytes))
    return failHere(RELAX_RT_OUT_OF_MEMORY,
                    "output " + quote(info.name) + ": cannot allocate " + std::to_string(bytes) + " bytes");
  finishOutput(index, dims, outData);
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

/// What an output continues, or is updated from, is an input of the call and not larger.
relax_rt_status relax_rt_context::checkContinued(int64_t index, int64_t input, uint64_t bytes) const {
  std::string name = "output " + quote(current->outputs[static_cast<size_t>(index)].info.name);
  if (input < 0 || static_cast<uint64_t>(input) >= current->inputs.size())
    return failHere(RELAX_RT_INTERNAL, name + " continues input " + std::to_string(input));
  if (countInputBytes(static_cast<size_t>(input)) > bytes)
    return failHere(RELAX_RT_INTERNAL, name + " is smaller than the input that it continues");
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::extendOutput(int64_t index, const int64_t *dims, int64_t input, void **outData) {
  uint64_t bytes;
  if (relax_rt_status status = beginOutput(index, dims, bytes))
    return status;
  if (relax_rt_status status = awaitDevice()) // rows may be copied
    return status;
  if (relax_rt_status status = checkContinued(index, input, bytes))
    return status;
  ++counters.extensions;
  if (takeDonated(index, input, dims, bytes, outData))
    return RELAX_RT_OK;
  if (relax_rt_status status = chargeOutput(index, bytes))
    return status;

  OutputSlot &slot = slots[static_cast<size_t>(index)];
  uint64_t kept = countInputBytes(static_cast<size_t>(input));
  void *data = inputs[static_cast<size_t>(input)].data;
  auto aside =
      std::find_if(setAside.begin(), setAside.end(), [&](const SetAside &it) { return it.block.contains(data); });
  if (aside == setAside.end() || !extendInPlace(slot, *aside, data, kept, bytes)) {
    // Twice as much, so that what grows row by row is copied a few times only.
    uint64_t wanted = kept && memoryLimit == 0 && bytes <= UINT64_MAX / 2 ? 2 * bytes : bytes;
    if (!takeBlock(slot, bytes, wanted))
      return failHere(RELAX_RT_OUT_OF_MEMORY, "output " +
                                                  quote(current->outputs[static_cast<size_t>(index)].info.name) +
                                                  ": cannot allocate " + std::to_string(wanted) + " bytes");
    if (kept)
      std::memcpy(slot.block.data(), data, kept);
    counters.copied_bytes += kept;
    if (aside != setAside.end())
      aside->outgrown = true;
  }
  finishOutput(index, dims, outData);
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// Outputs in memory that the call donates
//===----------------------------------------------------------------------===//

/// The memory of the input becomes the output's. An output of an earlier call brings its block along, which stays
/// the context's.
bool relax_rt_context::takeDonated(int64_t index, int64_t input, const int64_t *dims, uint64_t bytes, void **outData) {
  uint64_t &capacity = capacities[static_cast<size_t>(input)];
  if (capacity == 0 || bytes > capacity)
    return false;
  capacity = 0; // one output each
  ++counters.donations;
  OutputSlot &slot = slots[static_cast<size_t>(index)];
  char *data = static_cast<char *>(inputs[static_cast<size_t>(input)].data);
  auto aside =
      std::find_if(setAside.begin(), setAside.end(), [&](const SetAside &it) { return it.block.contains(data); });
  if (aside == setAside.end()) {
    slot.donated = data;
  } else {
    if (slot.block.data())
      spares.push_back(std::move(slot.block));
    slot.block = std::move(aside->block);
    slot.offset = static_cast<uint64_t>(data - static_cast<char *>(slot.block.data()));
  }
  finishOutput(index, dims, outData);
  return true;
}

relax_rt_status relax_rt_context::donateOutput(int64_t index, const int64_t *dims, int64_t input, int64_t keep,
                                               void **outData) {
  uint64_t bytes;
  if (relax_rt_status status = beginOutput(index, dims, bytes))
    return status;
  if (input < 0 || static_cast<uint64_t>(input) >= current->inputs.size() || keep)
    if (relax_rt_status status = checkContinued(index, input, bytes))
      return status;
  counters.extensions += keep ? 1 : 0;
  if (takeDonated(index, input, dims, bytes, outData))
    return RELAX_RT_OK;
  if (relax_rt_status status = allocOutput(index, dims, outData))
    return status;
  if (uint64_t kept = keep ? countInputBytes(static_cast<size_t>(input)) : 0) {
    if (relax_rt_status status = awaitDevice())
      return status;
    std::memcpy(*outData, inputs[static_cast<size_t>(input)].data, kept);
    counters.copied_bytes += kept;
  }
  return RELAX_RT_OK;
}
