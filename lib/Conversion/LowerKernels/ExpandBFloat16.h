//===- ExpandBFloat16.h - bf16 without instructions for it -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_LOWERKERNELS_EXPANDBFLOAT16_H
#define RELAX_LIB_CONVERSION_LOWERKERNELS_EXPANDBFLOAT16_H

#include "mlir/IR/Operation.h"

namespace mlir::relax {

/// Computes what `root` does with bf16 in f32 and rounds each result once. Conversions are written with integers: the
/// instructions that some CPUs have flush small numbers to zero.
void expandBFloat16(Operation *root);

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_LOWERKERNELS_EXPANDBFLOAT16_H
