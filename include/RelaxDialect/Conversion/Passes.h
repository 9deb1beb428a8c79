//===- Passes.h - Passes that leave the relax dialects ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_PASSES_H
#define RELAXDIALECT_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::relax {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Conversion/Passes.h.inc"

} // namespace mlir::relax

#endif // RELAXDIALECT_CONVERSION_PASSES_H
