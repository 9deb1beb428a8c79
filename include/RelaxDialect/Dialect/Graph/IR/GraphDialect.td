//===- GraphDialect.td - The relax dialect ----------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT

include "mlir/IR/OpBase.td"

def Relax_Dialect : Dialect {
  let name = "relax";
  let cppNamespace = "::mlir::relax::graph";
  let summary = "Graph operations over tensors with symbolic shapes.";
  let description = [{
    Operations on whole tensors whose extents are symbolic expressions, calls of tensor programs and library functions, shape
    values, and the operations of the memory phases. See docs/Spec.md section 3.
  }];
  let dependentDialects = [
    "::mlir::relax::sym::RelaxSymDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  // One registration function per op family, defined beside its ops.
  let extraClassDeclaration = [{
    void registerCallOps();
    void registerComposedOps();
    void registerCreationOps();
    void registerDataflowOps();
    void registerElementwiseOps();
    void registerIndexingOps();
    void registerLinearAlgebraOps();
    void registerManipulationOps();
    void registerMemoryOps();
    void registerReductionOps();
    void registerSearchOps();
    void registerShapeOps();
    void registerWeightOps();
  }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT
