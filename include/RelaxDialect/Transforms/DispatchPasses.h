//===- DispatchPasses.h - Patterns as data and libraries -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_DISPATCHPASSES_H
#define RELAXDIALECT_TRANSFORMS_DISPATCHPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::relax {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Transforms/DispatchPasses.h.inc"

} // namespace mlir::relax

#endif // RELAXDIALECT_TRANSFORMS_DISPATCHPASSES_H
