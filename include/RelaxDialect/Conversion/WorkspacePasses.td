//===- WorkspacePasses.td - Scratch memory of kernels -----*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_CONVERSION_WORKSPACEPASSES
#define RELAXDIALECT_CONVERSION_WORKSPACEPASSES

include "mlir/Pass/PassBase.td"

def LiftWorkspacesPass : Pass<"relax-lift-workspaces", "::mlir::ModuleOp"> {
  let summary = "Makes scratch memory of tensor programs an argument that the caller plans.";
  let description = [{
    Before: mixed phase, programs as they will be lowered. After: an intermediate buffer of unknown size that the kernel of a
    private program would allocate each time it runs is a workspace argument instead, with its extents as expressions of the program's
    symbols; `relax-make-destinations` and `relax-plan-memory` give it a place like any destination. The kernel does not allocate, so that it can also
    be divided into parts (`relax-partition-kernels`).

    Which buffers a kernel needs shows when it is scheduled: a copy of each program that may need one is scheduled and
    bufferized, and thrown away. Programs that work row by row stay as they are, their buffers are small.
    What has a size that no argument tells (found while the kernel runs) stays an allocation.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::relax::tp::RelaxTpDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // RELAXDIALECT_CONVERSION_WORKSPACEPASSES
