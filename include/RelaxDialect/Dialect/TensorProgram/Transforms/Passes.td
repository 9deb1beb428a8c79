//===- Passes.td - Passes on tensor programs --------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PASSES
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def RaiseLoopsPass : Pass<"relax-raise-loops", "::mlir::ModuleOp"> {
  let summary = "Turns tensor programs made of loops into linalg.";
  let description = [{
    Before: mixed phase. A program in buffer form whose body is a sequence of `affine.for` or `scf.for` nests with affine
    accesses becomes tensor form: each store becomes a `linalg.generic` (or `linalg.fill`). A store that combines the loaded
    element of the same place with an associative operation becomes a reduction. Loops must run over the whole extents of the
    buffers; several stores in one nest are separated when no iteration reads what another one writes. Workspaces and local
    buffers become `tensor.empty`.

    After: a program that does not fit is untouched, and a remark says why.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def AnnotatePatternKindsPass : Pass<"relax-annotate-pattern-kinds", "::mlir::ModuleOp"> {
  let summary = "Finds out what kind of computation each tensor program is.";
  let description = [{
    Before: any tensor programs. After: each has the attribute `relax_tp.pattern_kind`, computed from its body: the
    indexing maps and iterator types of linalg operations and of loop nests. Data-dependent indices, assertions, extents
    found and everything unknown give "opaque". An attribute that is present is replaced.
  }];
}

def CountWorkPass : Pass<"relax-count-work", "::mlir::relax::tp::ProgramOp"> {
  let summary = "Counts what a tensor program moves and computes.";
  let description = [{
    Before: a tensor program. After: it has the attribute `relax_tp.work`, a map from the scalars of a launch (the dynamic
    extents of all buffers in their order, then the scalar arguments) to bytes and arithmetic operations. Bytes are what has
    to move at least: each input and each out once; of an input that is only read element by element or by slices, what is
    read. Operations are those of `arith` and `math` on elements, without comparisons, selections and conversions. Each is -1
    where sizes come from data or a branch decides what runs.

    Kernels keep the attribute, and become functions that evaluate it for `relax-run --trace` (`relax-wrap-kernels`).
  }];
}

def ConvertTensorProgramToFuncPass : Pass<"relax-convert-tensor-program-to-func", "::mlir::ModuleOp"> {
  let summary = "Turns tensor programs into functions.";
  let description = [{
    Before: tensor programs without callers, or whose callers only need the name (lowered host code). After: each is a
    `func.func` of the same name over memrefs with the identity layout: inputs, outs, workspaces, then the scalars as `index`,
    then the error word `memref<1xi64>`. Tensor form becomes destination-passing and is ready for one-shot bufferization.
    `relax_tp.assert` becomes a store of 1 + site to the error word where that is still 0; the messages are in `relax_tp.sites`.
    Attributes of the program and its arguments are kept, `relax_tp.segments` counts the groups.

    With `tensors` a program in tensor form becomes a function from tensors (inputs, outs, workspaces, scalars) to tensors;
    assertions become `cf.assert`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
  let options = [Option<"tensors", "tensors", "bool", /*default=*/"false", "Make functions over tensors.">];
}

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_TRANSFORMS_PASSES
