//===- TypeRefinement.h - Filling unknown extents --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_TYPEREFINEMENT_H
#define RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_TYPEREFINEMENT_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::relax::graph {

/// Fills the unknown extents of results in functions; known ones stay as they are written.
class TypeRefinement {
public:
  explicit TypeRefinement(SymbolTableCollection &symbols) : symbols(symbols) {}

  /// Every op of a region, inner ones first. True when something changed.
  bool refineRegion(Region &region);
  /// The results of one op.
  bool refineOp(Operation *op);
  /// Result types of a private function, from what it returns.
  bool refineFunctionResults(func::FuncOp function);
  /// Argument types of a private function: every extent gets the constant that all callers pass, or a name.
  bool refineFunctionArguments(func::FuncOp function);

  /// Changes the type of `value`, which has unknown extents, to one that knows more. Uses that need the old type get it
  /// through relax.erase_shape.
  void setType(Value value, Type type);
  /// Whether an op of ours is valid with the operand types that it has now.
  bool acceptsOperandTypes(Operation *user);

private:
  bool fillResults(Operation *op, ArrayRef<Type> inferred);
  bool refineCall(CallOp call);
  bool refineRegionResults(Operation *op);
  bool refineLoop(scf::ForOp loop);
  bool refineLoop(scf::WhileOp loop);

  SymbolTableCollection &symbols;
};

/// What was there before extents were forgotten.
Value getPrecise(Value value);

/// Names that ops inside `op` bind: they do not leave it.
SmallVector<std::string> getInnerSymbols(Operation *op);
bool mentionsAny(sym::SymExpr expr, ArrayRef<std::string> names);

/// `written` with its unknown extents taken from `known`.
Type fillUnknown(Type written, Type known);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_TYPEREFINEMENT_H
