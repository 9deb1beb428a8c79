//===- RewritePasses.h - Graphs that compute the same ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_REWRITEPASSES_H
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_REWRITEPASSES_H

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h.inc"

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_REWRITEPASSES_H
