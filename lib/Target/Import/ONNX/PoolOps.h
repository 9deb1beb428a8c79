//===- PoolOps.h - Pooling and transposed convolution ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_POOLOPS_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_POOLOPS_H

#include "OpTable.h"

namespace mlir::relax::onnx {

ArrayRef<OpEntry> getPoolOps();

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_POOLOPS_H
