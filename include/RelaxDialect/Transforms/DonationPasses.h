//===- DonationPasses.h - Memory of arguments ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_DONATIONPASSES_H
#define RELAXDIALECT_TRANSFORMS_DONATIONPASSES_H

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Transforms/DonationPasses.h.inc"

} // namespace mlir::relax

#endif // RELAXDIALECT_TRANSFORMS_DONATIONPASSES_H
