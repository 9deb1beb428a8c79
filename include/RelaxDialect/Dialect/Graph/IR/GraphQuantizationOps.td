//===- GraphQuantizationOps.td - Numbers of few bits ------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHQUANTIZATIONOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHQUANTIZATIONOPS

include "RelaxDialect/Dialect/Graph/IR/GraphCompositeBase.td"

def Relax_StorageTensor : RankedTensorOf<[I8, I16, I32]>;

defvar Relax_FormatText = [{
    Numbers of few bits are stored in tensors of plain integers; `format` says what the bits mean: `i2` `u2` `i4` `u4` `i8` `u8`
    `i16` `u16` `i32`, `f4e2m1fn` `f8e4m3fn` `f8e5m2` `f8e4m3fnuz` `f8e5m2fnuz` `f8e8m0fnu`. Formats of 8 bits and less are
    stored in i8, others in the signless type of their width. Below 8 bits several numbers share a byte along the last
    dimension, the first in the low bits; the stored extent is `extent ceildiv numbers-per-byte`, the rest of the bits is 0.
}];

def Relax_DecodeOp : Relax_TotalInferredOp<"decode"> {
  let summary = "Elementwise reading of numbers of few bits.";
  let description = Relax_FormatText # [{
    The result has element type `dtype`: a float type, or for integer formats an integer type that holds every value. Where a
    byte holds several numbers the last extent is multiplied.

    Example: `%r = relax.decode %x {format = "u4", dtype = f32} : (tensor<?x8xi8, #relax_sym.shape<[n, 8]>>) -> tensor<?x16xf32, #relax_sym.shape<[n, 16]>>`
  }];
  let arguments = (ins Relax_StorageTensor:$operand, StrAttr:$format, TypeAttr:$dtype);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Relax_EncodeOp : Relax_TotalInferredOp<"encode"> {
  let summary = "Elementwise conversion to numbers of few bits.";
  let description = Relax_FormatText # [{
    Rounds to the nearest, ties to even (`f8e8m0fnu`: up). Integer formats take the nearest value that they have, and 0 for NaN.
    Float formats take infinity, else NaN, else the largest value where the number is too large; with `saturate` always the
    largest value. NaN stays NaN (`f4e2m1fn`: -0).

    Example: `%r = relax.encode %x {format = "f8e4m3fn"} : (tensor<?x8xf32, #relax_sym.shape<[n, 8]>>) -> tensor<?x8xi8, #relax_sym.shape<[n, 8]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, StrAttr:$format, UnitAttr:$saturate);
  let results = (outs Relax_StorageTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Relax_BitcastOp : Relax_TotalInferredOp<"bitcast"> {
  let summary = "The bits of each element as another type of the same width.";
  let description = [{
    For types of 8 bits and more; bools have no bits. Compiled code keeps those of NaNs, the interpreter has one NaN.

    Example: `%r = relax.bitcast %x {dtype = i32} : (tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xi32, #relax_sym.shape<[n]>>`
  }];
  let arguments = (ins Relax_Tensor:$operand, TypeAttr:$dtype);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

defvar Relax_ScaleText = [{
    Scale and zero point are scalars (rank 0); with `axis` vectors along that axis; with `axis` and `block` tensors with one
    element for each `block` indices of the axis. The zero point is stored in the same format, 0 when absent.
}];

def Relax_QuantizeOp : Relax_CompositeOp<"quantize"> {
  let summary = "Numbers of few bits from scaled floats.";
  let description = Relax_FormatText # Relax_ScaleText # [{
    `encode(round(x / scale) + zero)` for integer formats, `encode(x / scale + zero)` for float formats, with saturation. f16
    is computed in f32.

    Example: `%r = relax.quantize %x, %s zero(%z) {format = "u8"} : (tensor<?x8xf32, #relax_sym.shape<[n, 8]>>, tensor<f32>, tensor<i8>) -> tensor<?x8xi8, #relax_sym.shape<[n, 8]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, Relax_FloatTensor:$scale, Optional<Relax_StorageTensor>:$zero,
                       StrAttr:$format, OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$block);
  let results = (outs Relax_StorageTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale (`zero` `(` $zero^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def Relax_DequantizeOp : Relax_CompositeOp<"dequantize"> {
  let summary = "Scaled floats from numbers of few bits.";
  let description = Relax_FormatText # Relax_ScaleText # [{
    `(x - zero) * scale` in the type of the scale; f16 is computed in f32.

    Example: `%r = relax.dequantize %x, %s zero(%z) {format = "u4", axis = 1 : i64, block = 8 : i64} : (tensor<?x8xi8, #relax_sym.shape<[n, 8]>>, tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, tensor<?x1xi8, #relax_sym.shape<[n, 1]>>) -> tensor<?x16xf32, #relax_sym.shape<[n, 16]>>`
  }];
  let arguments = (ins Relax_StorageTensor:$operand, Relax_FloatTensor:$scale, Optional<Relax_StorageTensor>:$zero,
                       StrAttr:$format, OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$block);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $operand `,` $scale (`zero` `(` $zero^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def Relax_DynamicQuantizeOp : Relax_Op<"dynamic_quantize", [Pure, Relax_ShapeRuleOpInterface, Relax_Composite, Relax_InferTypes]> {
  let summary = "Quantization to u8 by the range of the values.";
  let description = [{
    With `low = min(0, min(x))` and `high = max(0, max(x))` the scale is `(high - low) / 255`, 1 where that is 0; the zero point
    `round(-low / scale)`; the values `round(x / scale) + zero`, both limited to 0..255 and stored in i8 (format `u8` of
    `relax.quantize`).

    Example: `%y, %s, %z = relax.dynamic_quantize %x : (tensor<?x8xf32, #relax_sym.shape<[n, 8]>>) -> (tensor<?x8xi8, #relax_sym.shape<[n, 8]>>, tensor<f32>, tensor<i8>)`
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$operand);
  let results = (outs RankedTensorOf<[I8]>:$result, RankedTensorOf<[F32]>:$scale, RankedTensorOf<[I8]>:$zero);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Relax_QuantizedMatmulOp : Relax_CompositeOp<"quantized_matmul", [AttrSizedOperandSegments]> {
  let summary = "Product of matrices of integers of up to 8 bits, in i32.";
  let description = [{
    `matmul(lhs - lhs_zero, rhs - rhs_zero)` in i32, wrapping around; `lhs_format` and `rhs_format` are integer formats of up to
    8 bits (see `relax.decode`), of which several may share a byte along the last dimension. A zero point is a scalar (rank 0)
    or broadcast to the numbers of its operand; it is stored one to a byte, with the sign of the format.

    Example: `%r = relax.quantized_matmul %x, %w lhs_zero(%z) {lhs_format = "u8", rhs_format = "i8"} : (tensor<?x4xi8, #relax_sym.shape<[n, 4]>>, tensor<4x8xi8>, tensor<i8>) -> tensor<?x8xi32, #relax_sym.shape<[n, 8]>>`
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$lhs, RankedTensorOf<[I8]>:$rhs, Optional<RankedTensorOf<[I8]>>:$lhs_zero,
                       Optional<RankedTensorOf<[I8]>>:$rhs_zero, StrAttr:$lhs_format, StrAttr:$rhs_format);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`lhs_zero` `(` $lhs_zero^ `)`)? (`rhs_zero` `(` $rhs_zero^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Relax_QuantizedConvOp : Relax_CompositeOp<"quantized_conv", [AttrSizedOperandSegments]> {
  let summary = "Convolution of integers of up to 8 bits, in i32.";
  let description = [{
    `conv(input - input_zero, weight - weight_zero)` in i32, wrapping around, with the attributes of `relax.conv`. Formats and
    zero points are those of `relax.quantized_matmul`. What pads are made of is the zero point.

    Example: `%r = relax.quantized_conv %x, %w {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64, input_format = "u8", weight_format = "i8"} : (tensor<?x3x?xi8, #relax_sym.shape<[n, 3, l]>>, tensor<8x3x3xi8>) -> tensor<?x8x?xi32, #relax_sym.shape<[n, 8, l]>>`
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$input, RankedTensorOf<[I8]>:$weight, Optional<RankedTensorOf<[I8]>>:$input_zero,
                       Optional<RankedTensorOf<[I8]>>:$weight_zero, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups, OptionalAttr<StrAttr>:$auto_pad,
                       StrAttr:$input_format, StrAttr:$weight_format);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $input `,` $weight (`input_zero` `(` $input_zero^ `)`)? (`weight_zero` `(` $weight_zero^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHQUANTIZATIONOPS
