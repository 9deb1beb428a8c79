//===- GraphPoolOps.h - Pooling, transposed convolution --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOOLOPS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOOLOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphWindows.h"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h.inc"

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOOLOPS_H
