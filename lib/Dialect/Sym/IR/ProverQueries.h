//===- ProverQueries.h - What the questions share --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERQUERIES_H
#define RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERQUERIES_H

#include "ProverSearch.h"

namespace mlir::relax::sym {

namespace detail {
enum class Question { IsZero, IsNonNegative };
/// What the value of the expression decides.
inline bool decide(Question question, Wide value) { return question == Question::IsZero ? value == 0 : value >= 0; }

/// Outcomes of a question that valuations showed.
struct Outcomes {
  Outcomes(Question question, SymExpr expr, SymExpr divisor = {});
  /// Keeps the valuation when its outcome is new. False when true and false were seen.
  bool visit(const Assignment &values);

  Question question;
  SymExpr expr;
  SmallVector<SymExpr> divisors; // have to be positive
  std::optional<Assignment> whenTrue, whenFalse, whenUndefined;
};
} // namespace detail

struct Prover::Impl {
  using Budget = sym::detail::Budget;
  using Assignment = sym::detail::Assignment;
  using Question = sym::detail::Question;

  Impl(MLIRContext *context, ArrayRef<Fact> facts) : base(context, facts) {}

  /// Valuations tried before a proof, and for a witness on request.
  static constexpr unsigned kProbes = 14, kWitnessSamples = 3000;
  /// Up to so many valuations are tried one by one when nothing else decides.
  static constexpr unsigned kMaxEnumerated = 3000;

  void findContradiction();
  /// Looks for a valuation that satisfies all facts; thorough searches are only worth it for witnesses.
  bool findExample(unsigned count, bool thorough, Budget &work);
  std::string describeContradiction();
  /// `mentioned` holds the expressions as asked, whose symbols a witness values.
  Verdict answer(Question question, SymExpr expr, ArrayRef<SymExpr> mentioned, Explanation *why);
  Verdict decideExpr(Question question, SymExpr expr, Budget &work, sym::detail::Outcomes *outcomes, Explanation *why);
  bool obligationsHold(ArrayRef<SymExpr> exprs, Budget &work, SymExpr *failed = nullptr);
  bool proveTrue(Question question, SymExpr expr, sym::detail::Refuter &refuter, uint64_t &origins,
                 std::string *arguments);
  bool proveFalse(Question question, SymExpr expr, sym::detail::Refuter &refuter, uint64_t &origins,
                  std::string *arguments);
  void tryCandidate(sym::detail::Sampler &sampler, sym::detail::Refuter &refuter,
                    llvm::function_ref<bool(const Assignment &)> visit);
  /// Searches for the outcomes not seen yet and writes all of them down.
  void addWitnesses(sym::detail::Outcomes &outcomes, ArrayRef<SymExpr> mentioned, Explanation &why);
  std::optional<Valuation> toValuation(const Assignment &values, ArrayRef<SymExpr> mentioned);
  std::string printable(SymExpr expr);
  /// Ranges that facts give to the symbols of an expression.
  std::string describeRanges(SymExpr expr);

  /// Least proved upper bound; `exact` when a valuation attains it.
  /// With `enough` it may stop at a bound that is not greater, or at a value that is.
  std::optional<sym::detail::Wide> upperBound(SymExpr expr, bool &exact, std::optional<Assignment> *where = nullptr,
                                              std::optional<sym::detail::Wide> enough = std::nullopt);
  /// The same with words, for bounds of `sign * expr`.
  std::optional<int64_t> bound(SymExpr expr, int sign, bool *exact, Explanation *why);
  sym::detail::Wide narrowDown(SymExpr expr, std::optional<sym::detail::Wide> seen, sym::detail::Wide bound,
                               Budget &work);
  SymExpr simplifyOnce(Prover &prover, SymExpr expr);

  sym::detail::FactBase base;
  DenseMap<std::pair<SymExpr, int>, Verdict> cache;
  bool contradictionKnown = false;
  std::optional<std::string> contradiction;
  Assignment example; // satisfies the facts about its symbols
  bool exampleComplete = false;
  unsigned steps = 0;
};

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERQUERIES_H
