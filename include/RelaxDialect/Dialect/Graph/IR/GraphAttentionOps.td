//===- GraphAttentionOps.td - Attention and its cache -----*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS

include "RelaxDialect/Dialect/Graph/IR/GraphCompositeBase.td"

def Relax_AttentionOp : Relax_CompositeOp<"attention"> {
  let summary = "Scaled dot-product attention.";
  let description = [{
    `softmax(cap(scale * q k^T) + mask) v` for each head, with `q` of shape (batch, heads, queries, depth), `k` (batch, kv heads,
    keys, depth) and `v` (batch, kv heads, keys, value depth). The number of heads is a multiple of the number of kv heads;
    consecutive heads share one. `scale` is `1 / sqrt(depth)` unless it is given. `cap(x) = softcap * tanh(x / softcap)` where
    `softcap` is given. The mask is broadcast to (batch, heads, queries, keys); a bool mask is true where a key takes part, any
    other is added.

    Query `i` stands at position `i + offset`, key `j` at `j`. With `causal` a key takes part only if `j <= i + offset`, with
    `window` only if `j > i + offset - window`. `offset` is an expression over symbols that the operands mention, 0 when absent:
    after a cache of `past` keys it is `past`. Keys and values of a cache are joined by `relax.concat`, whose extent is
    `past + queries`. f16 is computed in f32. A query for which no key takes part gives NaN, and 0 where there are no keys.

    Example: `%r = relax.attention %q, %k, %v {causal, offset = #relax_sym.expr<p>} : (tensor<?x8x?x64xf32, #relax_sym.shape<[b, 8, s, 64]>>, tensor<?x2x?x64xf32, #relax_sym.shape<[b, 2, p + s, 64]>>, tensor<?x2x?x64xf32, #relax_sym.shape<[b, 2, p + s, 64]>>) -> tensor<?x8x?x64xf32, #relax_sym.shape<[b, 8, s, 64]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$query, Relax_FloatTensor:$key, Relax_FloatTensor:$value,
                       Optional<Relax_TensorOf<"kFloats | ::mlir::relax::sym::kBools", "ranked tensor of bools or floats">>:$mask, OptionalAttr<F64Attr>:$scale,
                       OptionalAttr<F64Attr>:$softcap, UnitAttr:$causal, OptionalAttr<I64Attr>:$window,
                       OptionalAttr<RelaxSym_ExprAttr>:$offset);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` `(` $mask^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def Relax_AttentionMaskOp : Relax_TotalInferredOp<"attention_mask"> {
  let summary = "Which keys take part for which queries.";
  let description = [{
    Element `[i, j]` is `(not causal or j <= i + offset) and (no window or j > i + offset - window)`. The entries of the shape
    are the number of queries, of keys, and `offset`, which may be absent and is 0 then.

    Example: `%r = relax.attention_mask %s {causal} : (!relax.shape<[s, t]>) -> tensor<?x?xi1, #relax_sym.shape<[s, t]>>`
  }];
  let arguments = (ins Relax_ShapeType:$shape, UnitAttr:$causal, OptionalAttr<I64Attr>:$window);
  let results = (outs Relax_BoolTensor:$result);
  let assemblyFormat = "$shape attr-dict `:` functional-type(operands, results)";
}

def Relax_CacheUpdateOp : Relax_InferredOp<"cache_update"> {
  let summary = "Writes entries into a cache of fixed capacity.";
  let description = [{
    Index `position + i` of dimension `axis` of the result is index `i` of the update, everything else is the cache's. The
    position is a scalar (rank 0), or a vector with one for each index of dimension 0, where `axis` is not 0. The update has
    the extents of the cache but for the axis, where it has no more. A position that is negative or from which the update
    passes the end is a run-time error; with `circular` it goes on at the start and positions count modulo the capacity.

    The view of what the cache holds is a `relax.slice` of the axis from 0 to the past length and that of the update.

    Example: `%r = relax.cache_update %c, %u, %p {axis = 2 : i64} : (tensor<?x2x128x64xf32, #relax_sym.shape<[b, 2, 128, 64]>>, tensor<?x2x?x64xf32, #relax_sym.shape<[b, 2, s, 64]>>, tensor<i64>) -> tensor<?x2x128x64xf32, #relax_sym.shape<[b, 2, 128, 64]>>`
  }];
  let arguments = (ins Relax_Tensor:$cache, Relax_Tensor:$update, RankedTensorOf<[I32, I64]>:$position, I64Attr:$axis,
                       UnitAttr:$circular);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$cache `,` $update `,` $position attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = inferenceDeclaration # [{ bool mayTrapOnValues() { return true; } }];
}

def Relax_RotaryEmbeddingOp : Relax_CompositeOp<"rotary_embedding"> {
  let summary = "Rotates pairs of elements by given angles.";
  let description = [{
    The last dimension of `cos` and `sin`, `h`, holds half as many elements as are rotated; with `x1` and `x2` the first and
    second element of each pair the result has `x1 * cos - x2 * sin` and `x2 * cos + x1 * sin` in their places. A pair is
    elements `i` and `i + h` of the last dimension, with `interleaved` elements `2 * i` and `2 * i + 1`; what comes after the
    first `2 * h` elements stays. Other dimensions of `cos` and `sin` are broadcast to the operand's. f16 is computed in f32.

    Example: `%r = relax.rotary_embedding %x, %cos, %sin : (tensor<?x8x?x64xf32, #relax_sym.shape<[b, 8, s, 64]>>, tensor<?x32xf32, #relax_sym.shape<[s, 32]>>, tensor<?x32xf32, #relax_sym.shape<[s, 32]>>) -> tensor<?x8x?x64xf32, #relax_sym.shape<[b, 8, s, 64]>>`
  }];
  let arguments = (ins Relax_FloatTensor:$operand, Relax_FloatTensor:$cos, Relax_FloatTensor:$sin, UnitAttr:$interleaved);
  let results = (outs Relax_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $cos `,` $sin attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTENTIONOPS
