//===- GraphIndexingOps.td - Places known at run time -----*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINDEXINGOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINDEXINGOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_DynamicSliceOp : Relax_BinderOp<"dynamic_slice"> {
  let summary = "Takes a regular part of a tensor; bounds come from tensors.";
  let description = [{
    As `x[start:end:stride]` in Python, along each of `axes`: a negative bound counts from the end, what lies outside is cut off,
    a negative stride goes backward; a stride of 0 is a run-time error. Without `strides` each is 1. Binds the extent of each
    sliced axis, which is at most the operand's. Bounds that are known become a `relax.slice`.

    Example: `%r = relax.dynamic_slice %x, %b, %e binds [u] {axes = array<i64: 0>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32, #relax_sym.shape<[u, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_IndexTensor:$starts, Relax_IndexTensor:$ends,
                       Optional<Relax_IndexTensor>:$strides, DenseI64ArrayAttr:$axes, StrArrayAttr:$binds);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $starts `,` $ends (`strides` `(` $strides^ `)`)? `` custom<BoundSymbols>($binds) attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = inferenceDeclaration # [{ bool mayTrapOnValues() { return true; } }];
  let hasCanonicalizeMethod = 1;
}

// An op that refuses indices at run time.
class Relax_IndexingOp<string mnemonic> : Relax_InferredOp<mnemonic> {
  let results = (outs Relax_Tensor:$result);
  let extraClassDeclaration = inferenceDeclaration # [{ bool mayTrapOnValues() { return true; } }];
}

def Relax_TakeAlongAxisOp : Relax_IndexingOp<"take_along_axis"> {
  let summary = "Takes one element for each index, along an axis.";
  let description = [{
    `r[.., i, ..] = x[.., indices[.., i, ..], ..]`. The result has the shape of `indices`, which along the other dimensions may not be
    larger than the operand. An index outside of `[0, extent)` is a run-time error.

    Example: `%r = relax.take_along_axis %x, %i {axis = 1 : i64} : (tensor<?x8xf32, #relax_sym.shape<[n, 8]>>, tensor<?x2xi64, #relax_sym.shape<[n, 2]>>) -> tensor<?x2xf32, #relax_sym.shape<[n, 2]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_IndexTensor:$indices, I64Attr:$axis);
  let assemblyFormat = "$operand `,` $indices attr-dict `:` functional-type(operands, results)";
}

def Relax_GatherNDOp : Relax_IndexingOp<"gather_nd"> {
  let summary = "Takes slices by index tuples.";
  let description = [{
    The last dimension of `indices`, of static extent k, holds indices into k dimensions of the operand, those behind the first
    `batch_dims`, which both have in common. The result has the dimensions of `indices` without the last, then those of the operand
    that are not indexed. An index outside of `[0, extent)` is a run-time error.

    Example: `%r = relax.gather_nd %x, %i {batch_dims = 0 : i64} : (tensor<3x4x5xf32>, tensor<?x2xi64, #relax_sym.shape<[n, 2]>>) -> tensor<?x5xf32, #relax_sym.shape<[n, 5]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_IndexTensor:$indices, I64Attr:$batch_dims);
  let assemblyFormat = "$operand `,` $indices attr-dict `:` functional-type(operands, results)";
}

def Relax_ScatterElementsOp : Relax_IndexingOp<"scatter_elements"> {
  let summary = "A copy with other elements at some indices along an axis.";
  let description = [{
    `r[.., indices[.., i, ..], ..] = updates[.., i, ..]`, in row-major order of the updates: the last one wins. `reduction` is "none", or
    "add", "mul", "max" or "min" with what is there. `indices` and `updates` have one shape, which along the other dimensions may not be
    larger than the operand. An index outside of `[0, extent)` is a run-time error.

    Example: `%r = relax.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = "add"} : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<?xi64, #relax_sym.shape<[m]>>, tensor<?xf32, #relax_sym.shape<[m]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_IndexTensor:$indices, Relax_Tensor:$updates, I64Attr:$axis,
                       StrAttr:$reduction);
  let assemblyFormat = "$operand `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)";
}

def Relax_ScatterNDOp : Relax_IndexingOp<"scatter_nd"> {
  let summary = "A copy with other slices at some index tuples.";
  let description = [{
    The last dimension of `indices`, of static extent k, holds indices into the first k dimensions of the operand; the slice there
    becomes the one of `updates`, whose shape is that of `indices` without the last dimension, then the rest of the operand's. Done in
    row-major order: the last one wins. `reduction` is "none", or "add", "mul", "max" or "min" with what is there. An index outside of
    `[0, extent)` is a run-time error.

    Example: `%r = relax.scatter_nd %x, %i, %u {reduction = "none"} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<?x1xi64, #relax_sym.shape<[m, 1]>>, tensor<?x4xf32, #relax_sym.shape<[m, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_IndexTensor:$indices, Relax_Tensor:$updates, StrAttr:$reduction);
  let assemblyFormat = "$operand `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHINDEXINGOPS
