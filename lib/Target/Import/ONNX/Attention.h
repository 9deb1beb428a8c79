//===- Attention.h - What imports of attention share -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_ATTENTION_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_ATTENTION_H

#include "NodeEmitter.h"

namespace mlir::relax::onnx {

/// [batch, sequence, heads * size] as [batch, heads, sequence, size].
Value splitHeads(NodeEmitter &e, Value x, int64_t heads);
/// The other way round.
Value joinHeads(NodeEmitter &e, Value x);

/// lhs [batch, heads, rows, k] times rhs [batch, fewer heads, k, columns]: the heads that share one of rhs are rows of
/// one product, so that nothing is repeated.
Value multiplyGrouped(NodeEmitter &e, Value lhs, Value rhs, sym::SymExpr repeats, ArrayRef<sym::SymExpr> resultDims);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_ATTENTION_H
