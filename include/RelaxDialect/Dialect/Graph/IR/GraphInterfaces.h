//===- GraphInterfaces.h - Interfaces of relax ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINTERFACES_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINTERFACES_H

#include "RelaxDialect/Dialect/Graph/IR/GraphShapeUtils.h"
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/IR/OpDefinition.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOpInterfaces.h.inc"

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINTERFACES_H
