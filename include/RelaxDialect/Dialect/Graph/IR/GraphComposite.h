//===- GraphComposite.h - Ops made of simpler ones -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSITE_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSITE_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::relax::graph {

/// Marks ops that `relax-decompose-ops` replaces; see GraphCompositeBase.td.
template <typename ConcreteOp> class Composite : public OpTrait::TraitBase<ConcreteOp, Composite> {};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCOMPOSITE_H
