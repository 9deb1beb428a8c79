//===- Passes.td - Passes across dialects -----------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_PASSES
#define RELAXDIALECT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

#endif // RELAXDIALECT_TRANSFORMS_PASSES
