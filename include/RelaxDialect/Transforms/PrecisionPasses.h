//===- PrecisionPasses.h - Products of fewer bits ---------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_PRECISIONPASSES_H
#define RELAXDIALECT_TRANSFORMS_PRECISIONPASSES_H

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Transforms/PrecisionPasses.h.inc"

} // namespace mlir::relax

#endif // RELAXDIALECT_TRANSFORMS_PRECISIONPASSES_H
