//===- ForeignImporter.h - Functions of other dialects ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A function of another dialect becomes a graph function. Each `?` of an
// argument is a symbol; where an op of the function needs two extents to be
// equal, which are symbols of the arguments, the symbols become one: run time
// checks it at entry. Integer tensors of few elements are also followed element
// by element, because that is how shapes are computed there.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_IMPORTDIALECTS_FOREIGNIMPORTER_H
#define RELAX_LIB_CONVERSION_IMPORTDIALECTS_FOREIGNIMPORTER_H

#include "GraphWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::relax {

/// Tensors with more elements are not followed.
inline constexpr int64_t kMaxFollowed = 64;

class ForeignImporter : public GraphWriter {
public:
  /// Writes an op of the foreign dialect.
  using Emit = void (*)(ForeignImporter &, Operation *);
  /// Gives null for ops that are not known.
  using Rules = Emit (*)(StringRef opName);

  /// `equal` maps symbols of the arguments to what they were found to be.
  ForeignImporter(func::FuncOp source, Rules rules, llvm::StringMap<sym::SymExpr> &equal)
      : GraphWriter(source.getContext()), source(source), rules(rules), equal(equal) {}

  /// The new function, behind `source`; null after an error, and when an equality was found, which another try has to
  /// know from the start.
  func::FuncOp run();
  bool mustRestart() const { return restart; }

  //===- Values -------------------------------------------------------------===//

  Value get(Value foreign);
  Dims getDims(Value foreign) { return dims(get(foreign)); }
  /// The result, in a type that has what the foreign type says.
  void set(Value foreign, Value graph);
  /// Elements of an integer tensor, in row-major order; null entries where unknown. nullopt for other tensors. Shapes
  /// and scalars of other types may have elements as well.
  std::optional<Dims> getElements(Value foreign);
  void setElements(Value foreign, Dims known) { elements[foreign] = std::move(known); }
  /// Elements that are extents: unknown ones become symbols that are bound here.
  Dims requireExtents(Value foreign);
  /// All elements of a constant or of what is known.
  std::optional<SmallVector<int64_t>> getIntegers(Value foreign);
  /// What a bool scalar says about extents.
  std::optional<sym::Fact> getFact(Value foreign);
  void setFact(Value foreign, const sym::Fact &fact) { conditions.insert({foreign, fact}); }

  /// The op needs the extents to be equal.
  void requireEqual(sym::SymExpr a, sym::SymExpr b);
  void requireSameDims(Value a, Value b);
  /// The fact holds, or the op has no meaning.
  void require(const sym::Fact &fact, const Twine &message);

  /// Writes the ops of a block and gives the values of its terminator. `arguments` are the graph values of its
  /// arguments; `always`: the block becomes part of the one around it.
  SmallVector<Value> writeBlock(Block &block, ValueRange arguments, bool always = false);

private:
  void writeOp(Operation &op);
  bool isArgumentSymbols(sym::SymExpr expr);
  sym::SymExpr resolve(sym::SymExpr expr);
  void unify(sym::SymExpr symbol, sym::SymExpr value);
  void declareArguments();

  func::FuncOp source;
  Rules rules;
  llvm::StringMap<sym::SymExpr> &equal;
  llvm::StringMap<unsigned> argumentSymbols; // in the order of their first use
  SmallVector<Type> argumentTypes;
  bool restart = false;
  unsigned depth = 0;
  DenseMap<Value, Value> values;
  DenseMap<Value, Dims> elements;
  DenseMap<Value, sym::Fact> conditions;
};

/// Replaces calls inside of functions that `isForeign` by what is called, and drops private ones that nothing calls any
/// more.
LogicalResult inlineForeignCalls(ModuleOp module, function_ref<bool(func::FuncOp)> isForeign);

/// Makes graph functions of all functions that `isForeign`.
LogicalResult importForeignFunctions(ModuleOp module, function_ref<bool(func::FuncOp)> isForeign,
                                     ForeignImporter::Rules rules);

/// Some op inside has this dialect's prefix.
bool usesDialect(func::FuncOp function, StringRef dialect);

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_IMPORTDIALECTS_FOREIGNIMPORTER_H
