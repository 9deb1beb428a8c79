//===- Passes.h - Passes about the symbols of any IR -----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_TRANSFORMS_PASSES_H
#define RELAXDIALECT_DIALECT_SYM_TRANSFORMS_PASSES_H

#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax::sym {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Dialect/Sym/Transforms/Passes.h.inc"

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_DIALECT_SYM_TRANSFORMS_PASSES_H
