//===- Capture.h - Launches that were recorded ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A region of host code is a list of launches that depends on a few numbers, its
// key, and on nothing else but the addresses of tensors. The list is recorded
// once for a key: which kernel or library function, which of the region's
// addresses, which scalars, how many parts. Later calls with this key bring new addresses and run the list.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_CAPTURE_H
#define RELAX_RUNTIME_CORE_CAPTURE_H

#include "RelaxDialect/Runtime/Runtime.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace relax_rt {

/// The parallel range of a launch, and the steps of all its loops; 0 for a kernel that is not divided.
struct LaunchRange {
  int64_t parts = 0, work = 0;
};

struct RecordedLaunch {
  size_t callee;                                           // a kernel or library function
  size_t firstBuffer, numBuffers, firstScalar, numScalars; // in the lists of the recording
  LaunchRange range;                                       // of a kernel
  bool isLibrary = false; // its scalars are followed by the extents of its arguments, one after the other
  size_t firstView = 0;
};

/// The launches of a region for one key.
struct Recording {
  std::vector<int64_t> key;
  size_t numPointers = 0;
  std::vector<RecordedLaunch> launches;
  std::vector<size_t> buffers; // each a position among the region's addresses
  std::vector<int64_t> scalars;
  std::vector<relax_rt_tensor_view> views; // of the arguments of library functions: rank and element type
  uint64_t lastUse = 0;
};

/// The recordings of one context: at most `limit` for each region, of which the one that was not used for longest goes.
class Recordings {
public:
  /// Null when there is none for the key.
  Recording *find(size_t region, const int64_t *key, size_t numKey, size_t numPointers);
  /// Takes the contents of `recording`, whose memory may come back with others' to be used again. Gives the number of
  /// recordings that went.
  size_t add(size_t region, Recording &recording);
  /// The same number for a new limit.
  size_t setLimit(size_t newLimit);
  size_t getLimit() const { return limit; }
  size_t count() const;

private:
  static size_t trim(std::vector<Recording> &entries, size_t newLimit);

  std::vector<std::vector<Recording>> regions;
  size_t limit = 16;
  uint64_t clock = 0;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_CORE_CAPTURE_H
