//===- LoopCasts.h - Casts in front of loops -------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_LOOPCASTS_H
#define RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_LOOPCASTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relax::graph {

/// Upstream canonicalization moves a tensor.cast of an initial value into the loop and casts what is yielded back, as
/// if a carried tensor kept its size. A static size that a loop forgets is forgotten by tensor.reshape instead.
void replaceLoopCasts(func::FuncOp function);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_LOOPCASTS_H
