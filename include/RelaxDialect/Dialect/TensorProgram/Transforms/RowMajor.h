//===- RowMajor.h - Elements in the same order under another shape -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_ROWMAJOR_H
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_ROWMAJOR_H

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::relax::tp {

/// For each index into a tensor with extents `to` the index into one with extents `from` that is at the same place in
/// row-major order. Dimensions are taken together in the smallest groups that have equally many elements whatever the
/// symbols are. Null when an affine map cannot say it: an extent that is no constant is not the first of its group, an
/// extent is 0, or the shapes differ in their number of elements.
AffineMap getRowMajorMap(MLIRContext *context, ArrayRef<sym::SymExpr> from, ArrayRef<sym::SymExpr> to);

/// The facts prove that shapes of known extents have equally many elements.
bool haveSameNumElements(MLIRContext *context, sym::ScopeAttr scope, ArrayRef<sym::SymExpr> from,
                         ArrayRef<sym::SymExpr> to);

/// The program gives the elements of its only input in the same order, under the same or another shape: what it
/// computes is the memory that it reads.
bool isRowMajorCopy(ProgramOp program);

} // namespace mlir::relax::tp

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_ROWMAJOR_H
