//===- Score.cpp - Answers against a table ---------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Expressions and guards have many spellings: they are compared on valuations.
//
//===----------------------------------------------------------------------===//

#include "Questions.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::prove;

namespace {
/// `n == m or n == 1`; empty is true.
struct Guard {
  std::vector<Fact> alternatives;
  bool always = false;

  static std::optional<Guard> parse(MLIRContext *context, StringRef text) {
    Guard guard;
    text = text.trim();
    if (text.empty() || text == "true") {
      guard.always = true;
      return guard;
    }
    while (!text.empty()) {
      auto [part, rest] = text.split(" or ");
      std::string error;
      FailureOr<Fact> fact = Fact::parse(context, part, error);
      if (failed(fact))
        return std::nullopt;
      guard.alternatives.push_back(*fact);
      text = rest;
    }
    return guard;
  }

  bool evaluate(llvm::function_ref<std::optional<int64_t>(StringRef)> value) const {
    return always || llvm::any_of(alternatives, [&](const Fact &fact) { return fact.evaluate(value).value_or(false); });
  }
};

/// Calls `visit` with small valuations that satisfy the facts.
void forEachValuation(ArrayRef<std::string> names, ArrayRef<Fact> facts,
                      llvm::function_ref<void(llvm::function_ref<std::optional<int64_t>(StringRef)>)> visit) {
  static constexpr int64_t domain[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 24, 31, 32, 33, 64, 100};
  size_t size = names.size() <= 2 ? std::size(domain) : names.size() == 3 ? 10 : names.size() == 4 ? 6 : 4;
  std::vector<size_t> index(names.size(), 0);
  while (true) {
    auto value = [&](StringRef name) -> std::optional<int64_t> {
      const auto *it = llvm::find(names, name);
      return it == names.end() ? std::nullopt : std::optional<int64_t>(domain[index[it - names.begin()]]);
    };
    if (llvm::all_of(facts, [&](const Fact &fact) { return fact.evaluate(value).value_or(false); }))
      visit(value);
    size_t i = 0;
    for (; i < names.size() && ++index[i] == size; ++i)
      index[i] = 0;
    if (i == names.size())
      return;
  }
}

bool sameGuarded(MLIRContext *context, const Row &row, StringRef answer) {
  std::string error;
  FailureOr<std::vector<Fact>> facts = parseFacts(context, row.assumptions, error);
  auto [resultA, guardA] = StringRef(row.expected).split('|');
  auto [resultB, guardB] = answer.split('|');
  SymExpr a = SymExpr::parse(context, resultA.trim(), error), b = SymExpr::parse(context, resultB.trim(), error);
  std::optional<Guard> x = Guard::parse(context, guardA), y = Guard::parse(context, guardB);
  if (failed(facts) || !a || !b || !x || !y)
    return false;
  std::vector<std::string> names;
  auto addNames = [&](SymExpr expr) {
    for (StringRef name : expr.getSymbols())
      if (!llvm::is_contained(names, name))
        names.push_back(name.str());
  };
  addNames(a);
  addNames(b);
  for (const Guard *guard : {&*x, &*y}) {
    for (const Fact &fact : guard->alternatives) {
      addNames(fact.lhs);
      addNames(fact.rhs);
    }
  }
  for (const Fact &fact : *facts) {
    addNames(fact.lhs);
    addNames(fact.rhs);
  }
  bool same = true;
  forEachValuation(names, *facts, [&](llvm::function_ref<std::optional<int64_t>(StringRef)> value) {
    bool legal = x->evaluate(value);
    same &= legal == y->evaluate(value);
    if (legal)
      same &= a.evaluate(value) == b.evaluate(value);
  });
  return same;
}

bool isWord(StringRef text) {
  return text == "true" || text == "false" || text == "depends" || text == "error" || text == "ambiguous" ||
         text == "unsat";
}
} // namespace

Outcome prove::score(MLIRContext *context, const Row &row, StringRef answer) {
  StringRef expected = row.expected == "unknown" ? "depends" : StringRef(row.expected).trim();
  if (answer == expected)
    return Outcome::Passed;
  if (row.kind == "upper" || row.kind == "lower") {
    int64_t want, got;
    if (answer == "inf" || answer == "-inf" || answer.getAsInteger(10, got))
      return Outcome::Failed;
    // A bound that some value exceeds is a lie, one that no value attains is weak.
    if (expected.getAsInteger(10, want))
      return Outcome::Unsound;
    return (row.kind == "upper" ? got < want : got > want) ? Outcome::Unsound : Outcome::Failed;
  }
  if (row.kind == "simplify" || row.kind == "broadcast" || row.kind == "infer") {
    if (isWord(answer) || isWord(expected))
      return answer == "ambiguous" ? Outcome::Failed : Outcome::Unsound;
    return sameGuarded(context, row, answer) ? Outcome::Passed : Outcome::Failed;
  }
  if (row.kind == "solve") // the order and the spelling of bindings are ours
    return answer == "ambiguous" ? Outcome::Failed : Outcome::Unsound;
  // `depends` never lies.
  return answer == "depends" ? Outcome::Failed : Outcome::Unsound;
}
