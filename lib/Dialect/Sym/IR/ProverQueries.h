//===- ProverQueries.h - What the questions share --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERQUERIES_H
#define RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERQUERIES_H

#include "ProverImpl.h"

namespace mlir::relax::sym {

namespace detail {
enum class Question { IsZero, IsNonNegative };
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
  bool findExample(unsigned count, sym::detail::Refuter *refuter, Budget &work);
  std::string describeContradiction();
  Verdict answer(Question question, SymExpr expr, Explanation *why);
  Verdict decideExpr(Question question, SymExpr expr, Budget &work, Explanation *why);
  bool obligationsHold(ArrayRef<SymExpr> exprs, Budget &work);
  bool proveTrue(Question question, SymExpr expr, sym::detail::Refuter &refuter, uint64_t &origins);
  bool proveFalse(Question question, SymExpr expr, sym::detail::Refuter &refuter, uint64_t &origins);
  void tryCandidate(sym::detail::Sampler &sampler, sym::detail::Refuter &refuter,
                    llvm::function_ref<bool(const Assignment &)> visit);
  Valuation toValuation(const Assignment &values);
  std::string printable(SymExpr expr);

  /// Least proved upper bound; `exact` when a valuation attains it.
  std::optional<sym::detail::Wide> upperBound(SymExpr expr, bool &exact);
  sym::detail::Wide narrowDown(SymExpr expr, std::optional<sym::detail::Wide> seen, sym::detail::Wide bound,
                               Budget &work);
  SymExpr simplifyOnce(Prover &prover, SymExpr expr);

  sym::detail::FactBase base;
  DenseMap<std::pair<SymExpr, int>, Verdict> cache;
  bool contradictionKnown = false;
  std::optional<std::string> contradiction;
  std::optional<Assignment> example; // satisfies all facts
  unsigned steps = 0;
};

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERQUERIES_H
