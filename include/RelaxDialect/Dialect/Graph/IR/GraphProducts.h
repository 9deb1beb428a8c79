//===- GraphProducts.h - What is common to products -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPRODUCTS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPRODUCTS_H

#include "mlir/IR/OpDefinition.h"
#include <optional>

namespace mlir::relax::graph {

/// Unit attribute on a product: it multiplies numbers of the type that is written, also in mixed precision.
inline constexpr StringLiteral kPinnedAttrName = "relax.pinned";

/// The dimension of the right operand, and of the result, that counts columns.
struct ProductColumns {
  unsigned rightDim = 0, resultDim = 0;
};

/// Attaches the models of the interface; the dialect does it once all ops are known.
void addProductModels(MLIRContext &context);

} // namespace mlir::relax::graph

#include "RelaxDialect/Dialect/Graph/IR/GraphProducts.h.inc"

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPRODUCTS_H
