//===- SampleSizes.cpp - Sizes at which choices are compared --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "SampleSizes.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

std::optional<int64_t> relax::getSampleValue(const SampleValues &values, StringRef symbol) {
  for (auto [name, value] : values)
    if (name == symbol)
      return value;
  return std::nullopt;
}

SmallVector<SampleValues> relax::getSamples(sym::Prover &prover, ArrayRef<StringRef> symbols,
                                            ArrayRef<sym::Fact> facts) {
  constexpr size_t kMaxSamples = 16;
  SmallVector<std::pair<int64_t, int64_t>> ranges;
  for (StringRef symbol : symbols) {
    std::pair<int64_t, int64_t> range = {0, int64_t(1) << 20};
    if (!facts.empty()) {
      SymExpr expr = SymExpr::symbol(facts.front().lhs.getContext(), symbol);
      range.first = std::max(range.first, prover.lowerBound(expr).value_or(range.first));
      range.second = std::max(range.first, std::min(range.second, prover.upperBound(expr).value_or(range.second)));
    }
    ranges.push_back(range);
  }
  SmallVector<SampleValues> valid, all;
  auto add = [&](function_ref<int64_t(size_t)> choose) {
    SampleValues values;
    for (size_t i = 0; i < symbols.size(); ++i)
      values.push_back({symbols[i], std::clamp(choose(i), ranges[i].first, ranges[i].second)});
    if (llvm::is_contained(all, values))
      return;
    bool holds = llvm::all_of(facts, [&](const sym::Fact &fact) {
      return fact.evaluate([&](StringRef name) { return getSampleValue(values, name); }).value_or(false);
    });
    if (holds && valid.size() < kMaxSamples)
      valid.push_back(values);
    all.push_back(std::move(values));
  };
  // Alike, then one symbol apart from the others, then all different.
  for (int64_t size : {128, 32, 512})
    add([&](size_t) { return size; });
  for (size_t apart = 0; apart < std::min<size_t>(symbols.size(), 6); ++apart)
    for (auto [one, others] : {std::pair<int64_t, int64_t>(1, 128), {0, 128}, {2048, 32}})
      add([&, one = one, others = others](size_t i) { return i == apart ? one : others; });
  for (int64_t shift = 0; shift < 6; ++shift)
    add([&](size_t i) { return int64_t(8) << ((shift + 2 * i) % 7); });
  if (valid.empty())
    valid.push_back(all.front());
  return valid;
}
