//===- QuantizationPasses.td - Weights of fewer bits ------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_QUANTIZATIONPASSES
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_QUANTIZATIONPASSES

include "mlir/Pass/PassBase.td"

def QuantizeWeightsPass : Pass<"relax-quantize-weights", "::mlir::ModuleOp"> {
  let summary = "Stores the weights of products in few bits.";
  let description = [{
    Before: graph phase. After: a weight or constant of two dimensions and type f32, f16 or bf16 that is only read by products, as
    their right side, and by `relax.take` of its rows, also through `relax.permute_dims` and conversions to other floats, is a weight of
    blocks; the products are `relax.block_matmul`, what was taken goes through `relax.dequantize_block`. Each 32 numbers along
    the dimension that is summed share a factor, an f16. `q4f16_1` has the numbers `(q - 7) * scale` with `scale` the largest
    magnitude / 7 and q from 0 to 14, in `q4_0` blocks (18 bytes); `q8_0` has `q * scale` with `scale` the
    largest magnitude / 127, bit for bit as GGUF files have it (34 bytes). A remark says why another weight stays: it has
    other readers or is not summed along one of its dimensions, the sum's extent is no multiple of 32, or numbers are not
    finite or too large for the factor. This changes results: no pipeline does it unless it is asked to.
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"q8_0\"", "q4f16_1 or q8_0.">,
    Option<"minElements", "min-elements", "int64_t", /*default=*/"1024", "Smaller weights stay.">,
    Option<"blobDirectory", "blob-directory", "std::string", /*default=*/"\"\"",
           "Where weight files with relative names are.">
  ];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def QuantizeActivationsPass : Pass<"relax-quantize-activations", "::mlir::ModuleOp"> {
  let summary = "Multiplies weights in blocks by integers of 8 bits.";
  let description = [{
    Before: graph phase. After: a `relax.block_matmul` whose blocks hold integers is a `relax.quantized_block_matmul`; each 32
    neighbours of a row of its left operand are rounded to integers from -127 to 127 times the largest magnitude / 127, and
    equal operands are rounded once. Blocks of `f16` and `bf16`, and operands with unknown extents, stay. A block whose largest
    magnitude is below 1e-30 becomes 0; where a number is not finite, no number of its block takes part and results are not
    finite either. This changes results: no pipeline does it unless it is asked to.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_QUANTIZATIONPASSES
