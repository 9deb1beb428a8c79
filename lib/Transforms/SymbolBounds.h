//===- SymbolBounds.h - Bounds of sizes found while running ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_SYMBOLBOUNDS_H
#define RELAXDIALECT_LIB_TRANSFORMS_SYMBOLBOUNDS_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relax {

/// Calls `add` with each symbol that a fact of the function's scope (`u <= n * m`) or a match_cast bounds from above,
/// and with the bound, which does not use the symbol.
void forEachUpperBound(func::FuncOp function, llvm::function_ref<void(sym::SymExpr symbol, sym::SymExpr bound)> add);

/// A sum of products of symbols grows with `symbol` when the terms that mention it have positive coefficients: symbols
/// are not negative. Other atoms are not looked into.
bool growsWith(sym::SymExpr expr, StringRef symbol);

/// Splits the symbols of a function into those that its arguments bind and those that ops bind, and bounds the latter
/// by the facts of the scope (`u <= n * m`) and by match_casts, which give an extent another name.
class SymbolBounds {
public:
  explicit SymbolBounds(func::FuncOp function);

  /// Symbols that the arguments bind, in order of appearance.
  ArrayRef<StringRef> getEntrySymbols() const { return entrySymbols; }

  /// The facts about them alone, which are checked at entry, before anything else is done.
  ArrayRef<sym::Fact> getEntryFacts() const { return entryFacts; }

  /// An expression over entry symbols that is never below `expr`: `expr` itself when it has no other symbols. Null when
  /// there is none. Chains of more than `depth` bounds are given up.
  sym::SymExpr getEntryBound(sym::SymExpr expr, unsigned depth = 8) const;

private:
  SmallVector<StringRef> entrySymbols;
  SmallVector<sym::Fact> entryFacts;
  llvm::StringSet<> isEntry;
  llvm::StringMap<SmallVector<sym::SymExpr>> upper;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_SYMBOLBOUNDS_H
