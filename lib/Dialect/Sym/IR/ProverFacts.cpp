//===- ProverFacts.cpp - Facts, prepared for proofs ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Equalities are solved for a symbol and substituted, so that the normal form
// sees them; a known residue `n mod 4 == 1` makes n = 4*t + 1 with a fresh t.
// What is left are constraints, and from them ranges of single symbols.
//
//===----------------------------------------------------------------------===//

#include "ProverImpl.h"
#include "llvm/ADT/DenseSet.h"
#include <numeric>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

//===----------------------------------------------------------------------===//
// Helpers on expressions
//===----------------------------------------------------------------------===//

static void collectAtomsImpl(SymExpr expr, llvm::DenseSet<const SymAtom *> &seen,
                             SmallVectorImpl<const SymAtom *> &atoms) {
  if (!expr)
    return;
  for (const SymTerm &term : getPoly(expr)) {
    for (auto &factor : term.factors) {
      if (!seen.insert(factor.first).second)
        continue;
      for (SymExpr operand : factor.first->operands)
        collectAtomsImpl(operand, seen, atoms);
      atoms.push_back(factor.first);
    }
  }
}

void sym::detail::collectAtoms(SymExpr expr, SmallVectorImpl<const SymAtom *> &atoms) {
  llvm::DenseSet<const SymAtom *> seen(atoms.begin(), atoms.end());
  collectAtomsImpl(expr, seen, atoms);
}

void sym::detail::collectSymbolAtoms(SymExpr expr, SmallVectorImpl<const SymAtom *> &atoms) {
  SmallVector<const SymAtom *> all;
  collectAtoms(expr, all);
  for (const SymAtom *atom : all)
    if (atom->kind == SymAtom::Kind::Symbol && !llvm::is_contained(atoms, atom))
      atoms.push_back(atom);
}

void sym::detail::collectSymbolicDivisors(SymExpr expr, SmallVectorImpl<SymExpr> &divisors) {
  SmallVector<const SymAtom *> all;
  collectAtoms(expr, all);
  for (const SymAtom *atom : all)
    if (atom->kind == SymAtom::Kind::FloorDiv && !atom->operands[1].getConstant() &&
        !llvm::is_contained(divisors, atom->operands[1]))
      divisors.push_back(atom->operands[1]);
}

//===----------------------------------------------------------------------===//
// FactBase
//===----------------------------------------------------------------------===//

FactBase::FactBase(MLIRContext *context, ArrayRef<Fact> facts) : context(context), facts(facts) {
  for (auto [index, fact] : llvm::enumerate(facts))
    addFact(fact, originOfFact(index));
  // A substitution can make another equality solvable; each one removes a symbol or turns one into a fresh one once.
  for (unsigned round = 0; round < 64 && !pendingEqualities.empty(); ++round) {
    Constraint equality = pendingEqualities.pop_back_val();
    addEquality(equality.expr, equality.origin);
  }
  llvm::append_range(constraints, pendingEqualities);
  // Chains of facts need a few rounds; cycles such as x >= y + 1, y >= x + 1 would not end.
  auto propagate = [&] {
    if (ranges.propagate(constraints, 6) || contradiction)
      return;
    contradiction = 0;
    for (const Constraint &constraint : constraints)
      *contradiction |= constraint.origin;
  };
  propagate();
  // n*k == m*k with k >= 1 is n == m, which may be solvable.
  SmallVector<Constraint> previous = std::move(constraints);
  constraints.clear();
  pendingEqualities.clear();
  bool cancelled = false;
  for (Constraint &constraint : previous) {
    SymExpr reduced = cancelPositiveFactors(constraint.expr, ranges);
    bool changed = reduced && reduced != constraint.expr;
    cancelled |= changed;
    if (changed)
      constraint.expr = reduced;
    (changed && constraint.isEquality ? pendingEqualities : constraints).push_back(constraint);
  }
  if (!cancelled)
    return;
  // The ranges used other facts, all of which count as its origin then.
  for (unsigned round = 0; round < 64 && !pendingEqualities.empty(); ++round) {
    Constraint equality = pendingEqualities.pop_back_val();
    addEquality(equality.expr, equality.origin);
  }
  llvm::append_range(constraints, pendingEqualities);
  propagate();
}

void FactBase::addFact(const Fact &fact, uint64_t origin) {
  if (!fact.lhs || !fact.rhs)
    return;
  auto addConstraint = [&](SymExpr expr) {
    if (expr) // an overflow only loses a fact
      constraints.push_back({expr, false, origin});
  };
  // A fact that holds has been evaluated: its divisors are positive.
  SmallVector<SymExpr> divisors;
  collectSymbolicDivisors(fact.lhs, divisors);
  collectSymbolicDivisors(fact.rhs, divisors);
  for (SymExpr divisor : divisors)
    addConstraint(divisor - 1);
  switch (fact.op) {
  case Fact::Op::Equal:
    if (SymExpr difference = fact.lhs - fact.rhs)
      pendingEqualities.insert(pendingEqualities.begin(), {difference, true, origin});
    break;
  case Fact::Op::LessEqual:
    return addConstraint(fact.rhs - fact.lhs);
  case Fact::Op::GreaterEqual:
    return addConstraint(fact.lhs - fact.rhs);
  case Fact::Op::Less:
    return addConstraint(fact.rhs - fact.lhs - 1);
  case Fact::Op::Greater:
    return addConstraint(fact.lhs - fact.rhs - 1);
  }
}

void FactBase::addEquality(SymExpr expr, uint64_t origin) {
  if (std::optional<int64_t> value = expr.getConstant()) {
    if (*value != 0)
      contradiction = contradiction.value_or(0) | origin;
    return;
  }
  // 4*n - 8*m == 0 is n - 2*m == 0.
  Poly poly = getPoly(expr);
  int64_t gcd = 0;
  for (const SymTerm &term : poly)
    if (!term.factors.empty())
      gcd = std::gcd(gcd, term.coefficient);
  if (constantTerm(poly) % gcd != 0) {
    contradiction = contradiction.value_or(0) | origin;
    return;
  }
  for (SymTerm &term : poly)
    term.coefficient /= gcd;
  expr = sym::detail::getExpr(context, poly);
  if (!solveForSymbol(expr, origin) && !solveResidue(expr, origin) && !solveSymbolicResidue(expr, origin))
    constraints.push_back({expr, true, origin});
}

/// expr = +-symbol + rest with the symbol nowhere in rest.
bool FactBase::solveForSymbol(SymExpr expr, uint64_t origin) {
  const SymAtom *best = nullptr;
  SymExpr bestValue;
  for (const SymTerm &term : getPoly(expr)) {
    if (std::abs(term.coefficient) != 1 || term.factors.size() != 1 || term.factors[0].second != 1 ||
        term.factors[0].first->kind != SymAtom::Kind::Symbol)
      continue;
    const SymAtom *symbol = term.factors[0].first;
    SymExpr value = (sym::detail::getExpr(context, atomPoly(symbol)) * term.coefficient - expr) * term.coefficient;
    if (!value || value.usesSymbol(symbol->name))
      continue;
    // A value that is >= 0 anyway needs no further constraint.
    bool simple = value.getImpl()->range.isNonNegative();
    if (!best || simple) {
      best = symbol;
      bestValue = value;
    }
    if (simple)
      break;
  }
  if (!best)
    return false;
  substitute(best, bestValue, origin);
  return true;
}

/// expr = +-(symbol + c - k*floordiv(symbol + c', k)): the symbol is k*t + r.
bool FactBase::solveResidue(SymExpr expr, uint64_t origin) {
  const Poly &poly = getPoly(expr);
  const SymTerm *symbolTerm = nullptr, *quotientTerm = nullptr;
  for (const SymTerm &term : poly) {
    if (term.factors.empty())
      continue;
    if (term.factors.size() != 1 || term.factors[0].second != 1)
      return false;
    const SymTerm *&slot = term.factors[0].first->kind == SymAtom::Kind::Symbol ? symbolTerm : quotientTerm;
    if (slot)
      return false;
    slot = &term;
  }
  if (!symbolTerm || !quotientTerm || std::abs(symbolTerm->coefficient) != 1)
    return false;
  const SymAtom *symbol = symbolTerm->factors[0].first, *quotient = quotientTerm->factors[0].first;
  if (quotient->kind != SymAtom::Kind::FloorDiv)
    return false;
  std::optional<int64_t> divisor = quotient->operands[1].getConstant();
  SymExpr symbolExpr = sym::detail::getExpr(context, atomPoly(symbol));
  SymExpr offset = quotient->operands[0] - symbolExpr;
  if (!divisor || !offset || !offset.getConstant() || quotientTerm->coefficient % *divisor)
    return false;
  // symbol = -constant/sign - multiple of k: its residue is known.
  int64_t constant = -constantTerm(poly) * symbolTerm->coefficient;
  int64_t residue = constant - *divisor * floorDiv(constant, *divisor);
  // The names of fresh symbols cannot be written in a file that anybody would want to read.
  std::string name = "\x01" + std::to_string(numFresh++);
  SymExpr fresh = SymExpr::symbol(context, name);
  SymExpr value = fresh * *divisor + residue;
  if (!value)
    return false;
  substitute(symbol, value, origin);
  if (SymExpr rest = rewrite(expr))
    pendingEqualities.push_back({rest, true, origin}); // says more when |multiple| is not 1
  return true;
}

/// expr = +-(symbol - divisor*floordiv(symbol, divisor) - rest): the symbol is divisor*t + rest. The divisor is
/// positive, because the fact was evaluated, and the rest is not negative, so t >= 0.
bool FactBase::solveSymbolicResidue(SymExpr expr, uint64_t origin) {
  SmallVector<const SymAtom *> atoms;
  collectAtoms(expr, atoms);
  for (const SymAtom *quotient : atoms) {
    if (quotient->kind != SymAtom::Kind::FloorDiv || quotient->operands[1].getConstant())
      continue;
    std::optional<StringRef> name = quotient->operands[0].getSymbol();
    SymExpr dividend = quotient->operands[0], divisor = quotient->operands[1];
    if (!name || divisor.usesSymbol(*name))
      continue;
    SymExpr residue = dividend - divisor * sym::detail::getExpr(context, atomPoly(quotient));
    for (SymExpr rest : {residue - expr, residue + expr}) {
      if (!rest || rest.usesSymbol(*name))
        continue;
      SymExpr fresh = SymExpr::symbol(context, "\x01" + std::to_string(numFresh++));
      SymExpr value = divisor * fresh + rest;
      if (!value)
        return false;
      substitute(getPoly(dividend).front().factors[0].first, value, origin);
      if (SymExpr left = rewrite(expr))
        pendingEqualities.push_back({left, true, origin}); // the rest is less than the divisor
      return true;
    }
  }
  return false;
}

void FactBase::substitute(const SymAtom *symbol, SymExpr value, uint64_t origin) {
  auto apply = [&](SymExpr expr) {
    return sym::detail::substituteAtoms(expr, [&](const SymAtom *atom) { return atom == symbol ? value : SymExpr(); });
  };
  for (auto &entry : substitution)
    if (SymExpr next = apply(entry.second))
      entry.second = next;
  substitution[symbol] = value;
  auto applyAll = [&](SmallVector<Constraint> &list) {
    SmallVector<Constraint> kept;
    for (Constraint &constraint : list) {
      SymExpr next = apply(constraint.expr);
      if (!next)
        continue; // only loses a fact
      uint64_t from = next == constraint.expr ? constraint.origin : constraint.origin | origin;
      kept.push_back({next, constraint.isEquality, from});
    }
    list = std::move(kept);
  };
  // Equalities that were not solvable may be now.
  SmallVector<Constraint> inequalities;
  for (Constraint &constraint : constraints)
    (constraint.isEquality ? pendingEqualities : inequalities).push_back(constraint);
  constraints = std::move(inequalities);
  applyAll(constraints);
  applyAll(pendingEqualities);
  if (!value.getImpl()->range.isNonNegative())
    constraints.push_back({value, false, origin});
}

SymExpr FactBase::rewrite(SymExpr expr) const {
  if (substitution.empty() || !expr)
    return expr;
  return sym::detail::substituteAtoms(expr, [&](const SymAtom *atom) { return substitution.lookup(atom); });
}

SmallVector<Constraint> FactBase::relevantTo(ArrayRef<SymExpr> exprs) const {
  SmallVector<Constraint> result;
  if (constraints.empty())
    return result;
  SmallVector<const SymAtom *> reached;
  for (SymExpr expr : exprs)
    collectSymbolAtoms(expr, reached);
  SmallVector<bool> taken(constraints.size(), false);
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto [i, constraint] : llvm::enumerate(constraints)) {
      if (taken[i])
        continue;
      SmallVector<const SymAtom *> symbols;
      collectSymbolAtoms(constraint.expr, symbols);
      // A constraint without symbols is false for all: it belongs to every query.
      if (!symbols.empty() && llvm::none_of(symbols, [&](auto *s) { return llvm::is_contained(reached, s); }))
        continue;
      taken[i] = changed = true;
      result.push_back(constraint);
      collectSymbolAtoms(constraint.expr, reached);
    }
  }
  return result;
}
