//===- HostAPI.cpp - What compiled host code calls ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Compiled code is the caller, and it has no unwind tables: no exception may
// leave a function of this file. Indices are checked, a wrong one is an error of
// the compiler and reported as such.
//
//===----------------------------------------------------------------------===//
#include "Context.h"
#include "Error.h"

#include <algorithm>
#include <chrono>

using namespace relax_rt;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t relax_rt_context::arenaBytes() const {
  uint64_t bytes = 0;
  for (const Block &arena : arenas)
    bytes += arena.capacity();
  for (const GrowingBlock &block : growing)
    bytes += block.block.capacity();
  return bytes;
}

uint64_t relax_rt_context::heldBytes() const {
  uint64_t bytes = arenaBytes();
  for (const OutputSlot &slot : slots)
    bytes += slot.block.capacity();
  for (const Block &block : spares)
    bytes += block.capacity();
  return bytes;
}

/// With a limit, memory that is only kept for later must not add up with what the running call takes.
void relax_rt_context::makeRoom(uint64_t bytes) {
  if (memoryLimit == 0 || (bytes <= memoryLimit && heldBytes() <= memoryLimit - bytes))
    return;
  spares.clear();
  for (OutputSlot &slot : slots)
    if (!slot.ready)
      slot.block.release();
  for (size_t i = arenasReserved; i < arenas.size(); ++i)
    arenas[i].release();
  for (size_t i = growingReserved; i < growing.size(); ++i)
    growing[i].block.release();
  counters.arena_bytes = arenaBytes();
}

/// What grows a little with each call (`stepwise`), such as a cache, gets room for a few more, so that it is not
/// allocated anew each time.
bool relax_rt_context::grow(Block &block, uint64_t bytes, bool stepwise) {
  // Launches may still use what is given back.
  if ((block.data() || memoryLimit) && awaitDevice() != RELAX_RT_OK)
    return false;
  if (stepwise && memoryLimit == 0 && block.capacity() >= bytes / 2 && bytes <= UINT64_MAX / 2)
    bytes += bytes / 4;
  block.release();
  makeRoom(bytes);
  if (!block.allocate(bytes, device.get()))
    return false;
  ++counters.allocations;
  return true;
}

/// Counts what the running call asks for; false when that exceeds the limit.
bool relax_rt_context::charge(uint64_t bytes) {
  if (memoryLimit && (chargedBytes > memoryLimit || bytes > memoryLimit - chargedBytes))
    return false;
  chargedBytes += bytes;
  return true;
}

relax_rt_status relax_rt_context::overLimit(const std::string &what, uint64_t bytes) const {
  return failHere(RELAX_RT_OUT_OF_MEMORY, what + ": " + std::to_string(bytes) + " bytes exceed the memory limit of " +
                                              std::to_string(memoryLimit) + " bytes, of which " +
                                              std::to_string(chargedBytes) + " are in use");
}

relax_rt_status relax_rt_context::reserveArena(int64_t bytes, void **outBase) {
  if (bytes < 0)
    return failHere(RELAX_RT_INTERNAL, "compiled code asked for an arena of " + std::to_string(bytes) + " bytes");
  uint64_t size = static_cast<uint64_t>(bytes);
  if (!charge(size))
    return overLimit("arena", size);
  if (arenas.size() == arenasReserved) {
    arenas.emplace_back();
    arenaCharges.emplace_back();
  }
  arenaCharges[arenasReserved] = size;
  Block &arena = arenas[arenasReserved];
  if (arena.capacity() < std::max<uint64_t>(size, 1)) {
    // As large as the plan says. For the system it is cheap to give a little more, for a device it is not.
    bool grown = grow(arena, size, /*stepwise=*/device != nullptr);
    counters.arena_bytes = arenaBytes();
    if (!grown)
      return failHere(RELAX_RT_OUT_OF_MEMORY, "arena: cannot allocate " + std::to_string(bytes) + " bytes");
  }
  ++arenasReserved;
  *outBase = arena.data();
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A request stops one call: the one that sees it.
relax_rt_status relax_rt_context::pollCancel() {
  if (!cancelRequested.load(std::memory_order_relaxed) || !cancelRequested.exchange(false))
    return RELAX_RT_OK;
  return failHere(RELAX_RT_CANCELLED, "cancelled");
}

/// `text` with "{k}" replaced by values[k].
static std::string formatSite(const std::string &text, const int64_t *values, int64_t numValues) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
    size_t digits = end == std::string::npos ? 0 : end - i - 1;
    int64_t index = 0;
    for (size_t k = 0; k < digits; ++k) {
      char c = text[i + 1 + k];
      index = c >= '0' && c <= '9' && digits <= 9 ? 10 * index + (c - '0') : INT64_MAX;
      if (index == INT64_MAX)
        break;
    }
    if (digits == 0 || index >= numValues) {
      result += text[i];
      continue;
    }
    result += std::to_string(values[index]);
    i = end;
  }
  return result;
}

/// Steps that repay waking another thread: about ten microseconds of work.
constexpr int64_t kStepsPerThread = 32768;

LaunchRange relax_rt_context::getRange(const Kernel &kernel, const int64_t *scalars, int64_t grid) {
  if (!kernel.parts || grid == 0)
    return {grid, 0};
  int64_t counts[2] = {0, 0};
  kernel.parts(scalars, counts);
  return {counts[0], counts[1]};
}

void relax_rt_context::runKernel(const Kernel &kernel, void *const *buffers, const int64_t *scalars, LaunchRange range,
                                 int64_t *error) {
  auto [parts, work] = range;
  if (parts <= 0)
    return;
  int64_t threads = maxThreads ? maxThreads : usableCpus;
  // A negative count left 64 bits: it is large.
  if (work >= 0)
    threads = std::min(threads, work / kStepsPerThread);
  if (threads <= 1 || parts == 1 || !kernel.parts)
    return kernel.fn(buffers, scalars, 0, parts, error);
  struct Launch {
    relax_rt_kernel_fn fn;
    void *const *buffers;
    const int64_t *scalars;
    int64_t *error;
  } launch = {kernel.fn, buffers, scalars, error};
  pool.run(
      [](void *data, int64_t begin, int64_t end) {
        auto *shared = static_cast<Launch *>(data);
        shared->fn(shared->buffers, shared->scalars, begin, end, shared->error);
      },
      &launch, parts, threads);
}

relax_rt_status relax_rt_context::launch(int64_t kernel, void *const *buffers, const int64_t *scalars, int64_t grid) {
  if (kernel < 0 || static_cast<uint64_t>(kernel) >= module.kernels.size())
    return failHere(RELAX_RT_INTERNAL, "compiled code launched kernel " + std::to_string(kernel));
  size_t id = static_cast<size_t>(kernel);
  if (grid < 0)
    return failHere(RELAX_RT_INTERNAL, "kernel " + quote(module.metadata.kernels[id].name) +
                                           ": the range is negative: " + std::to_string(grid));
  if (openRegion >= 0)
    return insideRegion("launched kernel " + std::to_string(kernel));
  return launchRange(id, buffers, scalars, getRange(module.kernels[id], scalars, grid));
}

/// Runs something that has a name, and tells when it ran; `count` fills in what it did.
template <typename Run, typename Count>
static relax_rt_status traced(relax_rt_trace_fn fn, void *user, const std::string &name, bool isLibrary, Run &&run,
                              Count &&count) {
  if (!fn)
    return run();
  auto now = [] {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
  };
  relax_rt_trace_event event = {name.c_str(), isLibrary ? 1 : 0, now(), 0, -1, -1};
  relax_rt_status status = run();
  event.end_ns = now();
  count(event);
  fn(user, &event);
  return status;
}

relax_rt_status relax_rt_context::launchRange(size_t id, void *const *buffers, const int64_t *scalars,
                                              LaunchRange range) {
  if (relax_rt_status status = pollCancel())
    return status;
  auto count = [&](relax_rt_trace_event &event) {
    if (!module.kernels[id].work)
      return;
    int64_t counts[2] = {-1, -1};
    module.kernels[id].work(scalars, counts);
    event.bytes = counts[0];
    event.operations = counts[1];
  };
  return traced(
      traceFn, traceUser, module.metadata.kernels[id].name, /*isLibrary=*/false,
      [&] { return launchHere(id, buffers, scalars, range); }, count);
}

relax_rt_status relax_rt_context::launchHere(size_t id, void *const *buffers, const int64_t *scalars,
                                             LaunchRange range) {
  ++counters.kernel_launches;
  ++kernelLaunches[id];
  int64_t error = 0;
  if (device) {
    bool isDone = false;
    if (relax_rt_status status = launchOnDevice(id, buffers, scalars, isDone))
      return status;
    if (isDone)
      return RELAX_RT_OK;
    // It reads what launches before it have written.
    if (relax_rt_status status = awaitDevice())
      return status;
    ++deviceCounters.cpu_launches;
  }
  runKernel(module.kernels[id], buffers, scalars, range, &error);
  if (error == 0)
    return RELAX_RT_OK;
  const std::vector<GuardSite> &sites = module.metadata.sites;
  bool known = error > 0 && static_cast<uint64_t>(error) <= sites.size();
  return failHere(RELAX_RT_KERNEL_ERROR, known ? formatSite(sites[static_cast<size_t>(error) - 1].message, nullptr, 0)
                                               : "kernel " + quote(module.metadata.kernels[id].name) +
                                                     " set its error word to " + std::to_string(error));
}

relax_rt_status relax_rt_context::callExtern(int64_t function, const relax_rt_tensor_view *args, int64_t numArgs,
                                             const int64_t *scalars, int64_t numScalars) {
  if (function < 0 || static_cast<uint64_t>(function) >= module.externs.size())
    return failHere(RELAX_RT_INTERNAL, "compiled code called library function " + std::to_string(function));
  if (openRegion >= 0)
    return insideRegion("called library function " + std::to_string(function));
  return callLibrary(static_cast<size_t>(function), args, numArgs, scalars, numScalars);
}

relax_rt_status relax_rt_context::callLibrary(size_t id, const relax_rt_tensor_view *args, int64_t numArgs,
                                              const int64_t *scalars, int64_t numScalars) {
  if (relax_rt_status status = pollCancel())
    return status;
  if (relax_rt_status status = awaitDevice())
    return status;
  if (!module.externs[id].fn)
    return failHere(RELAX_RT_UNAVAILABLE,
                    "library function " + quote(module.metadata.externs[id].symbol) + " is not available");
  return traced(
      traceFn, traceUser, module.metadata.externs[id].symbol, /*isLibrary=*/true,
      [&] { return callHere(id, args, numArgs, scalars, numScalars); }, [](relax_rt_trace_event &) {});
}

relax_rt_status relax_rt_context::callHere(size_t id, const relax_rt_tensor_view *args, int64_t numArgs,
                                           const int64_t *scalars, int64_t numScalars) {
  ++counters.extern_calls;
  int32_t result = 0;
  bool thrown = false;
  try {
    result = module.externs[id].fn(module.externs[id].user, args, numArgs, scalars, numScalars);
  } catch (...) {
    thrown = true;
  }
  if (!thrown && result == 0)
    return RELAX_RT_OK;
  return failHere(RELAX_RT_EXTERN_ERROR, "library function " + quote(module.metadata.externs[id].symbol) +
                                             (thrown ? " threw an exception" : " returned " + std::to_string(result)));
}

relax_rt_status relax_rt_context::externAvailable(int64_t function, int64_t wanted, int64_t *outAvailable) {
  if (function < 0 || static_cast<uint64_t>(function) >= module.externs.size())
    return failHere(RELAX_RT_INTERNAL, "compiled code asked for library function " + std::to_string(function));
  bool available = module.externs[static_cast<size_t>(function)].fn != nullptr;
  if (wanted && !available)
    ++counters.fallbacks;
  *outAvailable = wanted && available;
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::guardFailed(int64_t site, const int64_t *values, int64_t numValues) {
  ++counters.guard_failures;
  const std::vector<GuardSite> &sites = module.metadata.sites;
  if (site < 0 || static_cast<uint64_t>(site) >= sites.size())
    return failHere(RELAX_RT_INTERNAL, "compiled code reported the unknown guard " + std::to_string(site));
  const GuardSite &found = sites[static_cast<size_t>(site)];
  return failHere(static_cast<relax_rt_status>(found.status),
                  formatSite(found.message, values, values ? numValues : 0));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Calls a member of the context so that no exception leaves. After a failure nothing is done any more: the failure
/// and its text stay the first ones even if host code carries on.
template <typename... Params, typename... Args>
static int32_t forward(relax_rt_invocation *invocation, relax_rt_status (relax_rt_context::*member)(Params...),
                       Args... args) noexcept {
  relax_rt_context &context = *invocation->context;
  if (context.firstFailure == RELAX_RT_OK)
    context.firstFailure = guarded([&] { return (context.*member)(args...); });
  return context.firstFailure;
}

const relax_rt_host_api relax_rt::kHostApi = {
    [](relax_rt_invocation *inv, int64_t index, const int64_t *dims, void **outData) {
      return forward(inv, &relax_rt_context::allocOutput, index, dims, outData);
    },
    [](relax_rt_invocation *inv, int64_t bytes, void **outBase) {
      return forward(inv, &relax_rt_context::reserveArena, bytes, outBase);
    },
    [](relax_rt_invocation *inv, int64_t kernel, void *const *buffers, const int64_t *scalars, int64_t grid) {
      return forward(inv, &relax_rt_context::launch, kernel, buffers, scalars, grid);
    },
    [](relax_rt_invocation *inv, int64_t function, const relax_rt_tensor_view *args, int64_t numArgs,
       const int64_t *scalars, int64_t numScalars) {
      return forward(inv, &relax_rt_context::callExtern, function, args, numArgs, scalars, numScalars);
    },
    [](relax_rt_invocation *inv, int64_t site, const int64_t *values, int64_t numValues) {
      return forward(inv, &relax_rt_context::guardFailed, site, values, numValues);
    },
    [](relax_rt_invocation *inv, int64_t count, int64_t *outFirst) {
      return forward(inv, &relax_rt_context::reserveGrowing, count, outFirst);
    },
    [](relax_rt_invocation *inv, int64_t block, int64_t bytes, void **outBase) {
      return forward(inv, &relax_rt_context::growTo, block, bytes, outBase);
    },
    [](relax_rt_invocation *inv) { return forward(inv, &relax_rt_context::enterFrame); },
    [](relax_rt_invocation *inv) { return forward(inv, &relax_rt_context::leaveFrame); },
    [](relax_rt_invocation *inv, int64_t function, int64_t wanted, int64_t *outAvailable) {
      return forward(inv, &relax_rt_context::externAvailable, function, wanted, outAvailable);
    },
    [](relax_rt_invocation *inv, int64_t index, const int64_t *dims, int64_t input, void **outData) {
      return forward(inv, &relax_rt_context::extendOutput, index, dims, input, outData);
    },
    [](relax_rt_invocation *inv, int64_t region, const int64_t *key, int64_t numKey, void *const *pointers,
       int64_t numPointers, int64_t *outDone) {
      return forward(inv, &relax_rt_context::beginRegion, region, key, numKey, pointers, numPointers, outDone);
    },
    [](relax_rt_invocation *inv, int64_t kernel, const int64_t *indices, int64_t numBuffers, const int64_t *scalars,
       int64_t numScalars) {
      return forward(inv, &relax_rt_context::launchInRegion, kernel, indices, numBuffers, scalars, numScalars);
    },
    [](relax_rt_invocation *inv) { return forward(inv, &relax_rt_context::endRegion); },
    [](relax_rt_invocation *inv, int64_t function, const int64_t *indices, const relax_rt_tensor_view *args,
       int64_t numArgs, const int64_t *scalars, int64_t numScalars) {
      return forward(inv, &relax_rt_context::callInRegion, function, indices, args, numArgs, scalars, numScalars);
    },
    [](relax_rt_invocation *inv) { return forward(inv, &relax_rt_context::awaitDevice); },
    [](relax_rt_invocation *inv, int64_t index, const int64_t *dims, int64_t input, int64_t keep, void **outData) {
      return forward(inv, &relax_rt_context::donateOutput, index, dims, input, keep, outData);
    },
};
