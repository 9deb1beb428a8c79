//===- GraphMemoryOps.td - Memory --------------------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHMEMORYOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHMEMORYOPS

include "RelaxDialect/Dialect/Graph/IR/GraphBase.td"

def Relax_AllocOp : Relax_Op<"alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Memory for a tensor.";
  let description = [{
    A destination. Its extents use symbols of the operands. Two allocs are never one memory, hence the allocate effect.

    Example: `%d = relax.alloc %s : (!relax.shape<[n, 4]>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>`
  }];
  let arguments = (ins Variadic<Relax_Shape>:$shapes);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "($shapes^)? attr-dict `:` functional-type($shapes, $result)";
  let hasVerifier = 1;
}

def Relax_StorageOp : Relax_Op<"storage", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A piece of memory.";
  let description = [{
    `bytes` bytes at a multiple of `alignment` in the memory named by `space`; zero bytes are fine.

    Example: `%st = relax.storage %bytes {alignment = 64 : i64, space = "arena"} : !relax.storage`
  }];
  let arguments = (ins Index:$bytes, I64Attr:$alignment, StrAttr:$space);
  let results = (outs Relax_Storage:$result);
  let assemblyFormat = "$bytes attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Relax_TensorAtOp : Relax_Op<"tensor_at", [Pure]> {
  let summary = "A tensor placed in a storage.";
  let description = [{
    The tensor starts `offset` bytes into the storage, row-major. It is an address, not contents: calls write it as a
    destination. Its extents use symbols of the shape operands.

    Example: `%d = relax.tensor_at %st[%off], %s : (!relax.storage, index, !relax.shape<[n, 4]>) -> tensor<?x8xf32, #relax_sym.shape<[n, 8]>>`
  }];
  let arguments = (ins Relax_Storage:$storage, Index:$offset, Variadic<Relax_Shape>:$shapes);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$storage `[` $offset `]` (`,` $shapes^)? attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHMEMORYOPS
