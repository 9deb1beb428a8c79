//===- ProverMonotone.cpp - Factors replaced by their bounds ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// x <= y makes x*r <= y*r for r >= 0. A constraint whose left side stays below
// 0 while factors of its products are replaced one by one has no solution:
// x*y - z*z - 1 with x <= y <= z becomes y*y - z*z - 1, y*z - z*z - 1 and -1.
//
//===----------------------------------------------------------------------===//

#include "ProverImpl.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

namespace {
class Replacer {
public:
  Replacer(ArrayRef<Constraint> constraints, const RangeMap &ranges, Budget &budget) : ranges(ranges), budget(budget) {
    for (const Constraint &constraint : constraints) {
      const Poly &poly = getPoly(constraint.expr);
      if (poly.size() > 4)
        continue;
      for (const SymTerm &term : poly) {
        if (term.factors.size() != 1 || term.factors[0].second != 1 || std::abs(term.coefficient) != 1)
          continue;
        // With coefficient -1 the rest is an upper bound, with 1 its negation a lower one.
        const SymAtom *atom = term.factors[0].first;
        OptPoly rest = add(poly, atomPoly(atom), -term.coefficient);
        OptPoly bound = rest ? multiply(*rest, -term.coefficient) : std::nullopt;
        if (!bound)
          continue;
        if (term.coefficient < 0 || constraint.isEquality)
          upper[atom].push_back(*bound);
        if (term.coefficient > 0 || constraint.isEquality)
          lower[atom].push_back(*bound);
      }
    }
  }

  /// expr >= 0 is impossible.
  bool excludes(SymExpr expr) { return search(expr, 0); }

private:
  bool search(SymExpr expr, unsigned depth) {
    if (std::optional<Wide> hi = ranges.intervalOf(expr).hi; hi && *hi < 0)
      return true;
    if (depth == kMaxDepth || !seen.insert(expr.getImpl()).second || seen.size() > kMaxSeen || !budget.spend(4))
      return false;
    const Poly &poly = getPoly(expr);
    for (const SymTerm &term : poly) {
      unsigned degree = 0;
      for (auto &factor : term.factors)
        degree += factor.second;
      if (degree < 2)
        continue;
      for (auto &factor : term.factors) {
        auto &bounds = term.coefficient > 0 ? upper : lower;
        auto it = bounds.find(factor.first);
        std::optional<Factors> others = divideFactors(term.factors, {{factor.first, 1u}});
        if (it == bounds.end() || !others)
          continue;
        Poly around, self;
        around.push_back({1, *others});
        self.push_back(term);
        if (!ranges.intervalOf(around).isNonNegative())
          continue;
        for (const Poly &bound : it->second) {
          OptPoly replaced = multiply(bound, term.coefficient, *others);
          OptPoly rest = add(poly, self, -1);
          SymExpr next = replaced && rest ? getExpr(expr.getContext(), add(*rest, *replaced)) : SymExpr();
          if (next && search(next, depth + 1))
            return true;
        }
      }
    }
    return false;
  }

  static constexpr unsigned kMaxDepth = 6, kMaxSeen = 96;

  const RangeMap &ranges;
  Budget &budget;
  DenseMap<const SymAtom *, SmallVector<Poly, 2>> upper, lower;
  DenseSet<const void *> seen;
};
} // namespace

bool Refuter::excludedByMonotony(ArrayRef<Constraint> constraints, const RangeMap &ranges) {
  Replacer replacer(constraints, ranges, budget);
  for (const Constraint &constraint : constraints)
    if (constraint.origin & kFromClaim && replacer.excludes(constraint.expr))
      return true;
  return false;
}
