//===- LoopParts.h - Parts of tensors inside of a program ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Slices keep loops apart: a part that is read lies between an operation and its
// reader. Here an operation computes only the part that is read.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_LOOPPARTS_H
#define RELAXDIALECT_LIB_TRANSFORMS_LOOPPARTS_H

#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::relax {

/// Of what an operation only moves, and of what nobody else reads, the part that is read is computed where it is read.
/// Moves with several readers are done by each of them.
bool computeReadParts(tp::ProgramOp program, RewriterBase &rewriter);

/// Places that are written by several operations are one for each of them.
void separatePlaces(tp::ProgramOp program);

/// Extents and offsets are computed first, so that whatever is written can be written to its place at once.
void hoistScalars(tp::ProgramOp program);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_LOOPPARTS_H
