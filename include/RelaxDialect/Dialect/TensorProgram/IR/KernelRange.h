//===- KernelRange.h - How a kernel is divided -----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_KERNELRANGE_H
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_KERNELRANGE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::relax::tp {

/// On a kernel whose last two scalars are a range of parts (relax-partition-kernels): `{buffer, dim, unit, work}`. The
/// parts are `unit` steps of dimension `dim` of argument `buffer` each; `work` is a constant and pairs of argument and
/// dimension whose product counts the steps of all loops.
inline constexpr llvm::StringLiteral kRangeAttrName = "relax_tp.range";

/// What a launch moves and computes (relax-count-work): a map from its scalars to bytes and arithmetic operations, -1
/// where not known.
inline constexpr llvm::StringLiteral kWorkAttrName = "relax_tp.work";

} // namespace mlir::relax::tp

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_KERNELRANGE_H
