//===- GraphLinearAlgebraOps.td - Products ----------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHLINEARALGEBRAOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHLINEARALGEBRAOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

def Relax_MatmulOp : Relax_InferredOp<"matmul"> {
  let summary = "Matrix product.";
  let description = [{
    The last two dimensions are multiplied, the dimensions before them are broadcast. A left operand of rank 1 is a row, a
    right one a column; the result does not have that dimension. The inner extents must be equal; inner extent 0 gives 0. f16
    is summed in f32.

    Example: `%r = relax.matmul %x, %w : (tensor<?x4xf32, #relax_sym.shape<[n, 4]>>, tensor<4x8xf32>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>`
  }];
  let arguments = (ins Relax_NumberTensor:$lhs,
                       Relax_NumberTensor:$rhs);
  let results = (outs Relax_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Relax_ConvOp : Relax_InferredOp<"conv"> {
  let summary = "Convolution.";
  let description = [{
    Input (batch, channel, spatial...), weight (out channel, channel / groups, spatial...), 1 to 3 spatial dimensions. The
    kernel is not mirrored. `pads` holds the zeros before each spatial dimension, then those after. A spatial extent is
    `(in + before + after - dilation * (kernel - 1) - 1) floordiv stride + 1`; a kernel that is larger than the padded input
    by more than one element is an error. `auto_pad = "same_upper"` makes the extent `in ceildiv stride` by as few zeros as
    possible, the odd one after, `"same_lower"` before; `pads` are then zero. f16 is summed in f32, integers wrap around.

    Example: `%r = relax.conv %x, %w {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x3x?xf32, #relax_sym.shape<[n, 3, l]>>, tensor<8x3x3xf32>) -> tensor<?x8x?xf32, #relax_sym.shape<[n, 8, l]>>`
  }];
  let arguments = (ins Relax_NumberTensor:$input,
                       Relax_NumberTensor:$weight, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       OptionalAttr<StrAttr>:$auto_pad);
  let results = (outs Relax_NumberTensor:$result);
  let assemblyFormat = "$input `,` $weight attr-dict `:` functional-type(operands, results)";
}

def Relax_ConvChannelsLastOp : Relax_InferredOp<"conv_channels_last"> {
  let summary = "Convolution of images whose channels are last.";
  let description = [{
    `relax.conv` with input and result (batch, spatial..., channel). The weight is (out channel, channel / groups, spatial...) all
    the same. `relax-convert-conv-layout` makes it.

    Example: `%r = relax.conv_channels_last %x, %w {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64} : (tensor<?x?x3xf32, #relax_sym.shape<[n, l, 3]>>, tensor<8x3x3xf32>) -> tensor<?x?x8xf32, #relax_sym.shape<[n, l, 8]>>`
  }];
  let arguments = (ins Relax_NumberTensor:$input,
                       Relax_NumberTensor:$weight, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$groups,
                       OptionalAttr<StrAttr>:$auto_pad);
  let results = (outs Relax_NumberTensor:$result);
  let assemblyFormat = "$input `,` $weight attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHLINEARALGEBRAOPS
