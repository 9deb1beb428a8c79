//===- GraphSearchOps.td - Data-dependent ops -------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSEARCHOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSEARCHOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_UniqueOp : Relax_ComputeOp<"unique", [DeclareOpInterfaceMethods<RelaxSym_SymbolBinderOpInterface, ["getDerivedFacts"]>]> {
  let summary = "The different elements of a tensor, sorted.";
  let description = [{
    The operand is flattened. Binds one symbol, the number of elements found; it is at most the operand's number of elements.
    Any NaN counts as one element, after all others.

    Example: `%r = relax.unique %x binds [u] : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[u]>>`
  }];
  let arguments = (ins Relax_ComputedTensor:$operand, StrAttr:$symbol);
  let results = (outs Relax_ComputedTensor:$result);
  let assemblyFormat = "$operand `binds` ` ` `[` custom<SymbolName>($symbol) `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Relax_NonzeroOp : Relax_BinderOp<"nonzero"> {
  let summary = "Positions of the elements that are not zero.";
  let description = [{
    One column for each element found, in row-major order, with its index along every dimension. Binds one symbol, the number
    of elements found; it is at most the operand's number of elements. NaN is not zero.

    Example: `%r = relax.nonzero %x binds [u] : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<2x?xi64, #relax_sym.shape<[2, u]>>`
  }];
  let arguments = (ins Relax_ComputedTensor:$operand, StrArrayAttr:$binds);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$operand `` custom<BoundSymbols>($binds) attr-dict `:` functional-type(operands, results)";
}

def Relax_ArgsortOp : Relax_TotalInferredOp<"argsort"> {
  let summary = "The order that sorts along an axis.";
  let description = [{
    Taking the elements at these indices along the axis sorts them. Equal elements keep their order (also with `descending`).
    NaN counts as larger than every number, false as less than true.

    Example: `%r = relax.argsort %x {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xi64, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_ComputedTensor:$operand, I64Attr:$axis, UnitAttr:$descending);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHSEARCHOPS
