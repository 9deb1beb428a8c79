//===- BlockLoops.h - Reading numbers out of blocks ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Each format is loops over the numbers of a block, the places of the bytes that
// one number needs, all affine in those loops, and arithmetic on these bytes. So
// a block is read by `linalg.generic` like any tensor: the innermost loop runs
// along neighbouring bytes, and what belongs to many numbers does not depend on
// it.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BLOCKLOOPS_H
#define RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BLOCKLOOPS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "mlir/IR/AffineExpr.h"

namespace mlir::relax {

class BlockLoops {
public:
  /// The loops are dimensions `firstLoop`, `firstLoop` + 1, ... of the nest.
  BlockLoops(graph::BlockFormat format, unsigned firstLoop, MLIRContext *context);

  /// Steps of the loops; their product is the numbers of a block, in row-major order.
  ArrayRef<int64_t> getRanges() const { return ranges; }
  int64_t getNumbers() const { return format.numbers; }
  /// Positions in a block of the bytes that a number is made of.
  ArrayRef<AffineExpr> getPlaces() const { return places; }
  /// The number as f32, from those bytes, inside of a linalg body.
  Value write(OpBuilder &builder, Location loc, ValueRange bytes) const;
  /// The number times `integer`, an i8, times `scale`, an f32: factors that parts of a block share times converted
  /// products of integers, which are made of 8 bits. Of formats with integers.
  Value writeProduct(OpBuilder &builder, Location loc, ValueRange bytes, Value integer, Value scale) const;
  /// Loops of the block around those of `numbers` neighbours.
  ArrayRef<int64_t> getRangesAround(int64_t numbers) const;

private:
  graph::BlockFormat format;
  unsigned firstLoop;
  SmallVector<int64_t> ranges;
  SmallVector<AffineExpr> places;
};

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BLOCKLOOPS_H
