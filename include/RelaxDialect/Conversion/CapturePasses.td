//===- CapturePasses.td - Launches that are recorded ------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_CAPTUREPASSES
#define RELAXDIALECT_CONVERSION_CAPTUREPASSES

include "mlir/Pass/PassBase.td"

def CaptureRegionsPass : Pass<"relax-capture-regions", "::mlir::ModuleOp"> {
  let summary = "Marks the calls whose launches are recorded and run again.";
  let description = [{
    Before: the planned phase. After: calls of tensor programs, and of library functions that are `capturable`, of one block have
    the attribute `relax.capture = region` where nothing between them runs other code, reads tensors or makes memory anew:
    loops, calls of functions and of other library functions, programs that find extents, `tensor.extract`,
    `relax.tensor_to_shape`, memory that grows. What stands between them otherwise (shapes, sizes, places in the arena, results,
    the question whether a library is there) can be done before the first one. A branch whose sides hold nothing else has the
    attribute like a call, and its condition is in the key.

    `relax-lower-host` makes of a region a table of the addresses that its launches use and a key, the few sizes from which
    all scalars of the launches follow. The runtime records kernels, positions in the table and scalars for a key once, and
    runs the list with the addresses of later calls (docs/Passes/GraphCapture.md).
  }];
  let options = [
    Option<"minCalls", "min-calls", "unsigned", /*default=*/"2", "Least number of calls in a region.">,
    Option<"maxCalls", "max-calls", "unsigned", /*default=*/"256", "Greatest number of calls in a region.">];
}

#endif // RELAXDIALECT_CONVERSION_CAPTUREPASSES
