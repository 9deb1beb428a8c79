//===- Quantization.h - Numbers of few bits --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_QUANTIZATION_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_QUANTIZATION_H

#include "NodeEmitter.h"

namespace mlir::relax::onnx {

/// Floats as another type, whose lowest and highest values stand for what is beyond them.
Value saturate(NodeEmitter &e, Value x, Type type);

/// Input `index` minus the zero point in input `zeroIndex`, if there is one, in i32. A vector of several zero points
/// gets dimensions at `axes` to lie along those that it belongs to.
Value readShifted(NodeEmitter &e, unsigned index, unsigned zeroIndex, ArrayRef<int64_t> axes);

/// The product of numpy's matmul.
Value multiplyMatrices(NodeEmitter &e, Value a, Value b);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_QUANTIZATION_H
