//===- Checks.h - What kernels must not do with memory ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_TEST_EMULATOR_CHECKS_H
#define RELAX_TEST_EMULATOR_CHECKS_H

#include "Emulator.h"
#include "Retarget.h"

namespace relax_emulator {

/// The arrays of a block, one after the other with space between, and who used which byte since the last barrier.
class SharedMemory {
public:
  explicit SharedMemory(const std::vector<SharedArray> &arrays);

  char *getAddress(size_t array) const;
  /// Another block: nothing that the last one wrote is left.
  void clear();
  /// What threads did before comes first.
  void passBarrier() { ++phase; }

  bool holds(uint64_t address) const { return all.contains(address, 0); }
  /// The array that has these bytes, null without one.
  const SharedArray *find(uint64_t address, uint64_t bytes, int array) const;
  /// The race, empty without one.
  std::string use(uint64_t address, uint64_t bytes, uint32_t thread, uint32_t site, const std::vector<Site> &sites);

private:
  struct Use {
    uint32_t writePhase = 0, writer = 0, writeSite = 0;
    uint32_t readPhase = 0, reader = 0, readSite = 0;
    bool atomic = false, severalReaders = false;
  };
  std::string describeRace(uint64_t address, uint32_t other, uint32_t otherSite, uint32_t thread, uint32_t site,
                           const std::vector<Site> &sites) const;

  const std::vector<SharedArray> &arrays;
  std::vector<uint64_t> offsets;
  std::unique_ptr<char[]> memory;
  Range all;
  std::vector<Use> uses;
  uint32_t phase = 1;
};

/// Instructions of warps, put together from those of their threads.
class AccessCounter {
public:
  void begin(uint32_t numThreads, uint32_t numSites, uint32_t warpSize);
  void add(uint32_t thread, uint32_t site, uint64_t address, uint64_t bytes, bool isShared);
  /// All threads of a block are at a barrier, or at the end.
  void finishPhase(Counters &counters);

private:
  struct Access {
    uint64_t request; // equal for the threads of a warp that access together
    uint32_t thread, bytes;
    uint64_t address;
    bool isShared;
  };
  static uint64_t countSectors(llvm::ArrayRef<Access> request);
  uint64_t countConflicts(llvm::ArrayRef<Access> request) const;

  uint32_t warpSize = 0, numSites = 0;
  std::vector<uint32_t> times; // that a thread came to a site
  std::vector<Access> accesses;
};

} // namespace relax_emulator

#endif // RELAX_TEST_EMULATOR_CHECKS_H
