//===- Prover.h - Three-valued answers about shapes ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The only place where a pass asks about shapes. Every answer holds for all
// integer valuations with symbols >= 0 that satisfy the facts; zero sizes
// included. `Depends` means "not proved, not refuted", and is always a correct
// answer; True and False never are guesses.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_PROVER_H
#define RELAXDIALECT_DIALECT_SYM_IR_PROVER_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax::sym {

enum class Verdict { True, False, Depends };
StringRef stringifyVerdict(Verdict verdict);

/// Symbol values, as a solution or a witness.
using Valuation = SmallVector<std::pair<std::string, int64_t>>;

/// Why an answer was given: the steps of a proof, or one valuation for each outcome of a `depends`.
struct Explanation {
  SmallVector<std::string> steps;
  std::optional<Valuation> whenTrue, whenFalse;
};

/// A substitution found by unification.
using SymbolMap = llvm::StringMap<SymExpr>;

/// Outcome of solving `pattern = value` equations.
struct Solution {
  enum class Kind { Solved, Ambiguous, Contradiction } kind = Kind::Solved;
  SymbolMap values; // symbols of the patterns, in terms of the values
  SmallVector<std::pair<SymExpr, SymExpr>>
      checks;         // equations (pattern substituted, value) not proved: to be checked at run time
  std::string reason; // names the equation that failed or stayed ambiguous
};

/// What two broadcast extents give: the result, and the guard that must hold (no facts: always legal).
struct BroadcastResult {
  Verdict legal = Verdict::Depends;
  SymExpr extent; // null when it is only known at run time
};

class Prover {
public:
  /// `facts` may be empty. Contradictory facts are reported by `isContradictory`; then every verdict is Depends.
  explicit Prover(MLIRContext *context, ArrayRef<Fact> facts = {});
  explicit Prover(MLIRContext *context, ScopeAttr scope);
  ~Prover();
  Prover(const Prover &) = delete;
  Prover &operator=(const Prover &) = delete;

  /// True when the facts exclude every valuation; a reason names the facts.
  bool isContradictory(std::string *reason = nullptr);

  Verdict isEqual(SymExpr a, SymExpr b, Explanation *why = nullptr);
  Verdict isLessEqual(SymExpr a, SymExpr b, Explanation *why = nullptr);
  /// `divisor` divides `a` without rest; Depends unless divisor > 0 is proved too.
  Verdict isDivisible(SymExpr a, SymExpr divisor, Explanation *why = nullptr);
  Verdict holds(const Fact &fact, Explanation *why = nullptr);
  /// Product of `from` equals product of `to`: a reshape is legal.
  Verdict sameNumElements(ArrayRef<SymExpr> from, ArrayRef<SymExpr> to, Explanation *why = nullptr);

  /// Greatest value not above / least value not below; nullopt is unbounded or unknown. `exact` tells whether it is
  /// attained.
  std::optional<int64_t> lowerBound(SymExpr expr, bool *exact = nullptr);
  std::optional<int64_t> upperBound(SymExpr expr, bool *exact = nullptr);
  /// The value stays inside a signed integer of `bits` (32 or 64) for every valuation.
  Verdict fitsInteger(SymExpr expr, unsigned bits);

  /// An equal, simpler expression under the facts; `expr` itself when nothing is found.
  SymExpr simplify(SymExpr expr);
  /// numpy broadcasting of two extents.
  BroadcastResult broadcast(SymExpr a, SymExpr b);
  /// Solves pattern_i = value_i for the symbols of the patterns that `unknown` accepts, linear in one unknown at a
  /// time.
  Solution solve(ArrayRef<std::pair<SymExpr, SymExpr>> equations, llvm::function_ref<bool(StringRef)> unknown);

  /// Steps spent by the last query; bounded by kMaxSteps.
  unsigned getSteps() const;
  static constexpr unsigned kMaxSteps = 20000;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_DIALECT_SYM_IR_PROVER_H
