//===- FrontendPasses.td - From other dialects ------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_FRONTENDPASSES
#define RELAXDIALECT_CONVERSION_FRONTENDPASSES

include "mlir/Pass/PassBase.td"

def ImportStablehloPass : Pass<"relax-import-stablehlo", "::mlir::ModuleOp"> {
  let summary = "Makes graph functions of functions in StableHLO.";
  let description = [{
    Before: functions with ops of `stablehlo` and `chlo` in the generic form, which needs no library of theirs
    (`--allow-unregistered-dialect`). After: graph functions. Calls between them are inlined.

    Each `?` of an argument is a symbol (`d0`, `d1`, ..; those of `relax_sym.shape` on the argument where it is there), and
    each other extent an expression in them: tensors with which the module computes shapes are followed element by
    element. Where an op needs two symbols of the arguments to be equal they become one; shape assertions become facts.
    Both are checked at entry. An op that is not known, or a form of one, is an error that names it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::mlir::relax::graph::RelaxDialect"];
}

def ImportTosaPass : Pass<"relax-import-tosa", "::mlir::ModuleOp"> {
  let summary = "Makes graph functions of functions in TOSA.";
  let description = [{
    Before: functions with ops of `tosa`. After: graph functions, with symbols for the extents that are not known, as
    `relax-import-stablehlo` makes them; extents are broadcast as there: equal, or one of them is 1. Zero points that are not
    0, rounding shifts and ops of integers with a scale (`rescale`, `table`) are errors that name the op, as is everything
    else that is not known.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def ImportLinalgPass : Pass<"relax-import-linalg", "::mlir::ModuleOp"> {
  let summary = "Makes graph functions of functions in linalg on tensors.";
  let description = [{
    Before: functions on ranked tensors with ops of `linalg`, `tensor`, and `arith`, `math` on tensors. After: graph functions.
    Each linalg op is a call of a tensor program that holds it, together with the `linalg.fill` that it starts from; what
    moves whole tensors is a graph op. Symbols are those of the unknown extents of the arguments, index arithmetic becomes
    expressions. Dimensions that an indexing map walks with one loop are equal: symbols of arguments become one, other
    extents are facts; both are checked at entry. So is that no other index of a map leaves its tensor.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::mlir::relax::graph::RelaxDialect", "::mlir::relax::tp::RelaxTpDialect"];
}

#endif // RELAXDIALECT_CONVERSION_FRONTENDPASSES
