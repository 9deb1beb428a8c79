//===- ProverRanges.cpp - Ranges under constraints -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// c*monomial + rest >= 0 bounds the monomial when the rest is bounded, and then
// its factors. Each range is sound by itself, so any order and number of rounds
// is right.
//
//===----------------------------------------------------------------------===//

#include "ProverImpl.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

using End = std::optional<Wide>;

static Wide floorDivWide(Wide a, Wide b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

Interval RangeMap::ofSymbol(const SymAtom *symbol) const {
  auto it = known.find(symbol);
  if (it != known.end())
    return it->second;
  Interval natural;
  natural.lo = 0;
  return natural;
}

namespace {
/// Intervals of the atoms below one polynomial, each computed once.
struct IntervalCache {
  explicit IntervalCache(const RangeMap &ranges) : ranges(ranges) {}
  const RangeMap &ranges;
  DenseMap<const SymAtom *, Interval> done;

  Interval ofAtom(const SymAtom *atom) {
    if (atom->kind == SymAtom::Kind::Symbol)
      return ranges.ofSymbol(atom);
    auto it = done.find(atom);
    if (it != done.end())
      return it->second;
    Interval result = intervalOfOperator(atom, [&](SymExpr operand) { return ofPoly(getPoly(operand)); });
    Bounds stored = rangeOf(atom);
    Interval general;
    if (stored.lo)
      general.lo = *stored.lo;
    if (stored.hi)
      general.hi = *stored.hi;
    result = intersect(result, general);
    auto restricted = ranges.getKnown().find(atom);
    if (restricted != ranges.getKnown().end())
      result = intersect(result, restricted->second);
    done[atom] = result;
    return result;
  }
  Interval ofPoly(const Poly &poly, unsigned depth = 0) {
    Interval result = sym::detail::intervalOf(poly, [&](const SymAtom *atom) { return ofAtom(atom); });
    if ((result.lo && result.hi) || poly.size() < 2 || poly.size() > kMaxSplitTerms || depth == kMaxSplitDepth)
      return result;
    for (const SymTerm &term : poly)
      for (auto [atom, power] : term.factors)
        if (atom->kind == SymAtom::Kind::Max && power == 1)
          chooseOperands(poly, term, atom, depth, result);
    return result;
  }

private:
  static constexpr size_t kMaxSplitTerms = 8;
  static constexpr unsigned kMaxSplitDepth = 2;

  /// m*max(a, b) is at least m*a for m >= 0, which may cancel other terms: n*k + k*max(-n, -m) is not negative.
  void chooseOperands(const Poly &poly, const SymTerm &term, const SymAtom *max, unsigned depth, Interval &result) {
    End &end = term.coefficient > 0 ? result.lo : result.hi;
    std::optional<Factors> others = divideFactors(term.factors, {{max, 1u}});
    if (end || !others)
      return;
    Poly self, around;
    self.push_back(term);
    around.push_back({1, *others});
    OptPoly rest = add(poly, self, -1);
    if (!rest || !ofPoly(around, kMaxSplitDepth).isNonNegative())
      return;
    for (SymExpr operand : max->operands) {
      OptPoly chosen = multiply(getPoly(operand), term.coefficient, *others);
      OptPoly sum = chosen ? add(*rest, *chosen) : OptPoly();
      if (!sum)
        continue;
      Interval bounds = ofPoly(*sum, depth + 1);
      if (term.coefficient > 0 && bounds.lo)
        end = end ? std::max(*end, *bounds.lo) : *bounds.lo;
      if (term.coefficient < 0 && bounds.hi)
        end = end ? std::min(*end, *bounds.hi) : *bounds.hi;
    }
  }
};
} // namespace

Interval RangeMap::intervalOf(const Poly &poly) const { return IntervalCache(*this).ofPoly(poly); }

bool RangeMap::restrict(const SymAtom *atom, Interval bounds) {
  Interval before = intervalOf(atomPoly(atom));
  Interval after = intersect(before, bounds);
  if (after.lo != before.lo || after.hi != before.hi) {
    known[atom] = after;
    changed = true;
  }
  return !after.lo || !after.hi || *after.lo <= *after.hi;
}

/// The greatest r >= 0 with r^power <= value, for value >= 0.
static Wide integerRoot(Wide value, unsigned power) {
  Wide low = 0, high = 1;
  auto exceeds = [&](Wide root) {
    Wide product = 1;
    for (unsigned i = 0; i < power; ++i)
      if (__builtin_mul_overflow(product, root, &product) || product > value)
        return true;
    return false;
  };
  while (!exceeds(high))
    high *= 2;
  while (low + 1 < high) {
    Wide middle = low + (high - low) / 2;
    (exceeds(middle) ? high : low) = middle;
  }
  return low;
}

bool RangeMap::boundMonomial(const Factors &factors, Interval bounds) {
  if (factors.size() == 1 && factors[0].second == 1)
    return restrict(factors[0].first, bounds);
  // Products of naturals only; other signs would need more cases than they are worth.
  SmallVector<Interval> parts;
  for (auto &factor : factors) {
    parts.push_back(intervalOf(atomPoly(factor.first)));
    if (!parts.back().isNonNegative())
      return true;
  }
  if (bounds.hi && *bounds.hi < 0)
    return false;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    Interval next;
    if (bounds.lo && *bounds.lo > 0)
      next.lo = 1; // no factor of a positive product is 0
    if (factors.size() == 1) {
      if (bounds.hi)
        next.hi = integerRoot(*bounds.hi, factor.second);
      if (bounds.lo && *bounds.lo > 0)
        next.lo = integerRoot(*bounds.lo - 1, factor.second) + 1;
    } else if (factor.second == 1) {
      Poly others;
      others.push_back({1, *divideFactors(factors, {{factor.first, 1u}})});
      Interval rest = intervalOf(others);
      if (bounds.hi && rest.lo && *rest.lo >= 1)
        next.hi = *bounds.hi / *rest.lo;
      if (bounds.lo && *bounds.lo > 0 && rest.hi && *rest.hi >= 1)
        next.lo = std::max<Wide>(1, (*bounds.lo + *rest.hi - 1) / *rest.hi);
    }
    if (!restrict(factor.first, next))
      return false;
  }
  return true;
}

bool RangeMap::tighten(const Constraint &constraint) {
  const Poly &poly = getPoly(constraint.expr);
  if (poly.size() > 16)
    return true;
  for (const SymTerm &term : poly) {
    if (term.factors.empty())
      continue;
    Poly self;
    self.push_back(term);
    OptPoly rest = add(poly, self, -1);
    if (!rest)
      continue;
    Interval others = intervalOf(*rest), bounds;
    Wide magnitude = std::abs(term.coefficient);
    // c*m >= -others.hi; for an equality also c*m <= -others.lo.
    if (others.hi) {
      if (term.coefficient > 0)
        bounds.lo = -floorDivWide(*others.hi, magnitude);
      else
        bounds.hi = floorDivWide(*others.hi, magnitude);
    }
    if (constraint.isEquality && others.lo) {
      if (term.coefficient > 0)
        bounds.hi = floorDivWide(-*others.lo, magnitude);
      else
        bounds.lo = -floorDivWide(-*others.lo, magnitude);
    }
    if (!boundMonomial(term.factors, bounds))
      return false;
  }
  return true;
}

bool RangeMap::propagate(ArrayRef<Constraint> constraints, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    changed = false;
    for (const Constraint &constraint : constraints) {
      if (std::optional<int64_t> value = constraint.expr.getConstant()) {
        if (constraint.isEquality ? *value != 0 : *value < 0)
          return false;
        continue;
      }
      if (!tighten(constraint))
        return false;
    }
    if (!changed)
      break;
  }
  return true;
}

SymExpr sym::detail::cancelPositiveFactors(SymExpr expr, const RangeMap &ranges) {
  if (!expr || expr.getConstant())
    return expr;
  const Poly &poly = getPoly(expr);
  Factors common = poly.front().factors;
  for (const SymTerm &term : poly) {
    Factors shared;
    for (auto [atom, power] : common)
      for (auto [other, otherPower] : term.factors)
        if (atom == other)
          shared.push_back({atom, std::min(power, otherPower)});
    common = shared;
  }
  llvm::erase_if(common, [&](auto &factor) {
    Interval interval = ranges.intervalOf(atomPoly(factor.first));
    return !interval.lo || *interval.lo < 1;
  });
  if (common.empty())
    return expr;
  Poly result;
  for (const SymTerm &term : poly)
    result.push_back({term.coefficient, *divideFactors(term.factors, common)});
  return getExpr(expr.getContext(), result);
}
