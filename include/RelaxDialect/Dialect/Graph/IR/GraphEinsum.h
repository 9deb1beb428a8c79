//===- GraphEinsum.h - Equations of relax.einsum ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHEINSUM_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHEINSUM_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace mlir::relax::graph {

/// A label for each dimension: the letter, or a number above all letters for a dimension of the ellipsis, counted from
/// the last one.
struct EinsumEquation {
  SmallVector<SmallVector<int64_t>> inputs;
  SmallVector<int64_t> output;

  /// Fails with a reason for operands of these ranks.
  static FailureOr<EinsumEquation> parse(StringRef text, ArrayRef<int64_t> ranks, std::string &error);
};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHEINSUM_H
