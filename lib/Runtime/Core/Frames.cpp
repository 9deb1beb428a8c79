//===- Frames.cpp - Memory of loops and of calls between functions --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What one iteration hands to the next lives in blocks that grow. They keep
// their size from call to call, and grow by half at least, so that a loop asks
// the system a number of times that is logarithmic in the final size.
//
//===----------------------------------------------------------------------===//
#include "Context.h"
#include "Error.h"

#include <algorithm>

using namespace relax_rt;

/// Calls between functions of the module may use this much of the caller's stack.
static constexpr uintptr_t kMaxStackBytes = uintptr_t(1) << 20;

static uintptr_t stackPosition() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); }

void relax_rt_context::startFrames() {
  arenasReserved = growingReserved = 0;
  frames.clear();
  openRegion = -1; // a call that failed left it open
  stackStart = stackPosition();
}

relax_rt_status relax_rt_context::reserveGrowing(int64_t count, int64_t *outFirst) {
  if (count < 0)
    return failHere(RELAX_RT_INTERNAL, "compiled code asked for " + std::to_string(count) + " growing blocks");
  *outFirst = static_cast<int64_t>(growingReserved);
  size_t end = growingReserved + static_cast<size_t>(count);
  if (growing.size() < end)
    growing.resize(end);
  for (; growingReserved < end; ++growingReserved)
    growing[growingReserved].charged = 0;
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::growTo(int64_t block, int64_t bytes, void **outBase) {
  if (block < 0 || static_cast<uint64_t>(block) >= growingReserved || bytes < 0)
    return failHere(RELAX_RT_INTERNAL, "compiled code asked for " + std::to_string(bytes) + " bytes in growing block " +
                                           std::to_string(block));
  GrowingBlock &growingBlock = growing[static_cast<size_t>(block)];
  uint64_t size = static_cast<uint64_t>(bytes);
  if (size > growingBlock.charged) {
    if (!charge(size - growingBlock.charged))
      return overLimit("memory of a loop or call", size);
    growingBlock.charged = size;
  }
  uint64_t capacity = growingBlock.block.capacity();
  if (capacity < std::max<uint64_t>(size, 1)) {
    uint64_t wanted = std::max(size, capacity + capacity / 2);
    if (memoryLimit && (wanted > memoryLimit || heldBytes() > memoryLimit - wanted))
      wanted = size;
    bool grown = grow(growingBlock.block, wanted) || (wanted > size && grow(growingBlock.block, size));
    counters.arena_bytes = arenaBytes();
    if (!grown)
      return failHere(RELAX_RT_OUT_OF_MEMORY,
                      "memory of a loop or call: cannot allocate " + std::to_string(bytes) + " bytes");
  }
  *outBase = growingBlock.block.data();
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::enterFrame() {
  if (relax_rt_status status = pollCancel())
    return status;
  uintptr_t position = stackPosition();
  uintptr_t used = position < stackStart ? stackStart - position : position - stackStart;
  if (used > kMaxStackBytes)
    return failHere(RELAX_RT_OUT_OF_MEMORY, "calls of functions are nested " + std::to_string(frames.size()) +
                                                " deep, which needs more than " + std::to_string(kMaxStackBytes) +
                                                " bytes of the stack");
  frames.push_back({arenasReserved, growingReserved});
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::leaveFrame() {
  if (frames.empty())
    return failHere(RELAX_RT_INTERNAL, "compiled code left a function that it did not enter");
  Frame frame = frames.back();
  frames.pop_back();
  for (size_t i = frame.arenas; i < arenasReserved; ++i)
    chargedBytes -= arenaCharges[i];
  for (size_t i = frame.growing; i < growingReserved; ++i)
    chargedBytes -= growing[i].charged;
  arenasReserved = frame.arenas;
  growingReserved = frame.growing;
  return RELAX_RT_OK;
}
