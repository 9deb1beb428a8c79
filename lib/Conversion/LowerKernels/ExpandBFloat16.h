//===- ExpandBFloat16.h - bf16 without instructions for it -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_LOWERKERNELS_EXPANDBFLOAT16_H
#define RELAX_LIB_CONVERSION_LOWERKERNELS_EXPANDBFLOAT16_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::relax {

/// Computes what `root` does with bf16 in f32 and rounds each result once. Conversions are written with integers: the
/// instructions that some CPUs have flush small numbers to zero. Where nothing but moves of elements is left, these
/// become 16 bits without a meaning. `kept` stay as they are.
void expandBFloat16(Operation *root, const DenseSet<Operation *> &kept = {});

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_LOWERKERNELS_EXPANDBFLOAT16_H
