//===- Prover.h - Three-valued answers about shapes ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The only place where a pass asks about shapes. Every answer speaks about all
// integer valuations with symbols >= 0 that satisfy the facts; zero sizes are
// among them unless a fact excludes them. True and False are proofs. `Depends`
// is always a correct answer: nearly always both outcomes occur, and then an
// Explanation shows a valuation of each; the rest was not decided within the
// step limit. docs/Prover.md tells how it works and how to play with it.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_PROVER_H
#define RELAXDIALECT_DIALECT_SYM_IR_PROVER_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax::sym {

enum class Verdict { True, False, Depends };
StringRef stringifyVerdict(Verdict verdict);

/// Symbol values, sorted by name.
using Valuation = SmallVector<std::pair<std::string, int64_t>>;

/// Why an answer was given.
struct Explanation {
  /// What was found on the way, in order; the last one decides.
  SmallVector<std::string> steps;
  /// Valuations of all symbols of facts and question. Each was checked: it satisfies every fact, and the question is
  /// true, false, or has no value because a divisor is not positive.
  std::optional<Valuation> whenTrue, whenFalse, whenUndefined;
  /// Of a bound: a checked valuation where the expression has that value.
  std::optional<Valuation> attained;
  /// Work spent, at most Prover::kMaxSteps for the answer and as much again for the valuations.
  unsigned work = 0;

  /// Two different outcomes were seen, so `depends` is the whole truth.
  bool isWitnessed() const { return whenTrue.has_value() + whenFalse.has_value() + whenUndefined.has_value() >= 2; }
  /// One line per step and valuation, each after `indent`.
  void print(raw_ostream &os, StringRef indent = "  ") const;
  /// All of it on one line, for remarks.
  std::string str() const;
};

/// An answer with its reason.
struct ExplainedVerdict {
  Verdict verdict = Verdict::Depends;
  Explanation why;
};

/// A substitution found by unification.
using SymbolMap = llvm::StringMap<SymExpr>;

/// Outcome of solving `pattern = value` equations.
struct Solution {
  enum class Kind { Solved, Ambiguous, Contradiction } kind = Kind::Solved;
  /// The symbols of the patterns in terms of the values. A symbol is >= 0: where that is not proved it is a check.
  SymbolMap values;
  /// Equations (pattern with the solution substituted, value) that are not proved: to be checked at run time.
  SmallVector<std::pair<SymExpr, SymExpr>> checks;
  /// Names the equation that failed or stayed ambiguous.
  std::string reason;
};

/// What two broadcast extents give.
struct BroadcastResult {
  /// True when a == b or one of them is 1 for every valuation, False when for none.
  Verdict legal = Verdict::Depends;
  /// The result wherever the pair is legal; null when it is only known at run time.
  SymExpr extent;
};

/// Asks about expressions under facts. Facts whose divisors are symbolic say that these are positive: a fact that holds
/// was evaluated. A null expression (unknown, or too large for 64-bit coefficients) gives Depends or no answer.
class Prover {
public:
  /// `facts` may be empty. Contradictory facts are reported by `isContradictory`; then every verdict is Depends.
  explicit Prover(MLIRContext *context, ArrayRef<Fact> facts = {});
  explicit Prover(MLIRContext *context, ScopeAttr scope);
  ~Prover();
  Prover(const Prover &) = delete;
  Prover &operator=(const Prover &) = delete;

  /// True when the facts exclude every valuation; a reason names the facts. Without facts all symbols may be 0, which
  /// is no contradiction; `n <= 0` leaves n == 0.
  bool isContradictory(std::string *reason = nullptr);

  /// a == b. Sizes of 0 count: n == 1 and n * m == m depend, as does n * 6 == n * 4, which holds for n == 0 only. No
  /// factor is cancelled unless it is proved to be at least 1.
  Verdict isEqual(SymExpr a, SymExpr b, Explanation *why = nullptr);
  /// a <= b. Symbols are >= 0, so 0 <= n is True and 1 <= n depends.
  Verdict isLessEqual(SymExpr a, SymExpr b, Explanation *why = nullptr);
  /// `divisor` divides `a` without rest; 0 is divisible by every divisor. Depends unless divisor > 0 is proved.
  Verdict isDivisible(SymExpr a, SymExpr divisor, Explanation *why = nullptr);
  /// Any fact, as one of the above. Where a divisor may be 0 the fact has no value, and the answer is Depends.
  Verdict holds(const Fact &fact, Explanation *why = nullptr);
  /// Product of `from` equals product of `to`: a reshape is legal. An extent of 0 on both sides makes the others free;
  /// the empty shape has one element.
  Verdict sameNumElements(ArrayRef<SymExpr> from, ArrayRef<SymExpr> to, Explanation *why = nullptr);
  /// `holds` with its reason; for remarks and tools, it costs a search for valuations.
  ExplainedVerdict explain(const Fact &fact);

  /// Greatest value not above / least value not below; nullopt is unbounded or unknown. `exact` tells whether it is
  /// attained. A size that may be 0 has the lower bound 0, and a product with a factor that is always 0 the upper bound
  /// 0 even if the other factor is unbounded.
  std::optional<int64_t> lowerBound(SymExpr expr, bool *exact = nullptr, Explanation *why = nullptr);
  std::optional<int64_t> upperBound(SymExpr expr, bool *exact = nullptr, Explanation *why = nullptr);
  /// True when the value is inside a signed integer of `bits` (32 or 64) for every valuation, False when some valuation
  /// leaves it, even if it fits where a size is 0. A symbol alone fits 64 bits.
  Verdict fitsInteger(SymExpr expr, unsigned bits, Explanation *why = nullptr);

  /// An equal, simpler expression under the facts; `expr` itself when nothing is found. Equal also where symbols are 0.
  SymExpr simplify(SymExpr expr);
  /// numpy broadcasting of two extents. 0 is an extent like others: it fits 0 and 1, and 0 with 1 gives 0.
  BroadcastResult broadcast(SymExpr a, SymExpr b);
  /// Solves pattern_i = value_i for the symbols of the patterns that `unknown` accepts, linear in one unknown at a
  /// time. An unknown whose factor may be 0 is Ambiguous, as any value would do there.
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
