//===- SymPoly.cpp - Polynomials over atoms --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Checked arithmetic, the structural order and cheap value ranges.
//
//===----------------------------------------------------------------------===//

#include "SymExprDetail.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

int sym::detail::compareAtoms(const SymAtom *a, const SymAtom *b) {
  if (a == b)
    return 0;
  if (a->kind != b->kind)
    return a->kind < b->kind ? -1 : 1;
  if (a->kind == SymAtom::Kind::Symbol)
    return a->name.compare(b->name);
  if (a->operands.size() != b->operands.size())
    return a->operands.size() < b->operands.size() ? -1 : 1;
  for (auto [x, y] : llvm::zip_equal(a->operands, b->operands))
    if (int order = compareExprs(x, y))
      return order;
  return 0;
}

static unsigned degree(const Factors &factors) {
  unsigned sum = 0;
  for (auto &factor : factors)
    sum += factor.second;
  return sum;
}

int sym::detail::compareFactors(const Factors &a, const Factors &b) {
  unsigned degreeA = degree(a), degreeB = degree(b);
  if (degreeA != degreeB)
    return degreeA > degreeB ? -1 : 1;
  for (auto [x, y] : llvm::zip(a, b)) {
    if (x.first != y.first)
      return compareAtoms(x.first, y.first);
    if (x.second != y.second)
      return x.second > y.second ? -1 : 1;
  }
  return 0; // same degree and one a prefix of the other: equal
}

int sym::detail::compareExprs(SymExpr a, SymExpr b) {
  return a == b ? 0 : comparePolys(getPoly(a), getPoly(b));
}

int sym::detail::comparePolys(const Poly &x, const Poly &y) {
  for (auto [s, t] : llvm::zip(x, y)) {
    if (int order = compareFactors(s.factors, t.factors))
      return order;
    if (s.coefficient != t.coefficient)
      return s.coefficient > t.coefficient ? -1 : 1;
  }
  return x.size() < y.size() ? -1 : x.size() > y.size() ? 1 : 0;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// INT64_MIN is left out, so that every coefficient has a negative and a printable absolute value.
static bool fits(int64_t value) { return value != std::numeric_limits<int64_t>::min(); }
static bool checkedMul(int64_t a, int64_t b, int64_t &result) { return !llvm::MulOverflow(a, b, result) && fits(result); }
static bool checkedAdd(int64_t a, int64_t b, int64_t &result) { return !llvm::AddOverflow(a, b, result) && fits(result); }

int64_t sym::detail::floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

Poly sym::detail::constantPoly(int64_t value) {
  Poly result;
  if (value)
    result.push_back({value, {}});
  return result;
}

Poly sym::detail::atomPoly(const SymAtom *atom) {
  Poly result;
  result.push_back({1, {{atom, 1u}}});
  return result;
}

OptPoly sym::detail::add(const Poly &a, const Poly &b, int64_t scaleB) {
  Poly result;
  result.reserve(a.size() + b.size());
  const SymTerm *x = a.begin(), *y = b.begin();
  while (x != a.end() || y != b.end()) {
    int order = x == a.end() ? 1 : y == b.end() ? -1 : compareFactors(x->factors, y->factors);
    if (order < 0) {
      result.push_back(*x++);
      continue;
    }
    int64_t coefficient;
    if (!checkedMul(y->coefficient, scaleB, coefficient))
      return std::nullopt;
    if (order == 0 && !checkedAdd((x++)->coefficient, coefficient, coefficient))
      return std::nullopt;
    if (coefficient)
      result.push_back({coefficient, y->factors});
    ++y;
  }
  if (result.size() > kMaxTerms)
    return std::nullopt;
  return result;
}

std::optional<Factors> sym::detail::multiplyFactors(const Factors &a, const Factors &b) {
  Factors result;
  const auto *x = a.begin(), *y = b.begin();
  while (x != a.end() || y != b.end()) {
    int order = x == a.end() ? 1 : y == b.end() ? -1 : compareAtoms(x->first, y->first);
    if (order < 0)
      result.push_back(*x++);
    else if (order > 0)
      result.push_back(*y++);
    else
      result.push_back({x->first, (x++)->second + (y++)->second});
  }
  if (degree(result) > kMaxDegree)
    return std::nullopt;
  return result;
}

std::optional<Factors> sym::detail::divideFactors(const Factors &a, const Factors &b) {
  Factors result;
  const auto *y = b.begin();
  for (auto &factor : a) {
    if (y == b.end() || factor.first != y->first) {
      result.push_back(factor);
      continue;
    }
    if (factor.second < y->second)
      return std::nullopt;
    if (factor.second > y->second)
      result.push_back({factor.first, factor.second - y->second});
    ++y;
  }
  if (y != b.end())
    return std::nullopt;
  return result;
}

OptPoly sym::detail::multiply(const Poly &a, int64_t coefficient, const Factors &factors) {
  Poly result;
  if (!coefficient)
    return result;
  for (const SymTerm &term : a) {
    SymTerm product;
    std::optional<Factors> monomial = multiplyFactors(term.factors, factors);
    if (!monomial || !checkedMul(term.coefficient, coefficient, product.coefficient))
      return std::nullopt;
    product.factors = std::move(*monomial);
    result.push_back(std::move(product)); // the order is admissible: terms stay sorted
  }
  return result;
}

OptPoly sym::detail::multiply(const Poly &a, const Poly &b) {
  if (a.size() * b.size() > 4 * kMaxTerms)
    return std::nullopt;
  Poly result;
  for (const SymTerm &term : b) {
    OptPoly row = multiply(a, term.coefficient, term.factors);
    OptPoly sum = row ? add(result, *row) : std::nullopt;
    if (!sum)
      return std::nullopt;
    result = std::move(*sum);
  }
  return result;
}

bool sym::detail::divide(const Poly &a, const Poly &b, Poly &quotient, Poly &rest) {
  quotient.clear();
  rest = a;
  const SymTerm &lead = b.front();
  int64_t c = std::abs(lead.coefficient);
  // One pass from the greatest monomial down: subtracting a multiple of b changes only smaller monomials.
  for (size_t i = 0; i < rest.size();) {
    SymTerm term = rest[i];
    std::optional<Factors> ratio = divideFactors(term.factors, lead.factors);
    if (!ratio) {
      ++i;
      continue;
    }
    bool constant = term.factors.empty();
    int64_t residue = term.coefficient - c * floorDiv(term.coefficient, c); // [0, c)
    if (!constant && residue > c / 2)
      residue -= c; // (-c/2, c/2]
    int64_t difference;
    if (!checkedAdd(term.coefficient, -residue, difference))
      return false;
    int64_t factor = difference / lead.coefficient;
    if (factor == 0) {
      ++i;
      continue;
    }
    OptPoly multiple = multiply(b, factor, *ratio);
    OptPoly next = multiple ? add(rest, *multiple, -1) : std::nullopt;
    Poly part;
    part.push_back({factor, *ratio});
    OptPoly sum = add(quotient, part);
    if (!next || !sum)
      return false;
    rest = std::move(*next);
    quotient = std::move(*sum);
    if (residue)
      ++i; // the residue keeps the place of the term
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// An end of a range in wide arithmetic; absent is unbounded (or too large, which is the same: sound).
using End = std::optional<__int128>;
constexpr __int128 kHuge = (__int128)1 << 100;

End clampEnd(__int128 value) { return value > kHuge || value < -kHuge ? End() : End(value); }
End addEnds(End a, End b) { return a && b ? clampEnd(*a + *b) : End(); }

struct Interval {
  End lo, hi;
};

Interval scale(Interval x, int64_t c) {
  auto times = [c](End e) -> End {
    __int128 product;
    if (!e || __builtin_mul_overflow(*e, (__int128)c, &product))
      return std::nullopt;
    return clampEnd(product);
  };
  return c >= 0 ? Interval{times(x.lo), times(x.hi)} : Interval{times(x.hi), times(x.lo)};
}

/// Product of intervals. Unbounded ends are handled by sign, as only nonnegative factors are common.
Interval product(Interval x, Interval y) {
  bool xNonNeg = x.lo && *x.lo >= 0, yNonNeg = y.lo && *y.lo >= 0;
  auto times = [](End a, End b) -> End {
    __int128 result;
    if (!a || !b || __builtin_mul_overflow(*a, *b, &result))
      return std::nullopt;
    return clampEnd(result);
  };
  auto isZero = [](const Interval &i) { return i.lo && i.hi && *i.lo == 0 && *i.hi == 0; };
  if (isZero(x) || isZero(y))
    return {End(0), End(0)};
  if (xNonNeg && yNonNeg) {
    End lo = times(x.lo, y.lo);
    return {lo ? lo : End(0), times(x.hi, y.hi)};
  }
  if (x.lo && x.hi && y.lo && y.hi) {
    End ends[] = {times(x.lo, y.lo), times(x.lo, y.hi), times(x.hi, y.lo), times(x.hi, y.hi)};
    if (llvm::all_of(ends, [](End e) { return e.has_value(); }))
      return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
  }
  return {};
}

Interval widen(Bounds range) {
  Interval result;
  if (range.lo)
    result.lo = *range.lo;
  if (range.hi)
    result.hi = *range.hi;
  return result;
}

Bounds narrow(Interval interval) {
  Bounds range;
  auto fits64 = [](End e) { return e && *e >= INT64_MIN && *e <= INT64_MAX; };
  if (fits64(interval.lo))
    range.lo = static_cast<int64_t>(*interval.lo);
  if (fits64(interval.hi))
    range.hi = static_cast<int64_t>(*interval.hi);
  return range;
}

Interval factorsRange(const Factors &factors) {
  Interval result{End(1), End(1)};
  for (auto [atom, power] : factors) {
    Interval base = widen(rangeOf(atom));
    Interval powered{End(1), End(1)};
    for (unsigned i = 0; i < power; ++i)
      powered = product(powered, base);
    if (power % 2 == 0 && (!powered.lo || *powered.lo < 0))
      powered.lo = End(0);
    result = product(result, powered);
  }
  return result;
}

/// Every factor is known to be >= 0.
bool isNonNegativeMonomial(const Factors &factors) {
  return llvm::all_of(factors, [](auto &factor) { return rangeOf(factor.first).isNonNegative(); });
}

/// x*t >= x when t is made of factors of x: either one is 0 and both sides are, or all are >= 1.
bool dominates(const Factors &big, const Factors &small) {
  std::optional<Factors> ratio = divideFactors(big, small);
  if (!ratio || small.empty() || !isNonNegativeMonomial(big))
    return false;
  return llvm::all_of(*ratio, [&](auto &factor) {
    return llvm::any_of(small, [&](auto &other) { return other.first == factor.first; });
  });
}

/// Sum of term ranges, after negative monomials are cancelled against monomials that dominate them.
Interval sumRange(const Poly &poly) {
  SmallVector<int64_t> coefficients;
  for (const SymTerm &term : poly)
    coefficients.push_back(term.coefficient);
  auto cancel = [&](int64_t sign) {
    SmallVector<int64_t> left(coefficients);
    for (auto [i, small] : llvm::enumerate(poly)) {
      for (auto [j, big] : llvm::enumerate(poly)) {
        if (left[i] * sign >= 0)
          break;
        if (left[j] * sign <= 0 || !dominates(big.factors, small.factors))
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
    Interval monomial = factorsRange(term.factors);
    result.lo = addEnds(result.lo, scale(monomial, forLo[i]).lo);
    result.hi = addEnds(result.hi, scale(monomial, forHi[i]).hi);
  }
  return result;
}

Interval intersect(Interval a, Interval b) {
  if (!a.lo || (b.lo && *b.lo > *a.lo))
    a.lo = b.lo;
  if (!a.hi || (b.hi && *b.hi < *a.hi))
    a.hi = b.hi;
  return a;
}

/// Rewrites k*floordiv(a, b) with b | k as (k/b)*(a - mod(a, b)) and sums with mod in [0, b).
std::optional<Interval> modRange(const Poly &poly) {
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
  Interval sum = sumRange(rest);
  return Interval{addEnds(sum.lo, mods.lo), addEnds(sum.hi, mods.hi)};
}
} // namespace

Bounds sym::detail::rangeOf(const SymAtom *atom) { return getStorage(atom).range; }

Bounds sym::detail::rangeOf(const Poly &poly) {
  if (poly.size() > 32)
    return {}; // long sums are not worth the quadratic cancelling
  Interval result = sumRange(poly);
  if (std::optional<Interval> mods = modRange(poly))
    result = intersect(result, *mods);
  return narrow(result);
}
