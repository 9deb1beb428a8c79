//===- GraphPositionOps.td - Positions as values ----------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOSITIONOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOSITIONOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_IotaOp : Relax_TotalInferredOp<"iota"> {
  let summary = "A tensor whose elements are their index along an axis.";
  let description = [{
    Elements are i64: 0, 1, 2... along `axis`, the same along the others.

    Example: `%r = relax.iota %s {axis = 0 : i64} : (!relax.shape<[n, 4]>) -> tensor<?x4xi64, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_ShapeType:$shape, I64Attr:$axis);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$shape attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOSITIONOPS
