//===- RuntimeAxes.h - Axes that only run time knows -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Axes may be an input. A rank is known all the same: from their number. The
// extents are computed as integer tensors and bound as symbols, and the op works
// on a reshaped tensor in which its axes have a fixed place.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_RUNTIMEAXES_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_RUNTIMEAXES_H

#include "NodeEmitter.h"

namespace mlir::relax::onnx {

/// A vector of axes as run-time values; negative ones count from the end.
struct RuntimeAxes {
  Value mask;       // i64 vector with an entry per dimension: how often it is listed
  Value membership; // i64 matrix, dimension by entry of the input: 1 where that entry is this dimension
  Value isValid;    // bool scalar: all different and in range
  int64_t rank = 0;
  int64_t count = 0; // entries of the input
};

/// Reads input `index`, a vector of known length or a scalar, for a tensor of that rank.
RuntimeAxes readRuntimeAxes(NodeEmitter &e, unsigned index, int64_t rank);

/// Elements of an i64 vector of that length as new symbols; where `isValid` is false an error at run time.
Value bindExtents(NodeEmitter &e, Value extents, int64_t length, Value isValid, SmallVectorImpl<sym::SymExpr> &dims);

/// The tensor with each dimension split into what stays (even) and what is an axis (odd), one of which has extent 1.
/// `kept` are the extents that stay, 1 for an axis.
Value separateAxes(NodeEmitter &e, const RuntimeAxes &axes, Value x, Value &kept);

/// The entries of `extents` (i64 vector) that are no axes, in order.
Value removeAxes(NodeEmitter &e, const RuntimeAxes &axes, Value extents);
/// A vector of `axes.rank` extents: 1 at an axis, else the entries of `extents` in order.
Value insertAxes(NodeEmitter &e, const RuntimeAxes &axes, Value extents);

/// Along a scalar axis of run time: the tensor as three dimensions, those before, the axis, those after.
Value collapseAround(NodeEmitter &e, unsigned index, Value x);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_RUNTIMEAXES_H
