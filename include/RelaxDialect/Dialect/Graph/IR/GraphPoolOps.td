//===- GraphPoolOps.td - Pooling, transposed convolution --*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOOLOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOOLOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

defvar Relax_WindowText = [{
    The operand is (batch, channel, spatial...) with 1 to 3 spatial dimensions. Position `k` of a window reads element
    `o * stride - before + k * dilation`; `pads` holds the elements before each spatial dimension, then those after, each
    fewer than the window covers. A spatial extent is `(in + before + after - dilation * (kernel - 1) - 1) floordiv stride + 1`.
    With `ceil_mode` it is rounded up instead, but every window begins inside of the operand or the elements before it.
    `auto_pad = "same_upper"` makes it `in ceildiv stride` by as few pads as possible, the odd one after, `"same_lower"`
    before; `pads` are then zero.
}];

class Relax_PoolOpBase<string mnemonic, Type operandType, Type resultType, dag attributes>
    : Relax_InferredOp<mnemonic> {
  let arguments = !con((ins operandType:$operand, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                            DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode,
                            OptionalAttr<StrAttr>:$auto_pad), attributes);
  let results = (outs resultType:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  string example = [{

    Example: `%r = relax.}] # mnemonic # [{ %x {kernel = array<i64: 3>, strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>}] # !if(!eq(mnemonic, "lp_pool"), ", p = 2 : i64", "") # [{} : (tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>) -> tensor<?x4x?x}]
    # !if(!eq(mnemonic, "max_pool_indices"), "i64", "f32") # [{, #relax_sym.shape<[n, 4, l]>>`
  }];
}

def Relax_MaxPoolOp : Relax_PoolOpBase<"max_pool", Relax_NumberTensor, Relax_NumberTensor, (ins)> {
  let summary = "Maximum of a moving window.";
  let description = Relax_WindowText # [{
    The maximum is that of the elements inside of the operand; of none it is the lowest value (minus infinity). NaN if one of
    them is NaN.}] # example;
}

def Relax_MaxPoolIndicesOp : Relax_PoolOpBase<"max_pool_indices", Relax_NumberTensor, RankedTensorOf<[I64]>, (ins)> {
  let summary = "Where the maximum of a moving window is.";
  let description = Relax_WindowText # [{
    The row-major index, in the whole operand, of the element that `max_pool` gives: the first of equal ones, the first NaN if
    there is one, -1 of no elements.}] # example;
}

def Relax_AvgPoolOp : Relax_PoolOpBase<"avg_pool", Relax_FloatTensor, Relax_FloatTensor,
                                       (ins UnitAttr:$count_include_pad)> {
  let summary = "Mean of a moving window.";
  let description = Relax_WindowText # [{
    The mean is that of the elements inside of the operand, NaN of none. With `count_include_pad` the pads count as zeros;
    what `ceil_mode` adds after them never counts. f16 is summed in f32.}] # example;
}

def Relax_LpPoolOp : Relax_PoolOpBase<"lp_pool", Relax_FloatTensor, Relax_FloatTensor, (ins I64Attr:$p)> {
  let summary = "Norm of a moving window.";
  let description = Relax_WindowText # [{
    `sum(abs(x)^p)^(1/p)` with `p >= 1` over the elements inside of the operand, 0 of none. f16 is summed in f32.}] # example;
}

class Relax_AdaptivePoolOp<string mnemonic, string meaning, string empty> : Relax_TotalInferredOp<mnemonic> {
  let summary = meaning # " of parts whose number is given.";
  let description = [{
    The operand is (batch, channel, spatial...). Spatial dimension `i` is cut into `output_size[i] >= 1` parts; part `o` of `s`
    is `[(o * in) floordiv s, ((o + 1) * in) ceildiv s)`. }] # empty # [{ f16 is summed in f32.

    Example: `%r = relax.}] # mnemonic # [{ %x {output_size = array<i64: 2>} : (tensor<?x4x?xf32, #relax_sym.shape<[n, 4, l]>>) -> tensor<?x4x2xf32, #relax_sym.shape<[n, 4, 2]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, DenseI64ArrayAttr:$output_size);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = inferenceDefinition # [{
    ::llvm::FailureOr<::mlir::RankedTensorType> $cppClass::inferType(
        ::mlir::relax::graph::TypeInference &inference, Adaptor adaptor) {
      return ::mlir::relax::graph::inferAdaptivePool(inference, adaptor.getOperand(), adaptor.getOutputSize());
    }
  }];
}

def Relax_AdaptiveAvgPoolOp : Relax_AdaptivePoolOp<"adaptive_avg_pool", "Means", "The mean of nothing is NaN.">;
def Relax_AdaptiveMaxPoolOp : Relax_AdaptivePoolOp<"adaptive_max_pool", "Maxima",
                                                   "The maximum of nothing is minus infinity; NaN if an element is NaN.">;

def Relax_ConvTransposeOp : Relax_InferredOp<"conv_transpose"> {
  let summary = "Transposed convolution.";
  let description = [{
    Input (batch, channel, spatial...), weight (channel, out channel / groups, spatial...), 1 to 3 spatial dimensions. Element
    `i` of the input adds `weight[k]` times itself to element `i * stride + k * dilation - before` of the result; other
    elements are 0. A spatial extent is `(in - 1) * stride + dilation * (kernel - 1) + 1 + output_padding - before - after`.
    `pads` holds `before` of each spatial dimension, then `after`; a negative one adds zeros. f16 is summed in f32.

    Example: `%r = relax.conv_transpose %x, %w {strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<?x3x?xf32, #relax_sym.shape<[n, 3, l]>>, tensor<3x8x2xf32>) -> tensor<?x8x?xf32, #relax_sym.shape<[n, 8, l * 2]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$input, Relax_FloatTensor:$weight, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$output_padding,
                       I64Attr:$groups);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$input `,` $weight attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHPOOLOPS
