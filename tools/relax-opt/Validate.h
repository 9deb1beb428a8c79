//===- Validate.h - Validation of pipelines by execution --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_OPT_VALIDATE_H
#define RELAX_OPT_VALIDATE_H

#include "mlir/IR/DialectRegistry.h"

namespace relax_opt {

/// Runs a pipeline and executes the module before and after each pass (docs/Validation.md). `text` is
/// `[seed=N] [samples=N] [optimize=0..3] [reproducer=FILE] pipeline=...`. The exit code: 1 when a pass changes an
/// answer or fails.
int validate(llvm::StringRef text, llvm::StringRef input, const mlir::DialectRegistry &registry);

} // namespace relax_opt

#endif // RELAX_OPT_VALIDATE_H
