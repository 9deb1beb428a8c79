//===- Emulator.h - Device code on the CPU ---------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Runs the LLVM IR that ptxas or ld.lld get, as code of the CPU: what a chip has
// of its own becomes calls of this library, each thread of a block a fiber.
// Blocks run one after the other. What a chip would let pass in silence ends a
// launch with a message: memory outside of buffers, accesses that are not
// aligned, races in shared memory, barriers and exchanges that not all threads
// reach.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_TEST_EMULATOR_EMULATOR_H
#define RELAX_TEST_EMULATOR_EMULATOR_H

#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>

namespace relax_emulator {

using Dim3 = std::array<uint32_t, 3>;

/// Memory from `begin` on.
struct Range {
  uint64_t begin = 0, bytes = 0;
  bool contains(uint64_t address, uint64_t count) const {
    return address >= begin && address - begin <= bytes && count <= bytes - (address - begin);
  }
};

/// Buffers that kernels may use.
class Memory {
public:
  void add(uint64_t address, uint64_t bytes) { byAddress[address] = bytes; }
  bool remove(uint64_t address) { return byAddress.erase(address) != 0; }
  /// The buffer in which these bytes are, an empty range if there is none.
  Range find(uint64_t address, uint64_t count) const {
    auto above = byAddress.upper_bound(address);
    if (above == byAddress.begin())
      return {};
    auto [begin, bytes] = *std::prev(above);
    Range range{begin, bytes};
    return range.contains(address, count) ? range : Range();
  }

private:
  std::map<uint64_t, uint64_t> byAddress;
};

/// What launches did, summed over warps. All but the first three are of launches with `countAccesses`.
struct Counters {
  uint64_t launches = 0;
  uint64_t threads = 0;
  uint64_t barriers = 0;       // of blocks
  uint64_t globalRequests = 0; // instructions of warps
  uint64_t globalSectors = 0;  // of 32 bytes that these touch
  uint64_t sharedRequests = 0;
  uint64_t bankConflicts = 0; // cycles beyond the first of each request (of each part of wide ones)
};

struct LaunchSizes {
  Dim3 grid = {1, 1, 1}, block = {1, 1, 1};
};

/// A module of device code.
class Program {
public:
  /// Null, and the reason, for IR that is not of a device or asks for what the emulator does not have. `chip`: "sm_80",
  /// "gfx90a".
  static std::unique_ptr<Program> load(llvm::StringRef llvmIR, llvm::StringRef chip, std::string &error);
  virtual ~Program() = default;

  virtual bool hasKernel(llvm::StringRef name) const = 0;
  virtual unsigned getNumArguments(llvm::StringRef kernel) const = 0;
  /// `arguments`: addresses of the values. False, and the reason, for what a launch must not do.
  virtual bool launch(llvm::StringRef kernel, const LaunchSizes &sizes, void **arguments, const Memory &memory,
                      std::string &error) = 0;

  bool countAccesses = false; // takes time
  Counters counters;
};

} // namespace relax_emulator

#endif // RELAX_TEST_EMULATOR_EMULATOR_H
