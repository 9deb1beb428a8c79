//===- RegisterTiles.h - Contractions in vector registers ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_REGISTERTILES_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_REGISTERTILES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::relax {

/// How a reduction on buffers is cut into tiles whose results stay in registers: `rows` steps of the parallel loop
/// `row` times `vectors` vectors of `lanes` elements of the parallel loop `column`, the last one of the result.
struct RegisterTile {
  unsigned row, column;
  int64_t rows, vectors, lanes;
  /// The input, as operand number, of which a block is copied to `packedElements` contiguous elements, because all rows
  /// read it. The block holds `blockSteps` steps of the first reduction loop and `panels` tiles of columns.
  std::optional<unsigned> packed;
  int64_t blockSteps, panels, packedElements;
};

/// The tile of `op`, nullopt when its structure does not have one: it needs a reduction, an innermost parallel loop
/// with unit stride, another parallel loop whose steps share an operand, and a body of elementwise operations that may
/// run on lanes that are not there.
std::optional<RegisterTile> chooseRegisterTile(linalg::GenericOp op, int64_t vectorBits);

/// Emits `op` in tiles. `scratch`: a buffer of at least `packedElements` elements, null when nothing is packed. Sums
/// are made in the order of the reduction loops.
void emitRegisterTiles(OpBuilder &builder, linalg::GenericOp op, const RegisterTile &tile, ValueRange extents,
                       Value scratch);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_REGISTERTILES_H
