//===- LearningOps.h - Operators of other domains of the format -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_LEARNINGOPS_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_LEARNINGOPS_H

#include "OpTable.h"

namespace mlir::relax::onnx {

/// Operators of the domain ai.onnx.ml, and those of ai.onnx.preview.
ArrayRef<OpEntry> getLearningOps();
ArrayRef<OpEntry> getPreviewOps();
/// Operators that are loops over, or samples of, whole images and matrices.
ArrayRef<OpEntry> getDeformConvOps();
ArrayRef<OpEntry> getDeterminantOps();

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_LEARNINGOPS_H
