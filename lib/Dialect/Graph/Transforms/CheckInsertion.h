//===- CheckInsertion.h - Shape rules as assertions ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_CHECKINSERTION_H
#define RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_CHECKINSERTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::relax::graph {

/// What relax-insert-checks does, to the ops that `wanted` accepts: their operands get known extents, and what facts
/// and earlier assertions do not prove is asserted.
void insertShapeChecks(func::FuncOp function, SymbolTableCollection &symbols, function_ref<bool(Operation *)> wanted);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_CHECKINSERTION_H
