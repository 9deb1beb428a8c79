//===- Windows.h - Attributes of moving windows ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_WINDOWS_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_WINDOWS_H

#include "NodeEmitter.h"

namespace mlir::relax::onnx {

/// Products of two such numbers stay inside 64 bits.
inline constexpr int64_t kMaxWindow = int64_t(1) << 30;

/// What convolutions and pools have in common, one entry per spatial dimension; pads: those before, then those after.
struct Window {
  SmallVector<int64_t> strides, dilations, pads;
  std::string autoPad; // NOTSET, VALID, SAME_UPPER or SAME_LOWER

  bool isSame() const { return StringRef(autoPad).starts_with("SAME"); }
};

/// An attribute with one value per spatial dimension; all `absent` when it is missing.
SmallVector<int64_t> getPerDimension(NodeEmitter &e, StringRef name, int64_t count, int64_t absent, int64_t least);

/// Reads strides, dilations, pads and auto_pad for `count` spatial dimensions. Pads are zero unless they are given.
Window readWindow(NodeEmitter &e, int64_t count, int64_t leastPad = 0);

/// The convolution that the attributes of the node describe.
Value convolve(NodeEmitter &e, Value image, Value weights);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_WINDOWS_H
