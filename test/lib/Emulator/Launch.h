//===- Launch.h - Threads of a block as fibers -----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_TEST_EMULATOR_LAUNCH_H
#define RELAX_TEST_EMULATOR_LAUNCH_H

#include "Checks.h"

#include <ucontext.h>

namespace relax_emulator {

using EntryFunction = void (*)(void **);

/// A kernel and what its module has.
struct LoadedKernel {
  const Retargeted &code;
  const KernelEntry &kernel;
  EntryFunction entry;
  const std::vector<Range> &constants;
  uint32_t warpSize;
};

/// Memory of fibers, kept from block to block.
class Stacks {
public:
  static constexpr size_t kBytes = 256 * 1024;
  Stacks() = default;
  Stacks(const Stacks &) = delete;
  Stacks &operator=(const Stacks &) = delete;
  ~Stacks();
  /// Null if there is no memory.
  char *get(size_t index);

private:
  std::vector<char *> stacks;
};

class Launch {
public:
  Launch(const LoadedKernel &loaded, const LaunchSizes &sizes, void **arguments, const Memory &memory,
         SharedMemory &shared, Stacks &stacks, Counters *accessCounters);
  /// False, and the reason.
  bool run(Counters &counters, std::string &error);

  // What code asks for, on the fiber of a thread.
  uint32_t getNumber(uint32_t what) const;
  void *getImplicitArguments() { return implicitArguments.data(); }
  void access(uint64_t address, uint64_t bytes, uint32_t site);
  void wait(uint32_t site);
  uint64_t exchange(Exchange kind, uint64_t mask, uint32_t value, uint32_t other, uint32_t clamp, uint32_t site);

private:
  enum class State : uint8_t { Ready, AtBarrier, AtExchange, Ended };
  struct Thread {
    State state = State::Ready;
    Exchange kind = kUp;
    uint32_t site = 0;
    uint64_t mask = 0;
    uint32_t value = 0, other = 0, clamp = 0;
    uint64_t result = 0;
    ucontext_t context;
  };

  static void runFiber();
  bool runBlock(uint64_t block, Counters &counters);
  bool startFiber(Thread &thread, char *stack);
  void fillImplicitArguments();
  bool runReady();
  bool resolve(Counters &counters);
  bool exchangeWarps();
  bool findMembers(uint32_t first, uint32_t asking, std::vector<uint32_t> &members);
  void exchangeMembers(uint32_t first, const std::vector<uint32_t> &members);
  uint64_t getResult(uint32_t first, const std::vector<uint32_t> &members, uint32_t lane);
  std::string describeDivergence(const std::string &what) const;
  const Range &findRange(uint64_t address, uint64_t bytes, uint32_t site);
  void accessShared(uint64_t address, uint64_t bytes, uint32_t site);

  /// Of the running thread: it does not go on.
  void stop(const std::string &text);
  bool fail(const std::string &text);
  void leave();

  const LoadedKernel &loaded;
  const LaunchSizes &sizes;
  void **arguments;
  const Memory &memory;
  SharedMemory &shared;
  Stacks &stacks;
  Counters *accessCounters;
  AccessCounter counter;
  std::vector<Range> lastRanges; // of each site
  std::vector<Thread> threads;
  std::array<uint32_t, 64> implicitArguments = {};
  ucontext_t scheduler;
  uint32_t numThreads, current = 0;
  Dim3 block = {};
  std::string failure;
};

/// The launch that runs on this thread of the host.
Launch *&getCurrentLaunch();

} // namespace relax_emulator

#endif // RELAX_TEST_EMULATOR_LAUNCH_H
