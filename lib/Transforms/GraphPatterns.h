//===- GraphPatterns.h - Patterns of graph ops as data ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A pattern is a function of graph ops in a file of its own. What its body
// computes is looked for in other functions: no op is known here by name.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_GRAPHPATTERNS_H
#define RELAXDIALECT_LIB_TRANSFORMS_GRAPHPATTERNS_H

#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::relax {

/// On grouped ops: the pattern's name and its symbols in those of the function.
inline constexpr StringLiteral kPatternAttrName = "relax.pattern";
inline constexpr StringLiteral kPatternSymbolsAttrName = "relax.symbols";
/// On an scf.if that chooses between a library function, by its name, and generated code.
inline constexpr StringLiteral kDispatchAttrName = "relax.dispatch";

struct GraphPattern {
  func::FuncOp function;
  /// The library function that computes the same, null when there is none.
  ext::ExternFuncOp library;

  StringRef getName() { return function.getName(); }
  Operation *getRoot();
};

/// The patterns of a file, in its order.
class PatternFile {
public:
  /// Reports what is wrong with the file where that is.
  LogicalResult read(ModuleOp module, StringRef path);
  MutableArrayRef<GraphPattern> getPatterns() { return patterns; }

private:
  LogicalResult addPattern(func::FuncOp function);

  OwningOpRef<ModuleOp> contents;
  SmallVector<GraphPattern> patterns;
};

struct PatternMatch {
  /// What the arguments stand for.
  SmallVector<Value> inputs;
  /// The pattern's symbols in those of the function.
  sym::SymbolMap symbols;
  /// In block order; the last one gives the result.
  SmallVector<Operation *> ops;
  /// What the pattern's scope needs and is not proved.
  SmallVector<sym::Fact> conditions;

  DictionaryAttr getSymbols(MLIRContext *context) const;
};

/// Matches the pattern with `root` as its last op.
std::optional<PatternMatch> matchPattern(GraphPattern &pattern, Operation *root, sym::Prover &prover);

/// Adds what is not proved of `facts`, which are in the pattern's symbols, to `conditions`; false when one of them is
/// disproved or has a symbol that `symbols` does not map.
bool addConditions(ArrayRef<sym::Fact> facts, const sym::SymbolMap &symbols, sym::Prover &prover,
                   SmallVectorImpl<sym::Fact> &conditions);

/// An i1 that tells whether all of `facts` hold. Their symbols come from the types of `values`, which mention them all.
Value emitFacts(OpBuilder &builder, Location loc, ArrayRef<sym::Fact> facts, ValueRange values);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_GRAPHPATTERNS_H
