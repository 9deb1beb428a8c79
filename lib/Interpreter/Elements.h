//===- Elements.h - Results from elements of an operand --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_INTERPRETER_ELEMENTS_H
#define RELAXDIALECT_LIB_INTERPRETER_ELEMENTS_H

#include "RelaxDialect/Interpreter/OpTable.h"

namespace mlir::relax::interp {

/// A tensor of shape `dims` whose element at an index is the element of `x` at `from(index)`, 0 for a negative one.
FailureOr<Tensor> gather(Frame &frame, const Tensor &x, ArrayRef<int64_t> dims,
                         llvm::function_ref<int64_t(ArrayRef<int64_t>)> from);

/// Calls `visit(result, position in it, positions of the elements reduced to it)`. The result is made with the extents
/// that are left.
FailureOr<Tensor> reduce(Frame &frame, const Tensor &x, ArrayRef<int64_t> axes, bool keepDims,
                         llvm::function_ref<void(Tensor &, int64_t, ArrayRef<int64_t>)> visit);

} // namespace mlir::relax::interp

#endif // RELAXDIALECT_LIB_INTERPRETER_ELEMENTS_H
