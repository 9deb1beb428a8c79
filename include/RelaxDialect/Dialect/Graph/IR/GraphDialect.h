//===- GraphDialect.h - The relax dialect ----------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h.inc"

namespace mlir::relax::graph {

/// Attribute on arguments and results of a public function: its name for the outside.
inline constexpr StringLiteral kNameAttrName = "relax.name";

/// Shared by every relax op; see GraphBase.td.
LogicalResult verifyScopedSymbols(Operation *op);

template <typename ConcreteOp>
class ScopedSymbols : public OpTrait::TraitBase<ConcreteOp, ScopedSymbols> {
public:
  static LogicalResult verifyTrait(Operation *op) { return verifyScopedSymbols(op); }
};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT_H
