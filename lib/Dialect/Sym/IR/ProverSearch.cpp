//===- ProverSearch.cpp - Valuations that trying does not find -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Only for witnesses: what it finds is checked against the facts as written, so
// nothing here has to be complete or right.
//
//===----------------------------------------------------------------------===//

#include "ProverSearch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

/// Choices inside each other.
static constexpr unsigned kMaxChoices = 8;

bool ModelFinder::find(ArrayRef<Constraint> claims, ArrayRef<SymExpr> exprs) {
  SmallVector<SymExpr> all(exprs);
  for (const Constraint &claim : claims)
    all.push_back(claim.expr);
  if (llvm::is_contained(all, SymExpr()))
    return false;
  SmallVector<Constraint> constraints = base.relevantTo(all);
  constraints.append(claims.begin(), claims.end());
  return search(constraints, Assignment(), 0);
}

bool ModelFinder::offer(const Assignment &given, const Assignment &solution) {
  Assignment values(solution);
  for (auto [symbol, value] : given)
    values[symbol] = value;
  std::optional<Assignment> complete = sampler.complete(values);
  return complete && accept(*complete);
}

/// Small values, the ends of the range, and constants of the question.
SmallVector<int64_t> ModelFinder::valuesFor(const SymAtom *symbol, const RangeMap &ranges) const {
  Bounds bounds = narrow(ranges.ofSymbol(symbol));
  int64_t lo = bounds.lo.value_or(0);
  SmallVector<int64_t> values;
  auto offer = [&](int64_t value) {
    if (value >= lo && (!bounds.hi || value <= *bounds.hi) && !llvm::is_contained(values, value) && values.size() < 24)
      values.push_back(value);
  };
  for (int64_t step : {0, 1, 2, 3})
    if (lo < INT64_MAX - 8)
      offer(lo + step);
  if (bounds.hi) {
    offer(*bounds.hi);
    offer(*bounds.hi - 1);
  }
  for (int64_t value : {4, 5, 6, 7})
    if (lo < INT64_MAX - 8)
      offer(lo + value);
  for (int64_t value : sampler.getInteresting())
    offer(value);
  // Products outgrow sums only there.
  for (int64_t value : {16, 50, 200, 1000})
    offer(value);
  return values;
}

bool ModelFinder::search(ArrayRef<Constraint> constraints, const Assignment &given, unsigned depth) {
  if (depth > kMaxChoices || llvm::any_of(constraints, [](const Constraint &c) { return !c.expr; }) ||
      !budget.spend(constraints.size() + 1))
    return false;
  RangeMap ranges = base.getRanges();
  if (!ranges.propagate(constraints, 3))
    return false;
  LinearModel model(ranges, budget, constraints);
  Assignment solution;
  if (model.check(nullptr, &solution) == LinearSystem::Result::Empty)
    return false;
  if (offer(given, solution))
    return true;
  if (const SymAtom *max = findMax(constraints, {}))
    return llvm::any_of(max->operands, [&](SymExpr chosen) {
      return search(chooseOperand(constraints, max, chosen), given, depth + 1);
    });
  if (model.isLinear()) {
    solution.clear();
    return model.checkPresburger(/*integers=*/true, &solution) == LinearSystem::Result::NonEmpty && !solution.empty() &&
           offer(given, solution);
  }
  SmallVector<const SymAtom *> symbols = model.getSymbolsInProducts();
  if (symbols.empty())
    for (const Constraint &constraint : constraints)
      collectSymbolAtoms(constraint.expr, symbols);
  if (symbols.empty())
    return false;
  const SymAtom *symbol = symbols.front();
  for (int64_t number : valuesFor(symbol, ranges)) {
    SymExpr value = SymExpr::constant(base.getContext(), number);
    if (!value)
      continue;
    SmallVector<Constraint> fixed;
    for (const Constraint &constraint : constraints)
      fixed.push_back(
          {substituteAtoms(constraint.expr, [&](const SymAtom *atom) { return atom == symbol ? value : SymExpr(); }),
           constraint.isEquality, constraint.origin});
    Assignment more(given);
    more[symbol] = number;
    if (search(fixed, more, depth + 1))
      return true;
  }
  return false;
}
