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
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "RelaxDialect/Dialect/Extern/IR/ExternDialect.h.inc"

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Extern/IR/ExternOps.h.inc"

namespace mlir::relax::ext {

/// One argument of a function with the ABI "call".
struct NativeArgument {
  enum class Kind { Constant, Size, Tensor, Workspace } kind;
  TypedAttr constant; // Constant: an integer or float
  sym::SymExpr size;  // Size
  IntegerType type;   // Size: what it is passed as
  unsigned tensor;    // Tensor: among inputs and outs
};

/// Reads `arguments`; tells `report` what is wrong with one, by its position.
FailureOr<SmallVector<NativeArgument>> getNativeArguments(ExternFuncOp function,
                                                          function_ref<void(unsigned, const Twine &)> report);
/// The same of a verified function.
SmallVector<NativeArgument> getNativeArguments(ExternFuncOp function);

} // namespace mlir::relax::ext

#endif // RELAXDIALECT_DIALECT_EXTERN_IR_EXTERN_H
