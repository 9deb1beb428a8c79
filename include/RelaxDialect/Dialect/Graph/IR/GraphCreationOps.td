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

def Relax_IotaOp : Relax_TotalInferredOp<"iota"> {
  let summary = "The position along an axis, as a number.";
  let description = [{
    Each element is its index along `axis`, counted from 0. Integers wrap around, floats round to the nearest.

    Example: `%r = relax.iota %s {axis = 1 : i64, dtype = i64} : (!relax.shape<[n, 4]>) -> tensor<?x4xi64, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_ShapeType:$shape, I64Attr:$axis, TypeAttr:$dtype);
  let results = (outs Relax_NumberTensor:$result);
  let assemblyFormat = "$shape attr-dict `:` functional-type(operands, results)";
}

def Relax_RandomUniformOp : Relax_TotalInferredOp<"random_uniform"> {
  let summary = "Random numbers, each from its position and a seed.";
  let description = [{
    Evenly distributed in [0, 1). Element `i` in row-major order comes from the bits `mix(mix(seed) + (i + 1) * 0x9E3779B97F4A7C15)`,
    where `mix` is, in unsigned 64-bit arithmetic that wraps around: `z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9`,
    `z = (z ^ (z >> 27)) * 0x94D049BB133111EB`, `z ^ (z >> 31)`. The highest 53 bits (f32: 24, f16: 11) are the fraction's digits. The
    same seed gives the same numbers on every machine.

    Example: `%r = relax.random_uniform %s {seed = 7 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`
  }];
  let arguments = (ins Relax_ShapeType:$shape, I64Attr:$seed, TypeAttr:$dtype);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$shape attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCREATIONOPS
