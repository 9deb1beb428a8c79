//===- FrontendPasses.h - From other dialects ----------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_FRONTENDPASSES_H
#define RELAXDIALECT_CONVERSION_FRONTENDPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Conversion/FrontendPasses.h.inc"

} // namespace mlir::relax

#endif // RELAXDIALECT_CONVERSION_FRONTENDPASSES_H
