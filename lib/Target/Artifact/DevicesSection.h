//===- DevicesSection.h - Devices section of a module ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_ARTIFACT_DEVICESSECTION_H
#define RELAXDIALECT_LIB_TARGET_ARTIFACT_DEVICESSECTION_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlir::relax {

/// The bytes of the devices section from the table of device code; none without a table. A malformed one is reported.
LogicalResult encodeDevices(ModuleOp module, std::string &bytes);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TARGET_ARTIFACT_DEVICESSECTION_H
