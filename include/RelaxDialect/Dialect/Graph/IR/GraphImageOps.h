//===- GraphImageOps.h - Resizing ------------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHIMAGEOPS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHIMAGEOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphImageOps.h.inc"

namespace mlir::relax::graph {

/// `floor(extent * scale)` as an expression: of the simplest fraction that rounds to `scale`. Null when there is none
/// with a denominator up to 4096 or the expression does not fit.
sym::SymExpr getScaledExtent(sym::SymExpr extent, float scale);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHIMAGEOPS_H
