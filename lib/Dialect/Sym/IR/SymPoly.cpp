//===- SymPoly.cpp - Polynomials over atoms --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Checked arithmetic and the structural order.
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

int sym::detail::compareExprs(SymExpr a, SymExpr b) { return a == b ? 0 : comparePolys(getPoly(a), getPoly(b)); }

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
static bool checkedMul(int64_t a, int64_t b, int64_t &result) {
  return !llvm::MulOverflow(a, b, result) && fits(result);
}
static bool checkedAdd(int64_t a, int64_t b, int64_t &result) {
  return !llvm::AddOverflow(a, b, result) && fits(result);
}

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
