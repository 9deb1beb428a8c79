//===- PrecisionPasses.td - Products of fewer bits --------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_TRANSFORMS_PRECISIONPASSES
#define RELAXDIALECT_TRANSFORMS_PRECISIONPASSES

include "mlir/Pass/PassBase.td"

def MixedPrecisionPass : Pass<"relax-mixed-precision", "::mlir::ModuleOp"> {
  let summary = "Multiplies f16 or bf16 numbers and sums them in f32.";
  let description = [{
    Before: mixed phase, before fusion. After: a call of a program that sums products of f32 numbers of two inputs, of which one is read
    several times (matrix products, convolutions; found from loops, index maps and bodies), calls a program that reads these inputs in the
    type `to` and sums in f32 as before; `relax.astype`, to be legalized, makes them, before permutations and the like. A value that
    was converted from that type is read as it was. Everything else stays as it is. Calls with the
    attribute `relax.pinned`, which legalization takes over from ops, stay as they are too. This changes results: no pipeline does it
    unless it is asked to.
  }];
  let options = [
    Option<"to", "to", "std::string", /*default=*/"\"bf16\"", "f16 or bf16.">,
    Option<"weightsOnly", "weights-only", "bool", /*default=*/"false",
           "Only inputs that are weights; what they are multiplied by stays f32.">,
    Option<"blobDirectory", "blob-directory", "std::string", /*default=*/"\"\"",
           "Where weight files with relative names are.">
  ];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"];
}

#endif // RELAXDIALECT_TRANSFORMS_PRECISIONPASSES
