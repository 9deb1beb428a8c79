//===- DotValues.h - Values of the body of a sum of small products -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTVALUES_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTVALUES_H

#include "DotSums.h"

namespace mlir::relax {

/// `count` numbers of a group from number `first` on, each `step`th; none: a scalar.
struct Lanes {
  int64_t step = 0, first = 0, count = 0;
};

/// Evaluates the scalar body of a sum along the numbers of a group: what no loop of the group tells apart as scalars,
/// the rest as vectors. What was computed is used again as long as the code that did is around.
class DotValues {
public:
  static constexpr Lanes kNumbers = {1, 0, DotSum::kGroup};
  static constexpr Lanes kSums = {DotSum::kQuad, 0, DotSum::kGroup / DotSum::kQuad};

  /// `at` has the present index of each loop; of those of a group any, they are not looked at.
  DotValues(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, ArrayRef<Value> at,
            const DenseMap<Value, llvm::SmallBitVector> &loopsOf);

  void forget() { values.clear(); }

  /// As a vector, whatever tells it apart.
  Value evaluate(Value value, Lanes lanes);
  Value evaluateScalar(Value value) { return evaluateLanes(value, Lanes()); }
  /// The same for all numbers that are added before they become floats.
  bool isFactor(Value value) const { return !isMovedBy(value, numLoops - 1); }
  /// Told apart by some loop of the group.
  bool movesInGroup(Value value) const;
  bool isMovedBy(Value value, unsigned loop) const;
  bool isMovedBy(Value value, ArrayRef<unsigned> loops) const {
    return llvm::any_of(loops, [&](unsigned loop) { return isMovedBy(value, loop); });
  }
  /// How many neighbours in a group have the same value.
  int64_t countSame(Value value) const;
  /// What tells a value apart at the present place.
  std::vector<void *> getKey(Value value) const;
  /// As part of a map, for numbers that are no pointers.
  static void *toKey(int64_t number) { return reinterpret_cast<void *>(static_cast<intptr_t>(number)); }

private:
  Value evaluateLanes(Value value, Lanes lanes);
  Value compute(Value value, Lanes lanes);
  std::optional<int64_t> getPieceSize(Value amount, Lanes lanes) const;
  Value computePieces(Value value, Lanes lanes, int64_t size);
  Value load(OpOperand &operand, Lanes lanes);
  Value getLaneIndices(unsigned loop, Lanes lanes);
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  OpBuilder &builder;
  linalg::GenericOp op;
  Location loc;
  unsigned firstLane, numLoops;
  ArrayRef<Value> at;
  const DenseMap<Value, llvm::SmallBitVector> &loopsOf;
  SmallVector<int64_t> ranges;
  /// Values of the body, with the indices of the loops that they depend on, and lanes.
  std::map<std::vector<void *>, Value> values;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTVALUES_H
