//===- GraphCreationOps.td - Making tensors ---------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCREATIONOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCREATIONOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_FullOp : Relax_TotalInferredOp<"full"> {
  let summary = "A tensor whose elements are all the same.";
  let description = [{
    The element type is that of `value`.

    Example: `%r = relax.full %s, 1.0 : f32 : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_ShapeType:$shape, TypedAttrInterface:$value);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$shape `,` $value attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCREATIONOPS
