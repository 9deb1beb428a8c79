//===- ProverRefute.cpp - Constraints that exclude each other --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A ladder: ranges, linear arithmetic with the definitions of the operators,
// one case per operand of a max, products of constraints, quotients that are
// constant, one case per residue, Presburger for linear systems. A step that runs out of budget
// gives up, which is always a correct answer.
//
//===----------------------------------------------------------------------===//

#include "ProverImpl.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

/// Case distinctions inside each other.
static constexpr unsigned kMaxSplits = 6;

const SymAtom *sym::detail::findMax(ArrayRef<Constraint> constraints, SymExpr expr) {
  SmallVector<const SymAtom *> atoms;
  for (const Constraint &constraint : constraints)
    collectAtoms(constraint.expr, atoms);
  collectAtoms(expr, atoms);
  const SymAtom *const *max = llvm::find_if(atoms, [](auto *atom) { return atom->kind == SymAtom::Kind::Max; });
  return max == atoms.end() ? nullptr : *max;
}

SmallVector<Constraint> sym::detail::chooseOperand(ArrayRef<Constraint> constraints, const SymAtom *max,
                                                   SymExpr chosen) {
  SmallVector<Constraint> branch;
  for (const Constraint &constraint : constraints) {
    SymExpr expr =
        substituteAtoms(constraint.expr, [&](const SymAtom *atom) { return atom == max ? chosen : SymExpr(); });
    branch.push_back({expr, constraint.isEquality, constraint.origin});
  }
  for (SymExpr other : max->operands)
    if (other != chosen)
      branch.push_back({chosen - other, false, kFromDefinition});
  return branch;
}

std::string Refuter::describeArguments() const {
  static constexpr StringLiteral names[] = {"ranges",
                                            "linear arithmetic",
                                            "one case per operand of min or max",
                                            "a symbol that must be constant",
                                            "products of constraints",
                                            "a quotient that is 0",
                                            "one case per residue",
                                            "integer points",
                                            "remainders",
                                            "factors replaced by their bounds"};
  std::string text;
  for (auto [i, name] : llvm::enumerate(names))
    if (arguments & (1u << i))
      text += (text.empty() ? "" : ", ") + name.str();
  return text;
}

bool Refuter::refute(ArrayRef<Constraint> claims) {
  SmallVector<SymExpr> exprs;
  for (const Constraint &claim : claims)
    exprs.push_back(claim.expr);
  SmallVector<Constraint> constraints = base.relevantTo(exprs);
  constraints.append(claims.begin(), claims.end());
  origins = 0;
  arguments = 0;
  candidate.clear();
  return refuteAll(std::move(constraints), 0);
}

bool Refuter::refuteAll(SmallVector<Constraint> constraints, unsigned depth) {
  if (llvm::any_of(constraints, [](const Constraint &c) { return !c.expr; }) || !budget.spend(constraints.size()))
    return false;
  uint64_t all = 0;
  for (const Constraint &constraint : constraints)
    all |= constraint.origin;
  RangeMap ranges = base.getRanges();
  if (!ranges.propagate(constraints, 3)) {
    origins |= all; // ranges are not traced to single constraints
    return by(Ranges);
  }
  for (Constraint &constraint : constraints)
    constraint.expr = cancelPositiveFactors(constraint.expr, ranges);

  uint64_t used = 0;
  LinearModel model(ranges, budget, constraints);
  LinearSystem::Result result = model.check(&used, depth == 0 ? &candidate : nullptr);
  if (result == LinearSystem::Result::Empty) {
    origins |= used;
    return by(Linear);
  }
  bool hasMax = false;
  if (depth < kMaxSplits) {
    bool refuted = splitMax(constraints, depth, hasMax);
    if (hasMax)
      return refuted;
  }
  if (model.isLinear()) {
    if (result == LinearSystem::Result::NonEmpty || hasMax)
      return false;
    if (model.checkPresburger(/*integers=*/true) != LinearSystem::Result::Empty)
      return false;
    origins |= all; // not traced either
    return by(IntegerPoints);
  }
  for (const Constraint &constraint : constraints) {
    if (constraint.isEquality && excludedByRemainders(constraint)) {
      origins |= constraint.origin;
      return by(Remainders);
    }
  }
  return refuteProducts(constraints, ranges, model, depth);
}

/// An equality of products without a solution modulo some small number, whatever integers its atoms are.
bool Refuter::excludedByRemainders(const Constraint &constraint) {
  constexpr unsigned kMaxCases = 512;
  const Poly &poly = getPoly(constraint.expr);
  for (int64_t modulus : {2, 3, 4, 5, 7, 8, 9}) {
    SmallVector<const SymAtom *> atoms;
    for (const SymTerm &term : poly)
      if (term.coefficient % modulus)
        for (auto &factor : term.factors)
          if (!llvm::is_contained(atoms, factor.first))
            atoms.push_back(factor.first);
    uint64_t cases = 1;
    for (size_t i = 0; i < atoms.size() && cases <= kMaxCases; ++i)
      cases *= modulus;
    if (atoms.empty() || cases > kMaxCases || !budget.spend(cases / 16 + 1))
      continue;
    auto remainder = [&](uint64_t number) {
      SmallVector<int64_t> values;
      for (size_t i = 0; i < atoms.size(); ++i, number /= modulus)
        values.push_back(number % modulus);
      int64_t sum = 0;
      for (const SymTerm &term : poly) {
        int64_t product = term.coefficient % modulus;
        if (product == 0)
          continue;
        for (auto [atom, power] : term.factors)
          for (unsigned i = 0; i < power; ++i)
            product = product * values[llvm::find(atoms, atom) - atoms.begin()] % modulus;
        sum += product;
      }
      return sum % modulus;
    };
    bool solvable = false;
    for (uint64_t i = 0; i < cases && !solvable; ++i)
      solvable = remainder(i) == 0;
    if (!solvable)
      return true;
  }
  return false;
}

/// What is left when products of symbols are involved.
bool Refuter::refuteProducts(SmallVector<Constraint> &constraints, RangeMap &ranges, LinearModel &model,
                             unsigned depth) {
  // Linear arithmetic may fix a symbol, or bound it better than ranges alone.
  bool refuted = false;
  if (depth < kMaxSplits && fixSymbols(constraints, ranges, model, refuted))
    return (refuted || refuteAll(std::move(constraints), depth + 1)) && by(FixedSymbol);
  LinearModel products(ranges, budget, constraints);
  for (unsigned round = 0; round < 2 && products.addProducts(); ++round) {
    uint64_t used = 0;
    Assignment solution;
    LinearSystem::Result result = products.check(&used, &solution);
    if (result != LinearSystem::Result::Empty && products.addCuts(solution))
      result = products.check(&used, nullptr);
    if (result == LinearSystem::Result::Unknown)
      result = products.checkPresburger(/*integers=*/false);
    if (result == LinearSystem::Result::Empty) {
      origins |= used;
      return by(Products);
    }
  }
  if (excludedByMonotony(constraints, ranges)) {
    for (const Constraint &constraint : constraints)
      origins |= constraint.origin;
    return by(Monotony);
  }
  if (depth >= kMaxSplits)
    return false;
  if (foldQuotients(constraints, ranges))
    return refuteAll(std::move(constraints), depth + 1) && by(Quotients);
  return splitResidues(constraints, ranges, depth) && by(Residues);
}

/// Bounds the symbols in products by linear arithmetic. True when a symbol turned out to be a constant, which was
/// substituted, or when there is no value left (`refuted`).
bool Refuter::fixSymbols(SmallVector<Constraint> &constraints, RangeMap &ranges, LinearModel &model, bool &refuted) {
  SmallVector<const SymAtom *> symbols = model.getSymbolsInProducts();
  if (symbols.size() > 4)
    return false;
  uint64_t all = 0;
  for (const Constraint &constraint : constraints)
    all |= constraint.origin;
  for (const SymAtom *symbol : symbols) {
    Poly poly = atomPoly(symbol);
    Interval bounds;
    bool isEmpty = false;
    bounds.hi = model.maximize(poly, isEmpty, nullptr);
    if (!isEmpty) {
      bounds.lo = model.maximize(*multiply(poly, -1), isEmpty, nullptr);
      if (bounds.lo)
        bounds.lo = -*bounds.lo;
    }
    if (isEmpty || !ranges.restrict(symbol, bounds)) {
      origins |= all;
      refuted = true;
      return true;
    }
    Interval range = ranges.ofSymbol(symbol);
    if (!range.lo || range.lo != range.hi || *range.lo > INT64_MAX)
      continue;
    SymExpr value = SymExpr::constant(base.getContext(), static_cast<int64_t>(*range.lo));
    for (Constraint &constraint : constraints) {
      constraint.expr =
          substituteAtoms(constraint.expr, [&](const SymAtom *atom) { return atom == symbol ? value : SymExpr(); });
      constraint.origin |= all;
    }
    return true;
  }
  return false;
}

std::optional<Wide> Refuter::maximize(SymExpr expr, std::optional<Wide> known) {
  SmallVector<Constraint> constraints = base.relevantTo(expr);
  candidate.clear();
  bool isEmpty = false;
  std::optional<Wide> bound = maximizeAll(expr, constraints, 0, isEmpty);
  if (isEmpty || (known && bound && *known < *bound))
    return known;
  return bound;
}

std::optional<Wide> Refuter::maximizeAll(SymExpr objective, ArrayRef<Constraint> constraints, unsigned depth,
                                         bool &isEmpty) {
  isEmpty = false;
  if (!objective || llvm::any_of(constraints, [](const Constraint &c) { return !c.expr; }) || !budget.spend())
    return std::nullopt;
  RangeMap ranges = base.getRanges();
  if (!ranges.propagate(constraints, 3)) {
    isEmpty = true;
    return std::nullopt;
  }
  LinearModel model(ranges, budget, constraints);
  model.mention(getPoly(objective));
  Assignment *solution = depth == 0 ? &candidate : nullptr;
  std::optional<Wide> bound = model.maximize(getPoly(objective), isEmpty, solution);
  if (isEmpty)
    return std::nullopt;
  if (!model.isLinear() && model.addProducts(&getPoly(objective))) {
    for (unsigned round = 0; round < 4; ++round) {
      Assignment found;
      std::optional<Wide> other = model.maximize(getPoly(objective), isEmpty, &found);
      if (isEmpty)
        return std::nullopt;
      if (solution && !found.empty())
        *solution = found;
      bool better = other && (!bound || *other < *bound);
      if (better)
        bound = other;
      if ((round > 0 && !better) || !model.addCuts(found))
        break;
    }
  }
  const SymAtom *max = findMax(constraints, objective);
  if (!max || depth >= kMaxSplits)
    return bound;
  std::optional<Wide> greatest;
  bool allEmpty = true;
  for (SymExpr chosen : max->operands) {
    SmallVector<Constraint> branch = chooseOperand(constraints, max, chosen);
    SymExpr part = substituteAtoms(objective, [&](const SymAtom *atom) { return atom == max ? chosen : SymExpr(); });
    bool branchEmpty = false;
    std::optional<Wide> value = maximizeAll(part, branch, depth + 1, branchEmpty);
    if (branchEmpty)
      continue;
    if (!value)
      return bound;
    allEmpty = false;
    greatest = greatest ? std::max(*greatest, *value) : *value;
  }
  isEmpty = allEmpty;
  if (allEmpty)
    return std::nullopt;
  return bound ? std::min(*bound, *greatest) : greatest;
}

/// A max is one of its operands: the one that is not less than the others.
bool Refuter::splitMax(ArrayRef<Constraint> constraints, unsigned depth, bool &applied) {
  const SymAtom *max = findMax(constraints, {});
  applied = max != nullptr;
  if (!applied)
    return false;
  for (SymExpr chosen : max->operands)
    if (!refuteAll(chooseOperand(constraints, max, chosen), depth + 1))
      return false;
  return by(MaxCases);
}

/// floordiv(a, b) with a symbolic b is 0 when 0 <= a < b is proved.
bool Refuter::foldQuotients(SmallVector<Constraint> &constraints, const RangeMap &ranges) {
  SmallVector<const SymAtom *> atoms;
  for (const Constraint &constraint : constraints)
    collectAtoms(constraint.expr, atoms);
  for (const SymAtom *atom : atoms) {
    if (atom->kind != SymAtom::Kind::FloorDiv || atom->operands[1].getConstant())
      continue;
    SymExpr dividend = atom->operands[0], divisor = atom->operands[1];
    auto excludes = [&](SymExpr negation) {
      SmallVector<Constraint> test(constraints);
      test.push_back({negation, false, kFromDefinition});
      if (!negation || !budget.spend(8))
        return false;
      uint64_t used = 0;
      LinearModel model(ranges, budget, test);
      if (model.check(&used, nullptr) != LinearSystem::Result::Empty)
        return false;
      origins |= used;
      return true;
    };
    // Not a < 0 and not a >= b.
    if (!excludes(-dividend - 1) || !excludes(dividend - divisor))
      continue;
    SymExpr zero = SymExpr::constant(base.getContext(), 0);
    for (Constraint &constraint : constraints)
      constraint.expr =
          substituteAtoms(constraint.expr, [&](const SymAtom *other) { return other == atom ? zero : SymExpr(); });
    return true;
  }
  return false;
}

/// A quotient of a product by a small constant: one case per residue of a symbol in it.
bool Refuter::splitResidues(ArrayRef<Constraint> constraints, const RangeMap &ranges, unsigned depth) {
  constexpr int64_t kMaxModulus = 120;
  SmallVector<const SymAtom *> atoms;
  for (const Constraint &constraint : constraints)
    collectAtoms(constraint.expr, atoms);
  for (const SymAtom *atom : atoms) {
    if (atom->kind != SymAtom::Kind::FloorDiv)
      continue;
    std::optional<int64_t> divisor = atom->operands[1].getConstant();
    if (!divisor || *divisor > kMaxModulus)
      continue;
    const SymAtom *symbol = nullptr;
    for (const SymTerm &term : getPoly(atom->operands[0]))
      if (term.factors.size() > 1 || (term.factors.size() == 1 && term.factors[0].second > 1))
        for (auto &factor : term.factors)
          if (!symbol && factor.first->kind == SymAtom::Kind::Symbol)
            symbol = factor.first;
    if (!symbol)
      continue;
    SymExpr fresh = SymExpr::symbol(base.getContext(), "\x02" + std::to_string(depth));
    for (int64_t residue = 0; residue < *divisor; ++residue) {
      SymExpr value = fresh * *divisor + residue;
      SmallVector<Constraint> branch;
      for (const Constraint &constraint : constraints) {
        SymExpr expr =
            substituteAtoms(constraint.expr, [&](const SymAtom *other) { return other == symbol ? value : SymExpr(); });
        branch.push_back({expr, constraint.isEquality, constraint.origin});
      }
      // Ranges know the symbol by its old name.
      Bounds bounds = narrow(ranges.ofSymbol(symbol));
      if (bounds.lo)
        branch.push_back({value - *bounds.lo, false, kFromDefinition});
      if (bounds.hi)
        branch.push_back({SymExpr::constant(base.getContext(), *bounds.hi) - value, false, kFromDefinition});
      if (!refuteAll(std::move(branch), depth + 1))
        return false;
    }
    return true;
  }
  return false;
}
