//===- DispatchLibraries.h - Library functions for graph ops ---*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_DISPATCHLIBRARIES_H
#define RELAXDIALECT_LIB_TRANSFORMS_DISPATCHLIBRARIES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::relax {

/// Tries the patterns of a file at the ops of the module that `isRoot` accepts; appends the choices that it makes.
/// Fails, with a diagnostic, when the file cannot be read.
LogicalResult dispatchLibraries(ModuleOp module, StringRef path, llvm::function_ref<bool(Operation *)> isRoot,
                                SmallVectorImpl<scf::IfOp> &choices);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_DISPATCHLIBRARIES_H
