//===- SymInterfaces.td - Interfaces of relax_sym ---------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_SYMINTERFACES
#define RELAXDIALECT_DIALECT_SYM_IR_SYMINTERFACES

include "mlir/IR/OpBase.td"

def RelaxSym_SymbolicShapeAttrInterface : AttrInterface<"SymbolicShapeAttrInterface"> {
  let cppNamespace = "::mlir::relax::sym";
  let description = [{ A tensor encoding that gives symbolic extents; passes read encodings through it only. }];
  let methods = [
    InterfaceMethod<"One expression per dimension, null where unknown.",
                    "::llvm::ArrayRef<::mlir::relax::sym::SymExpr>", "getSymbolicDims">
  ];
}

def RelaxSym_SymbolicShapeTypeInterface : TypeInterface<"SymbolicShapeTypeInterface"> {
  let cppNamespace = "::mlir::relax::sym";
  let description = [{ A type, other than a tensor, that mentions symbols: `!relax.shape`. As an argument it binds them. }];
  let methods = [
    InterfaceMethod<"One expression per entry, null where unknown.",
                    "::llvm::ArrayRef<::mlir::relax::sym::SymExpr>", "getSymbolicDims">,
    InterfaceMethod<"The same type with other entries.", "::mlir::Type", "cloneWithSymbolicDims",
                    (ins "::llvm::ArrayRef<::mlir::relax::sym::SymExpr>":$dims)>
  ];
}

def RelaxSym_SymbolBinderOpInterface : OpInterface<"SymbolBinderOpInterface"> {
  let cppNamespace = "::mlir::relax::sym";
  let description = [{ An op whose results give new symbols their values. Each symbol of a function has one binder. }];
  let methods = [
    InterfaceMethod<"Names of the symbols that this op binds, in order.",
                    "::llvm::SmallVector<::llvm::StringRef>", "getBoundSymbols">,
    InterfaceMethod<"Renames bound symbols (used when an inliner or loop pass clones the op).",
                    "void", "renameBoundSymbols", (ins "::llvm::function_ref<::std::string(::llvm::StringRef)>":$rename)>,
    InterfaceMethod<[{
        What the op's meaning says about the values it binds, over symbols of its operand types and its own: a part is not larger
        than the whole. `relax-infer-shapes` adds these to the facts of the function.
      }],
      "::llvm::SmallVector<::mlir::relax::sym::Fact>", "getDerivedFacts", (ins), [{}], [{ return {}; }]>
  ];
}

def RelaxSym_TensorProgramInterface : OpInterface<"TensorProgramInterface"> {
  let cppNamespace = "::mlir::relax::sym";
  let description = [{
    The signature of what `relax.call_tp` and `relax.call_dps` call, in the callee's own symbols. Lists are in argument
    order. Types have no encoding; a null shape attribute means that every extent is static or unknown.
  }];
  let methods = [
    InterfaceMethod<"Number of input arguments.", "unsigned", "getNumInputs">,
    InterfaceMethod<"Number of destination arguments.", "unsigned", "getNumOuts">,
    InterfaceMethod<"Number of workspace arguments.", "unsigned", "getNumWorkspaces">,
    InterfaceMethod<"Number of index scalars.", "unsigned", "getNumScalars">,
    InterfaceMethod<"Types of all arguments: inputs, outs, workspaces, scalars.",
                    "::llvm::ArrayRef<::mlir::Type>", "getProgramArgumentTypes">,
    InterfaceMethod<"Shape of tensor argument `index` (inputs, outs, workspaces counted through).",
                    "::mlir::relax::sym::ShapeAttr", "getProgramArgumentShape", (ins "unsigned":$index)>,
    InterfaceMethod<"Value of scalar `index` in the callee's symbols, null when it is free.",
                    "::mlir::relax::sym::SymExpr", "getProgramScalar", (ins "unsigned":$index)>,
    InterfaceMethod<"Facts of the callee, may be null.", "::mlir::relax::sym::ScopeAttr", "getProgramScope">
  ];
}

#endif // RELAXDIALECT_DIALECT_SYM_IR_SYMINTERFACES
