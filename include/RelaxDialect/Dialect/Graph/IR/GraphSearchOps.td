//===- GraphSearchOps.td - Data-dependent ops -------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSEARCHOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSEARCHOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_UniqueOp : Relax_ComputeOp<"unique", [DeclareOpInterfaceMethods<RelaxSym_SymbolBinderOpInterface>]> {
  let summary = "The different elements of a tensor, sorted.";
  let description = [{
    The operand is flattened. Binds one symbol, the number of elements found; it is at most the operand's number of elements.
    Any NaN counts as one element, after all others.

    Example: `%r = relax.unique %x binds [u] : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[u]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, StrAttr:$symbol);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand `binds` ` ` `[` custom<SymbolName>($symbol) `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSEARCHOPS
