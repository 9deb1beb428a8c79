//===- ExternOps.td - Operations of relax_ext -------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_EXTERN_IR_EXTERNOPS
#define RELAXDIALECT_DIALECT_EXTERN_IR_EXTERNOPS

include "RelaxDialect/Dialect/Extern/IR/ExternDialect.td"
include "RelaxDialect/Dialect/Sym/IR/SymAttrs.td"
include "RelaxDialect/Dialect/Sym/IR/SymInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def RelaxExt_ExternFuncOp : Op<RelaxExt_Dialect, "func", [
    Symbol, DeclareOpInterfaceMethods<RelaxSym_TensorProgramInterface>]> {
  let summary = "Declares a library function.";
  let description = [{
    The signature is written as that of `relax_tp.func`: plain tensor types with `relax_sym.shape` attributes, inputs, `outs`
    and `scalars`; argument names are optional and not kept. The tensors are dense and row-major, and no out shares memory
    with another argument.

    - `symbol`: the name under which the runtime finds the function.
    - `abi`: how it is called; `"c"` is the extern signature of docs/Spec.md section 5, `"call"` a call with `arguments`.
    - `sonames`: shared objects that may hold it, tried in order when an artifact is loaded. Without these and `object` it
      must be registered with the runtime.
    - `object`: an object file that holds it and becomes part of the artifact.
    - `arguments`, for `"call"`: a constant such as `101 : i32` or `1.0 : f32` stands for itself, `{i32 = #relax_sym.expr<n>}`
      for a size passed as i32 (or i8, i16, i64), `"in0"`, `"out0"`, `"workspace"` for the address of a tensor. That sizes
      fit is a fact of the function.
    - `status`, for `"call"`: it returns an int that is 0 when it succeeded.
    - `where`: the function may be called only when these facts hold.
    - `workspace_bytes`: size of the scratch memory that follows the outs, in the symbols of the signature.
    - `capturable`: its calls may be recorded and run again, with other addresses (docs/Passes/GraphCapture.md).

    Example:

    ```mlir
    relax_ext.func private @gemm(%a: tensor<?x4xf32> {relax_sym.shape = #relax_sym.shape<[n, 4]>}, %b: tensor<4x8xf32>)
        outs(%c: tensor<?x8xf32> {relax_sym.shape = #relax_sym.shape<[n, 8]>})
        where "n >= 16" attributes {symbol = "lib_gemm", workspace_bytes = #relax_sym.expr<n * 32>, capturable}
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, TypeAttrOf<FunctionType>:$function_type,
    DenseI32ArrayAttr:$segments, OptionalAttr<DictArrayAttr>:$arg_attrs,
    StrAttr:$symbol, DefaultValuedAttr<StrAttr, "\"c\"">:$abi, OptionalAttr<RelaxSym_ScopeAttr>:$where,
    OptionalAttr<RelaxSym_ExprAttr>:$workspace_bytes, UnitAttr:$capturable, OptionalAttr<StrArrayAttr>:$sonames,
    OptionalAttr<StrAttr>:$object, OptionalAttr<ArrayAttr>:$arguments, UnitAttr:$status);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let useCustomPropertiesEncoding = 1; // what version 1 wrote stays readable
  let extraClassDeclaration = [{
    /// Always without a body.
    bool isDeclaration() { return true; }
  }];
}

def RelaxExt_AvailableOp : Op<RelaxExt_Dialect, "available", [
    NoMemoryEffect, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Whether a library function can be called.";
  let description = [{
    False when `wanted` is false. Else true when the runtime found the function; where it did not, a generated kernel stands
    in, which the runtime counts as a fallback. `site` tells the calls of a function apart, so that each is counted.

    Example: `%ok = relax_ext.available @sgemm if %large {site = 0 : i64}`
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, I1:$wanted, I64Attr:$site);
  let results = (outs I1:$result);
  let assemblyFormat = "$callee `if` $wanted attr-dict";
}

#endif // RELAXDIALECT_DIALECT_EXTERN_IR_EXTERNOPS
