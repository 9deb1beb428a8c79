//===- SumTiles.h - Tiles of sums in registers -----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_SUMTILES_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_SUMTILES_H

#include "RegisterTiles.h"

#include <map>

namespace mlir::relax {

/// The parallel loops of a contraction as the two sides of a tile: what depends on `made` rows only, such as numbers
/// that are decoded, is computed once for all `used` rows of the tile, and the other way round.
struct SumSides {
  /// Outermost first. `used` may be empty; loops in neither run around the tiles.
  SmallVector<unsigned> made, used;
};

/// True when the result adds up what does not depend on it, in any order, and is written where loops say.
bool isLaneableSum(linalg::GenericOp op);

/// For each value of the body the loops that tell it apart: it is the same at all steps of the others.
DenseMap<Value, llvm::SmallBitVector> findLoopsOfValues(linalg::GenericOp op);

/// The sides of a contraction whose loops from `firstLane` on run along vectors; nullopt when fewer than two operands
/// move along them, or none of them is shared by steps of a parallel loop.
std::optional<SumSides> chooseSides(linalg::GenericOp op, unsigned firstLane);

/// Operations along the lanes that depend on no other parallel loop than those of `group`.
int64_t countSideWork(linalg::GenericOp op, ArrayRef<unsigned> group, unsigned firstLane);

/// How many of the innermost reduction loops around `copies` copies of a body are written out, too.
unsigned countUnrolled(linalg::GenericOp op, unsigned firstLane, int64_t copies);

/// Emits the loops around tiles:
///
///   other parallel loops              one after another
///     parts of `made` rows            which stay in a cache while all tiles of many used rows pass
///       tiles of `used` rows          as many as there are, what is left by fewer
///         tiles of `made` rows        more of them when there are few used ones
struct SumTileShape {
  int64_t used, made;
};

class SumTileEmitter {
public:
  virtual ~SumTileEmitter() = default;
  void emit() { emitOthers(0); }
  /// Rows before this one are done already.
  void setFirstUsed(Value row) { firstUsed = row; }

protected:
  /// `shapes`: with fewer used rows from one to the next, down to 1. `lanes` are those of a sum, `unrolled` the
  /// innermost reduction loops that `addTerms` writes out.
  SumTileEmitter(OpBuilder &builder, linalg::GenericOp op, const SumSides &sides, ValueRange extents,
                 ArrayRef<SumTileShape> shapes, int64_t lanes, unsigned unrolled);

  /// Adds to the sums of one tile, of all pairs of `made` and `used`, in the reduction loops from `number` on.
  virtual void addTerms(unsigned number, MutableArrayRef<Value> sums) = 0;
  /// By how much a reduction loop goes on.
  virtual int64_t getStep(unsigned loop) const { return 1; }

  Value constant(int64_t value);
  void forEach(Value from, Value to, int64_t step, function_ref<void(Value)> body);
  void moveTo(ArrayRef<unsigned> loops, const RowIndices &row) {
    for (auto [loop, index] : llvm::zip_equal(loops, row))
      at[loop] = index;
  }
  /// The sums of the present `made` row, number `row`.
  void forEachUsed(size_t row, function_ref<void(size_t)> body);
  SmallVector<Value> getIndices(OpOperand &operand) { return getAccessIndices(builder, op, operand, at); }
  /// Adds the lanes of each sum of the tile to the result.
  void storeSums(ArrayRef<Value> sums);
  /// What the body adds to the sum, and the sum with it.
  Value getAddend();
  Value addTo(Value total, Value addend);
  /// What tells a value of the body apart at the present place.
  std::vector<void *> getKey(Value value, const llvm::SmallBitVector &loops) const;

  OpBuilder &builder;
  linalg::GenericOp op;
  const SumSides &sides;
  Location loc;
  SmallVector<Value> extents;
  /// Current index of each loop.
  SmallVector<Value> at;
  /// Which loops tell values of the body apart.
  DenseMap<Value, llvm::SmallBitVector> loopsOf;
  Operation *combiner;
  SmallVector<unsigned> reductions;
  /// Rows of the present tile.
  SmallVector<RowIndices> made, used;

private:
  void emitOthers(unsigned number);
  void emitTiles();
  /// Rows of [from, to) by tiles of neighbours.
  void emitNeighbours(Value from, Value to, int64_t count);
  /// All rows by tiles of rows that are far apart.
  void emitStreams(Value end, int64_t count);
  /// The reduction loops from `number` on, which hand on the sums of a tile.
  SmallVector<Value> emitReductions(unsigned number, SmallVector<Value> sums);
  void emitTile();
  void emitMade(Value first, Value distance, int64_t count);
  Value roundDown(Value value, int64_t step);

  ArrayRef<SumTileShape> shapes;
  int64_t lanes;
  unsigned unrolled;
  SmallVector<unsigned> others;
  Value firstUsed;
  std::map<int64_t, Value> constants;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_SUMTILES_H
