//===- EntryPoints.h - Functions that an artifact offers -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TARGET_ENTRYPOINTS_H
#define RELAXDIALECT_TARGET_ENTRYPOINTS_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace mlir::relax {

/// Makes every function private that is not an entry, so that it is inlined or removed. Entries are the functions that
/// `names` gives, where '*' names every public one; without names 'main', else the only public one. On failure `error`
/// tells what the module has; `option` is how the user gives names.
LogicalResult selectEntryPoints(ModuleOp module, ArrayRef<std::string> names, std::string &error,
                                StringRef option = "functions");

} // namespace mlir::relax

#endif // RELAXDIALECT_TARGET_ENTRYPOINTS_H
