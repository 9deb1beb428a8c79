//===- RewritePasses.td - Graphs that compute the same ----*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_REWRITEPASSES
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_REWRITEPASSES

include "mlir/Pass/PassBase.td"

def CombineParallelMatmulsPass : Pass<"relax-combine-parallel-matmuls", "::mlir::ModuleOp"> {
  let summary = "Makes one product of products with the same left operand.";
  let description = [{
    Before: graph phase, best with `relax.assured`. After: ops of `ProductOpInterface` in one block that differ only in their right
    operand, whose extents are known and proved equal except for the number of columns, are one product with all columns, from which `relax.slice` takes the
    result of each. Elementwise ops that then follow every product in the same way (a bias) are one op before the slices. Joined
    are weights and constants that nothing else reads, also through `relax.permute_dims` and `relax.astype`; their value is
    computed here, nothing is stored twice. With `any` right operands that exist when the first product is
    computed are joined too, by `relax.concat`. Products that may report an error stay where they are.
  }];
  let options = [
    Option<"any", "any", "bool", /*default=*/"false", "Join right operands that are no weights, too.">,
    Option<"blobDirectory", "blob-directory", "std::string", /*default=*/"\"\"",
           "Where weight files with relative names are.">
  ];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def SinkMovesPass : Pass<"relax-sink-moves", "::mlir::ModuleOp"> {
  let summary = "Moves permutations and reshapes behind the ops that they do not change.";
  let description = [{
    Before: graph phase. After: an elementwise op whose operands have all gone through the same permutation, are vectors or have one
    element is computed before it, and the result is permuted; likewise for reshapes of one proved shape, beside operands of
    one element. A reduction of a permuted tensor reduces it where its elements were, `relax.concat` of permuted parts joins them first.
    Rows that `relax.dequantize_block` decodes and a transpose turns for nothing but a `relax.matmul` make it a
    `relax.block_matmul`, which decodes them itself.
    Moves that meet then cancel. A move that has another reader stays where it is, and so does one of unknown extents, so that nothing is ever moved more often.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def PreallocateCachesPass : Pass<"relax-preallocate-caches", "::mlir::ModuleOp"> {
  let summary = "Gives donated caches a capacity, so that entries are written into them.";
  let description = [{
    Before: graph phase with inferred shapes. A donated argument that the function returns with entries appended (`relax.concat` along an axis
    whose extent is a symbol) gets a new symbol for that extent, its capacity, and the fact that the entries fit. After:
    `relax.cache_update` writes what is new, a `relax.slice` is what others read, and the cache is returned as a whole. Arguments that
    shared the extent share the capacity. Where no other argument shows how many entries there are, a shape argument with the name
    of the symbol does. This changes the signature: rows behind the entries keep what they hold. Functions that others call stay as they are.
  }];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

def ConvertConvLayoutPass : Pass<"relax-convert-conv-layout", "::mlir::ModuleOp"> {
  let summary = "Computes convolutions with channels last where that is faster.";
  let description = [{
    Before: graph phase. After: a `relax.conv` of one group, or of a group for each channel, whose weight is known when the model is
    compiled and has enough out channels, is a `relax.conv_channels_last`. Elementwise ops and `relax.concat` on its result are computed in
    that order too. `relax.permute_dims` stands where an image comes from, or goes to, anything else. Convolutions that are connected like this
    are converted together, when their results have at least as many elements as are permuted, with 64 for each symbol.
    The weight keeps its order. Everything else stays as it is.
  }];
  let options = [
    Option<"leastChannels", "least-channels", "int64_t", /*default=*/"16", "Least number of out channels.">,
    Option<"always", "always", "bool", /*default=*/"false", "Also where more elements are permuted than computed.">
  ];
  let dependentDialects = ["::mlir::relax::graph::RelaxDialect"];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_REWRITEPASSES
