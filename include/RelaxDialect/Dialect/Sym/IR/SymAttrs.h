//===- SymAttrs.h - Attributes and interfaces of relax_sym -----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_SYMATTRS_H
#define RELAXDIALECT_DIALECT_SYM_IR_SYMATTRS_H

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TensorEncoding.h"

namespace mlir::relax::sym {
class ExprAttr;
class ShapeAttr;
class ScopeAttr;
} // namespace mlir::relax::sym

#include "RelaxDialect/Dialect/Sym/IR/SymAttrInterfaces.h.inc"
#include "RelaxDialect/Dialect/Sym/IR/SymTypeInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h.inc"

#include "RelaxDialect/Dialect/Sym/IR/SymOpInterfaces.h.inc"

namespace mlir::relax::sym {

/// Expressions in messages.
inline Diagnostic &operator<<(Diagnostic &diag, SymExpr expr) { return diag << expr.str(); }

/// Names of the attributes on functions, arguments and results.
inline constexpr StringLiteral kScopeAttrName = "relax_sym.scope"; // ScopeAttr on a function
inline constexpr StringLiteral kShapeAttrName = "relax_sym.shape"; // ShapeAttr on a tensor program's argument
inline constexpr StringLiteral kExprAttrName = "relax_sym.expr";   // ExprAttr on a tensor program's scalar argument

/// The one constructor of symbolic tensor types: constants become static, nulls become `?`, and a shape that names no
/// symbol has no encoding.
RankedTensorType getTensorType(ArrayRef<SymExpr> dims, Type elementType);

/// Extents of a tensor (static ones as constants, null where unknown) or entries of a type that implements
/// SymbolicShapeTypeInterface. Empty for other types.
SmallVector<SymExpr> getSymbolicDims(Type type);

/// The same tensor type without encoding.
RankedTensorType stripEncoding(RankedTensorType type);

/// Adds the names that `type` mentions to `symbols` (in order of appearance, once).
void collectSymbols(Type type, SmallVectorImpl<StringRef> &symbols);
bool mentionsSymbol(Type type);

/// Applies a substitution to every expression in a tensor, shape or function type.
Type substituteType(Type type, llvm::function_ref<SymExpr(StringRef)> map);

/// Scope of the enclosing function, null when it has none.
ScopeAttr getScope(Operation *op);

/// Reason why the function's symbols are not well formed is emitted on the offending op.
LogicalResult verifyScope(Operation *function, ScopeAttr scope);

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_DIALECT_SYM_IR_SYMATTRS_H
