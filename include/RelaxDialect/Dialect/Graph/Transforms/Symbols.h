//===- Symbols.h - Renaming symbols and casting types ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What passes share that clone code, change types or make checks.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_SYMBOLS_H
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_SYMBOLS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphShapeUtils.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relax::graph {

/// Makes names that a function does not use.
class FreshSymbols {
public:
  /// Reads every type, attribute and binder of `function`.
  explicit FreshSymbols(Operation *function);
  /// `base` when it is free, else `base_1`, `base_2`, ...; the name is taken from then on.
  std::string make(StringRef base);

private:
  llvm::StringSet<> used;
};

/// Replaces symbols in the types, attributes and facts of `root` and the ops inside, and renames what they bind. `map`
/// gives null for symbols that stay; a bound symbol must map to a symbol. Fails when an expression overflows.
LogicalResult substituteSymbols(Operation *root, function_ref<sym::SymExpr(StringRef)> map);

/// `value` as `type`, which has the same element type and rank: itself, or through relax.erase_shape, relax.refine
/// (what the prover proves) and relax.match_cast (the rest).
Value castToType(OpBuilder &builder, Location loc, Value value, Type type, sym::Prover &prover);

/// A relax.match_cast that binds a fresh symbol for each unknown extent; `value` itself when there is none.
Value nameUnknownExtents(OpBuilder &builder, Location loc, Value value, FreshSymbols &names);

/// A relax.assert_shape; the symbols of the fact come from tensors and shapes among `values`, which mention them all.
void createShapeAssertion(OpBuilder &builder, Location loc, const sym::Fact &fact, ValueRange values,
                          StringRef message);

/// What the user reads when a shape rule of `op` does not hold: the op, its extents and the rule. The runtime adds the
/// values of the symbols.
std::string formatBrokenRule(Operation *op, const ShapeRule &rule);

/// The facts that may say something about a question: those that share symbols with it, directly or through others, up
/// to a limit. Fewer facts prove less, never something else, and a function with many checks stays cheap to compile.
SmallVector<sym::Fact> getRelevantFacts(ArrayRef<sym::Fact> facts, ArrayRef<sym::Fact> question);

/// Gives the function its (empty) scope when it has none.
void ensureScope(Operation *function);

/// Text of a fact.
std::string formatFact(const sym::Fact &fact);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_SYMBOLS_H
