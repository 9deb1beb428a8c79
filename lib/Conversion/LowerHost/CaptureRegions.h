//===- CaptureRegions.h - What a region of launches may hold ---*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERHOST_CAPTUREREGIONS_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERHOST_CAPTUREREGIONS_H

#include "mlir/IR/SymbolTable.h"

namespace mlir::relax {

/// `relax.call_tp`, `relax.call_dps` or `scf.if` of the planned phase: number of the region that its launches are
/// recorded in.
inline constexpr StringLiteral kCaptureAttrName = "relax.capture";

/// One launch, which finds no extents, or one call of a library function that says it may be recorded; a branch of
/// which each side makes such calls and what may precede them, and at least one side a call.
bool isCapturable(Operation *op, const SymbolTable &symbols);

/// The op can be done before launches that stand in front of it: it runs no kernel, reads no tensor that a kernel may
/// have written, and what it makes is not what those launches use.
bool mayPrecedeLaunches(Operation *op);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERHOST_CAPTUREREGIONS_H
