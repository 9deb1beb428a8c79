//===- Capture.cpp - Recording launches and running them again ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Compiled code is not trusted: what it says of a region is checked when it is
// recorded, so that a replay needs no checks. Everything that host code may not
// do inside of a region is refused there.
//
//===----------------------------------------------------------------------===//
#include "Capture.h"
#include "Context.h"
#include "Error.h"

#include <algorithm>

using namespace relax_rt;

/// Numbers of regions are dense; a module of this many is none.
static constexpr int64_t kMaxRegions = int64_t(1) << 20;

//===----------------------------------------------------------------------===//
// Recordings
//===----------------------------------------------------------------------===//

static bool isOlder(const Recording &a, const Recording &b) { return a.lastUse < b.lastUse; }

Recording *Recordings::find(size_t region, const int64_t *key, size_t numKey, size_t numPointers) {
  if (region >= regions.size())
    return nullptr;
  for (Recording &entry : regions[region]) {
    if (entry.numPointers != numPointers || entry.key.size() != numKey ||
        !std::equal(entry.key.begin(), entry.key.end(), key))
      continue;
    entry.lastUse = ++clock;
    return &entry;
  }
  return nullptr;
}

size_t Recordings::trim(std::vector<Recording> &entries, size_t newLimit) {
  size_t removed = 0;
  for (; entries.size() > newLimit; ++removed)
    entries.erase(std::min_element(entries.begin(), entries.end(), isOlder));
  return removed;
}

size_t Recordings::add(size_t region, Recording &recording) {
  if (limit == 0)
    return 0;
  if (region >= regions.size())
    regions.resize(region + 1);
  std::vector<Recording> &entries = regions[region];
  recording.lastUse = ++clock;
  if (entries.size() < limit) {
    entries.push_back(std::move(recording));
    return 0;
  }
  std::swap(*std::min_element(entries.begin(), entries.end(), isOlder), recording);
  return 1;
}

size_t Recordings::setLimit(size_t newLimit) {
  limit = newLimit;
  size_t removed = 0;
  for (std::vector<Recording> &entries : regions)
    removed += trim(entries, limit);
  return removed;
}

size_t Recordings::count() const {
  size_t sum = 0;
  for (const std::vector<Recording> &entries : regions)
    sum += entries.size();
  return sum;
}

//===----------------------------------------------------------------------===//
// What host code calls
//===----------------------------------------------------------------------===//

relax_rt_status relax_rt_context::runRecorded(const Recording &recorded, const RecordedLaunch &launch,
                                              void *const *pointers) {
  const size_t *positions = recorded.buffers.data() + launch.firstBuffer;
  const int64_t *scalars = recorded.scalars.data() + launch.firstScalar;
  if (!launch.isLibrary) {
    for (size_t i = 0; i < launch.numBuffers; ++i)
      launchBuffers[i] = pointers[positions[i]];
    return launchRange(launch.callee, launchBuffers.data(), scalars, launch.range);
  }
  const int64_t *dims = scalars + launch.numScalars;
  for (size_t i = 0; i < launch.numBuffers; ++i) {
    launchViews[i] = recorded.views[launch.firstView + i];
    launchViews[i].data = pointers[positions[i]];
    launchViews[i].dims = dims;
    dims += launchViews[i].rank;
  }
  return callLibrary(launch.callee, launchViews.data(), static_cast<int64_t>(launch.numBuffers), scalars,
                     static_cast<int64_t>(launch.numScalars));
}

relax_rt_status relax_rt_context::replay(const Recording &recorded, void *const *pointers) {
  for (const RecordedLaunch &launch : recorded.launches)
    if (relax_rt_status status = runRecorded(recorded, launch, pointers))
      return status;
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::beginRegion(int64_t region, const int64_t *key, int64_t numKey, void *const *pointers,
                                              int64_t numPointers, int64_t *outDone) {
  if (region < 0 || region >= kMaxRegions || numKey < 0 || numPointers < 0)
    return failHere(RELAX_RT_INTERNAL, "compiled code began region " + std::to_string(region) + " with " +
                                           std::to_string(numKey) + " sizes and " + std::to_string(numPointers) +
                                           " addresses");
  if (openRegion >= 0)
    return insideRegion("began region " + std::to_string(region));
  size_t id = static_cast<size_t>(region), keySize = static_cast<size_t>(numKey),
         pointerCount = static_cast<size_t>(numPointers);
  if (const Recording *found = recordings.find(id, key, keySize, pointerCount)) {
    if (relax_rt_status status = replay(*found, pointers))
      return status;
    ++counters.replays;
    *outDone = 1;
    return RELAX_RT_OK;
  }
  recording.key.assign(key, key + keySize);
  recording.numPointers = pointerCount;
  recording.launches.clear();
  recording.buffers.clear();
  recording.scalars.clear();
  recording.views.clear();
  openRegion = region;
  regionPointers = pointers;
  *outDone = 0;
  return RELAX_RT_OK;
}

/// Addresses and scalars of a launch.
relax_rt_status relax_rt_context::record(RecordedLaunch &launch, const int64_t *indices, int64_t numBuffers,
                                         const int64_t *scalars, int64_t numScalars) {
  launch.firstBuffer = recording.buffers.size();
  launch.numBuffers = static_cast<size_t>(numBuffers);
  launch.firstScalar = recording.scalars.size();
  launch.numScalars = static_cast<size_t>(numScalars);
  for (int64_t i = 0; i < numBuffers; ++i) {
    if (indices[i] < 0 || static_cast<uint64_t>(indices[i]) >= recording.numPointers)
      return failHere(RELAX_RT_INTERNAL, "compiled code used address " + std::to_string(indices[i]) +
                                             " of a region of " + std::to_string(recording.numPointers));
    recording.buffers.push_back(static_cast<size_t>(indices[i]));
  }
  recording.scalars.insert(recording.scalars.end(), scalars, scalars + numScalars);
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::launchInRegion(int64_t kernel, const int64_t *indices, int64_t numBuffers,
                                                 const int64_t *scalars, int64_t numScalars) {
  if (openRegion < 0 || kernel < 0 || static_cast<uint64_t>(kernel) >= module.kernels.size() || numBuffers < 0 ||
      numScalars < 0)
    return failHere(RELAX_RT_INTERNAL, "compiled code launched kernel " + std::to_string(kernel) + " in a region");
  RecordedLaunch launch = {};
  launch.callee = static_cast<size_t>(kernel);
  if (relax_rt_status status = record(launch, indices, numBuffers, scalars, numScalars))
    return status;
  if (launchBuffers.size() < launch.numBuffers)
    launchBuffers.resize(launch.numBuffers);
  launch.range = getRange(module.kernels[launch.callee], scalars, 1);
  recording.launches.push_back(launch);
  return runRecorded(recording, launch, regionPointers);
}

relax_rt_status relax_rt_context::callInRegion(int64_t function, const int64_t *indices,
                                               const relax_rt_tensor_view *args, int64_t numArgs,
                                               const int64_t *scalars, int64_t numScalars) {
  if (openRegion < 0 || function < 0 || static_cast<uint64_t>(function) >= module.externs.size() || numArgs < 0 ||
      numScalars < 0)
    return failHere(RELAX_RT_INTERNAL,
                    "compiled code called library function " + std::to_string(function) + " in a region");
  RecordedLaunch launch = {};
  launch.callee = static_cast<size_t>(function);
  launch.isLibrary = true;
  launch.firstView = recording.views.size();
  if (relax_rt_status status = record(launch, indices, numArgs, scalars, numScalars))
    return status;
  recording.views.insert(recording.views.end(), args, args + numArgs);
  for (int64_t i = 0; i < numArgs; ++i) {
    if (args[i].rank < 0)
      return failHere(RELAX_RT_INTERNAL, "compiled code passed a tensor of rank " + std::to_string(args[i].rank));
    recording.scalars.insert(recording.scalars.end(), args[i].dims, args[i].dims + args[i].rank);
  }
  if (launchViews.size() < launch.numBuffers)
    launchViews.resize(launch.numBuffers);
  recording.launches.push_back(launch);
  return runRecorded(recording, launch, regionPointers);
}

relax_rt_status relax_rt_context::endRegion() {
  if (openRegion < 0)
    return failHere(RELAX_RT_INTERNAL, "compiled code ended a region that it did not begin");
  if (recordings.getLimit() != 0) {
    counters.evictions += recordings.add(static_cast<size_t>(openRegion), recording);
    ++counters.captures;
    counters.recordings = recordings.count();
  }
  openRegion = -1;
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::insideRegion(const std::string &what) const {
  return failHere(RELAX_RT_INTERNAL, "compiled code " + what + " inside of region " + std::to_string(openRegion));
}

relax_rt_status relax_rt_context_set_capture_limit(relax_rt_context *context, int64_t recordings) {
  return guarded([&] {
    if (!context)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context is NULL");
    if (recordings < 0)
      return fail(RELAX_RT_INVALID_ARGUMENT, "the number of recordings is negative: " + std::to_string(recordings));
    context->counters.evictions += context->recordings.setLimit(static_cast<size_t>(recordings));
    context->counters.recordings = context->recordings.count();
    return RELAX_RT_OK;
  });
}
