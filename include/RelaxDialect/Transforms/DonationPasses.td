//===- DonationPasses.td - Memory of arguments ------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_DONATIONPASSES
#define RELAXDIALECT_TRANSFORMS_DONATIONPASSES

include "mlir/Pass/PassBase.td"

def ReuseDonatedPass : Pass<"relax-reuse-donated", "::mlir::ModuleOp"> {
  let summary = "Places results in the memory of donated arguments.";
  let description = [{
    Before: the destination phase. An argument with the attribute `relax.donated` is memory that the function may write where
    a call agrees. A result that is made when nothing reads such an argument any more, and is not larger, is marked
    `relax.donated = argument` beside `relax.output`: the runtime hands out that memory, or other memory where the call does
    not donate it. A program that changes elements of the argument and reads it nowhere else (one loop that reads and writes
    the same place, slices written over it) is replaced by one that finds the elements in its out; the result is marked
    `relax.extends` too. Each argument lends its memory to one result.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::relax::graph::RelaxDialect",
                           "::mlir::relax::tp::RelaxTpDialect"];
}

#endif // RELAXDIALECT_TRANSFORMS_DONATIONPASSES
