//===- SymDialect.td - The relax_sym dialect --------------*- tablegen -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_SYMDIALECT
#define RELAXDIALECT_DIALECT_SYM_IR_SYMDIALECT

include "mlir/IR/OpBase.td"

def RelaxSym_Dialect : Dialect {
  let name = "relax_sym";
  let cppNamespace = "::mlir::relax::sym";
  let summary = "Symbolic shapes: expressions, shapes and scopes of symbols.";
  let description = [{
    Attributes and interfaces, no operations. Expressions are integers built from named symbols (integers >= 0), kept in a
    normal form in which equal means same pointer. Shapes are tensor encodings. The scope attribute of a function holds what
    is known about its symbols and verifies that each symbol has exactly one binder. See docs/Spec.md section 1.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Also called where an attribute's classes are defined, as registration needs their storage.
    void registerAttributes();
    void registerInterfaces();
  }];
}

#endif // RELAXDIALECT_DIALECT_SYM_IR_SYMDIALECT
