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

/// Neighbours that share a scale in the left operand of `relax.quantized_block_matmul`.
constexpr int64_t kActivationBlock = 32;

/// A way of storing numbers in blocks.
struct BlockFormat {
  enum Kind { F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K };

  Kind kind;
  int64_t numbers, bytes; // of a block

  /// Numbers are integers times factors that whole blocks or parts of them share.
  bool hasIntegers() const { return kind != F16 && kind != BF16; }

  static std::optional<BlockFormat> parse(StringRef name);
};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBLOCKOPS_H
