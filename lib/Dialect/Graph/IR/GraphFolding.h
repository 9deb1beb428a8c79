//===- GraphFolding.h - Folding small constants ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Folding serves shape arithmetic: integers and bools, few elements. Folding of
// weights is a pass of its own.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_DIALECT_GRAPH_IR_GRAPHFOLDING_H
#define RELAX_LIB_DIALECT_GRAPH_IR_GRAPHFOLDING_H

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::relax::graph {

/// Constants with more elements are left alone.
inline constexpr int64_t kMaxFoldedElements = 256;

/// Folds an elementwise op: `x + 0`, `x * 1` and the like where they are exact, and integer or bool constants.
OpFoldResult foldElementwise(Operation *op, ArrayRef<Attribute> operands);

/// Static, without encoding, with few elements.
bool isFoldable(Type type);

/// Steps `index` to the next position in row-major order.
void nextPosition(ArrayRef<int64_t> shape, SmallVectorImpl<int64_t> &index);
/// Row-major offset of a position broadcast to a shape with extents of 1 and perhaps lower rank.
int64_t getBroadcastOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> index);

/// Where one element of a result comes from.
struct ElementSource {
  unsigned operand;
  int64_t position; // row-major
};

/// For each element of the result of a manipulation (reshape, broadcast_to, permute_dims, expand_dims, squeeze, slice,
/// concat, take with constant `indices`) where it comes from; nullopt when shapes are not static, too large or not
/// understood.
std::optional<SmallVector<ElementSource>> getElementSources(Operation *op, DenseElementsAttr indices = {});

/// Folds a manipulation of constants.
OpFoldResult foldManipulation(Operation *op, ArrayRef<Attribute> operands);

/// The elements of an integer or bool tensor, in row-major order, as expressions in symbols that shape values show.
/// Null where an element is not such an expression; nullopt when nothing is known. `shapes` gets these shape values.
std::optional<SmallVector<sym::SymExpr>> getElementExprs(Value tensor, SmallVectorImpl<Value> &shapes);

} // namespace mlir::relax::graph

#endif // RELAX_LIB_DIALECT_GRAPH_IR_GRAPHFOLDING_H
