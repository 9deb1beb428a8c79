//===- GraphPositionOps.h - Positions as values ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOSITIONOPS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOSITIONOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphPositionOps.h.inc"

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOSITIONOPS_H
