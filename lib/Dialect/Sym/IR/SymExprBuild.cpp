//===- SymExprBuild.cpp - Simplifying constructors -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// floordiv and max in normal form. Each rule is an identity for every valuation
// in which the divisors are positive, and the order of the rules is fixed, so
// that equal inputs end in the same stored atom.
//
//===----------------------------------------------------------------------===//

#include "SymExprDetail.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

/// Greatest common divisor of the coefficients, of the constant term only when `withConstant`.
static int64_t content(const Poly &poly, bool withConstant) {
  int64_t gcd = 0;
  for (const SymTerm &term : poly)
    if (withConstant || !term.factors.empty())
      gcd = std::gcd(gcd, term.coefficient);
  return gcd;
}

/// Divides every coefficient by `divisor`, rounding the constant term down.
static Poly divideCoefficients(const Poly &poly, int64_t divisor) {
  Poly result;
  for (const SymTerm &term : poly) {
    int64_t coefficient = floorDiv(term.coefficient, divisor);
    if (coefficient)
      result.push_back({coefficient, term.factors});
  }
  return result;
}

/// The monomial of factors known to be >= 0 that every term of `polys` shares.
static Factors commonFactors(ArrayRef<const Poly *> polys) {
  std::optional<Factors> common;
  for (const Poly *poly : polys) {
    for (const SymTerm &term : *poly) {
      if (!common) {
        common = term.factors;
        llvm::erase_if(*common, [](auto &factor) { return !rangeOf(factor.first).isNonNegative(); });
        continue;
      }
      Factors next;
      for (auto [atom, power] : *common)
        for (auto [other, otherPower] : term.factors)
          if (atom == other)
            next.push_back({atom, std::min(power, otherPower)});
      common = next;
    }
  }
  return common.value_or(Factors());
}

static Poly divideByFactors(const Poly &poly, const Factors &factors) {
  Poly result;
  for (const SymTerm &term : poly)
    result.push_back({term.coefficient, *divideFactors(term.factors, factors)});
  return result;
}

//===----------------------------------------------------------------------===//
// floordiv
//===----------------------------------------------------------------------===//

/// floordiv(+-floordiv(a, d) + r, b) is floordiv(a' + d*r, d*b) for d, b > 0. Only when the dividend holds exactly one
/// such floordiv: with two there would be a choice.
static bool flattenNested(MLIRContext *context, Poly &dividend, Poly &divisor) {
  const SymTerm *nested = nullptr;
  for (const SymTerm &term : dividend) {
    if (std::abs(term.coefficient) != 1 || term.factors.size() != 1 || term.factors[0].second != 1 ||
        term.factors[0].first->kind != SymAtom::Kind::FloorDiv)
      continue;
    if (nested)
      return false;
    nested = &term;
  }
  if (!nested)
    return false;
  const SymAtom *atom = nested->factors[0].first;
  const Poly &inner = getPoly(atom->operands[1]);
  // Products of divisors must not hide a sign: (-1) * (-1) is positive.
  if (!rangeOf(inner).isNonNegative() || !rangeOf(divisor).isNonNegative())
    return false;
  OptPoly product = multiply(divisor, inner);
  OptPoly rest = add(dividend, atomPoly(atom), -nested->coefficient);
  OptPoly scaled = rest ? multiply(*rest, inner) : std::nullopt;
  OptPoly sum = scaled ? add(*scaled, getPoly(atom->operands[0]), nested->coefficient) : std::nullopt;
  if (sum && nested->coefficient < 0) { // -floordiv(a, d) = floordiv(-a + d - 1, d)
    sum = add(*sum, inner);
    sum = sum ? add(*sum, constantPoly(-1)) : std::nullopt;
  }
  if (!product || !sum)
    return false;
  dividend = std::move(*sum);
  divisor = std::move(*product);
  return true;
}

/// True when `b` is the preferred one of the mirrored dividends a and b: the first difference decides for the greater
/// coefficient, equal ones for the smaller constant.
static bool preferMirror(const Poly &a, const Poly &b) {
  OptPoly difference = add(a, b, -1);
  if (!difference)
    return false;
  if (difference->empty())
    return false;
  const SymTerm &first = difference->front();
  if (!first.factors.empty())
    return first.coefficient < 0;
  int64_t x = constantTerm(a), y = constantTerm(b);
  return (y >= 0) != (x >= 0) ? y >= 0 : y < x;
}

OptPoly sym::detail::makeFloorDiv(MLIRContext *context, Poly dividend, Poly divisor) {
  Poly outer;
  auto addOuter = [&](const Poly &poly, int64_t scale = 1) {
    OptPoly sum = add(outer, poly, scale);
    if (sum)
      outer = std::move(*sum);
    return sum.has_value();
  };
  while (true) {
    if (isConstant(divisor)) {
      if (constantTerm(divisor) <= 0)
        return std::nullopt;
      if (constantTerm(divisor) == 1)
        return add(outer, dividend);
    }
    // A common factor of divisor and non-constant terms cancels: floor(floor(k / g) / d) for the constant.
    int64_t gcd = std::gcd(content(divisor, true), content(dividend, false));
    if (gcd > 1) {
      dividend = divideCoefficients(dividend, gcd);
      divisor = divideCoefficients(divisor, gcd);
      continue;
    }
    // So does a common monomial, which the positive divisor shows to be positive.
    Factors common = commonFactors({&dividend, &divisor});
    if (!common.empty()) {
      dividend = divideByFactors(dividend, common);
      divisor = divideByFactors(divisor, common);
      continue;
    }
    // Before multiples come out: for a divisor of 2 these would turn -q into q, and ceildivs would not nest.
    if (flattenNested(context, dividend, divisor))
      continue;
    // Multiples of the divisor come out.
    Poly quotient, rest;
    if (!divide(dividend, divisor, quotient, rest) || !addOuter(quotient))
      return std::nullopt;
    dividend = std::move(rest);
    if (dividend.empty())
      return outer;
    if (quotient.empty())
      break;
  }

  auto constantQuotient = [&]() -> std::optional<int64_t> {
    Bounds range = rangeOf(dividend);
    if (!range.lo || !range.hi)
      return std::nullopt;
    if (isConstant(divisor)) {
      int64_t quotient = floorDiv(*range.lo, constantTerm(divisor));
      if (quotient == floorDiv(*range.hi, constantTerm(divisor)))
        return quotient;
      return std::nullopt;
    }
    return std::nullopt;
  };
  if (std::optional<int64_t> quotient = constantQuotient()) {
    addOuter(constantPoly(*quotient));
    return outer;
  }

  // floordiv(e, b) is -floordiv(-e - 1, b) - 1: keep the preferred one of the two.
  int64_t sign = 1;
  OptPoly negated = multiply(dividend, -1);
  OptPoly mirror = negated ? add(*negated, constantPoly(-1)) : std::nullopt;
  Poly mirrorQuotient, mirrorRest;
  if (mirror && divide(*mirror, divisor, mirrorQuotient, mirrorRest) && preferMirror(dividend, mirrorRest)) {
    if (!addOuter(constantPoly(-1)) || !addOuter(mirrorQuotient, -1))
      return std::nullopt;
    dividend = std::move(mirrorRest);
    sign = -1;
    if (dividend.empty()) // floordiv(-1, b)
      return outer;
  }
  SymExpr operands[] = {getExpr(context, dividend), getExpr(context, divisor)};
  if (!operands[0] || !operands[1])
    return std::nullopt;
  return add(outer, atomPoly(getAtom(context, SymAtom::Kind::FloorDiv, {}, operands)), sign);
}

//===----------------------------------------------------------------------===//
// max
//===----------------------------------------------------------------------===//

/// The least coefficient of each monomial over all operands: max(a + t, b + t) is t + max(a, b).
static OptPoly commonPart(ArrayRef<Poly> operands) {
  Poly common;
  OptPoly monomials = Poly();
  for (const Poly &operand : operands)
    for (const SymTerm &term : operand)
      if (llvm::none_of(*monomials, [&](const SymTerm &known) { return known.factors == term.factors; }))
        monomials->push_back(term);
  if (monomials->size() > kMaxTerms)
    return std::nullopt;
  llvm::sort(*monomials, [](const SymTerm &a, const SymTerm &b) { return compareFactors(a.factors, b.factors) < 0; });
  for (const SymTerm &monomial : *monomials) {
    std::optional<int64_t> least;
    for (const Poly &operand : operands) {
      const SymTerm *term =
          llvm::find_if(operand, [&](const SymTerm &other) { return other.factors == monomial.factors; });
      int64_t coefficient = term == operand.end() ? 0 : term->coefficient;
      least = least ? std::min(*least, coefficient) : coefficient;
    }
    if (*least)
      common.push_back({*least, monomial.factors});
  }
  return common;
}

/// Replaces an operand k*max(..) + r, k > 0, by its alternatives. True when something changed.
static bool flattenMax(SmallVector<Poly> &operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    for (const SymTerm &term : operands[i]) {
      if (term.coefficient < 0 || term.factors.size() != 1 || term.factors[0].second != 1 ||
          term.factors[0].first->kind != SymAtom::Kind::Max)
        continue;
      const SymAtom *atom = term.factors[0].first;
      if (operands.size() + atom->operands.size() > kMaxOperands)
        continue;
      SmallVector<Poly> alternatives;
      OptPoly rest = add(operands[i], atomPoly(atom), -term.coefficient);
      for (SymExpr alternative : atom->operands) {
        OptPoly sum = rest ? add(*rest, getPoly(alternative), term.coefficient) : std::nullopt;
        if (!sum)
          break;
        alternatives.push_back(std::move(*sum));
      }
      if (alternatives.size() != atom->operands.size())
        continue;
      operands[i] = alternatives.front();
      operands.append(alternatives.begin() + 1, alternatives.end());
      return true;
    }
  }
  return false;
}

/// Drops operands that another one dominates.
static void dropDominated(SmallVector<Poly> &operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t j = 0; j < operands.size(); ++j) {
      if (i == j)
        continue;
      OptPoly difference = add(operands[i], operands[j], -1);
      if (!difference || !(difference->empty() || rangeOf(*difference).isNonNegative()))
        continue;
      operands.erase(operands.begin() + j);
      if (j < i)
        --i;
      --j;
    }
  }
}

OptPoly sym::detail::makeMax(MLIRContext *context, SmallVector<Poly> operands) {
  Poly outer;
  // Taking out the common part can turn -max(..) of one operand into +max(..) of the others, which flattens again; each
  // round removes nested atoms, the bound only guards the cost.
  for (unsigned round = 0; round < kMaxOperands; ++round) {
    while (flattenMax(operands))
      ;
    if (operands.size() > kMaxOperands)
      return std::nullopt;
    dropDominated(operands);
    OptPoly common = commonPart(operands);
    OptPoly sum = common ? add(outer, *common) : std::nullopt;
    if (!sum)
      return std::nullopt;
    outer = std::move(*sum);
    if (operands.size() == 1)
      return outer;
    if (common->empty())
      break;
    for (Poly &operand : operands) {
      OptPoly rest = add(operand, *common, -1);
      if (!rest)
        return std::nullopt;
      operand = std::move(*rest);
    }
  }

  int64_t gcd = 0;
  SmallVector<const Poly *> pointers;
  for (const Poly &operand : operands) {
    gcd = std::gcd(gcd, content(operand, true));
    pointers.push_back(&operand);
  }
  Factors factors = commonFactors(pointers);
  if (gcd > 1 || !factors.empty()) {
    // What a factor hid may flatten now.
    for (Poly &operand : operands)
      operand = divideByFactors(divideCoefficients(operand, gcd), factors);
    OptPoly inner = makeMax(context, std::move(operands));
    OptPoly scaled = inner ? multiply(*inner, gcd, factors) : std::nullopt;
    return scaled ? add(outer, *scaled) : std::nullopt;
  }
  SmallVector<SymExpr> exprs;
  for (const Poly &operand : operands)
    exprs.push_back(getExpr(context, operand));
  if (llvm::is_contained(exprs, SymExpr()))
    return std::nullopt;
  llvm::sort(exprs, [](SymExpr a, SymExpr b) { return compareExprs(a, b) < 0; });
  return add(outer, atomPoly(getAtom(context, SymAtom::Kind::Max, {}, exprs)));
}
