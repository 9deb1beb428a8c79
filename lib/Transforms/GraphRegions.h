//===- GraphRegions.h - Regions that only group ops ------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_GRAPHREGIONS_H
#define RELAXDIALECT_LIB_TRANSFORMS_GRAPHREGIONS_H

#include "mlir/IR/Operation.h"

namespace mlir::relax {

/// Puts the ops of a `relax.fusion_group` or `relax.dataflow` back into the block around it.
void dissolveGraphRegion(Operation *op);
/// Does so for all of them below `root`.
void dissolveGraphRegions(Operation *root);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_GRAPHREGIONS_H
