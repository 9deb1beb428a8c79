//===- ProverExplain.cpp - Reasons and witnesses ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "ProverQueries.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void printValuation(raw_ostream &os, const Valuation &valuation) {
  if (valuation.empty())
    os << "the only valuation";
  llvm::interleaveComma(valuation, os, [&](auto &entry) {
    printSymbolName(os, entry.first);
    os << " = " << entry.second;
  });
}

/// Calls `line` for each line of an explanation.
static void forEachLine(const Explanation &why, llvm::function_ref<void(StringRef)> line) {
  for (const std::string &step : why.steps)
    line(step);
  auto witness = [&](StringRef outcome, const std::optional<Valuation> &valuation) {
    if (!valuation)
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << outcome << " for ";
    printValuation(os, *valuation);
    line(text);
  };
  witness("true", why.whenTrue);
  witness("false", why.whenFalse);
  witness("without a value", why.whenUndefined);
  witness("attained", why.attained);
}

void Explanation::print(raw_ostream &os, StringRef indent) const {
  forEachLine(*this, [&](StringRef line) { os << indent << line << "\n"; });
}

std::string Explanation::str() const {
  std::string text;
  forEachLine(*this, [&](StringRef line) { text += (text.empty() ? "" : "; ") + line.str(); });
  return text;
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

std::string Prover::Impl::describeRanges(SymExpr expr) {
  SmallVector<const SymAtom *> symbols;
  collectSymbolAtoms(expr, symbols);
  SmallVector<std::string> texts;
  for (const SymAtom *symbol : symbols) {
    Bounds bounds = narrow(base.ofSymbol(symbol));
    bool hasLow = bounds.lo && *bounds.lo > 0;
    if (!hasLow && !bounds.hi)
      continue;
    texts.push_back((hasLow ? Twine(*bounds.lo).str() + " <= " : "") +
                    printable(sym::detail::getExpr(base.getContext(), atomPoly(symbol))) +
                    (bounds.hi ? " <= " + Twine(*bounds.hi).str() : ""));
  }
  llvm::sort(texts);
  return llvm::join(texts, ", ");
}

//===----------------------------------------------------------------------===//
// Witnesses
//===----------------------------------------------------------------------===//

Outcomes::Outcomes(Question question, SymExpr expr, SymExpr divisor) : question(question), expr(expr) {
  collectSymbolicDivisors(expr, divisors);
  if (divisor && !llvm::is_contained(divisors, divisor))
    divisors.push_back(divisor);
}

bool Outcomes::visit(const Assignment &values) {
  std::optional<Wide> value = evaluateWide(expr, values);
  bool undefined = llvm::any_of(divisors, [&](SymExpr divisor) {
    std::optional<Wide> x = evaluateWide(divisor, values);
    return x && *x <= 0;
  });
  if (!value && !undefined)
    return true; // too large
  std::optional<Assignment> &slot = undefined ? whenUndefined : decide(question, *value) ? whenTrue : whenFalse;
  if (!slot && llvm::all_of(values, [](auto &entry) { return entry.second <= INT64_MAX; }))
    slot = values;
  return !(whenTrue && whenFalse);
}

bool Prover::Impl::findExample(unsigned count, bool thorough, Budget &work) {
  if (exampleComplete)
    return true;
  // Facts that share no symbols are independent of each other.
  for (const Fact &fact : base.getFacts()) {
    if (!fact.lhs || !fact.rhs)
      return false;
    SmallVector<SymExpr> exprs = {fact.lhs, fact.rhs};
    SmallVector<const SymAtom *> symbols;
    collectSymbolAtoms(fact.lhs, symbols);
    collectSymbolAtoms(fact.rhs, symbols);
    if (llvm::all_of(symbols, [&](auto *symbol) { return example.contains(symbol); }))
      continue;
    Sampler sampler(base, exprs);
    bool found = false;
    auto visit = [&](const Assignment &values) {
      for (auto [symbol, value] : values)
        if (value > INT64_MAX)
          return true;
      for (auto [symbol, value] : values)
        example[symbol] = value;
      found = true;
      return false;
    };
    sampler.sample(count, work, visit);
    if (!found && thorough)
      ModelFinder(base, sampler, work, [&](const Assignment &values) {
        return !visit(values);
      }).find({}, {base.rewrite(fact.lhs), base.rewrite(fact.rhs)});
    if (!found)
      return false;
  }
  exampleComplete = true;
  return true;
}

std::optional<Valuation> Prover::Impl::toValuation(const Assignment &values, ArrayRef<SymExpr> mentioned) {
  Valuation valuation;
  // Facts about other symbols hold there as in any example.
  Assignment all(values);
  for (auto [symbol, value] : example)
    all.try_emplace(symbol, value);
  // Symbols that the normal form does not need: 1 keeps them away from being divisors of 0.
  SmallVector<const SymAtom *> symbols;
  for (SymExpr expr : mentioned)
    collectSymbolAtoms(expr, symbols);
  for (const SymAtom *symbol : symbols)
    all.try_emplace(symbol, 1);
  for (auto [symbol, value] : all) {
    if (symbol->name.starts_with("\x01"))
      continue;
    if (value > INT64_MAX)
      return std::nullopt;
    valuation.push_back({symbol->name.str(), static_cast<int64_t>(value)});
  }
  llvm::sort(valuation);
  return valuation;
}

void Prover::Impl::addWitnesses(Outcomes &outcomes, ArrayRef<SymExpr> mentioned, Explanation &why) {
  Budget work(kMaxSteps);
  SmallVector<SymExpr> exprs = {outcomes.expr};
  llvm::append_range(exprs, outcomes.divisors);
  Sampler sampler(base, exprs);
  auto visit = [&](const Assignment &values) { return outcomes.visit(values); };
  auto enough = [&] {
    return outcomes.whenTrue.has_value() + outcomes.whenFalse.has_value() + outcomes.whenUndefined.has_value() >= 2;
  };
  sampler.sample(kWitnessSamples / 10, work, visit);
  // Solves for the outcomes that are missing.
  SymExpr rewritten = base.rewrite(outcomes.expr);
  auto search = [&](std::optional<Assignment> &slot, ArrayRef<Constraint> claims) {
    if (slot || enough() || llvm::any_of(claims, [](const Constraint &c) { return !c.expr; }))
      return;
    Budget some(kMaxSteps / 4);
    ModelFinder(base, sampler, some, [&](const Assignment &values) {
      outcomes.visit(values);
      return slot.has_value();
    }).find(claims, {});
  };
  if (rewritten) {
    bool isZero = outcomes.question == Question::IsZero;
    search(outcomes.whenTrue, {Constraint{rewritten, isZero, kFromClaim}});
    search(outcomes.whenFalse, {Constraint{-rewritten - 1, false, kFromClaim}});
    if (isZero)
      search(outcomes.whenFalse, {Constraint{rewritten - 1, false, kFromClaim}});
  }
  for (SymExpr divisor : outcomes.divisors)
    if (SymExpr other = base.rewrite(divisor))
      search(outcomes.whenUndefined, {Constraint{-other, false, kFromClaim}});
  if (!enough())
    sampler.sample(kWitnessSamples, work, visit);
  // Without an example for the facts about other symbols a witness would not be checked.
  Budget more(kMaxSteps);
  if (findExample(kWitnessSamples, /*thorough=*/true, more)) {
    if (outcomes.whenTrue)
      why.whenTrue = toValuation(*outcomes.whenTrue, mentioned);
    if (outcomes.whenFalse)
      why.whenFalse = toValuation(*outcomes.whenFalse, mentioned);
    if (outcomes.whenUndefined)
      why.whenUndefined = toValuation(*outcomes.whenUndefined, mentioned);
  }
  why.work += work.getUsed();
  if (!why.isWitnessed())
    why.steps.push_back("not decided: no proof, and no valuations with two outcomes");
}
