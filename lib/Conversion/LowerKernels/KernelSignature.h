//===- KernelSignature.h - What counts as a kernel -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_KERNELSIGNATURE_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_KERNELSIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relax {

/// The arguments of a kernel by role. Results are the extents found, as index values.
struct KernelSignature {
  SmallVector<MemRefType> buffers;
  unsigned numScalars = 0;
  unsigned numExtents = 0;

  unsigned getErrorIndex() const { return buffers.size() + numScalars; }
};

/// The signature when `function` is a kernel: buffers with identity layout, index scalars, a trailing memref<1xi64>.
/// On failure `reason`, when given, tells what does not fit.
std::optional<KernelSignature> getKernelSignature(func::FuncOp function, std::string *reason = nullptr);

/// A new error site of `kernel`; gives the value of the error word that names it. Until relax-wrap-kernels the words of
/// a kernel count its own sites (`relax_tp.sites`).
int64_t addKernelSite(func::FuncOp kernel, const Twine &message);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERKERNELS_KERNELSIGNATURE_H
