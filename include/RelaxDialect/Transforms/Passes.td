//===- Passes.td - Passes across dialects -----------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_PASSES
#define RELAXDIALECT_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// From values to memory (docs/Spec.md section 3.2)
//===----------------------------------------------------------------------===//

def MakeDestinationsPass : Pass<"relax-make-destinations", "::mlir::ModuleOp"> {
  let summary = "Gives every call explicit destinations.";
  let description = [{
    Before: calls of tensor programs and library functions are values. After: each has `into(%d)`, where `%d` is a
    `relax.alloc` of its own whose shape operands come from the call's operands. A tensor that the function returns once is
    marked `relax.output = index`: it is written straight into the output. Calls in place become ordinary ones.
    Fails where an extent of a destination is not known.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def VerifyDestinationsPass : Pass<"relax-verify-destinations", "::mlir::ModuleOp"> {
  let summary = "Checks the end of the destination phase.";
  let description = [{
    Every call has destinations, each a `relax.alloc` that no other call uses; no computing graph op and no op of the planned
    phase is there.
  }];
}

def PlanMemoryPass : Pass<"relax-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Places destinations in one arena per call, sharing memory where sizes are proved to fit.";
  let description = [{
    Before: the destination phase, structured control flow. After: each `relax.alloc` is a `relax.tensor_at`. A destination
    takes over the memory of tensors that are not needed any more when their size is proved to be at least its own, or grows
    memory that is proved to be smaller, whatever the element types. What lives inside of a branch or loop is kept for the
    whole of it. Sizes found while running count with their bound (`u <= n * m`), or get memory of their own. All storages of a
    function lie in one arena at multiples of 64 bytes. The function attribute `relax.memory_report` tells the planned bytes,
    a lower bound and which reuse was not proved, as JSON.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect", "::mlir::arith::ArithDialect"];
}

def VerifyPlannedPass : Pass<"relax-verify-planned", "::mlir::ModuleOp"> {
  let summary = "Checks the end of the planned phase and the plan.";
  let description = [{
    No `relax.alloc` is left, destinations are `relax.tensor_at` inside of their storage, and no op writes bytes whose
    contents are still needed unless they are proved to be apart. Independent of relax-plan-memory.
  }];
}

#endif // RELAXDIALECT_TRANSFORMS_PASSES
