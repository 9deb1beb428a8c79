//===- DotSums.h - Sums of products of small integers ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTSUMS_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTSUMS_H

#include "DotProducts.h"
#include "SumTiles.h"

namespace mlir::relax {

/// How a contraction adds up floats that are linear in products of integers of 8 bits: the products of a group of
/// kGroup numbers are added as integers, in vectors whose elements have kQuad of them each, and become floats then.
struct DotSum {
  static constexpr int64_t kGroup = 32, kQuad = 4;

  SumSides sides;
  /// The loops of a group, from here to the innermost one.
  unsigned firstLane;
  /// The innermost reduction loops, as many as are written out; those of the group are among them.
  unsigned unrolled;
};

/// The group of `op`, nullopt when its structure does not have one: one result, to which terms are added with
/// `reassoc`; innermost reduction loops of kGroup steps together, along which each operand stays or reads elements of a
/// small range; terms that are sums of products of a float, the same for kQuad steps, and a converted integer that is a
/// sum of products of two numbers of 8 bits; and a body of elementwise operations.
std::optional<DotSum> chooseDotSum(linalg::GenericOp op);

/// The two numbers of 8 bits that are multiplied; `b` is null for 1.
struct IntegerTerm {
  int64_t factor;
  Value a, b;
};

/// `value` as a sum of products, nullopt when it is something else or does not fit 32 bits for kQuad steps.
std::optional<SmallVector<IntegerTerm>> getIntegerTerms(Value value);

/// For each `step`th number of a group, where `operand` reads it, counted from where it reads the first one: offsets
/// in the memory of the dimensions from `firstDim` on, which lie together.
struct GroupAccess {
  unsigned firstDim;
  SmallVector<int64_t> offsets;
};
std::optional<GroupAccess> getGroupAccess(linalg::GenericOp op, OpOperand &operand, unsigned firstLane);

/// Emits `op`. Sums of integers are exact, so that the result does not depend on `dots`, and the order of the sums of
/// floats is that of eight lanes, whatever the number of rows.
void emitDotSum(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, ValueRange extents, DotProducts dots);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTSUMS_H
