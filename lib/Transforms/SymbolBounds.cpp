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

void relax::forEachUpperBound(func::FuncOp function, llvm::function_ref<void(SymExpr, SymExpr)> add) {
  auto offer = [&](SymExpr symbol, SymExpr bound) {
    if (symbol && bound && symbol.getSymbol() && !bound.usesSymbol(*symbol.getSymbol()))
      add(symbol, bound);
  };
  if (sym::ScopeAttr scope = sym::getScope(function))
    for (const Fact &fact : scope.getFacts()) {
      if (fact.op == Fact::Op::LessEqual || fact.op == Fact::Op::Equal)
        offer(fact.lhs, fact.rhs);
      if (fact.op == Fact::Op::GreaterEqual || fact.op == Fact::Op::Equal)
        offer(fact.rhs, fact.lhs);
      if (fact.op == Fact::Op::Less)
        offer(fact.lhs, fact.rhs - 1);
      if (fact.op == Fact::Op::Greater)
        offer(fact.rhs, fact.lhs - 1);
    }
  // A match_cast names an extent again.
  function.walk([&](graph::MatchCastOp op) {
    for (auto [from, to] :
         llvm::zip(sym::getSymbolicDims(op.getSource().getType()), sym::getSymbolicDims(op.getType())))
      offer(to, from);
  });
}

bool relax::growsWith(SymExpr expr, StringRef symbol) {
  for (const sym::SymTerm &term : sym::getTerms(expr)) {
    bool plain = true, mentions = false;
    for (const auto &[atom, power] : term.factors) {
      bool isSymbol = atom->kind == sym::SymAtom::Kind::Symbol;
      plain &= isSymbol;
      mentions |= isSymbol ? atom->name == symbol
                           : llvm::any_of(atom->operands, [&](SymExpr e) { return e.usesSymbol(symbol); });
    }
    if (mentions && (!plain || term.coefficient < 0))
      return false;
  }
  return true;
}

SymbolBounds::SymbolBounds(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    sym::collectSymbols(type, entrySymbols);
  llvm::sort(entrySymbols);
  entrySymbols.erase(llvm::unique(entrySymbols), entrySymbols.end());
  isEntry.insert_range(entrySymbols);

  auto isKnownAtEntry = [&](StringRef symbol) { return isEntry.contains(symbol); };
  if (sym::ScopeAttr scope = sym::getScope(function))
    for (const Fact &fact : scope.getFacts())
      if (fact.lhs && fact.rhs && llvm::all_of(fact.lhs.getSymbols(), isKnownAtEntry) &&
          llvm::all_of(fact.rhs.getSymbols(), isKnownAtEntry))
        entryFacts.push_back(fact);
  forEachUpperBound(function, [&](SymExpr symbol, SymExpr bound) { upper[*symbol.getSymbol()].push_back(bound); });
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
