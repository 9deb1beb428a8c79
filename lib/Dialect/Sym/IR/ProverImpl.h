//===- ProverImpl.h - Parts of the prover ----------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// FactBase prepares the facts once: equalities become substitutions, ranges of
// symbols are propagated. Refuter shows that constraints have no common
// solution. ProverSearch.h finds valuations.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERIMPL_H
#define RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERIMPL_H

#include "LinearSystem.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "SymExprDetail.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::relax::sym::detail {

using Wide = __int128;

/// Bits that tell where a constraint comes from: facts by their index, the last two for these.
inline constexpr uint64_t kFromClaim = uint64_t(1) << 63;
inline constexpr uint64_t kFromDefinition = 0; // of floordiv, max or a symbol: always holds
inline uint64_t originOfFact(size_t index) { return uint64_t(1) << std::min<size_t>(index, 62); }

/// expr >= 0, or expr == 0.
struct Constraint {
  SymExpr expr;
  bool isEquality = false;
  uint64_t origin = 0;
};

/// Values of symbols, for evaluation without the limits of int64.
using Assignment = DenseMap<const SymAtom *, Wide>;
/// nullopt when a divisor is not positive, a symbol has no value or the value is huge.
std::optional<Wide> evaluateWide(SymExpr expr, const Assignment &values);
std::optional<bool> evaluateWide(const Fact &fact, const Assignment &values);

/// Symbol atoms below an expression, each once.
void collectSymbolAtoms(SymExpr expr, SmallVectorImpl<const SymAtom *> &atoms);
/// Every atom below an expression, operands before their users.
void collectAtoms(SymExpr expr, SmallVectorImpl<const SymAtom *> &atoms);
/// floordiv atoms with a divisor that is not a constant, also nested ones.
void collectSymbolicDivisors(SymExpr expr, SmallVectorImpl<SymExpr> &divisors);

//===----------------------------------------------------------------------===//

/// Ranges of symbols and operators, tightened by constraints.
class RangeMap {
public:
  Interval ofSymbol(const SymAtom *symbol) const;
  Interval intervalOf(const Poly &poly) const;
  Interval intervalOf(SymExpr expr) const { return intervalOf(getPoly(expr)); }

  /// Uses each constraint to bound its monomials, up to `rounds` times. False when a range becomes empty.
  bool propagate(ArrayRef<Constraint> constraints, unsigned rounds);
  /// False when nothing is left.
  bool restrict(const SymAtom *atom, Interval bounds);
  const DenseMap<const SymAtom *, Interval> &getKnown() const { return known; }

private:
  bool tighten(const Constraint &constraint);
  bool boundMonomial(const Factors &factors, Interval bounds);

  DenseMap<const SymAtom *, Interval> known;
  bool changed = false;
};

/// expr without common factors that are at least 1: its sign is the same.
SymExpr cancelPositiveFactors(SymExpr expr, const RangeMap &ranges);

class FactBase {
public:
  FactBase(MLIRContext *context, ArrayRef<Fact> facts);

  /// Applies the substitutions; null on overflow.
  SymExpr rewrite(SymExpr expr) const;
  /// Value of a substituted symbol in terms of the free ones; null for a free symbol.
  SymExpr lookup(const SymAtom *symbol) const { return substitution.lookup(symbol); }
  ArrayRef<Constraint> getConstraints() const { return constraints; }
  /// Constraints that share symbols with `exprs`, directly or through others.
  SmallVector<Constraint> relevantTo(ArrayRef<SymExpr> exprs) const;
  /// Ranges as far as single facts tell.
  const RangeMap &getRanges() const { return ranges; }
  Interval ofSymbol(const SymAtom *symbol) const { return ranges.ofSymbol(symbol); }
  Interval intervalOf(SymExpr expr) const { return ranges.intervalOf(expr); }

  MLIRContext *getContext() const { return context; }
  ArrayRef<Fact> getFacts() const { return facts; }
  /// Origins of a contradiction that preparing the facts met.
  std::optional<uint64_t> getContradiction() const { return contradiction; }

private:
  void addFact(const Fact &fact, uint64_t origin);
  void addEquality(SymExpr expr, uint64_t origin);
  bool solveForSymbol(SymExpr expr, uint64_t origin);
  bool solveResidue(SymExpr expr, uint64_t origin);
  bool solveSymbolicResidue(SymExpr expr, uint64_t origin);
  void substitute(const SymAtom *symbol, SymExpr value, uint64_t origin);

  MLIRContext *context;
  SmallVector<Fact> facts;
  SmallVector<Constraint> constraints;
  SmallVector<Constraint> pendingEqualities;
  llvm::MapVector<const SymAtom *, SymExpr> substitution;
  RangeMap ranges;
  std::optional<uint64_t> contradiction;
  unsigned numFresh = 0;
};

//===----------------------------------------------------------------------===//

class LinearModel;

/// Shows that constraints exclude each other. Facts are added by relevance.
class Refuter {
public:
  Refuter(const FactBase &base, Budget &budget) : base(base), budget(budget) {}

  /// True when no valuation satisfies the facts and `claims` (already rewritten).
  bool refute(ArrayRef<Constraint> claims);
  /// An upper bound of a (rewritten) expression; `known` is one that the caller has.
  std::optional<Wide> maximize(SymExpr expr, std::optional<Wide> known);
  /// Facts that the last successful refutation used.
  uint64_t getOrigins() const { return origins; }
  /// Names the arguments that it used.
  std::string describeArguments() const;
  /// A candidate solution that the last failed linear attempt left; symbols only.
  const Assignment &getCandidate() const { return candidate; }

private:
  std::optional<Wide> maximizeAll(SymExpr objective, ArrayRef<Constraint> constraints, unsigned depth, bool &isEmpty);
  bool refuteAll(SmallVector<Constraint> constraints, unsigned depth);
  bool refuteProducts(SmallVector<Constraint> &constraints, RangeMap &ranges, LinearModel &model, unsigned depth);
  bool splitMax(ArrayRef<Constraint> constraints, unsigned depth, bool &applied);
  bool excludedByRemainders(const Constraint &constraint);
  bool excludedByMonotony(ArrayRef<Constraint> constraints, const RangeMap &ranges);
  bool splitResidues(ArrayRef<Constraint> constraints, const RangeMap &ranges, unsigned depth);
  bool foldQuotients(SmallVector<Constraint> &constraints, const RangeMap &ranges);
  bool fixSymbols(SmallVector<Constraint> &constraints, RangeMap &ranges, LinearModel &model, bool &refuted);

  enum Argument : unsigned {
    Ranges,
    Linear,
    MaxCases,
    FixedSymbol,
    Products,
    Quotients,
    Residues,
    IntegerPoints,
    Remainders,
    Monotony
  };
  bool by(Argument argument) {
    arguments |= 1u << argument;
    return true;
  }

  const FactBase &base;
  Budget &budget;
  uint64_t origins = 0;
  unsigned arguments = 0;
  Assignment candidate;
};

/// Some max in the constraints or in `expr`; null when there is none.
const SymAtom *findMax(ArrayRef<Constraint> constraints, SymExpr expr);
/// The constraints where `max` is `chosen`, which is then not less than the other operands.
SmallVector<Constraint> chooseOperand(ArrayRef<Constraint> constraints, const SymAtom *max, SymExpr chosen);

/// Constraints as rows over monomials, with what is known about atoms and products.
class LinearModel {
public:
  LinearModel(const RangeMap &ranges, Budget &budget, ArrayRef<Constraint> constraints);
  /// Makes rows for the atoms of an expression that is only asked about.
  void mention(const Poly &poly) { addMonomials(poly); }

  LinearSystem::Result check(uint64_t *origins, Assignment *candidate);
  /// Least upper bound that the rows give for `objective`; its atoms must occur in the constraints.
  std::optional<Wide> maximize(const Poly &objective, bool &isEmpty, Assignment *candidate);
  /// Adds products of constraints that speak about nonlinear monomials. False when there are none.
  bool addProducts(const Poly *objective = nullptr);
  /// Adds what excludes a solution of the rows that no squares of integers have. False when there is nothing to add.
  bool addCuts(const Assignment &solution);
  bool isLinear() const { return nonlinear.empty(); }
  /// Symbols that occur in nonlinear monomials.
  SmallVector<const SymAtom *> getSymbolsInProducts() const;
  LinearSystem::Result checkPresburger(bool integers, Assignment *candidate = nullptr);

private:
  struct Inequality {
    Poly poly;
    bool isEquality;
    uint64_t origin;
  };
  void add(Poly poly, bool isEquality, uint64_t origin);
  void addMonomials(const Poly &poly);
  void define(const SymAtom *atom);
  void addSquares(const Poly *objective);
  LinearSystem makeSystem();
  void takeSolution(ArrayRef<Wide> values, Assignment *candidate) const;
  SmallVector<std::pair<unsigned, int64_t>> toTerms(const Poly &poly);

  const RangeMap &ranges;
  Budget &budget;
  SmallVector<Inequality> inequalities;
  SmallVector<Factors> variables;                // monomials, in order of appearance
  DenseMap<const SymAtom *, unsigned> atomIndex; // of monomials that are one atom
  SmallVector<unsigned> nonlinear;               // the other monomials
};

} // namespace mlir::relax::sym::detail

#endif // RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERIMPL_H
