//===- SymBounds.cpp - Intervals of polynomials ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Interval arithmetic that knows three things more than textbooks: what
// mod(a, b) is made of, that monomials of naturals dominate their factors, and
// that an unbounded factor times 0 is 0. Absent ends are unbounded or too large.
//
//===----------------------------------------------------------------------===//

#include "SymExprDetail.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

using End = std::optional<__int128>;

static End clampEnd(__int128 value) {
  constexpr __int128 kHuge = (__int128)1 << 100;
  return value > kHuge || value < -kHuge ? End() : End(value);
}
static End addEnds(End a, End b) { return a && b ? clampEnd(*a + *b) : End(); }
static End timesEnds(End a, End b) {
  __int128 result;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &result))
    return std::nullopt;
  return clampEnd(result);
}

static __int128 wideFloorDiv(__int128 a, __int128 b) {
  __int128 quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

static Interval scale(Interval x, int64_t c) {
  if (c == 0)
    return {End(0), End(0)};
  End lo = timesEnds(x.lo, End(c)), hi = timesEnds(x.hi, End(c));
  return c > 0 ? Interval{lo, hi} : Interval{hi, lo};
}

/// Product of intervals. Unbounded ends are handled by sign, as only nonnegative factors are common.
static Interval product(Interval x, Interval y) {
  auto isZero = [](const Interval &i) { return i.lo && i.hi && *i.lo == 0 && *i.hi == 0; };
  if (isZero(x) || isZero(y))
    return {End(0), End(0)};
  if (x.isNonNegative() && y.isNonNegative()) {
    End lo = timesEnds(x.lo, y.lo);
    return {lo ? lo : End(0), timesEnds(x.hi, y.hi)};
  }
  if (x.lo && x.hi && y.lo && y.hi) {
    End ends[] = {timesEnds(x.lo, y.lo), timesEnds(x.lo, y.hi), timesEnds(x.hi, y.lo), timesEnds(x.hi, y.hi)};
    if (llvm::all_of(ends, [](End e) { return e.has_value(); }))
      return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
  }
  return {};
}

static Interval factorsInterval(const Factors &factors, AtomInterval ofAtom) {
  Interval result{End(1), End(1)};
  for (auto [atom, power] : factors) {
    Interval base = ofAtom(atom);
    Interval powered{End(1), End(1)};
    for (unsigned i = 0; i < power; ++i)
      powered = product(powered, base);
    if (power % 2 == 0 && (!powered.lo || *powered.lo < 0))
      powered.lo = End(0);
    result = product(result, powered);
  }
  return result;
}

/// x*t >= x when t is made of factors of x: either one is 0 and both sides are, or all are >= 1.
static bool dominates(const Factors &big, const Factors &small, AtomInterval ofAtom) {
  std::optional<Factors> ratio = divideFactors(big, small);
  if (!ratio || small.empty() || !llvm::all_of(big, [&](auto &factor) { return ofAtom(factor.first).isNonNegative(); }))
    return false;
  return llvm::all_of(*ratio, [&](auto &factor) {
    return llvm::any_of(small, [&](auto &other) { return other.first == factor.first; });
  });
}

/// Sum of term intervals, after monomials of one sign are cancelled against monomials that dominate them.
static Interval sumInterval(const Poly &poly, AtomInterval ofAtom) {
  auto cancel = [&](int64_t sign) {
    SmallVector<int64_t> left;
    bool positive = false, negative = false;
    for (const SymTerm &term : poly) {
      left.push_back(term.coefficient);
      (term.coefficient > 0 ? positive : negative) |= term.factors.size() > 0;
    }
    if (!positive || !negative)
      return left;
    for (auto [i, small] : llvm::enumerate(poly)) {
      for (auto [j, big] : llvm::enumerate(poly)) {
        if (left[i] * sign >= 0)
          break;
        if (i == j || left[j] * sign <= 0 || !dominates(big.factors, small.factors, ofAtom))
          continue;
        int64_t amount = std::min(std::abs(left[i]), std::abs(left[j])) * sign;
        left[i] += amount;
        left[j] -= amount;
      }
    }
    return left;
  };
  Interval result{End(0), End(0)};
  SmallVector<int64_t> forLo = cancel(1), forHi = cancel(-1);
  for (auto [i, term] : llvm::enumerate(poly)) {
    Interval monomial = factorsInterval(term.factors, ofAtom);
    result.lo = addEnds(result.lo, scale(monomial, forLo[i]).lo);
    result.hi = addEnds(result.hi, scale(monomial, forHi[i]).hi);
  }
  return result;
}

/// Rewrites k*floordiv(a, b) with b | k as (k/b)*(a - mod(a, b)) and sums with mod in [0, b).
static std::optional<Interval> modInterval(const Poly &poly, AtomInterval ofAtom) {
  Poly rest = poly;
  Interval mods{End(0), End(0)};
  bool changed = false;
  for (const SymTerm &term : poly) {
    if (term.factors.size() != 1 || term.factors[0].second != 1 ||
        term.factors[0].first->kind != SymAtom::Kind::FloorDiv)
      continue;
    const SymAtom *atom = term.factors[0].first;
    std::optional<int64_t> divisor = atom->operands[1].getConstant();
    if (!divisor || term.coefficient % *divisor)
      continue;
    int64_t multiple = term.coefficient / *divisor;
    OptPoly without = add(rest, atomPoly(atom), -term.coefficient);
    OptPoly with = without ? add(*without, getPoly(atom->operands[0]), multiple) : std::nullopt;
    if (!with)
      continue;
    Interval part = scale(Interval{End(0), End(*divisor - 1)}, -multiple);
    mods = {addEnds(mods.lo, part.lo), addEnds(mods.hi, part.hi)};
    rest = std::move(*with);
    changed = true;
  }
  if (!changed)
    return std::nullopt;
  Interval sum = sumInterval(rest, ofAtom);
  return Interval{addEnds(sum.lo, mods.lo), addEnds(sum.hi, mods.hi)};
}

Interval sym::detail::intersect(Interval a, Interval b) {
  if (!a.lo || (b.lo && *b.lo > *a.lo))
    a.lo = b.lo;
  if (!a.hi || (b.hi && *b.hi < *a.hi))
    a.hi = b.hi;
  return a;
}

Interval sym::detail::intervalOf(const Poly &poly, AtomInterval ofAtom) {
  if (poly.size() > 32)
    return {}; // long sums are not worth the quadratic cancelling
  Interval result = sumInterval(poly, ofAtom);
  if (std::optional<Interval> mods = modInterval(poly, ofAtom))
    result = intersect(result, *mods);
  return result;
}

Interval sym::detail::intervalOfOperator(const SymAtom *atom, llvm::function_ref<Interval(SymExpr)> ofExpr) {
  Interval result;
  if (atom->kind == SymAtom::Kind::Max) {
    bool allBounded = true;
    for (SymExpr operand : atom->operands) {
      Interval part = ofExpr(operand);
      if (part.lo && (!result.lo || *part.lo > *result.lo))
        result.lo = part.lo;
      allBounded &= part.hi.has_value();
      if (part.hi && (!result.hi || *part.hi > *result.hi))
        result.hi = part.hi;
    }
    if (!allBounded)
      result.hi.reset();
    return result;
  }
  Interval dividend = ofExpr(atom->operands[0]), divisor = ofExpr(atom->operands[1]);
  // A divisor is >= 1; a greater one moves the value towards 0, or to -1.
  __int128 least = divisor.lo && *divisor.lo > 1 ? *divisor.lo : 1;
  if (dividend.lo) {
    if (*dividend.lo < 0)
      result.lo = wideFloorDiv(*dividend.lo, least);
    else
      result.lo = divisor.hi && *divisor.hi >= 1 ? *dividend.lo / *divisor.hi : 0;
  }
  if (dividend.hi) {
    if (*dividend.hi >= 0)
      result.hi = *dividend.hi / least;
    else
      result.hi = divisor.hi && *divisor.hi >= 1 ? wideFloorDiv(*dividend.hi, *divisor.hi) : -1;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Without facts: stored with each expression
//===----------------------------------------------------------------------===//

static Interval widen(Bounds bounds) {
  Interval result;
  if (bounds.lo)
    result.lo = *bounds.lo;
  if (bounds.hi)
    result.hi = *bounds.hi;
  return result;
}

Bounds sym::detail::narrow(Interval interval) {
  Bounds bounds;
  auto fits64 = [](End e) { return e && *e >= INT64_MIN && *e <= INT64_MAX; };
  if (fits64(interval.lo))
    bounds.lo = static_cast<int64_t>(*interval.lo);
  if (fits64(interval.hi))
    bounds.hi = static_cast<int64_t>(*interval.hi);
  return bounds;
}

Bounds sym::detail::rangeOf(const SymAtom *atom) { return getStorage(atom).range; }

Bounds sym::detail::rangeOf(const Poly &poly) {
  return narrow(intervalOf(poly, [](const SymAtom *atom) { return widen(rangeOf(atom)); }));
}

Bounds sym::detail::computeRange(const SymAtom *atom) {
  if (atom->kind == SymAtom::Kind::Symbol)
    return {0, std::nullopt};
  return narrow(intervalOfOperator(atom, [](SymExpr operand) { return widen(operand.getImpl()->range); }));
}
