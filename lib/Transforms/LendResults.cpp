//===- LendResults.cpp - Scratch memory inside of results -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A result takes memory that nobody else has for as long as the function runs,
// but it is written late. What is dead by then may lie there instead of in the
// arena. Here a proof is needed, since a result is as large as it is; or it is
// compared at entry, for one of several plans.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using sym::Verdict;

namespace {

class Lender {
public:
  /// Without a prover, fitting at the sample `comparedAt` is enough.
  Lender(MemoryPlan &plan, sym::Prover *entryProver, const SampleSizes &sizes, unsigned comparedAt = 0)
      : plan(plan), prover(entryProver), comparedAt(comparedAt), sizes(sizes.tenants), resultSizes(sizes.results),
        ends(plan.tenants.size()), endsAt(plan.tenants.size(), 0) {}

  void run();

private:
  bool lend(unsigned result, unsigned index);
  bool findEnds(unsigned result, unsigned index, ArrayRef<unsigned> below);
  bool fitsAtSample(unsigned result, unsigned index, ArrayRef<unsigned> below);
  bool isAtMost(SymExpr a, SymExpr b);
  void lowerPeaks(unsigned sample);
  std::optional<unsigned> lendAt(unsigned position, unsigned sample);
  bool mayFit(unsigned result, unsigned index) const;

  MemoryPlan &plan;
  sym::Prover *prover;
  unsigned comparedAt;
  ArrayRef<SmallVector<int64_t>> sizes, resultSizes; // for each sample
  SmallVector<unsigned> lenders, borrowers;
  unsigned numPositions = 0;
  unsigned work = 20'000;                    // a model returns few tensors, or many that are alike
  SmallVector<SmallVector<SymExpr, 2>> ends; // where a tenant may end, whichever of those below it is highest
  SmallVector<int64_t> endsAt;               // where a tenant ends at that sample
  llvm::DenseMap<std::pair<SymExpr, SymExpr>, bool> answers;
};

} // namespace

bool Lender::isAtMost(SymExpr a, SymExpr b) {
  auto [answer, isNew] = answers.try_emplace({a, b}, false);
  if (isNew) {
    SymExpr difference = b - a;
    answer->second = difference && (isSumOfProducts(difference) || prover->isLessEqual(a, b) == Verdict::True);
  }
  return answer->second;
}

/// Puts a tenant on top of what lives there at the same time, if it ends inside of the result.
bool Lender::lend(unsigned result, unsigned index) {
  Tenant &tenant = plan.tenants[index];
  SmallVector<unsigned> below = llvm::filter_to_vector(plan.results[result].tenants, [&](unsigned other) {
    return plan.tenants[other].start <= tenant.end && tenant.start <= plan.tenants[other].end;
  });
  if (prover ? !findEnds(result, index, below) : !fitsAtSample(result, index, below))
    return false;
  tenant.home = Home::Result;
  tenant.result = result;
  tenant.below = std::move(below);
  plan.results[result].tenants.push_back(index);
  return true;
}

/// Proves that a tenant ends inside of the result at all sizes.
bool Lender::findEnds(unsigned result, unsigned index, ArrayRef<unsigned> below) {
  constexpr unsigned kMaxEnds = 4;
  const Tenant &tenant = plan.tenants[index];
  SmallVector<SymExpr, 2> begins;
  for (unsigned other : below)
    for (SymExpr end : ends[other])
      if (!llvm::is_contained(begins, end))
        begins.push_back(end);
  if (below.empty())
    begins.push_back(SymExpr::constant(tenant.bytes.getContext(), 0));
  if (begins.size() > kMaxEnds)
    return false;
  SmallVector<SymExpr, 2> found;
  for (SymExpr begin : begins) {
    SymExpr end = begin + tenant.bytes, padded = begin + tenant.padded;
    if (!end || !padded || !isAtMost(end, plan.results[result].bytes))
      return false;
    found.push_back(padded);
  }
  ends[index] = std::move(found);
  return true;
}

/// A tenant ends inside of the result at the sizes of a sample.
bool Lender::fitsAtSample(unsigned result, unsigned index, ArrayRef<unsigned> below) {
  int64_t end = sizes[comparedAt][index];
  if (!below.empty())
    end += endsAt[*llvm::max_element(below, [&](unsigned a, unsigned b) { return endsAt[a] < endsAt[b]; })];
  if (end > resultSizes[comparedAt][result])
    return false;
  endsAt[index] = end;
  plan.results[result].isCompared = true;
  return true;
}

/// Lowers the peak of what lives in the arena at the sizes of a sample, as long as something that lives there fits.
void Lender::lowerPeaks(unsigned sample) {
  SmallVector<int64_t> live(numPositions, 0);
  auto add = [&](const Tenant &tenant, int64_t bytes) {
    for (unsigned position = tenant.start; position <= tenant.end; ++position)
      live[position] += bytes;
  };
  for (auto [index, tenant] : llvm::enumerate(plan.tenants))
    if (tenant.home == Home::Arena)
      add(tenant, sizes[sample][index]);
  while (true) {
    // The last one: from where the result is made backwards, the tensors of a chain alternate.
    unsigned peak = live.size() - 1 - (std::max_element(live.rbegin(), live.rend()) - live.rbegin());
    std::optional<unsigned> lent = lendAt(peak, sample);
    if (!lent)
      return;
    add(plan.tenants[*lent], -sizes[sample][*lent]);
  }
}

/// Lends to the largest tenant at a position that fits into a result; of equals to the one that is needed longest.
std::optional<unsigned> Lender::lendAt(unsigned position, unsigned sample) {
  SmallVector<unsigned> found;
  for (unsigned index : borrowers) {
    const Tenant &tenant = plan.tenants[index];
    if (tenant.home == Home::Arena && tenant.start <= position && position <= tenant.end && sizes[sample][index] > 0)
      found.push_back(index);
  }
  auto rank = [&](unsigned index) {
    return std::make_tuple(-sizes[sample][index], -static_cast<int64_t>(plan.tenants[index].end), index);
  };
  llvm::sort(found, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  for (unsigned index : found)
    for (unsigned result : lenders) {
      if (plan.tenants[index].end >= plan.results[result].start || !mayFit(result, index))
        continue;
      if (work == 0)
        return std::nullopt;
      --work;
      if (lend(result, index))
        return index;
    }
  return std::nullopt;
}

/// Alone, at the sizes of the samples.
bool Lender::mayFit(unsigned result, unsigned index) const {
  if (!prover)
    return sizes[comparedAt][index] <= resultSizes[comparedAt][result];
  return llvm::all_of(llvm::zip_equal(sizes, resultSizes), [&](const auto &sample) {
    return std::get<0>(sample)[index] <=
           static_cast<int64_t>(llvm::alignTo(std::get<1>(sample)[result], kArenaAlignment));
  });
}

void Lender::run() {
  for (auto [index, result] : llvm::enumerate(plan.results))
    if (result.isKnownAtEntry)
      lenders.push_back(index);
  for (auto [index, tenant] : llvm::enumerate(plan.tenants)) {
    numPositions = std::max(numPositions, tenant.end + 1);
    if (tenant.home == Home::Arena && !tenant.isScratch() && !tenant.mayBeNegative)
      borrowers.push_back(index);
  }
  if (lenders.empty() || borrowers.empty())
    return;
  if (!prover)
    return lowerPeaks(comparedAt);
  for (unsigned sample = 0; sample < sizes.size(); ++sample)
    lowerPeaks(sample);
}

void relax::lendResults(MemoryPlan &plan, sym::Prover &entryProver, const SampleSizes &sizes) {
  Lender(plan, &entryProver, sizes).run();
}

void relax::lendResultsAt(MemoryPlan &plan, const SampleSizes &sizes, unsigned sample) {
  Lender(plan, nullptr, sizes, sample).run();
}
