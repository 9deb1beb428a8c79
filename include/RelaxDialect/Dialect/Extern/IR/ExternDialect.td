//===- ExternDialect.td - The relax_ext dialect -----------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_EXTERN_IR_EXTERNDIALECT
#define RELAXDIALECT_DIALECT_EXTERN_IR_EXTERNDIALECT

include "mlir/IR/OpBase.td"

def RelaxExt_Dialect : Dialect {
  let name = "relax_ext";
  let cppNamespace = "::mlir::relax::ext";
  let summary = "Library functions as data.";
  let description = [{
    Declarations of functions that a library provides at run time: what they take, when they may be called, how much
    scratch memory they need. `relax.call_dps` calls them. See docs/Spec.md section 4.
  }];
  let dependentDialects = ["::mlir::relax::sym::RelaxSymDialect"];
  let extraClassDeclaration = [{
    /// Bytecode.
    void registerInterfaces();
  }];
}

#endif // RELAXDIALECT_DIALECT_EXTERN_IR_EXTERNDIALECT
