//===- QuantizationPasses.h - Weights of fewer bits ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_QUANTIZATIONPASSES_H
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_QUANTIZATIONPASSES_H

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Dialect/Graph/Transforms/QuantizationPasses.h.inc"

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_QUANTIZATIONPASSES_H
