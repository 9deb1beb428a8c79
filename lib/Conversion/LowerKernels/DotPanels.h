//===- DotPanels.h - Sums of small products of many rows -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTPANELS_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTPANELS_H

#include "DotSums.h"

namespace mlir::relax {

/// How the products of many used rows are added up: a lane of a vector for each used row, so that one made number,
/// decoded to scratch memory once, is multiplied by those of all lanes, and no sum goes across lanes.
struct DotPanel {
  /// Used rows of a vector, vectors for which made rows are decoded once, made rows of a register tile.
  int64_t lanes, vectors, tile;
  /// Groups of a sum.
  int64_t groups;
};

/// A copy of numbers in scratch memory: what kind, and of which value of the body.
enum class DotCopy {
  Bytes,     // of 8 bits, four in each element
  Shifted,   // plus 128
  Magnitude, // their absolute values
  Sums,      // of each four
  Offsets,   // -128 times these
  Factors    // floats
};

/// Calls `add` for all copies that `panel` needs.
void forEachDotCopy(linalg::GenericOp op, const DotSum &sum, DotProducts dots,
                    function_ref<void(Value, DotCopy, bool ofUsed)> add);

/// Nullopt when `op` has other parallel loops, sums of unknown length or too long for scratch memory, or numbers that
/// both sides decide, or no instructions for its products.
std::optional<DotPanel> chooseDotPanel(linalg::GenericOp op, const DotSum &sum, DotProducts dots);

/// Emits what is done in panels. Returns the first used row that is left: panels are for many rows. Each row of the
/// result is the same as without panels, bit for bit.
Value emitDotPanels(OpBuilder &builder, linalg::GenericOp op, const DotSum &sum, const DotPanel &panel,
                    ValueRange extents, DotProducts dots);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_DOTPANELS_H
