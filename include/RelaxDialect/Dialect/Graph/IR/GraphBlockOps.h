//===- GraphBlockOps.h - Weights in blocks of few bits ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBLOCKOPS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBLOCKOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h.inc"

namespace mlir::relax::graph {

/// A way of storing numbers in blocks.
struct BlockFormat {
  enum Kind { F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K };

  Kind kind;
  int64_t numbers, bytes; // of a block

  static std::optional<BlockFormat> parse(StringRef name);
};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBLOCKOPS_H
