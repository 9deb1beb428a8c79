//===- KernelMath.h - Math functions of kernels ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_LOWERKERNELS_KERNELMATH_H
#define RELAX_LIB_CONVERSION_LOWERKERNELS_KERNELMATH_H

#include "mlir/IR/Operation.h"

namespace mlir::relax {

/// What `relax-lower-kernel-math` does to a kernel, for code inside of `root`. With `keepCombiners` the single op that
/// puts a step into the result of a linalg reduction stays: schedules that split the reduction ask for its kind.
LogicalResult lowerKernelMath(Operation *root, bool keepCombiners);

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_LOWERKERNELS_KERNELMATH_H
