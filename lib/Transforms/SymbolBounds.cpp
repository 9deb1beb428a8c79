//===- SymbolBounds.cpp - Bounds of sizes found while running -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "SymbolBounds.h"
#include "MemoryUtils.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using sym::Fact;
using sym::SymExpr;

SymbolBounds::SymbolBounds(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    sym::collectSymbols(type, entrySymbols);
  llvm::sort(entrySymbols);
  entrySymbols.erase(llvm::unique(entrySymbols), entrySymbols.end());
  isEntry.insert_range(entrySymbols);

  auto add = [&](SymExpr small, SymExpr large) {
    if (!small || !large)
      return;
    if (std::optional<StringRef> symbol = small.getSymbol(); symbol && !large.usesSymbol(*symbol))
      upper[*symbol].push_back(large);
  };
  if (auto scope = function->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName)) {
    for (const Fact &fact : scope.getFacts()) {
      auto isKnownAtEntry = [&](StringRef symbol) { return isEntry.contains(symbol); };
      if (fact.lhs && fact.rhs && llvm::all_of(fact.lhs.getSymbols(), isKnownAtEntry) &&
          llvm::all_of(fact.rhs.getSymbols(), isKnownAtEntry))
        entryFacts.push_back(fact);
      if (fact.op == Fact::Op::LessEqual || fact.op == Fact::Op::Equal)
        add(fact.lhs, fact.rhs);
      if (fact.op == Fact::Op::GreaterEqual || fact.op == Fact::Op::Equal)
        add(fact.rhs, fact.lhs);
      if (fact.op == Fact::Op::Less)
        add(fact.lhs, fact.rhs - 1);
      if (fact.op == Fact::Op::Greater)
        add(fact.rhs, fact.lhs - 1);
    }
  }
  function.walk([&](graph::MatchCastOp cast) {
    SmallVector<SymExpr> from = sym::getSymbolicDims(cast.getSource().getType()),
                         to = sym::getSymbolicDims(cast.getType());
    for (auto [source, target] : llvm::zip(from, to))
      add(target, source);
  });
}

/// A sum of products of symbols grows with `symbol` when the terms that mention it have positive coefficients: symbols
/// are
/// >= 0. Other atoms are not looked into.
static bool growsWith(SymExpr expr, StringRef symbol) {
  for (const sym::SymTerm &term : sym::getTerms(expr)) {
    bool plain = true, mentions = false;
    for (const auto &[atom, power] : term.factors) {
      plain &= atom->kind == sym::SymAtom::Kind::Symbol;
      mentions |= atom->kind == sym::SymAtom::Kind::Symbol
                      ? atom->name == symbol
                      : llvm::any_of(atom->operands, [&](SymExpr operand) { return operand.usesSymbol(symbol); });
    }
    if (mentions && (!plain || term.coefficient < 0))
      return false;
  }
  return true;
}

SymExpr SymbolBounds::getEntryBound(SymExpr expr, unsigned depth) const {
  for (StringRef symbol : expr.getSymbols()) {
    if (isEntry.contains(symbol))
      continue;
    auto found = upper.find(symbol);
    if (found == upper.end() || depth == 0 || !growsWith(expr, symbol))
      return SymExpr();
    SymExpr bound;
    for (SymExpr candidate : found->second)
      if ((bound = getEntryBound(candidate, depth - 1)))
        break;
    if (!bound)
      return SymExpr();
    // The facts are not checked yet when the size is computed: a bound below zero must not make it negative.
    SymExpr zero = SymExpr::constant(expr.getContext(), 0);
    SymExpr size = isSumOfProducts(bound) ? bound : SymExpr::max({bound, zero});
    expr = expr.substitute([&](StringRef name) { return name == symbol ? size : SymExpr(); });
    if (!expr)
      return SymExpr();
  }
  return expr;
}
