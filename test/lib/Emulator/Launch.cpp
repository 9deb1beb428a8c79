//===- Launch.cpp - Threads of a block as fibers --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Launch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace relax_emulator;

Launch *&relax_emulator::getCurrentLaunch() {
  static thread_local Launch *current = nullptr;
  return current;
}

Stacks::~Stacks() {
  for (char *stack : stacks)
    munmap(stack, kBytes);
}

char *Stacks::get(size_t index) {
  while (stacks.size() <= index) {
    void *made = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
      return nullptr;
    constexpr size_t kGuard = 4096;
    mprotect(made, kGuard, PROT_NONE);
    stacks.push_back(static_cast<char *>(made));
  }
  return stacks[index];
}

Launch::Launch(const LoadedKernel &loaded, const LaunchSizes &sizes, void **arguments, const Memory &memory,
               SharedMemory &shared, Stacks &stacks, Counters *accessCounters)
    : loaded(loaded), sizes(sizes), arguments(arguments), memory(memory), shared(shared), stacks(stacks),
      accessCounters(accessCounters), lastRanges(loaded.code.sites.size()),
      numThreads(sizes.block[0] * sizes.block[1] * sizes.block[2]) {
  fillImplicitArguments();
  // Threads that wait for no other run one after the other on one fiber.
  threads.resize(loaded.kernel.waits ? numThreads : 1);
}

/// What AMD's runtime adds to the arguments, as code object version 5 has it.
void Launch::fillImplicitArguments() {
  llvm::copy(sizes.grid, implicitArguments.begin());
  std::array<uint16_t, 3> block;
  llvm::copy(sizes.block, block.begin());
  std::memcpy(&implicitArguments[3], block.data(), sizeof(block));
}

bool Launch::fail(const std::string &text) {
  auto show = [](const Dim3 &at) {
    return std::to_string(at[0]) + "," + std::to_string(at[1]) + "," + std::to_string(at[2]);
  };
  if (failure.empty())
    failure = "kernel '" + loaded.kernel.name + "', block " + show(block) + ": " + text;
  return false;
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

void Launch::runFiber() {
  Launch &launch = *getCurrentLaunch();
  if (launch.loaded.kernel.waits) {
    launch.loaded.entry(launch.arguments);
    launch.threads[launch.current].state = State::Ended;
  } else {
    for (launch.current = 0; launch.current < launch.numThreads; ++launch.current)
      launch.loaded.entry(launch.arguments);
    launch.threads.front().state = State::Ended;
    launch.current = 0;
  }
  launch.leave();
}

void Launch::leave() {
  Thread &fiber = threads[loaded.kernel.waits ? current : 0];
  swapcontext(&fiber.context, &scheduler);
}

void Launch::stop(const std::string &text) {
  fail("thread " + std::to_string(current) + " " + text);
  leave();
}

bool Launch::startFiber(Thread &fiber, char *stack) {
  if (!stack)
    return fail("no memory for threads");
  fiber.state = State::Ready;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack;
  fiber.context.uc_stack.ss_size = Stacks::kBytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, runFiber, 0);
  return true;
}

/// Each thread that can go on, until it waits or ends.
bool Launch::runReady() {
  for (current = 0; current < threads.size(); ++current) {
    // A loop over threads may move `current`, but not beyond this fiber.
    uint32_t fiber = current;
    if (threads[fiber].state == State::Ready)
      swapcontext(&scheduler, &threads[fiber].context);
    if (!failure.empty())
      return false;
    current = fiber;
  }
  return true;
}

bool Launch::runBlock(uint64_t index, Counters &counters) {
  const Dim3 &grid = sizes.grid;
  block = {static_cast<uint32_t>(index % grid[0]), static_cast<uint32_t>(index / grid[0] % grid[1]),
           static_cast<uint32_t>(index / grid[0] / grid[1])};
  shared.clear();
  for (size_t i = 0; i < threads.size(); ++i)
    if (!startFiber(threads[i], stacks.get(i)))
      return false;
  auto hasEnded = [](const Thread &it) { return it.state == State::Ended; };
  do {
    if (!runReady())
      return false;
    if (llvm::all_of(threads, hasEnded))
      break;
  } while (resolve(counters));
  if (accessCounters && failure.empty())
    counter.finishPhase(*accessCounters);
  return failure.empty();
}

bool Launch::run(Counters &counters, std::string &error) {
  for (uint32_t size : {sizes.grid[0], sizes.grid[1], sizes.grid[2], numThreads})
    if (size == 0) {
      error = "kernel '" + loaded.kernel.name + "': a launch of nothing";
      return false;
    }
  if (accessCounters)
    counter.begin(numThreads, loaded.code.sites.size(), loaded.warpSize);
  Launch *outer = std::exchange(getCurrentLaunch(), this);
  uint64_t blocks = uint64_t(sizes.grid[0]) * sizes.grid[1] * sizes.grid[2];
  bool succeeded = true;
  for (uint64_t i = 0; succeeded && i < blocks; ++i)
    succeeded = runBlock(i, counters);
  getCurrentLaunch() = outer;
  ++counters.launches;
  counters.threads += blocks * numThreads;
  error = failure;
  return succeeded;
}

uint32_t Launch::getNumber(uint32_t what) const {
  uint32_t lane = current % loaded.warpSize;
  switch (what) {
  case kThread:
    return current % sizes.block[0];
  case kThread + 1:
    return current / sizes.block[0] % sizes.block[1];
  case kThread + 2:
    return current / sizes.block[0] / sizes.block[1];
  case kLane:
    return lane;
  case kWarpSize:
    return loaded.warpSize;
  case kLanesBelowLow:
    return static_cast<uint32_t>((uint64_t(1) << std::min(lane, 32u)) - 1);
  case kLanesBelowHigh:
    return lane <= 32 ? 0 : static_cast<uint32_t>((uint64_t(1) << (lane - 32)) - 1);
  default:
    return what < kBlockSize  ? block[what - kBlock]
           : what < kGridSize ? sizes.block[what - kBlockSize]
                              : sizes.grid[what - kGridSize];
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The buffer or constant with these bytes, or an empty range.
const Range &Launch::findRange(uint64_t address, uint64_t bytes, uint32_t site) {
  Range &last = lastRanges[site];
  if (last.contains(address, bytes))
    return last;
  last = memory.find(address, bytes);
  Range implicit{reinterpret_cast<uint64_t>(implicitArguments.data()), sizeof(implicitArguments)};
  if (!last.begin && implicit.contains(address, bytes))
    last = implicit;
  for (const Range &constant : loaded.constants)
    if (!last.begin && constant.contains(address, bytes))
      last = constant;
  return last;
}

void Launch::accessShared(uint64_t address, uint64_t bytes, uint32_t index) {
  const Site &site = loaded.code.sites[index];
  if (!shared.find(address, bytes, site.sharedArray))
    return stop("is out of bounds of shared memory: " + site.text);
  std::string race = shared.use(address, bytes, current, index, loaded.code.sites);
  if (!race.empty()) {
    fail(race);
    leave();
  }
}

void Launch::access(uint64_t address, uint64_t bytes, uint32_t index) {
  const Site &site = loaded.code.sites[index];
  if (bytes == 0)
    return;
  if (address % site.alignment != 0)
    return stop("accesses memory that is not aligned to " + std::to_string(site.alignment) + " bytes: " + site.text);
  bool isShared = site.space == kShared || (site.space == kGeneric && shared.holds(address));
  Range stack{reinterpret_cast<uint64_t>(stacks.get(loaded.kernel.waits ? current : 0)), Stacks::kBytes};
  if (site.space == kGeneric && stack.contains(address, bytes))
    return;
  if (isShared)
    accessShared(address, bytes, index);
  else if (!findRange(address, bytes, index).begin)
    return stop("is out of bounds of all buffers: " + site.text);
  if (accessCounters)
    counter.add(current, index, address, bytes, isShared);
}

//===----------------------------------------------------------------------===//
// Threads that wait
//===----------------------------------------------------------------------===//

void Launch::wait(uint32_t site) {
  threads[current].state = State::AtBarrier;
  threads[current].site = site;
  leave();
}

uint64_t Launch::exchange(Exchange kind, uint64_t mask, uint32_t value, uint32_t other, uint32_t clamp, uint32_t site) {
  Thread &thread = threads[current];
  thread.state = State::AtExchange;
  thread.kind = kind, thread.site = site, thread.mask = mask;
  thread.value = value, thread.other = other, thread.clamp = clamp;
  leave();
  return thread.result;
}

std::string Launch::describeDivergence(const std::string &what) const {
  auto describe = [&](uint32_t index) {
    const Thread &it = threads[index];
    return "thread " + std::to_string(index) +
           (it.state == State::Ended ? " has ended" : " waits at " + loaded.code.sites[it.site].text);
  };
  for (uint32_t i = 1; i < numThreads; ++i)
    if (threads[i].state != threads[0].state || threads[i].site != threads[0].site)
      return what + ": " + describe(0) + ", " + describe(i);
  return what + ": " + describe(0);
}

/// Nobody can go on: what all wait for is done. False for what never comes.
bool Launch::resolve(Counters &counters) {
  if (exchangeWarps())
    return true;
  if (!failure.empty())
    return false;
  for (const Thread &thread : threads)
    if (thread.state != State::AtBarrier || thread.site != threads.front().site)
      return fail(describeDivergence("threads wait for others that never come"));
  for (Thread &thread : threads)
    thread.state = State::Ready;
  shared.passBarrier();
  ++counters.barriers;
  if (accessCounters)
    counter.finishPhase(*accessCounters);
  return true;
}

/// Threads of one exchange, from `asking` on. False if not all are there.
bool Launch::findMembers(uint32_t first, uint32_t asking, std::vector<uint32_t> &members) {
  const Thread &asked = threads[asking];
  members.clear();
  for (uint32_t i = first; i < std::min(first + loaded.warpSize, numThreads); ++i) {
    const Thread &thread = threads[i];
    // AMD's have no mask: all that have not ended take part.
    bool isMember = loaded.code.isAMD ? thread.state != State::Ended : asked.mask >> (i - first) & 1;
    if (!isMember)
      continue;
    if (thread.state != State::AtExchange || thread.site != asked.site || thread.mask != asked.mask)
      return false;
    members.push_back(i);
  }
  return llvm::is_contained(members, asking);
}

/// Whether any threads can go on.
bool Launch::exchangeWarps() {
  bool isAny = false;
  std::vector<uint32_t> members;
  for (uint32_t i = 0; i < threads.size() && failure.empty(); ++i) {
    uint32_t first = i / loaded.warpSize * loaded.warpSize;
    if (threads[i].state != State::AtExchange || !findMembers(first, i, members))
      continue;
    exchangeMembers(first, members);
    isAny = true;
  }
  return isAny && failure.empty();
}

void Launch::exchangeMembers(uint32_t first, const std::vector<uint32_t> &members) {
  for (uint32_t member : members)
    threads[member].result = getResult(first, members, member - first);
  for (uint32_t member : members)
    threads[member].state = State::Ready;
}

/// For the thread of `lane`: a value, and at bit 32 whether it came from the lane asked for.
uint64_t Launch::getResult(uint32_t first, const std::vector<uint32_t> &members, uint32_t lane) {
  const Thread &thread = threads[first + lane];
  uint64_t ballot = 0;
  for (uint32_t member : members)
    ballot |= uint64_t(threads[member].value != 0) << (member - first);
  constexpr uint32_t kLanes = 31; // of NVIDIA's warps
  uint32_t segment = thread.clamp >> 8 & kLanes;
  uint32_t least = lane & segment, most = least | (thread.clamp & kLanes & ~segment);
  uint32_t by = thread.other & kLanes, from = lane;
  bool isThere = true;
  switch (thread.kind) {
  case kAny:
    return ballot != 0;
  case kAll:
    return llvm::popcount(ballot) == static_cast<int>(members.size());
  case kBallot:
    return ballot;
  case kUp:
    isThere = int64_t(lane) - by >= int64_t(most);
    from = lane - by;
    break;
  case kDown:
    from = lane + by;
    isThere = from <= most;
    break;
  case kButterfly:
    from = lane ^ by;
    isThere = from <= most;
    break;
  case kIndex:
    from = least | (by & ~segment);
    isThere = from <= most;
    break;
  case kPermute:
  case kLaneOf:
    from = thread.other % loaded.warpSize;
    break;
  case kFirst:
    from = members.front() - first;
    break;
  }
  if (!isThere)
    from = lane;
  if (!llvm::is_contained(members, first + from)) {
    fail("thread " + std::to_string(first + lane) + " reads from lane " + std::to_string(from) +
         ", which takes no part: " + loaded.code.sites[thread.site].text);
    return 0;
  }
  return threads[first + from].value | uint64_t(isThere) << 32;
}
