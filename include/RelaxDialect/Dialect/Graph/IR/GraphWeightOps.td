//===- GraphWeightOps.td - Weights and constants -----------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHWEIGHTOPS
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHWEIGHTOPS

include "RelaxDialect/Dialect/Graph/IR/GraphBase.td"
include "RelaxDialect/Dialect/Graph/IR/GraphAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def Relax_WeightDataOp : Relax_Op<"weight_data", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "A weight of the module.";
  let description = [{
    The value is a dense attribute or `#relax.blob`. Always private: a weight that no `relax.weight` names can go.

    Example: `relax.weight_data @w : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, TypeAttrOf<Relax_Tensor>:$type,
                       AnyAttr:$value);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::RankedTensorType":$type, "::mlir::Attribute":$value)>];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
    /// Bytes of the value: elements in row-major order, one byte for an i1.
    int64_t getNumBytes();
  }];
}

def Relax_WeightOp : Relax_Op<"weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a weight.";
  let description = [{ Example: `%w = relax.weight @w : tensor<2xf32>` }];
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def Relax_ConstantOp : Relax_Op<"constant", [Pure, ConstantLike, Relax_InferTypes]> {
  let summary = "An inline constant.";
  let description = [{ Example: `%c = relax.constant dense<0.0> : tensor<4xf32>` }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Relax_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHWEIGHTOPS
