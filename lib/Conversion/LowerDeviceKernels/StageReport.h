//===- StageReport.h - What a stage moves and computes ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_STAGEREPORT_H
#define RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_STAGEREPORT_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::relax {

/// What a workgroup does for one unit of its work, counted on the code of a stage: bytes of device memory, operations
/// on floating-point numbers, bytes of its own memory. A line for the unit, one for a step of each loop whose length is
/// not constant. What is under a condition counts as done.
ArrayAttr reportStage(gpu::GPUFuncOp stage);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_CONVERSION_LOWERDEVICEKERNELS_STAGEREPORT_H
