//===- ReportPasses.h - Passes that tell and change nothing ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_REPORTPASSES_H
#define RELAXDIALECT_TRANSFORMS_REPORTPASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Transforms/ReportPasses.h.inc"

/// JSON with the memory report of each function, `{"main": {...}}`, from the planned phase on.
std::string collectMemoryReports(ModuleOp module);

/// The page of relax-draw-memory for such JSON.
std::string drawMemoryReports(StringRef reports);

} // namespace mlir::relax

#endif // RELAXDIALECT_TRANSFORMS_REPORTPASSES_H
