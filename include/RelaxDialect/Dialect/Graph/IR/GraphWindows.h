//===- GraphWindows.h - Windows that move over a tensor --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What convolution and pooling share: how a window moves over the spatial
// dimensions, and how many places it has. Symbolic throughout.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHWINDOWS_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHWINDOWS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphTypeInference.h"

namespace mlir::relax::graph {

/// The attributes of an op that moves a window.
struct WindowAttrs {
  ArrayRef<int64_t> strides, pads, dilations; // pads: before each dimension, then after each
  std::optional<StringRef> autoPad = std::nullopt;
  bool ceilMode = false;

  /// One entry per spatial dimension, in range.
  LogicalResult verify(TypeInference &inference, size_t spatial) const;
};

/// One spatial dimension; null where an extent is unknown.
struct WindowDim {
  sym::SymExpr extent;        // places of the window
  sym::SymExpr before, after; // elements added on both sides
  sym::SymExpr room;          // must be >= 0
};

/// Spatial dimension `index` of extent `in` under a window of `kernel` elements.
WindowDim getWindowDim(const WindowAttrs &attrs, unsigned index, sym::SymExpr in, sym::SymExpr kernel);

/// Where the dimensions of an image are: (batch, channel, spatial...) or (batch, spatial..., channel).
struct ImageDims {
  unsigned channel, firstSpatial;

  static ImageDims get(unsigned rank, bool channelsLast) {
    return channelsLast ? ImageDims{rank - 1, 1} : ImageDims{1, 2};
  }
};

/// Result types of a matrix product and a convolution, for ops that have one inside. A null `elementType` is the
/// operands'.
FailureOr<RankedTensorType> inferMatmul(TypeInference &inference, Type left, Type right, Type elementType);
FailureOr<RankedTensorType> inferConv(TypeInference &inference, Type image, Type kernels, const WindowAttrs &attrs,
                                      int64_t groups, Type elementType, bool channelsLast = false);

/// `values` has `count` entries, each at least `lowest`.
LogicalResult verifyEntries(TypeInference &inference, StringRef name, ArrayRef<int64_t> values, size_t count,
                            int64_t lowest);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHWINDOWS_H
