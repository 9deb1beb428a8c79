//===- Checks.cpp - What kernels must not do with memory ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Checks.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <set>
#include <tuple>

using namespace llvm;
using namespace relax_emulator;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Arrays begin at the first bank; what runs over the end of one meets no other.
static constexpr uint64_t kArrayAlignment = 128, kSpaceBetween = 1024;

SharedMemory::SharedMemory(const std::vector<SharedArray> &arrays) : arrays(arrays) {
  uint64_t end = kSpaceBetween;
  for (const SharedArray &array : arrays) {
    offsets.push_back(end);
    end += alignTo(array.bytes + kSpaceBetween, kArrayAlignment);
  }
  memory = std::make_unique<char[]>(end + kArrayAlignment);
  all = {alignTo(reinterpret_cast<uint64_t>(memory.get()), kArrayAlignment), end};
  uses.resize(end);
}

char *SharedMemory::getAddress(size_t array) const { return reinterpret_cast<char *>(all.begin + offsets[array]); }

void SharedMemory::clear() {
  // All bits set are no number in any floating type.
  std::memset(reinterpret_cast<void *>(all.begin), 0xff, all.bytes);
  passBarrier();
}

const SharedArray *SharedMemory::find(uint64_t address, uint64_t bytes, int array) const {
  for (size_t i = 0; i < arrays.size(); ++i)
    if ((array == kAnyArray || static_cast<int>(i) == array) &&
        Range{all.begin + offsets[i], arrays[i].bytes}.contains(address, bytes))
      return &arrays[i];
  return nullptr;
}

std::string SharedMemory::describeRace(uint64_t address, uint32_t other, uint32_t otherSite, uint32_t thread,
                                       uint32_t site, const std::vector<Site> &sites) const {
  const SharedArray *array = find(address, 1, kAnyArray);
  uint64_t begin = all.begin + offsets[array - arrays.data()];
  return "race in shared memory '" + array->name + "' at byte " + std::to_string(address - begin) + ": thread " +
         std::to_string(other) + " (" + sites[otherSite].text + ") and thread " + std::to_string(thread) + " (" +
         sites[site].text + ") with no barrier between";
}

std::string SharedMemory::use(uint64_t address, uint64_t bytes, uint32_t thread, uint32_t site,
                              const std::vector<Site> &sites) {
  bool isWrite = sites[site].flags & kWrite, isAtomic = sites[site].flags & kAtomic;
  for (uint64_t i = address - all.begin, end = i + bytes; i < end; ++i) {
    Use &known = uses[i];
    if (known.writePhase == phase && known.writer != thread && !(known.atomic && isAtomic))
      return describeRace(all.begin + i, known.writer, known.writeSite, thread, site, sites);
    bool othersRead = known.readPhase == phase && (known.severalReaders || known.reader != thread);
    if (isWrite && othersRead)
      return describeRace(all.begin + i, known.reader, known.readSite, thread, site, sites);
    if (isWrite) {
      known.writePhase = phase, known.writer = thread, known.writeSite = site, known.atomic = isAtomic;
    } else if (!othersRead) {
      known.readPhase = phase, known.reader = thread, known.readSite = site, known.severalReaders = false;
    } else if (known.reader != thread) {
      known.severalReaders = true;
    }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

void AccessCounter::begin(uint32_t numThreads, uint32_t sites, uint32_t lanes) {
  warpSize = lanes;
  numSites = sites;
  times.assign(uint64_t(numThreads) * sites, 0);
  accesses.clear();
}

void AccessCounter::add(uint32_t thread, uint32_t site, uint64_t address, uint64_t bytes, bool isShared) {
  constexpr unsigned kTimesBits = 24, kSiteBits = 20;
  uint64_t time = times[uint64_t(thread) * numSites + site]++;
  uint64_t request = (uint64_t(thread / warpSize) << kSiteBits | site) << kTimesBits | time;
  accesses.push_back({request, thread, static_cast<uint32_t>(bytes), address, isShared});
}

uint64_t AccessCounter::countSectors(ArrayRef<Access> request) {
  constexpr uint64_t kSector = 32;
  std::set<uint64_t> sectors;
  for (const Access &access : request)
    for (uint64_t i = access.address / kSector; i <= (access.address + access.bytes - 1) / kSector; ++i)
      sectors.insert(i);
  return sectors.size();
}

/// Threads of a warp are served together as far as they ask for 128 bytes at most: a bank gives one word at a time.
uint64_t AccessCounter::countConflicts(ArrayRef<Access> request) const {
  constexpr uint64_t kBanks = 32, kWord = 4;
  uint32_t together = kBanks * kWord / std::max<uint32_t>(request.front().bytes, kWord);
  uint64_t conflicts = 0;
  for (uint32_t first = 0; first < warpSize; first += together) {
    std::array<std::set<uint64_t>, kBanks> words;
    for (const Access &access : request)
      if (uint32_t lane = access.thread % warpSize; lane >= first && lane - first < together)
        for (uint64_t i = access.address / kWord; i <= (access.address + access.bytes - 1) / kWord; ++i)
          words[i % kBanks].insert(i);
    size_t cycles = 1;
    for (const std::set<uint64_t> &bank : words)
      cycles = std::max(cycles, bank.size());
    conflicts += cycles - 1;
  }
  return conflicts;
}

void AccessCounter::finishPhase(Counters &counters) {
  llvm::sort(accesses, [](const Access &a, const Access &b) {
    return std::tie(a.request, a.thread) < std::tie(b.request, b.thread);
  });
  for (ArrayRef<Access> rest = accesses; !rest.empty();) {
    ArrayRef<Access> request = rest.take_while([&](const Access &it) { return it.request == rest.front().request; });
    if (request.front().isShared) {
      ++counters.sharedRequests;
      counters.bankConflicts += countConflicts(request);
    } else {
      ++counters.globalRequests;
      counters.globalSectors += countSectors(request);
    }
    rest = rest.drop_front(request.size());
  }
  accesses.clear();
  llvm::fill(times, 0);
}
