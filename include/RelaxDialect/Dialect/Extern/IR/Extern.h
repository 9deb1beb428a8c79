//===- Extern.h - The relax_ext dialect ------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_EXTERN_IR_EXTERN_H
#define RELAXDIALECT_DIALECT_EXTERN_IR_EXTERN_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "RelaxDialect/Dialect/Extern/IR/ExternDialect.h.inc"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Extern/IR/ExternOps.h.inc"

#endif // RELAXDIALECT_DIALECT_EXTERN_IR_EXTERN_H
