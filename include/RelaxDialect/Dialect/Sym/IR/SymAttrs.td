//===- SymAttrs.td - Attributes of relax_sym --------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_SYMATTRS
#define RELAXDIALECT_DIALECT_SYM_IR_SYMATTRS

include "RelaxDialect/Dialect/Sym/IR/SymDialect.td"
include "RelaxDialect/Dialect/Sym/IR/SymInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

class RelaxSym_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<RelaxSym_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def RelaxSym_ExprAttr : RelaxSym_Attr<"Expr", "expr"> {
  let summary = "A symbolic integer expression in normal form.";
  let description = [{
    Example: `#relax_sym.expr<n * 4 + 1>`. Spec.md sections 1.1 and 1.2 give grammar and meaning. The C++ handle is
    `sym::SymExpr`; the storage keeps one uniqued pointer to it.
  }];
  let parameters = (ins "::mlir::relax::sym::SymExpr":$value);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilderWithInferredContext<(ins "::mlir::relax::sym::SymExpr":$value)>];
}

def RelaxSym_ShapeAttr : RelaxSym_Attr<"Shape", "shape", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>, DeclareAttrInterfaceMethods<RelaxSym_SymbolicShapeAttrInterface>]> {
  let summary = "The symbolic extents of a tensor.";
  let description = [{
    One expression or `?` per dimension, optionally a dictionary of extensions. Used as tensor encoding and as the
    `relax_sym.shape` argument attribute of tensor programs. A null expression stands for `?`.
    Example: `tensor<?x4xf32, #relax_sym.shape<[n, 4]>>`.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::relax::sym::SymExpr">:$dims, "::mlir::DictionaryAttr":$extensions);
  let hasCustomAssemblyFormat = 1;
  // No extensions and an empty dictionary are the same attribute: extensions are null then.
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::mlir::relax::sym::SymExpr>":$dims,
                                   CArg<"::mlir::DictionaryAttr", "{}">:$extensions)>];
}

def RelaxSym_ScopeAttr : RelaxSym_Attr<"Scope", "scope"> {
  let summary = "What is known about the symbols of a function.";
  let description = [{
    A list of quoted facts, parsed once. As the attribute `relax_sym.scope` of a `func.func` or `relax_tp.func` it also
    verifies that each symbol has exactly one binder that dominates its uses (Spec.md section 1.4).
    Example: `#relax_sym.scope<"n >= 1", "n mod 4 == 0">`.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::relax::sym::Fact">:$facts);
  let hasCustomAssemblyFormat = 1;
}

#endif // RELAXDIALECT_DIALECT_SYM_IR_SYMATTRS
