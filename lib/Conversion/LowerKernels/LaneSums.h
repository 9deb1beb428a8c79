//===- LaneSums.h - Sums along contiguous reductions -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_LANESUMS_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_LANESUMS_H

#include "SumTiles.h"

namespace mlir::relax {

/// How a contraction whose innermost loop is a reduction is added up in vector lanes.
struct LaneSum {
  /// Steps of the innermost loop in one vector.
  int64_t lanes;
  SumSides sides;
  /// The innermost reduction loops, as many as are written out: their bodies are copies.
  unsigned unrolled;
};

/// The lanes of `op`, nullopt when its structure does not have them: one result, which adds up floats with `reassoc` or
/// integers; an innermost loop that is a reduction of known length, along which every operand stays or moves by one
/// element or by one group of a few elements, at least two of them moving, one of which is shared by steps of a
/// parallel loop; and a body of elementwise operations.
std::optional<LaneSum> chooseLaneSum(linalg::GenericOp op, int64_t vectorBits);

/// When the access reads one of a few elements that lie together, `[.., lane + .., constant]`, and steps of `lane`
/// follow each other in memory: how many lie together.
std::optional<int64_t> getInterleaving(ShapedType type, AffineMap map, unsigned lane);

/// Emits `op`. The order of the sums is that of the lanes, whatever the number of rows.
void emitLaneSum(OpBuilder &builder, linalg::GenericOp op, const LaneSum &sum, ValueRange extents);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_LANESUMS_H
