//===- GraphFamilies.h - Op families with headers of their own -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Families that GraphOps.h does not include: few files use them, so that a
// change there is compiled quickly.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_GRAPH_IR_GRAPHFAMILIES_H
#define RELAXDIALECT_LIB_DIALECT_GRAPH_IR_GRAPHFAMILIES_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OperationSupport.h"

namespace mlir::relax::graph {

template <typename... Ops> void addFamily(Dialect &dialect) { (RegisteredOperationName::insert<Ops>(dialect), ...); }

// Each is defined beside its ops.
void addAttentionOps(Dialect &dialect);
void addBlockOps(Dialect &dialect);
void addImageOps(Dialect &dialect);
void addNNOps(Dialect &dialect);
void addPoolOps(Dialect &dialect);
void addQuantizationOps(Dialect &dialect);
void addRecurrentOps(Dialect &dialect);

/// Lets unification of calls remember what it found.
void addUnificationCache(Dialect &dialect);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_LIB_DIALECT_GRAPH_IR_GRAPHFAMILIES_H
