//===- RegisterTiles.h - Contractions in vector registers ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_REGISTERTILES_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_REGISTERTILES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::relax {

/// How a reduction is cut into tiles whose results stay in registers: `rows` rows times `vectors` vectors of `lanes`
/// elements of the parallel loop `column`, the last one of the result.
struct RegisterTile {
  /// The parallel loops that make the rows, outermost first: a batch of short sequences has as many rows as one long
  /// sequence. Without any there is one row.
  SmallVector<unsigned> rowLoops;
  unsigned column;
  int64_t rows, vectors, lanes;
  /// What the rows share lies in panels already (PanelLayout.h): nothing is copied, and few rows are no special case.
  bool inPanels = false;
  /// The input, as operand number, of which a block is copied to `packedElements` contiguous elements, because all rows
  /// read it. The block holds `blockSteps` steps of the first reduction loop and `panels` tiles of columns.
  std::optional<unsigned> packed;
  int64_t blockSteps, panels, packedElements;
};

/// The tile of `op`, nullopt when its structure does not have one: it needs a reduction, an innermost parallel loop
/// with unit stride, other parallel loops whose steps share an operand, and a body of elementwise operations that may
/// run on lanes that are not there. `op` is on tensors or buffers.
std::optional<RegisterTile> chooseRegisterTile(linalg::GenericOp op, int64_t vectorBits);

/// A loop and how many of its steps make a panel.
struct PanelChoice {
  unsigned column;
  int64_t width;
};

/// The panels in which `op` reads `input` best; nullopt when it does not: all reduction loops and the columns address
/// it, each by a dimension of its own, and other loops share it. Columns need not be the last dimension of the result.
std::optional<PanelChoice> choosePanels(linalg::GenericOp op, OpOperand &input, int64_t vectorBits);

/// True when every operation of the body can run on vectors, also for lanes that are not there, along a loop `column`
/// whose index the body does not ask for.
bool isVectorizable(linalg::GenericOp op, std::optional<unsigned> column = std::nullopt);

/// True when one step of loop `dim` moves an access by one element: `dim` plus terms without it, in the last position.
bool isUnitStride(Value buffer, AffineMap map, unsigned dim);

/// The index of each of some loops, outermost first.
using RowIndices = SmallVector<Value, 2>;

/// The number of rows that `loops` make together.
Value getRowExtent(OpBuilder &builder, Location loc, ArrayRef<unsigned> loops, ValueRange extents);
/// `count` of them from `first` on: one division for all, then steps that carry over to the next outer loop.
SmallVector<RowIndices> getRowIndices(OpBuilder &builder, Location loc, ArrayRef<unsigned> loops, ValueRange extents,
                                      Value first, int64_t count);

/// Where `operand` is accessed with the loops at the indices `at`; null for a loop that does not run there, which the
/// operand's map does not mention then.
SmallVector<Value> getAccessIndices(OpBuilder &builder, linalg::GenericOp op, OpOperand &operand, ArrayRef<Value> at);

/// What the body makes of the packed operand alone, by widening its elements: this is what a copied block holds, so
/// that it is computed once for all rows.
Value getPackedValue(linalg::GenericOp op, const RegisterTile &tile);

/// Emits `op` in tiles. `scratch`: a buffer of at least `packedElements` elements of the packed value's type. Null when
/// nothing is packed, or when there is exactly one tile of rows, which read what they share where it is. Sums are made
/// in the order of the reduction loops.
void emitRegisterTiles(OpBuilder &builder, linalg::GenericOp op, const RegisterTile &tile, ValueRange extents,
                       Value scratch);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_REGISTERTILES_H
