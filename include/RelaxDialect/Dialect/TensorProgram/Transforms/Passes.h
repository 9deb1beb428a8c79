//===- Passes.h - Passes on tensor programs --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PASSES_H
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PASSES_H

#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax::tp {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h.inc"

/// Brings a program from buffer form to tensor form. On failure nothing has changed, `reason` says why and `where` is
/// the operation that does not fit.
LogicalResult raiseToTensorForm(ProgramOp program, std::string &reason, Operation *&where);

} // namespace mlir::relax::tp

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PASSES_H
