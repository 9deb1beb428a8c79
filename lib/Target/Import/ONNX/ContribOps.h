//===- ContribOps.h - Operators of com.microsoft ---------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_CONTRIBOPS_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_CONTRIBOPS_H

#include "OpTable.h"

namespace mlir::relax::onnx {

/// Operators of the domain com.microsoft, version 1, that exported language models use.
ArrayRef<OpEntry> getContribOps();
ArrayRef<OpEntry> getContribAttentionOps();
ArrayRef<OpEntry> getContribQuantizationOps();

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_CONTRIBOPS_H
