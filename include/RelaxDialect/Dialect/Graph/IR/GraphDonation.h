//===- GraphDonation.h - Memory that functions are given -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDONATION_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDONATION_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::relax::graph {

/// Unit attribute of a tensor argument of `func.func`: the function may write its memory, results may live there. On
/// `relax.alloc` and `relax.storage` of a result: the number of the argument in whose memory it may be.
inline constexpr StringLiteral kDonatedAttrName = "relax.donated";

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDONATION_H
