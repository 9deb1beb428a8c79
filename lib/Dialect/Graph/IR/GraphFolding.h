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

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::relax::graph {

/// Constants with more elements are left alone.
inline constexpr int64_t kMaxFoldedElements = 256;

/// Folds an elementwise op: `x + 0`, `x * 1` and the like where they are exact, and integer or bool constants.
OpFoldResult foldElementwise(Operation *op, ArrayRef<Attribute> operands);

/// The attribute as dense elements if it is a constant small enough to fold into `resultType`, else null.
DenseElementsAttr getFoldable(Attribute attr, Type resultType);

/// A dense attribute of `type` whose element at each position is the `source` element at the position `map` gives.
/// Positions are vectors of indices.
DenseElementsAttr gatherElements(DenseElementsAttr source, RankedTensorType type,
                                 function_ref<void(ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from)> map);

} // namespace mlir::relax::graph

#endif // RELAX_LIB_DIALECT_GRAPH_IR_GRAPHFOLDING_H
