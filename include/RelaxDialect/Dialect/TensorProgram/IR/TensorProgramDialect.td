//===- TensorProgramDialect.td - The relax_tp dialect -----*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAMDIALECT
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAMDIALECT

include "mlir/IR/OpBase.td"

def RelaxTp_Dialect : Dialect {
  let name = "relax_tp";
  let cppNamespace = "::mlir::relax::tp";
  let summary = "Tensor programs: what a call of the graph level computes.";
  let description = [{
    A tensor program is a function over plain tensors or buffers with explicit destinations. Its body is written in
    upstream dialects: linalg and tensor in tensor form, loops over memrefs in buffer form. See docs/Spec.md section 4.
  }];
  let dependentDialects = ["::mlir::relax::sym::RelaxSymDialect"];
  let hasOperationAttrVerify = 1;
}

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAMDIALECT
