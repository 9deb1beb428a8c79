//===- Reduce.h - Shrinking modules -----------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_REDUCE_REDUCE_H
#define RELAX_REDUCE_REDUCE_H

#include "mlir/IR/BuiltinOps.h"

namespace relax_reduce {

/// The smallest module that `isInteresting` still accepts and that steps which make a module smaller lead to. Every
/// module that is asked about is valid.
mlir::OwningOpRef<mlir::ModuleOp> reduce(mlir::ModuleOp module, llvm::function_ref<bool(mlir::ModuleOp)> isInteresting);

} // namespace relax_reduce

#endif // RELAX_REDUCE_REDUCE_H
