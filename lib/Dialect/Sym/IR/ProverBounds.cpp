//===- ProverBounds.cpp - Extreme values, widths, broadcasting -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ProverQueries.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

std::optional<Wide> Prover::Impl::upperBound(SymExpr expr, bool &exact, std::optional<Assignment> *where,
                                             std::optional<Wide> enough) {
  exact = false;
  steps = 0;
  findContradiction();
  // Half for the search, half for trying what is left.
  Budget work(kMaxSteps / 2), more(kMaxSteps / 2);
  if (contradiction || !expr || !obligationsHold(expr, work))
    return std::nullopt;
  SymExpr rewritten = base.rewrite(expr);
  if (!rewritten)
    return std::nullopt;

  // From below: the greatest value seen.
  Sampler sampler(base, expr);
  std::optional<Wide> seen;
  Assignment best;
  auto visit = [&](const Assignment &values) {
    std::optional<Wide> value = evaluateWide(expr, values);
    if (value && (!seen || *value > *seen)) {
      seen = value;
      best = values;
      if (where)
        *where = values;
    }
    return true;
  };
  sampler.sample(2 * kProbes, work, visit);

  // From above: intervals, then linear arithmetic.
  std::optional<Wide> bound = base.intervalOf(expr).hi;
  if (std::optional<Wide> other = base.intervalOf(rewritten).hi; other && (!bound || *other < *bound))
    bound = other;
  if (!bound || bound != seen) {
    Refuter refuter(base, work);
    if (std::optional<Wide> other = refuter.maximize(rewritten, bound); other && (!bound || *other < *bound))
      bound = other;
    tryCandidate(sampler, refuter, visit);
  }
  if (enough && ((bound && *bound <= *enough) || (seen && *seen > *enough))) {
    steps = work.getUsed();
    exact = bound && seen == bound;
    return bound;
  }
  if (bound && seen != bound) {
    // All values, when there are few.
    std::optional<Wide> greatest;
    bool decided = true;
    bool complete = sampler.enumerate(kMaxSteps / 2 - 1, more, [&](const Assignment &values) {
      std::optional<Wide> value = evaluateWide(expr, values);
      decided &= value.has_value();
      if (value)
        greatest = greatest ? std::max(*greatest, *value) : *value;
      visit(values);
      return decided;
    });
    if (complete && decided && greatest && *greatest <= *bound) {
      bound = seen = greatest;
    } else {
      sampler.sample(8 * kProbes, work, visit);
      if (seen) {
        Budget climbing(kMaxSteps / 16);
        sampler.climb(best, climbing, [&](const Assignment &values) {
          visit(values);
          return evaluateWide(expr, values);
        });
        // What climbing reaches is mostly the bound; the rest of the work may be used up.
        Budget tight(kMaxSteps / 5);
        if (*seen < *bound && *seen < INT64_MAX && *seen > INT64_MIN) {
          SymExpr above = rewritten - static_cast<int64_t>(*seen) - 1;
          if (above && Refuter(base, tight).refute({Constraint{above, false, kFromClaim}}))
            bound = seen;
        }
        more.spend(climbing.getUsed() + tight.getUsed());
      }
      bound = narrowDown(rewritten, seen, *bound, work);
    }
  }
  // The proved bound may be attained where nobody looked.
  if (bound && seen != bound && *bound <= INT64_MAX && *bound > INT64_MIN) {
    SymExpr claim = rewritten - static_cast<int64_t>(*bound);
    ModelFinder(base, sampler, more, [&](const Assignment &values) {
      visit(values);
      return seen == bound;
    }).find({Constraint{claim, false, kFromClaim}}, {});
  }
  steps = work.getUsed() + more.getUsed();
  exact = bound && seen == bound;
  return bound;
}

/// Halves the gap between what was seen and what was proved.
Wide Prover::Impl::narrowDown(SymExpr expr, std::optional<Wide> seen, Wide bound, Budget &work) {
  if (!seen)
    return bound;
  Wide low = *seen, high = bound; // proved: expr <= high
  for (unsigned i = 0; i < 24 && low < high && !work.exhausted(); ++i) {
    // Close gaps first: bounds are often missed by one step of a rounding.
    Wide middle = i == 0 ? low : i == 1 ? high - 1 : low + (high - low) / 2;
    if (middle < low || middle > INT64_MAX - 1 || middle < INT64_MIN + 2)
      break;
    SymExpr negation = expr - static_cast<int64_t>(middle) - 1;
    if (negation && Refuter(base, work).refute({Constraint{negation, false, kFromClaim}}))
      high = middle;
    else if (i > 0)
      low = middle + 1;
  }
  return high;
}

static std::optional<int64_t> toInt64(std::optional<Wide> value) {
  if (!value || *value > INT64_MAX || *value < INT64_MIN)
    return std::nullopt;
  return static_cast<int64_t>(*value);
}

std::optional<int64_t> Prover::Impl::bound(SymExpr expr, int sign, bool *exact, Explanation *why) {
  if (exact)
    *exact = false;
  if (!expr)
    return std::nullopt;
  bool isExact = false;
  std::optional<Assignment> where;
  std::optional<Wide> extreme = upperBound(sign < 0 ? -expr : expr, isExact, why ? &where : nullptr);
  if (extreme && sign < 0)
    extreme = -*extreme;
  std::optional<int64_t> result = toInt64(extreme);
  if (exact)
    *exact = result && isExact;
  if (why) {
    why->work = steps;
    if (contradiction)
      why->steps.push_back("the facts contradict each other: " + *contradiction);
    Budget more(kMaxSteps);
    if (where && isExact && findExample(kWitnessSamples, /*thorough=*/true, more))
      why->attained = toValuation(*where, expr);
    if (!why->attained)
      why->steps.push_back(result ? "proved, but not known to be attained" : "no bound was found");
  }
  return result;
}

std::optional<int64_t> Prover::upperBound(SymExpr expr, bool *exact, Explanation *why) {
  return impl->bound(expr, 1, exact, why);
}

std::optional<int64_t> Prover::lowerBound(SymExpr expr, bool *exact, Explanation *why) {
  return impl->bound(expr, -1, exact, why);
}

Verdict Prover::fitsInteger(SymExpr expr, unsigned bits, Explanation *why) {
  if (!expr || isContradictory())
    return Verdict::Depends;
  auto note = [&](const Twine &text) {
    if (why)
      why->steps.push_back(text.str());
  };
  // Extents are 64-bit integers wherever they come from, so a symbol alone fits.
  if (bits >= 64 && expr.getSymbol()) {
    note("a symbol is a 64-bit integer");
    return Verdict::True;
  }
  Wide max = llvm::maxIntN(bits), min = llvm::minIntN(bits);
  std::optional<Assignment> where;
  auto leaves = [&](const Assignment &values) {
    std::optional<Wide> value = evaluateWide(expr, values);
    return value && (*value > max || *value < min);
  };
  auto conclude = [&] {
    Impl::Budget more(kMaxSteps);
    if (why && impl->findExample(Impl::kWitnessSamples, /*thorough=*/true, more))
      why->whenFalse = impl->toValuation(*where, expr);
    note("some valuation leaves the width");
    return Verdict::False;
  };
  bool exact;
  std::optional<Wide> hi = impl->upperBound(expr, exact, &where, max);
  unsigned spent = impl->steps;
  if (where && leaves(*where))
    return conclude();
  where.reset();
  std::optional<Wide> lo = impl->upperBound(-expr, exact, &where, -min);
  impl->steps += spent;
  if (where && leaves(*where))
    return conclude();
  if (hi && lo && *hi <= max && -*lo >= min) {
    std::optional<int64_t> least = toInt64(-*lo), most = toInt64(hi);
    if (why && least && most)
      note("at least " + Twine(*least) + ", at most " + Twine(*most));
    return Verdict::True;
  }
  // Some valuation leaves the range: corners and powers of two are tried.
  where.reset();
  Sampler sampler(impl->base, expr);
  for (unsigned power : {15u, 16u, 31u, 32u, 62u, 63u})
    sampler.addInteresting(llvm::maxIntN(power + 1)); // 2^power - 1
  Impl::Budget work(kMaxSteps);
  sampler.sample(400, work, [&](const Assignment &values) {
    if (leaves(values))
      where = values;
    return !where;
  });
  if (!where && bits < 63) {
    SymExpr rewritten = impl->base.rewrite(expr);
    for (bool above : {true, false}) {
      SymExpr claim = above ? rewritten - static_cast<int64_t>(max) - 1 : -rewritten + static_cast<int64_t>(min) - 1;
      Impl::Budget more(kMaxSteps / 4);
      ModelFinder(impl->base, sampler, more, [&](const Assignment &values) {
        if (leaves(values))
          where = values;
        return where.has_value();
      }).find({Constraint{claim, false, kFromClaim}}, {});
    }
  }
  if (where)
    return conclude();
  note("not decided: no bound that fits, and no valuation that leaves the width");
  return Verdict::Depends;
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

BroadcastResult Prover::broadcast(SymExpr a, SymExpr b) {
  if (!a || !b || isContradictory())
    return {};
  SymExpr one = SymExpr::constant(a.getContext(), 1);
  if (isEqual(a, b) == Verdict::True)
    return {Verdict::True, a};
  if (isEqual(a, one) == Verdict::True)
    return {Verdict::True, b};
  if (isEqual(b, one) == Verdict::True)
    return {Verdict::True, a};

  Impl::Budget work(kMaxSteps);
  const FactBase &base = impl->base;
  SymExpr x = base.rewrite(a), y = base.rewrite(b);
  if (!x || !y || !impl->obligationsHold({a, b}, work))
    return {};
  auto excluded = [&](ArrayRef<Constraint> constraints) {
    return llvm::all_of(constraints, [](const Constraint &c) { return c.expr; }) &&
           Refuter(base, work).refute(constraints);
  };
  auto zero = [](SymExpr expr) { return Constraint{expr, true, kFromClaim}; };
  auto atLeast = [](SymExpr expr, int64_t value) { return Constraint{expr - value, false, kFromClaim}; };

  // When one extent is 1 only if the other is, the result is that extent wherever the pair is legal.
  auto impliesOther = [&](SymExpr first, SymExpr second) {
    return excluded({zero(first - 1), atLeast(second, 2)}) && excluded({zero(first - 1), atLeast(-second, 0)});
  };
  BroadcastResult result;
  if (impliesOther(x, y))
    result.extent = a;
  else if (impliesOther(y, x))
    result.extent = b;

  if (isEqual(a, b) == Verdict::False && isEqual(a, one) == Verdict::False && isEqual(b, one) == Verdict::False) {
    result.legal = Verdict::False;
    return result;
  }
  // Illegal means: different, and neither is 1. An extent is >= 0, so not 1 is 0 or >= 2.
  bool alwaysLegal = true;
  for (bool less : {false, true})
    for (bool aIsZero : {false, true})
      for (bool bIsZero : {false, true})
        alwaysLegal =
            alwaysLegal && excluded({atLeast(less ? y - x : x - y, 1), aIsZero ? atLeast(-x, 0) : atLeast(x, 2),
                                     bIsZero ? atLeast(-y, 0) : atLeast(y, 2)});
  result.legal = alwaysLegal ? Verdict::True : Verdict::Depends;
  return result;
}

//===----------------------------------------------------------------------===//
// Simplification
//===----------------------------------------------------------------------===//

SymExpr Prover::simplify(SymExpr expr) {
  if (!expr || isContradictory())
    return expr;
  // Bottom up: quotients with one value, operands of max that never win.
  for (unsigned round = 0; round < 8; ++round) {
    SymExpr next = impl->simplifyOnce(*this, expr);
    if (!next || next == expr)
      break;
    expr = next;
  }
  return expr;
}

SymExpr Prover::Impl::simplifyOnce(Prover &prover, SymExpr expr) {
  SmallVector<const SymAtom *> atoms;
  collectAtoms(expr, atoms);
  auto constant = [&](int64_t value) { return SymExpr::constant(base.getContext(), value); };
  auto replace = [&](const SymAtom *atom, SymExpr value) {
    return substituteAtoms(expr, [&](const SymAtom *other) { return other == atom ? value : SymExpr(); });
  };
  for (const SymAtom *atom : atoms) {
    SymExpr self = sym::detail::getExpr(base.getContext(), atomPoly(atom));
    if (atom->kind == SymAtom::Kind::Max) {
      for (SymExpr loser : atom->operands) {
        bool loses = llvm::any_of(atom->operands, [&](SymExpr other) {
          return other != loser && prover.isLessEqual(loser, other) == Verdict::True;
        });
        if (!loses)
          continue;
        SmallVector<SymExpr> rest(atom->operands);
        llvm::erase(rest, loser);
        return replace(atom, SymExpr::max(rest));
      }
      continue;
    }
    std::optional<int64_t> lo = prover.lowerBound(self);
    if (lo && prover.upperBound(self) == lo && obligationsHold(self, *std::make_unique<Budget>(kMaxSteps)))
      return replace(atom, constant(*lo));
  }
  // The polynomial modulo each equality, when that is shorter: those of the facts, and rests of divisions that have one
  // value.
  SmallVector<SymExpr> equalities;
  for (const Fact &fact : base.getFacts())
    if (fact.op == Fact::Op::Equal)
      equalities.push_back(fact.lhs - fact.rhs);
  for (const SymAtom *atom : atoms) {
    if (atom->kind != SymAtom::Kind::FloorDiv || base.getFacts().empty())
      continue;
    SymExpr self = sym::detail::getExpr(base.getContext(), atomPoly(atom));
    SymExpr rest = atom->operands[0] - atom->operands[1] * self;
    std::optional<int64_t> lo = rest ? prover.lowerBound(rest) : std::nullopt;
    if (lo && prover.upperBound(rest) == lo)
      equalities.push_back(rest - *lo);
    else // as often: what divides, also in ceildiv(n, h), which is (n - 1) floordiv h + 1
      for (SymExpr value : {constant(0), atom->operands[1] - 1})
        if (rest && value && prover.isEqual(rest, value) == Verdict::True)
          equalities.push_back(rest - value);
  }
  for (SymExpr equality : equalities) {
    if (!equality || equality.getConstant())
      continue;
    for (const SymTerm &pivot : getPoly(equality)) {
      for (const SymTerm &term : getPoly(expr)) {
        if (pivot.factors != term.factors || pivot.factors.empty() || term.coefficient % pivot.coefficient)
          continue;
        SymExpr reduced = expr - equality * (term.coefficient / pivot.coefficient);
        if (reduced && reduced.str().size() < expr.str().size())
          return reduced;
      }
    }
  }
  return expr;
}
