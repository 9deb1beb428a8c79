//===- MergeLoops.h - Loop fusion inside of a program ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_MERGELOOPS_H
#define RELAXDIALECT_LIB_TRANSFORMS_MERGELOOPS_H

#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"

namespace mlir::relax {

/// Merges linalg operations of a program in tensor form, and simplifies what surrounds them. Contractions keep their
/// bodies, except that they take in a selection (tp::isSelection) or read elements where they were before they were
/// moved (tp::readsInStep).
void mergeLoops(tp::ProgramOp program);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_MERGELOOPS_H
