//===- Loops.h - Loops that a node needs -----------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_LOOPS_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_LOOPS_H

#include "NodeEmitter.h"

namespace mlir::relax::onnx {

/// Gives what is carried on, from the number of the iteration (an i64 scalar) and what was carried here.
using LoopBody = llvm::function_ref<SmallVector<Value>(Value position, ArrayRef<Value> carried)>;

/// Runs `body` for 0, 1, ... count - 1. What is carried keeps its types. Gives the last values, as many nulls after an
/// error.
SmallVector<Value> repeat(NodeEmitter &e, sym::SymExpr count, ArrayRef<Value> initial, LoopBody body);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_LOOPS_H
