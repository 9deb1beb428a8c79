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
    if (!findExample(16, nullptr, work)) {
      Refuter refuter(base, work);
      SmallVector<Constraint> constraints(base.getConstraints());
      if (refuter.refute(constraints))
        origins = refuter.getOrigins();
      else
        findExample(kProbes, &refuter, work);
    }
  }
  if (origins)
    contradiction = describeContradiction();
}

/// Looks for a valuation that satisfies all facts.
bool Prover::Impl::findExample(unsigned count, Refuter *refuter, Budget &work) {
  if (example)
    return true;
  SmallVector<SymExpr> exprs;
  for (const Fact &fact : base.getFacts()) {
    if (!fact.lhs || !fact.rhs)
      return false;
    exprs.push_back(fact.lhs);
    exprs.push_back(fact.rhs);
  }
  Sampler sampler(base, exprs);
  auto visit = [&](const Assignment &values) {
    example = values;
    return false;
  };
  if (refuter)
    tryCandidate(sampler, *refuter, visit);
  if (!example)
    sampler.sample(count, work, visit);
  return example.has_value();
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

bool Prover::Impl::obligationsHold(ArrayRef<SymExpr> exprs, Budget &work) {
  SmallVector<SymExpr> divisors;
  for (SymExpr expr : exprs)
    collectSymbolicDivisors(expr, divisors);
  return llvm::all_of(divisors, [&](SymExpr divisor) {
    if (Interval interval = base.intervalOf(divisor); interval.lo && *interval.lo >= 1)
      return true;
    SymExpr rewritten = base.rewrite(divisor);
    if (!rewritten)
      return false;
    SymExpr negation = -rewritten; // not divisor >= 1
    return Refuter(base, work).refute({Constraint{negation, false, kFromClaim}});
  });
}

Valuation Prover::Impl::toValuation(const Assignment &values) {
  Valuation valuation;
  // Facts about other symbols hold there as in any example.
  Assignment all(values);
  for (auto [symbol, value] : *example)
    all.try_emplace(symbol, value);
  for (auto [symbol, value] : all)
    if (!StringRef(symbol->name).starts_with("\x01") && value <= INT64_MAX)
      valuation.push_back({symbol->name.str(), static_cast<int64_t>(value)});
  llvm::sort(valuation);
  return valuation;
}

/// What the value of one expression decides.
static std::optional<bool> decide(Question question, Wide value) {
  return question == Question::IsZero ? value == 0 : value >= 0;
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

bool Prover::Impl::proveTrue(Question question, SymExpr expr, Refuter &refuter, uint64_t &origins) {
  auto excluded = [&](SymExpr negation) {
    if (!negation || !refuter.refute({Constraint{negation, false, kFromClaim}}))
      return false;
    origins |= refuter.getOrigins();
    return true;
  };
  if (question == Question::IsNonNegative)
    return excluded(-expr - 1);
  return excluded(-expr - 1) && excluded(expr - 1);
}

bool Prover::Impl::proveFalse(Question question, SymExpr expr, Refuter &refuter, uint64_t &origins) {
  if (!refuter.refute({Constraint{expr, question == Question::IsZero, kFromClaim}}))
    return false;
  origins |= refuter.getOrigins();
  return true;
}

Verdict Prover::Impl::answer(Question question, SymExpr expr, Explanation *why) {
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
  StringRef relation = question == Question::IsZero ? " == 0" : " >= 0";
  if (std::optional<int64_t> value = expr.getConstant()) {
    note("normal form: the difference is " + Twine(*value));
    return *decide(question, *value) ? Verdict::True : Verdict::False;
  }
  auto cached = cache.find({expr, static_cast<int>(question)});
  if (!why && cached != cache.end())
    return cached->second;
  note("question: " + expr.str() + relation);

  Budget work(kMaxSteps);
  Verdict verdict = decideExpr(question, expr, work, why);
  steps = work.getUsed();
  cache[{expr, static_cast<int>(question)}] = verdict;
  return verdict;
}

Verdict Prover::Impl::decideExpr(Question question, SymExpr expr, Budget &work, Explanation *why) {
  auto note = [&](const Twine &text) {
    if (why)
      why->steps.push_back(text.str());
  };
  auto noteFacts = [&](uint64_t origins) {
    std::string text = describeOrigins(base, origins);
    if (!text.empty())
      note("using: " + text);
  };
  if (!obligationsHold(expr, work)) {
    note("a divisor is not proved to be positive");
    return Verdict::Depends;
  }
  expr = cancelPositiveFactors(expr, base.getRanges());
  Interval interval = base.intervalOf(expr);
  if (std::optional<Verdict> verdict = decide(question, interval)) {
    Bounds bounds = narrow(interval);
    note("range: at least " + (bounds.lo ? Twine(*bounds.lo).str() : "-inf") + ", at most " +
         (bounds.hi ? Twine(*bounds.hi).str() : "inf"));
    return *verdict;
  }
  SymExpr rewritten = base.rewrite(expr);
  if (!rewritten)
    return Verdict::Depends;
  if (rewritten != expr) {
    note("with the equalities among the facts: " + printable(rewritten));
    if (std::optional<int64_t> value = rewritten.getConstant())
      return *decide(question, *value) ? Verdict::True : Verdict::False;
    if (std::optional<Verdict> verdict = decide(question, base.intervalOf(rewritten))) {
      note("its range decides");
      return *verdict;
    }
  }

  // A few valuations tell which proofs can succeed.
  Sampler sampler(base, expr);
  std::optional<Assignment> whenTrue, whenFalse;
  auto visit = [&](const Assignment &values) {
    std::optional<Wide> value = evaluateWide(expr, values);
    if (!value)
      return true;
    std::optional<Assignment> &slot = *decide(question, *value) ? whenTrue : whenFalse;
    if (!slot)
      slot = values;
    return !(whenTrue && whenFalse);
  };
  sampler.sample(kProbes, work, visit);
  Refuter refuter(base, work);
  uint64_t origins = 0;
  if (!whenFalse) {
    if (proveTrue(question, rewritten, refuter, origins)) {
      note("no valuation makes it false");
      noteFacts(origins);
      return Verdict::True;
    }
    tryCandidate(sampler, refuter, visit);
  }
  if (!whenTrue) {
    origins = 0;
    if (proveFalse(question, rewritten, refuter, origins)) {
      note("no valuation makes it true");
      noteFacts(origins);
      return Verdict::False;
    }
    tryCandidate(sampler, refuter, visit);
  }
  // Few valuations altogether: try them all.
  if (!whenTrue || !whenFalse) {
    bool decided = true;
    bool complete = sampler.enumerate(kMaxEnumerated, work, [&](const Assignment &values) {
      decided &= evaluateWide(expr, values).has_value();
      return visit(values) && decided;
    });
    if (complete && decided && whenTrue.has_value() != whenFalse.has_value()) {
      note("every valuation was tried");
      return whenTrue ? Verdict::True : Verdict::False;
    }
  }
  if (why) {
    if (!whenTrue || !whenFalse) {
      Budget more(kMaxSteps);
      sampler.sample(kWitnessSamples, more, visit);
    }
    // Without an example for the facts about other symbols a witness would not be checked.
    Budget more(kMaxSteps);
    if (!findExample(kWitnessSamples, nullptr, more))
      return Verdict::Depends;
    if (whenTrue)
      why->whenTrue = toValuation(*whenTrue);
    if (whenFalse)
      why->whenFalse = toValuation(*whenFalse);
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

std::string Prover::Impl::printable(SymExpr expr) {
  // Fresh symbols stand for quotients: t0, t1.
  return expr
      .substitute([&](StringRef name) {
        return name.starts_with("\x01") ? SymExpr::symbol(base.getContext(), ("t" + name.drop_front()).str())
                                        : SymExpr();
      })
      .str();
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

Verdict Prover::isEqual(SymExpr a, SymExpr b, Explanation *why) { return impl->answer(Question::IsZero, a - b, why); }

Verdict Prover::isLessEqual(SymExpr a, SymExpr b, Explanation *why) {
  return impl->answer(Question::IsNonNegative, b - a, why);
}

Verdict Prover::isDivisible(SymExpr a, SymExpr divisor, Explanation *why) {
  if (!a || !divisor)
    return Verdict::Depends;
  if (isLessEqual(SymExpr::constant(a.getContext(), 1), divisor) != Verdict::True) {
    if (why)
      why->steps.push_back("the divisor " + divisor.str() + " is not proved to be positive");
    return Verdict::Depends;
  }
  return impl->answer(Question::IsZero, SymExpr::mod(a, divisor), why);
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
