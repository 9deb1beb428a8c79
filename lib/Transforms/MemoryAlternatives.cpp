//===- MemoryAlternatives.cpp - Plans of which one is chosen at entry -----===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Which order of tenants is good, and what fits into results, depends on the
// sizes. So there may be a few plans. Each call evaluates what all of them take
// and uses the best of those that fit.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

/// A plan and what it takes at each sample; nothing where it does not fit.
struct Candidate {
  MemoryPlan plan;
  SmallVector<std::optional<int64_t>> bytes;
};

} // namespace

/// The tenants in results end inside of them at the sizes of a sample.
static bool fitsAt(const MemoryPlan &plan, const SampleSizes &sizes, unsigned sample) {
  SmallVector<int64_t> ends(plan.tenants.size(), 0);
  for (auto [number, result] : llvm::enumerate(plan.results))
    for (unsigned index : result.tenants) {
      for (unsigned other : plan.tenants[index].below)
        ends[index] = std::max(ends[index], ends[other]);
      ends[index] += sizes.tenants[sample][index];
      if (result.isCompared && ends[index] > sizes.results[sample][number])
        return false;
    }
  return true;
}

/// The most that is needed at one time at a sample, results from where they are made.
static int64_t findNeed(const MemoryPlan &plan, const SampleSizes &sizes, unsigned sample) {
  SmallVector<std::pair<unsigned, int64_t>> changes;
  for (auto [index, tenant] : llvm::enumerate(plan.tenants)) {
    changes.push_back({2 * tenant.start, sizes.tenants[sample][index]});
    changes.push_back({2 * tenant.end + 1, -sizes.tenants[sample][index]});
  }
  for (auto [number, result] : llvm::enumerate(plan.results))
    changes.push_back({2 * result.start, sizes.results[sample][number]});
  llvm::sort(changes);
  int64_t live = 0, most = 1;
  for (auto [position, change] : changes)
    most = std::max(most, live += change);
  return most;
}

/// What suits one sample, judged at all where it fits.
static Candidate makeCandidate(MemoryPlan plan, const SampleSizes &sizes, unsigned sample) {
  Candidate candidate = {std::move(plan), {}};
  SmallVector<SmallVector<int64_t>> samples;
  unsigned suited = 0;
  for (unsigned other = 0; other < sizes.tenants.size(); ++other) {
    bool fits = fitsAt(candidate.plan, sizes, other);
    candidate.bytes.push_back(fits ? std::optional<int64_t>(0) : std::nullopt);
    if (other == sample)
      suited = samples.size();
    if (fits)
      samples.push_back(sizes.tenants[other]);
  }
  SmallVector<int64_t> found = layOutTenants(candidate.plan, samples, suited);
  const int64_t *next = found.begin();
  for (std::optional<int64_t> &bytes : candidate.bytes)
    if (bytes)
      bytes = *next++;
  return candidate;
}

void relax::addAlternatives(std::vector<MemoryPlan> &plans, SmallVector<int64_t> bytes, const MemoryPlan &collected,
                            const SampleSizes &sizes) {
  // Each costs a comparison and a few sums for each call.
  constexpr unsigned kMaxPlans = 4;
  unsigned numSamples = sizes.tenants.size();
  SmallVector<int64_t> needs;
  std::vector<Candidate> candidates;
  for (unsigned sample = 0; sample < numSamples; ++sample) {
    needs.push_back(findNeed(collected, sizes, sample));
    MemoryPlan lent = collected;
    lendResultsAt(lent, sizes, sample);
    candidates.push_back(makeCandidate(collected, sizes, sample));
    if (llvm::any_of(lent.results, [](const PlannedResult &result) { return !result.tenants.empty(); }))
      candidates.push_back(makeCandidate(std::move(lent), sizes, sample));
  }
  while (plans.size() < kMaxPlans) {
    double most = 0;
    Candidate *best = nullptr;
    for (Candidate &candidate : candidates) {
      double gain = 0;
      bool isWorthIt = false;
      for (unsigned sample = 0; sample < numSamples; ++sample) {
        int64_t saved = candidate.bytes[sample] ? bytes[sample] - *candidate.bytes[sample] : 0;
        if (saved <= 0)
          continue;
        gain += static_cast<double>(saved) / static_cast<double>(needs[sample]);
        isWorthIt |= saved > needs[sample] / 100;
      }
      if (isWorthIt && gain > most) {
        most = gain;
        best = &candidate;
      }
    }
    if (!best)
      return;
    for (unsigned sample = 0; sample < numSamples; ++sample)
      if (best->bytes[sample])
        bytes[sample] = std::min(bytes[sample], *best->bytes[sample]);
    plans.push_back(std::move(best->plan));
    llvm::fill(best->bytes, std::nullopt);
  }
}
