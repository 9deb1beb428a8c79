//===- Version.h - Version of the project ----------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_SUPPORT_VERSION_H
#define RELAXDIALECT_SUPPORT_VERSION_H

#include "mlir/Support/LLVM.h"

namespace mlir::relax {
/// "major.minor.patch", as the build gives it.
StringRef getVersion();
} // namespace mlir::relax

#endif // RELAXDIALECT_SUPPORT_VERSION_H
