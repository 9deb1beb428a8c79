//===- MemoryLayout.cpp - Which tenant lies above which -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Tenants that live at the same time are ordered: the later one lies above the
// earlier one. Any order gives a valid plan for all sizes, in which a tenant
// begins at the highest end of those below it. The order is taken from packing
// numbers at some sample sizes, each way of packing is judged at all of them,
// and the one whose worst ratio to the bytes that live together is least wins.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

class Layout {
public:
  Layout(MemoryPlan &plan, ArrayRef<SmallVector<int64_t>> samples);
  SmallVector<int64_t> run(std::optional<unsigned> suited);

private:
  enum class Priority { Size, Span, Start };

  const Tenant &tenant(unsigned node) const { return plan.tenants[nodes[node]]; }
  int64_t sizeAt(unsigned node, unsigned sample) const { return samples[sample][nodes[node]]; }
  void findNeighbours();
  int64_t findLiveBytes(unsigned sample) const;
  SmallVector<unsigned> pack(unsigned sample, Priority priority, bool tightest) const;
  int64_t measure(ArrayRef<unsigned> order, unsigned sample) const;
  double judge(ArrayRef<unsigned> order, double best) const;
  void write(ArrayRef<unsigned> order);

  MemoryPlan &plan;
  ArrayRef<SmallVector<int64_t>> samples;
  SmallVector<unsigned> nodes;                   // the tenants in the arena
  SmallVector<SmallVector<unsigned>> neighbours; // nodes that live at the same time
  size_t numPairs = 0;
  SmallVector<int64_t> liveBytes; // for each sample
};

} // namespace

Layout::Layout(MemoryPlan &plan, ArrayRef<SmallVector<int64_t>> samples) : plan(plan), samples(samples) {
  for (auto [index, tenant] : llvm::enumerate(plan.tenants))
    if (tenant.home == Home::Arena)
      nodes.push_back(index);
  findNeighbours();
  for (unsigned sample = 0; sample < samples.size(); ++sample)
    liveBytes.push_back(findLiveBytes(sample));
}

void Layout::findNeighbours() {
  neighbours.resize(nodes.size());
  SmallVector<unsigned> byStart = llvm::to_vector(llvm::seq<unsigned>(0, nodes.size()));
  llvm::sort(byStart, [&](unsigned a, unsigned b) {
    return std::make_pair(tenant(a).start, a) < std::make_pair(tenant(b).start, b);
  });
  SmallVector<unsigned> live;
  for (unsigned node : byStart) {
    llvm::erase_if(live, [&](unsigned other) { return tenant(other).end < tenant(node).start; });
    for (unsigned other : live) {
      neighbours[node].push_back(other);
      neighbours[other].push_back(node);
    }
    numPairs += live.size();
    live.push_back(node);
  }
}

int64_t Layout::findLiveBytes(unsigned sample) const {
  SmallVector<std::pair<unsigned, int64_t>> changes;
  for (unsigned node = 0; node < nodes.size(); ++node) {
    changes.push_back({2 * tenant(node).start, sizeAt(node, sample)});
    changes.push_back({2 * tenant(node).end + 1, -sizeAt(node, sample)});
  }
  llvm::sort(changes);
  int64_t live = 0, most = 0;
  for (auto [position, change] : changes)
    most = std::max(most, live += change);
  return most;
}

/// Puts the nodes into gaps between those that are there and live at the same time. The nodes by their places.
SmallVector<unsigned> Layout::pack(unsigned sample, Priority priority, bool tightest) const {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, nodes.size()));
  auto rank = [&](unsigned node) -> std::tuple<bool, int64_t, unsigned> {
    const Tenant &it = tenant(node);
    int64_t key = priority == Priority::Size   ? -sizeAt(node, sample)
                  : priority == Priority::Span ? static_cast<int64_t>(it.start) - it.end
                                               : it.start;
    return {!it.isScratch(), it.isScratch() ? 0 : key, node};
  };
  llvm::sort(order, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  SmallVector<int64_t> begin(nodes.size(), -1);
  auto endOf = [&](unsigned node) { return begin[node] + sizeAt(node, sample); };
  for (unsigned node : order) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    int64_t low = 0, size = sizeAt(node, sample);
    for (unsigned other : neighbours[node]) {
      if (begin[other] < 0)
        continue;
      if (tenant(other).isScratch())
        low = std::max(low, endOf(other));
      else if (sizeAt(other, sample) > 0)
        taken.push_back({begin[other], endOf(other)});
    }
    llvm::sort(taken);
    std::optional<int64_t> place;
    int64_t room = 0;
    for (auto [from, to] : taken) {
      if (!tenant(node).isScratch() && from - low >= size && (!place || (tightest && from - low < room))) {
        place = low;
        room = from - low;
      }
      low = std::max(low, to);
    }
    begin[node] = place.value_or(low);
  }
  // What has no bytes at these sizes lies before what begins there.
  llvm::sort(order, [&](unsigned a, unsigned b) {
    bool above = !tenant(a).isScratch(), otherAbove = !tenant(b).isScratch();
    return std::make_tuple(above, begin[a], endOf(a), a) < std::make_tuple(otherAbove, begin[b], endOf(b), b);
  });
  return order;
}

/// Bytes of the arena.
int64_t Layout::measure(ArrayRef<unsigned> order, unsigned sample) const {
  SmallVector<int64_t> end(nodes.size(), -1);
  int64_t total = 0;
  for (unsigned node : order) {
    int64_t begin = 0;
    for (unsigned other : neighbours[node])
      begin = std::max(begin, end[other]);
    end[node] = begin + sizeAt(node, sample);
    total = std::max(total, end[node]);
  }
  return total;
}

/// The worst ratio of the arena to the bytes that live together. Gives up when it is not below `best`.
double Layout::judge(ArrayRef<unsigned> order, double best) const {
  double worst = 0;
  for (unsigned sample = 0; sample < samples.size() && worst < best; ++sample)
    if (liveBytes[sample] > 0)
      worst = std::max(worst, static_cast<double>(measure(order, sample)) / static_cast<double>(liveBytes[sample]));
  return worst;
}

SmallVector<int64_t> Layout::run(std::optional<unsigned> suited) {
  SmallVector<int64_t> bytes(samples.size(), 0);
  if (nodes.empty())
    return bytes;
  // Work is bounded; the first way of packing at the first sizes is always tried.
  constexpr size_t kMaxWork = 100'000'000;
  size_t work = 0, step = (numPairs + nodes.size()) * (samples.size() + 4);
  SmallVector<unsigned> best;
  double ratio = std::numeric_limits<double>::infinity();
  for (Priority priority : {Priority::Size, Priority::Span, Priority::Start})
    for (bool tightest : {false, true})
      for (unsigned sample = 0; sample < samples.size(); ++sample) {
        if (suited.value_or(sample) != sample || (!best.empty() && ((work += step) > kMaxWork || ratio <= 1.0)))
          continue;
        SmallVector<unsigned> order = pack(sample, priority, tightest);
        double found = judge(order, ratio);
        if (best.empty() || found < ratio) {
          best = std::move(order);
          ratio = found;
        }
      }
  write(best);
  for (unsigned sample = 0; sample < samples.size(); ++sample)
    bytes[sample] = measure(best, sample);
  return bytes;
}

/// Keeps of the tenants below one those that are not below another of them anyway.
void Layout::write(ArrayRef<unsigned> order) {
  SmallVector<unsigned> rank(nodes.size()), covered(nodes.size(), ~0u);
  for (auto [index, node] : llvm::enumerate(order))
    rank[node] = index;
  SmallVector<bool> hasAbove(nodes.size(), false);
  for (unsigned node : order) {
    plan.order.push_back(nodes[node]);
    SmallVector<unsigned> lower;
    for (unsigned other : neighbours[node])
      if (rank[other] < rank[node])
        lower.push_back(other);
    llvm::sort(lower, [&](unsigned a, unsigned b) { return rank[a] > rank[b]; });
    for (unsigned other : lower) {
      hasAbove[other] = true;
      if (covered[other] == node)
        continue;
      plan.tenants[nodes[node]].below.push_back(nodes[other]);
      for (unsigned further : neighbours[other])
        if (rank[further] < rank[other])
          covered[further] = node;
    }
  }
  for (unsigned node : order)
    if (!hasAbove[node])
      plan.top.push_back(nodes[node]);
}

SmallVector<int64_t> relax::layOutTenants(MemoryPlan &plan, ArrayRef<SmallVector<int64_t>> samples,
                                          std::optional<unsigned> suited) {
  return Layout(plan, samples).run(suited);
}
