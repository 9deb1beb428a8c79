//===- ProverSample.cpp - Valuations that satisfy facts --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Witnesses are found by trying: symbols that equalities determine are computed,
// the others run through small values, bounds and the constants of the question.
//
//===----------------------------------------------------------------------===//

#include "ProverSearch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
struct WideEvaluation {
  explicit WideEvaluation(const Assignment &values) : values(values) {}
  const Assignment &values;
  DenseMap<const SymAtom *, std::optional<Wide>> done;

  std::optional<Wide> atom(const SymAtom *atom) {
    if (atom->kind == SymAtom::Kind::Symbol) {
      auto it = values.find(atom);
      return it == values.end() ? std::nullopt : std::optional<Wide>(it->second);
    }
    auto known = done.find(atom);
    if (known != done.end())
      return known->second;
    std::optional<Wide> result = compute(atom);
    done[atom] = result;
    return result;
  }

  std::optional<Wide> compute(const SymAtom *atom) {
    SmallVector<Wide> operands;
    for (SymExpr operand : atom->operands) {
      std::optional<Wide> value = expr(operand);
      if (!value)
        return std::nullopt;
      operands.push_back(*value);
    }
    if (atom->kind == SymAtom::Kind::Max)
      return *llvm::max_element(operands);
    Wide a = operands[0], b = operands[1];
    if (b <= 0)
      return std::nullopt;
    return a / b - (a % b < 0);
  }

  std::optional<Wide> expr(SymExpr expr) {
    constexpr Wide kHuge = (Wide)1 << 120;
    Wide sum = 0;
    for (const SymTerm &term : getPoly(expr)) {
      Wide product = term.coefficient;
      for (auto [factor, power] : term.factors) {
        std::optional<Wide> base = atom(factor);
        if (!base)
          return std::nullopt;
        for (unsigned i = 0; i < power; ++i)
          if (__builtin_mul_overflow(product, *base, &product))
            return std::nullopt;
      }
      if (product > kHuge || product < -kHuge || __builtin_add_overflow(sum, product, &sum))
        return std::nullopt;
    }
    return sum;
  }
};
} // namespace

std::optional<Wide> sym::detail::evaluateWide(SymExpr expr, const Assignment &values) {
  return WideEvaluation(values).expr(expr);
}

std::optional<bool> sym::detail::evaluateWide(const Fact &fact, const Assignment &values) {
  WideEvaluation evaluation(values);
  std::optional<Wide> lhs = evaluation.expr(fact.lhs), rhs = evaluation.expr(fact.rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (fact.op) {
  case Fact::Op::Equal:
    return *lhs == *rhs;
  case Fact::Op::LessEqual:
    return *lhs <= *rhs;
  case Fact::Op::GreaterEqual:
    return *lhs >= *rhs;
  case Fact::Op::Less:
    return *lhs < *rhs;
  case Fact::Op::Greater:
    return *lhs > *rhs;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Sampler
//===----------------------------------------------------------------------===//

static void collectConstants(SymExpr expr, SmallVectorImpl<int64_t> &constants) {
  auto addFrom = [&](const Poly &poly) {
    for (const SymTerm &term : poly)
      if (term.factors.empty() || std::abs(term.coefficient) > 1)
        constants.push_back(std::abs(term.coefficient));
  };
  addFrom(getPoly(expr));
  SmallVector<const SymAtom *> atoms;
  collectAtoms(expr, atoms);
  for (const SymAtom *atom : atoms)
    for (SymExpr operand : atom->operands)
      addFrom(getPoly(operand));
}

Sampler::Sampler(const FactBase &base, ArrayRef<SymExpr> exprs) : base(base) {
  SmallVector<const SymAtom *> reached;
  for (SymExpr expr : exprs) {
    collectSymbolAtoms(expr, reached);
    collectConstants(expr, interesting);
  }
  SmallVector<bool> taken(base.getFacts().size(), false);
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto [i, fact] : llvm::enumerate(base.getFacts())) {
      if (taken[i])
        continue;
      SmallVector<const SymAtom *> symbols;
      collectSymbolAtoms(fact.lhs, symbols);
      collectSymbolAtoms(fact.rhs, symbols);
      if (!symbols.empty() && llvm::none_of(symbols, [&](auto *s) { return llvm::is_contained(reached, s); }))
        continue;
      taken[i] = changed = true;
      facts.push_back(fact);
      collectSymbolAtoms(fact.lhs, reached);
      collectSymbolAtoms(fact.rhs, reached);
      collectConstants(fact.lhs, interesting);
      collectConstants(fact.rhs, interesting);
    }
  }
  for (const SymAtom *symbol : reached) {
    SymExpr value = base.lookup(symbol);
    if (!value) {
      if (!llvm::is_contained(free, symbol))
        free.push_back(symbol);
      continue;
    }
    dependent.push_back(symbol);
    collectSymbolAtoms(value, free);
  }
  llvm::sort(interesting);
  interesting.erase(llvm::unique(interesting), interesting.end());
}

std::optional<Assignment> Sampler::complete(const Assignment &given) {
  Assignment values;
  for (const SymAtom *symbol : free) {
    auto it = given.find(symbol);
    Interval range = base.ofSymbol(symbol);
    Wide value = it != given.end() ? it->second : range.lo.value_or(0);
    if (value < 0)
      return std::nullopt;
    values[symbol] = value;
  }
  for (const SymAtom *symbol : dependent) {
    std::optional<Wide> value = evaluateWide(base.lookup(symbol), values);
    if (!value || *value < 0)
      return std::nullopt;
    values[symbol] = *value;
  }
  for (const Fact &fact : facts)
    if (!evaluateWide(fact, values).value_or(false))
      return std::nullopt;
  return values;
}

void Sampler::sample(unsigned count, Budget &budget, llvm::function_ref<bool(const Assignment &)> visit) {
  // Candidates of each symbol, likely ones first.
  SmallVector<SmallVector<Wide>> candidates;
  for (const SymAtom *symbol : free) {
    Interval range = base.ofSymbol(symbol);
    SmallVector<Wide> list;
    auto offer = [&](Wide value) {
      if (value >= 0 && (!range.lo || value >= *range.lo) && (!range.hi || value <= *range.hi) &&
          !llvm::is_contained(list, value) && list.size() < 48)
        list.push_back(value);
    };
    Wide lo = range.lo.value_or(0);
    for (Wide step : {0, 1, 2, 3})
      offer(lo + step);
    if (range.hi) {
      offer(*range.hi);
      offer(*range.hi - 1);
    }
    for (int64_t value : {5, 7, 4, 6, 11})
      offer(lo + value);
    for (int64_t value : interesting)
      for (int64_t delta : {0, 1, -1})
        offer((Wide)value + delta);
    offer(lo + 1000);
    offer(lo + 100003);
    if (list.empty())
      return; // the range is empty
    candidates.push_back(std::move(list));
  }
  uint64_t state = 0x9E3779B97F4A7C15ull;
  auto random = [&state](uint64_t bound) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % bound;
  };
  for (unsigned round = 0; round < count; ++round) {
    if (!budget.spend(1 + facts.size()))
      return;
    Assignment given;
    for (auto [i, symbol] : llvm::enumerate(free)) {
      const SmallVector<Wide> &list = candidates[i];
      // First all equal, then each different, then at random; low positions more often.
      size_t index = round < 4    ? round
                     : round < 12 ? (round * (i + 1) + i) % std::min<size_t>(list.size(), 5)
                     : round % 2  ? random(list.size())
                                  : random(std::min<size_t>(list.size(), 6));
      given[symbol] = list[std::min(index, list.size() - 1)];
    }
    std::optional<Assignment> values = complete(given);
    if (values && !visit(*values))
      return;
    if (free.empty())
      return; // there is only one valuation
  }
}

bool Sampler::enumerate(uint64_t limit, Budget &budget, llvm::function_ref<bool(const Assignment &)> visit) {
  SmallVector<std::pair<Wide, Wide>> ranges;
  Wide total = 1;
  for (const SymAtom *symbol : free) {
    Interval range = base.ofSymbol(symbol);
    if (!range.hi)
      return false;
    Wide lo = range.lo.value_or(0);
    if (*range.hi < lo)
      return true; // no valuation at all
    ranges.push_back({lo, *range.hi});
    total *= *range.hi - lo + 1;
    if (total > limit)
      return false;
  }
  Assignment given;
  for (auto [symbol, range] : llvm::zip(free, ranges))
    given[symbol] = range.first;
  while (true) {
    if (!budget.spend())
      return false;
    std::optional<Assignment> values = complete(given);
    if (values && !visit(*values))
      return true;
    size_t i = 0;
    for (; i < free.size(); ++i) {
      if (++given[free[i]] <= ranges[i].second)
        break;
      given[free[i]] = ranges[i].first;
    }
    if (i == free.size())
      return true;
  }
}

void Sampler::climb(Assignment best, Budget &budget,
                    llvm::function_ref<std::optional<Wide>(const Assignment &)> value) {
  std::optional<Wide> greatest = value(best);
  if (!greatest)
    return;
  Wide largest = 1;
  for (const SymAtom *symbol : free)
    largest = std::max({largest, best.lookup(symbol), base.ofSymbol(symbol).hi.value_or(0)});
  // Long steps first.
  Wide step = 1;
  while (step < largest && step < ((Wide)1 << 62))
    step *= 2;
  auto move = [&](size_t i, Wide by, size_t j, Wide back) {
    if (!budget.spend(1 + facts.size()))
      return false;
    Assignment next = best;
    next[free[i]] += by;
    next[free[j]] -= back;
    std::optional<Assignment> values = complete(next);
    std::optional<Wide> reached = values ? value(*values) : std::nullopt;
    if (!reached || *reached <= *greatest)
      return false;
    greatest = reached;
    best = *values;
    return true;
  };
  for (; step >= 1; step /= 2)
    for (unsigned round = 0, moved = 1; round < 8 && moved; ++round) {
      moved = 0;
      for (size_t i = 0; i < free.size(); ++i)
        for (size_t j = 0; j < free.size(); ++j)
          if (i == j)
            moved += move(i, step, i, 0) || move(i, -step, i, 0);
          else
            moved += move(i, step, j, step) || move(i, step, j, 2 * step) || move(i, 2 * step, j, step);
      if (budget.exhausted())
        return;
    }
}
