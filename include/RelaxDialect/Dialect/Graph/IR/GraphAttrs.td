//===- GraphAttrs.td - Attributes of relax -----------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTRS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTRS

include "RelaxDialect/Dialect/Graph/IR/GraphDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Relax_WeightBlobAttr : AttrDef<Relax_Dialect, "WeightBlob"> {
  let mnemonic = "blob";
  let summary = "Weight bytes in a file beside the module.";
  let description = [{
    `bytes` bytes at `offset` of `file`: the little-endian elements of a tensor in row-major order, one byte for an `i1`.
    `digest` is the crc32 of these bytes in lower-case hex and is checked by whoever reads them.
    Example: `#relax.blob<"model.bin", 4096, 128, "3d3ff1a5">`.
  }];
  let parameters = (ins "::mlir::StringAttr":$file, "int64_t":$offset, "int64_t":$bytes, "::mlir::StringAttr":$digest);
  let assemblyFormat = "`<` $file `,` $offset `,` $bytes `,` $digest `>`";
  let genVerifyDecl = 1;
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHATTRS
