//===- GraphTypes.td - Types of relax ---------------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPES
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPES

include "RelaxDialect/Dialect/Graph/IR/GraphDialect.td"
include "RelaxDialect/Dialect/Sym/IR/SymInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

class Relax_Type<string name, string typeMnemonic, list<Trait> traits = []> : TypeDef<Relax_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Relax_ShapeType : Relax_Type<"Shape", "shape", [DeclareTypeInterfaceMethods<RelaxSym_SymbolicShapeTypeInterface>]> {
  let summary = "A shape value.";
  let description = [{
    The extents of a tensor as a value: one expression or `?` per dimension. As a function argument it binds its symbols.
    Example: `!relax.shape<[n, 4]>`.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::relax::sym::SymExpr">:$dims);
  let hasCustomAssemblyFormat = 1;
}

def Relax_StorageType : Relax_Type<"Storage", "storage"> {
  let summary = "A piece of memory without a shape.";
  let description = [{ Made by `relax.storage`; tensors are placed in it by `relax.tensor_at`. }];
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPES
