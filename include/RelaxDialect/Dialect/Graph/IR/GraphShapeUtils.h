//===- GraphShapeUtils.h - Shapes of relax ops ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSHAPEUTILS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSHAPEUTILS_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "mlir/IR/TypeRange.h"
#include "mlir/IR/Types.h"
#include "mlir/IR/Value.h"

namespace mlir::relax::graph {

/// Whether an op may write `actual` where `inferred` is its most precise type: tensors or shape values of one element
/// type and rank, each extent of `actual` unknown, identical, or equal for every valuation. Other types must be
/// identical.
bool isCompatibleResultType(Type inferred, Type actual);
bool areCompatibleResultTypes(TypeRange inferred, TypeRange actual);

/// The tensor or shape type with other extents; static dimensions and encoding follow from them.
Type withSymbolicDims(Type type, ArrayRef<sym::SymExpr> dims);

/// What must hold for an op to have a meaning: one of the facts. See ShapeRuleOpInterface.
struct ShapeRule {
  SmallVector<sym::Fact, 1> anyOf;

  bool operator==(const ShapeRule &other) const { return anyOf == other.anyOf; }
  /// The rule as one fact. Several must be equations; evaluation does not overflow for extents in int64.
  sym::Fact getFact() const;
  /// `d == n or d == 1`
  std::string str() const;
};

/// The attribute `binds` with other names.
ArrayAttr renameBinds(ArrayAttr binds, function_ref<std::string(StringRef)> rename);
/// Expressions of an array of `#relax_sym.expr`.
SmallVector<sym::SymExpr> getExprs(ArrayAttr attrs);
/// Their product; null when one is unknown or it does not fit 64 bits.
sym::SymExpr getNumElements(MLIRContext *context, ArrayRef<sym::SymExpr> dims);

/// Entries of a value of type `!relax.shape`.
ArrayRef<sym::SymExpr> getShapeDims(Value shape);

/// Text of extents for diagnostics: `[n, 4, ?]`.
std::string formatDims(ArrayRef<sym::SymExpr> dims);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSHAPEUTILS_H
