//===- GraphManipulationOps.td - Moving elements ----------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHMANIPULATIONOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHMANIPULATIONOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_ReshapeOp : Relax_InferredOp<"reshape"> {
  let summary = "The same elements, in row-major order, in another shape.";
  let description = [{
    The numbers of elements must be equal.

    Example: `%r = relax.reshape %x, %s : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, !relax.shape<[n * 4]>) -> tensor<?xf32, #relax_sym.shape<[n * 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_ShapeType:$shape);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand `,` $shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Relax_BroadcastToOp : Relax_InferredOp<"broadcast_to"> {
  let summary = "Repeats elements along dimensions of extent 1 or along new leading dimensions.";
  let description = [{
    Each extent of the operand, aligned at the last dimension, must be 1 or the target's.

    Example: `%r = relax.broadcast_to %x, %s : (tensor<1x4xf32>, !relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_ShapeType:$shape);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand `,` $shape attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Relax_PermuteDimsOp : Relax_TotalInferredOp<"permute_dims"> {
  let summary = "Reorders dimensions.";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the operand.

    Example: `%r = relax.permute_dims %x {permutation = array<i64: 1, 0>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<4x?xf32, #relax_sym.shape<[4, n]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Relax_ExpandDimsOp : Relax_TotalInferredOp<"expand_dims"> {
  let summary = "Inserts dimensions of extent 1.";
  let description = [{
    `axes` are dimensions of the result.

    Example: `%r = relax.expand_dims %x {axes = array<i64: 1>} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?x1xf32, #relax_sym.shape<[n, 1]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Relax_SqueezeOp : Relax_InferredOp<"squeeze"> {
  let summary = "Removes dimensions of extent 1.";
  let description = [{
    `axes` are dimensions of the operand; their extents must be 1.

    Example: `%r = relax.squeeze %x {axes = array<i64: 1>} : (tensor<?x1xf32, #relax_sym.shape<[n, 1]>>) -> tensor<?xf32, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Relax_SliceOp : Relax_InferredOp<"slice"> {
  let summary = "Takes a regular part of a tensor.";
  let description = [{
    Along each axis the elements `start, start + stride, ...` before `end` (after it for a negative stride). Bounds are
    expressions that are clamped already: `0 <= start <= end <= extent` for a positive stride,
    `-1 <= end <= start <= extent - 1` for a negative one. The optional shape value shows symbols that the operand does not.

    Example: `%r = relax.slice %x {axes = array<i64: 0>, starts = [#relax_sym.expr<1>], ends = [#relax_sym.expr<n>], strides = array<i64: 1>} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>) -> tensor<?x4xf32, #relax_sym.shape<[n - 1, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Optional<Relax_ShapeType>:$shape, DenseI64ArrayAttr:$axes,
                       Relax_ExprArrayAttr:$starts, Relax_ExprArrayAttr:$ends, DenseI64ArrayAttr:$strides);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand (`shape` `(` $shape^ `)`)? attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Value":$shape, "::llvm::ArrayRef<int64_t>":$axes,
      "::llvm::ArrayRef<::mlir::relax::sym::SymExpr>":$starts, "::llvm::ArrayRef<::mlir::relax::sym::SymExpr>":$ends,
      "::llvm::ArrayRef<int64_t>":$strides)>];
  let extraClassDeclaration = inferenceDeclaration # [{
    ::llvm::SmallVector<::mlir::relax::sym::SymExpr> getStartExprs();
    ::llvm::SmallVector<::mlir::relax::sym::SymExpr> getEndExprs();
  }];
}

def Relax_ConcatOp : Relax_InferredOp<"concat"> {
  let summary = "Joins tensors along an axis.";
  let description = [{
    The other extents must be equal.

    Example: `%r = relax.concat %x, %y {axis = 0 : i64} : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<2x4xf32>) -> tensor<?x4xf32, #relax_sym.shape<[n + 2, 4]>>`
  }];
  let arguments = (ins Variadic<Relax_Tensor>:$operands, I64Attr:$axis);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operands attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Relax_TakeOp : Relax_InferredOp<"take"> {
  let summary = "Takes slices by index.";
  let description = [{
    The axis is replaced by the dimensions of `indices`. An index outside of `[0, extent)` is a run-time error.

    Example: `%r = relax.take %x, %i {axis = 0 : i64} : (tensor<8x4xf32>, tensor<?xi64, #relax_sym.shape<[n]>>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Relax_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand `,` $indices attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = inferenceDeclaration # [{ bool mayTrapOnValues() { return true; } }];
  let hasFolder = 1;
}

def Relax_PadOp : Relax_InferredOp<"pad", [AttrSizedOperandSegments]> {
  let summary = "Adds elements around a tensor.";
  let description = [{
    `low` and `high` give for each dimension how many elements are added before and after it: expressions >= 0; the optional
    shape value shows symbols that the operand does not. `mode` tells what is added: "constant" the `value` (0 without one),
    "edge" the nearest element, "reflect" the elements mirrored at the first and the last one, "wrap" the elements from the
    other end; the last two go on as far as needed. Only "constant" can add to a dimension of extent 0.

    Example: `%r = relax.pad %x value(%v) {low = [#relax_sym.expr<0>], high = [#relax_sym.expr<2>], mode = "constant"} : (tensor<?xf32, #relax_sym.shape<[n]>>, tensor<f32>) -> tensor<?xf32, #relax_sym.shape<[n + 2]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, Optional<Relax_ShapeType>:$shape, Optional<Relax_Tensor>:$value,
                       Relax_ExprArrayAttr:$low, Relax_ExprArrayAttr:$high, StrAttr:$mode);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand (`shape` `(` $shape^ `)`)? (`value` `(` $value^ `)`)? attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = inferenceDeclaration # [{
    ::llvm::SmallVector<::mlir::relax::sym::SymExpr> getLowExprs();
  }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHMANIPULATIONOPS
