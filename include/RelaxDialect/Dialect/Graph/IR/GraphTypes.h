//===- GraphTypes.h - Types of relax ---------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPES_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPES_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/IR/Types.h"

#define GET_TYPEDEF_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.h.inc"

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPES_H
