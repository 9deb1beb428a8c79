//===- DevicePasses.h - Kernels of devices ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_DEVICEPASSES_H
#define RELAXDIALECT_CONVERSION_DEVICEPASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::relax {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RelaxDialect/Conversion/DevicePasses.h.inc"

} // namespace mlir::relax

#endif // RELAXDIALECT_CONVERSION_DEVICEPASSES_H
