//===- RelaxTransformOps.h - Transform ops on handles ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_TRANSFORMOPS_RELAXTRANSFORMOPS_H
#define RELAXDIALECT_TRANSFORMS_TRANSFORMOPS_RELAXTRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "RelaxDialect/Transforms/TransformOps/RelaxTransformOps.h.inc"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::relax {

/// `transform.relax.*`, there as soon as the transform dialect is.
void registerTransformOps(DialectRegistry &registry);

} // namespace mlir::relax

#endif // RELAXDIALECT_TRANSFORMS_TRANSFORMOPS_RELAXTRANSFORMOPS_H
