//===- Prover.cpp - Three-valued answers about shapes ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Each question becomes "have the facts and this constraint a common solution?".
// Cheap answers come first: the normal form, stored ranges, ranges under facts,
// then a few valuations, which often show both outcomes and save the proofs.
//
//===----------------------------------------------------------------------===//

#include "ProverQueries.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

StringRef sym::stringifyVerdict(Verdict verdict) {
  return verdict == Verdict::True ? "true" : verdict == Verdict::False ? "false" : "depends";
}

//===----------------------------------------------------------------------===//
// Shared by all questions
//===----------------------------------------------------------------------===//

/// Names of the facts in a set of origins.
static std::string describeOrigins(const FactBase &base, uint64_t origins) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool first = true;
  for (auto [index, fact] : llvm::enumerate(base.getFacts())) {
    if (!(origins & originOfFact(index)))
      continue;
    os << (first ? "" : "; ");
    fact.print(os);
    first = false;
  }
  return text;
}

void Prover::Impl::findContradiction() {
  if (contradictionKnown)
    return;
  contradictionKnown = true;
  std::optional<uint64_t> origins = base.getContradiction();
  if (!origins && !base.getFacts().empty()) {
    Budget work(kMaxSteps);
    if (!findExample(16, /*thorough=*/false, work)) {
      Refuter refuter(base, work);
      SmallVector<Constraint> constraints(base.getConstraints());
      if (refuter.refute(constraints))
        origins = refuter.getOrigins();
    }
  }
  if (origins)
    contradiction = describeContradiction();
}

/// Leaves out facts while the others still exclude each other.
std::string Prover::Impl::describeContradiction() {
  SmallVector<Fact> kept(base.getFacts());
  for (size_t i = kept.size(); i-- > 0 && kept.size() <= 24;) {
    SmallVector<Fact> fewer(kept);
    fewer.erase(fewer.begin() + i);
    FactBase reduced(base.getContext(), fewer);
    Budget work(kMaxSteps);
    SmallVector<Constraint> constraints(reduced.getConstraints());
    if (reduced.getContradiction() || (!constraints.empty() && Refuter(reduced, work).refute(constraints)))
      kept = std::move(fewer);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(kept, [&](const Fact &fact) { fact.print(os); }, [&] { os << "; "; });
  return text;
}

bool Prover::Impl::obligationsHold(ArrayRef<SymExpr> exprs, Budget &work, SymExpr *failed) {
  SmallVector<SymExpr> divisors;
  for (SymExpr expr : exprs)
    collectSymbolicDivisors(expr, divisors);
  for (SymExpr divisor : divisors) {
    if (Interval interval = base.intervalOf(divisor); interval.lo && *interval.lo >= 1)
      continue;
    SymExpr rewritten = base.rewrite(divisor);
    if (rewritten && Refuter(base, work).refute({Constraint{-rewritten, false, kFromClaim}})) // not divisor >= 1
      continue;
    if (failed)
      *failed = divisor;
    return false;
  }
  return true;
}

static std::optional<Verdict> decide(Question question, const Interval &interval) {
  if (question == Question::IsNonNegative) {
    if (interval.isNonNegative())
      return Verdict::True;
    if (interval.hi && *interval.hi < 0)
      return Verdict::False;
    return std::nullopt;
  }
  if (interval.lo && interval.hi && *interval.lo == 0 && *interval.hi == 0)
    return Verdict::True;
  if ((interval.lo && *interval.lo > 0) || (interval.hi && *interval.hi < 0))
    return Verdict::False;
  return std::nullopt;
}

bool Prover::Impl::proveTrue(Question question, SymExpr expr, Refuter &refuter, uint64_t &origins,
                             std::string *arguments) {
  auto excluded = [&](SymExpr negation) {
    if (!negation || !refuter.refute({Constraint{negation, false, kFromClaim}}))
      return false;
    origins |= refuter.getOrigins();
    if (arguments && *arguments != refuter.describeArguments())
      *arguments += (arguments->empty() ? "" : "; ") + refuter.describeArguments();
    return true;
  };
  if (question == Question::IsNonNegative)
    return excluded(-expr - 1);
  return excluded(-expr - 1) && excluded(expr - 1);
}

bool Prover::Impl::proveFalse(Question question, SymExpr expr, Refuter &refuter, uint64_t &origins,
                              std::string *arguments) {
  if (!refuter.refute({Constraint{expr, question == Question::IsZero, kFromClaim}}))
    return false;
  origins |= refuter.getOrigins();
  if (arguments)
    *arguments = refuter.describeArguments();
  return true;
}

Verdict Prover::Impl::answer(Question question, SymExpr expr, ArrayRef<SymExpr> mentioned, Explanation *why) {
  steps = 0;
  findContradiction();
  auto note = [&](const Twine &text) {
    if (why)
      why->steps.push_back(text.str());
  };
  if (contradiction) {
    note("the facts contradict each other: " + *contradiction);
    return Verdict::Depends;
  }
  if (!expr) {
    note("an expression does not fit 64-bit coefficients");
    return Verdict::Depends;
  }
  if (std::optional<int64_t> value = expr.getConstant()) {
    note("normal form: the difference is " + Twine(*value));
    return decide(question, Wide(*value)) ? Verdict::True : Verdict::False;
  }
  auto cached = cache.find({expr, static_cast<int>(question)});
  if (!why && cached != cache.end())
    return cached->second;
  if (why) // text is costly
    note("question: " + expr.str() + (question == Question::IsZero ? " == 0" : " >= 0"));

  Budget work(kMaxSteps);
  Outcomes outcomes(question, expr);
  Verdict verdict = decideExpr(question, expr, work, &outcomes, why);
  steps = work.getUsed();
  cache[{expr, static_cast<int>(question)}] = verdict;
  if (why) {
    why->work = steps;
    if (verdict == Verdict::Depends)
      addWitnesses(outcomes, mentioned, *why);
  }
  return verdict;
}

Verdict Prover::Impl::decideExpr(Question question, SymExpr expr, Budget &work, Outcomes *outcomes, Explanation *why) {
  auto note = [&](const Twine &text) {
    if (why)
      why->steps.push_back(text.str());
  };
  auto noteProof = [&](const char *what, const std::string &arguments, uint64_t origins) {
    if (!why)
      return;
    note(Twine(what) + " (" + arguments + ")");
    if (std::string text = describeOrigins(base, origins); !text.empty())
      note("using: " + text);
    if (std::string text = describeRanges(expr); !text.empty())
      note("ranges: " + text);
  };
  SymExpr divisor;
  if (!obligationsHold(expr, work, &divisor)) {
    if (why)
      note("the divisor " + divisor.str() + " is not proved to be positive");
    return Verdict::Depends;
  }
  SymExpr reduced = cancelPositiveFactors(expr, base.getRanges());
  if (why && reduced != expr)
    note("without factors that are at least 1: " + reduced.str());
  expr = reduced;
  Interval interval = base.intervalOf(expr);
  if (std::optional<Verdict> verdict = decide(question, interval)) {
    if (why) {
      if (std::string text = describeRanges(expr); !text.empty())
        note("ranges: " + text);
      Bounds bounds = narrow(interval);
      note("range: at least " + (bounds.lo ? Twine(*bounds.lo).str() : "-inf") + ", at most " +
           (bounds.hi ? Twine(*bounds.hi).str() : "inf"));
    }
    return *verdict;
  }
  SymExpr rewritten = base.rewrite(expr);
  if (!rewritten)
    return Verdict::Depends;
  if (rewritten != expr) {
    if (why)
      note("with the equalities among the facts: " + printable(rewritten));
    if (std::optional<int64_t> value = rewritten.getConstant())
      return decide(question, Wide(*value)) ? Verdict::True : Verdict::False;
    if (std::optional<Verdict> verdict = decide(question, base.intervalOf(rewritten))) {
      note("its range decides");
      return *verdict;
    }
  }

  // A few valuations tell which proofs can succeed.
  Sampler sampler(base, expr);
  auto visit = [&](const Assignment &values) { return outcomes->visit(values); };
  sampler.sample(kProbes, work, visit);
  Refuter refuter(base, work);
  uint64_t origins = 0;
  std::string arguments;
  if (!outcomes->whenFalse) {
    if (proveTrue(question, rewritten, refuter, origins, why ? &arguments : nullptr)) {
      noteProof("no valuation makes it false", arguments, origins);
      return Verdict::True;
    }
    tryCandidate(sampler, refuter, visit);
  }
  if (!outcomes->whenTrue) {
    origins = 0;
    arguments.clear();
    if (proveFalse(question, rewritten, refuter, origins, why ? &arguments : nullptr)) {
      noteProof("no valuation makes it true", arguments, origins);
      return Verdict::False;
    }
    tryCandidate(sampler, refuter, visit);
  }
  // Few valuations altogether: try them all.
  if (!outcomes->whenTrue || !outcomes->whenFalse) {
    bool decided = true;
    bool complete = sampler.enumerate(kMaxEnumerated, work, [&](const Assignment &values) {
      decided &= evaluateWide(expr, values).has_value();
      return visit(values) && decided;
    });
    if (complete && decided && outcomes->whenTrue.has_value() != outcomes->whenFalse.has_value()) {
      note("every valuation was tried");
      return outcomes->whenTrue ? Verdict::True : Verdict::False;
    }
  }
  return Verdict::Depends;
}

/// A solution that a failed refutation left is a valuation if it really satisfies the facts.
void Prover::Impl::tryCandidate(Sampler &sampler, Refuter &refuter,
                                llvm::function_ref<bool(const Assignment &)> visit) {
  if (refuter.getCandidate().empty())
    return;
  if (std::optional<Assignment> values = sampler.complete(refuter.getCandidate()))
    visit(*values);
}

//===----------------------------------------------------------------------===//
// Prover
//===----------------------------------------------------------------------===//

Prover::Prover(MLIRContext *context, ArrayRef<Fact> facts) : impl(std::make_unique<Impl>(context, facts)) {}
Prover::Prover(MLIRContext *context, ScopeAttr scope) : Prover(context, scope ? scope.getFacts() : ArrayRef<Fact>()) {}
Prover::~Prover() = default;

bool Prover::isContradictory(std::string *reason) {
  impl->findContradiction();
  if (impl->contradiction && reason)
    *reason = *impl->contradiction;
  return impl->contradiction.has_value();
}

unsigned Prover::getSteps() const { return impl->steps; }

Verdict Prover::isEqual(SymExpr a, SymExpr b, Explanation *why) {
  return impl->answer(Question::IsZero, a - b, {a, b}, why);
}

Verdict Prover::isLessEqual(SymExpr a, SymExpr b, Explanation *why) {
  return impl->answer(Question::IsNonNegative, b - a, {a, b}, why);
}

Verdict Prover::isDivisible(SymExpr a, SymExpr divisor, Explanation *why) {
  if (!a || !divisor)
    return Verdict::Depends;
  SymExpr rest = SymExpr::mod(a, divisor);
  if (isLessEqual(SymExpr::constant(a.getContext(), 1), divisor) == Verdict::True)
    return impl->answer(Question::IsZero, rest, {a, divisor}, why);
  if (why) {
    why->steps.push_back("the divisor " + divisor.str() + " is not proved to be positive");
    Outcomes outcomes(Question::IsZero, rest, divisor);
    if (rest && !impl->contradiction)
      impl->addWitnesses(outcomes, {a, divisor}, *why);
  }
  return Verdict::Depends;
}

Verdict Prover::holds(const Fact &fact, Explanation *why) {
  switch (fact.op) {
  case Fact::Op::Equal:
    return isEqual(fact.lhs, fact.rhs, why);
  case Fact::Op::LessEqual:
    return isLessEqual(fact.lhs, fact.rhs, why);
  case Fact::Op::GreaterEqual:
    return isLessEqual(fact.rhs, fact.lhs, why);
  case Fact::Op::Less:
    return isLessEqual(fact.lhs + 1, fact.rhs, why);
  case Fact::Op::Greater:
    return isLessEqual(fact.rhs + 1, fact.lhs, why);
  }
  return Verdict::Depends;
}

Verdict Prover::sameNumElements(ArrayRef<SymExpr> from, ArrayRef<SymExpr> to, Explanation *why) {
  SymExpr one = SymExpr::constant(impl->base.getContext(), 1);
  auto product = [&](ArrayRef<SymExpr> dims) {
    SymExpr result = one;
    for (SymExpr dim : dims)
      result = result * dim;
    return result;
  };
  return isEqual(product(from), product(to), why);
}

ExplainedVerdict Prover::explain(const Fact &fact) {
  ExplainedVerdict result;
  result.verdict = holds(fact, &result.why);
  return result;
}
