//===- GraphAttrs.h - Attributes of relax -----------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTRS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTRS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

#define GET_ATTRDEF_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphAttrs.h.inc"

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTRS_H
