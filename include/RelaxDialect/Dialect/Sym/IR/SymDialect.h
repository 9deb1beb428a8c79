//===- SymDialect.h - The relax_sym dialect --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_SYMDIALECT_H
#define RELAXDIALECT_DIALECT_SYM_IR_SYMDIALECT_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/IR/Dialect.h"

#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h.inc"

#endif // RELAXDIALECT_DIALECT_SYM_IR_SYMDIALECT_H
