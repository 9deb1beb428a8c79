//===- GraphBlockOps.td - Weights in blocks of few bits ---*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBLOCKOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBLOCKOPS

include "RelaxDialect/Dialect/Graph/IR/GraphComputeBase.td"

defvar Relax_BlockText = [{
    Rows of numbers are stored as GGUF files have them, in blocks: a tensor of bytes whose last dimension is one block and
    whose dimension before counts the blocks of a row. `format` is one of `f16` `bf16` (2 bytes for 1 number), `q4_0` (18 for 32),
    `q4_1` (20), `q5_0` (22), `q5_1` (24), `q8_0` (34), `q2_k` (84 for 256), `q3_k` (110), `q4_k` (144), `q5_k` (176), `q6_k` (210).
}];

def Relax_DequantizeBlockOp : Relax_InferredOp<"dequantize_block"> {
  let summary = "The numbers of blocks.";
  let description = Relax_BlockText # [{
    The result has the numbers of a row in its last dimension, as f32, computed in f32.

    Example: `%r = relax.dequantize_block %w {format = "q8_0"} : (tensor<?x2x34xi8, #relax_sym.shape<[n, 2, 34]>>) -> tensor<?x64xf32, #relax_sym.shape<[n, 64]>>`
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$blocks, StrAttr:$format);
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = "$blocks attr-dict `:` functional-type(operands, results)";
}

def Relax_BlockMatmulOp : Relax_InferredOp<"block_matmul"> {
  let summary = "Product with rows that are stored in blocks.";
  let description = Relax_BlockText # [{
    The last dimension of the result has the products of a row of the left operand with every row of `blocks`:
    `matmul(lhs, transpose(dequantize_block(blocks)))`. The numbers are decoded where they are used, never to memory.

    Example: `%r = relax.block_matmul %x, %w {format = "q8_0"} : (tensor<?x64xf32, #relax_sym.shape<[n, 64]>>, tensor<10x2x34xi8>) -> tensor<?x10xf32, #relax_sym.shape<[n, 10]>>`
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$lhs, RankedTensorOf<[I8]>:$blocks, StrAttr:$format);
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = "$lhs `,` $blocks attr-dict `:` functional-type(operands, results)";
}

def Relax_QuantizedBlockMatmulOp : Relax_InferredOp<"quantized_block_matmul"> {
  let summary = "Product of rows of small integers with rows that are stored in blocks.";
  let description = Relax_BlockText # [{
    The left operand has integers of 8 bits, and each 32 neighbours in its last dimension share a factor in the last dimension
    of `scales`: `block_matmul(repeat(scales, 32) * lhs, blocks)`. Products of integers are added exactly before scales
    make floats of them. Blocks of `f16` and `bf16` are no integers, and are refused.

    Example: `%r = relax.quantized_block_matmul %x, %s, %w {format = "q8_0"} : (tensor<?x64xi8, #relax_sym.shape<[n, 64]>>, tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, tensor<10x2x34xi8>) -> tensor<?x10xf32, #relax_sym.shape<[n, 10]>>`
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$lhs, RankedTensorOf<[F32]>:$scales, RankedTensorOf<[I8]>:$blocks,
                   StrAttr:$format);
  let results = (outs RankedTensorOf<[F32]>:$result);
  let assemblyFormat = "$lhs `,` $scales `,` $blocks attr-dict `:` functional-type(operands, results)";
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHBLOCKOPS
