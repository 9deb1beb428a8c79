//===- ProgramSignature.h - Signatures of callable programs ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What relax_tp.func and relax_ext.func share: the four groups of arguments,
// their text and their verification (Spec.md section 4).
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_PROGRAMSIGNATURE_H
#define RELAXDIALECT_DIALECT_SYM_IR_PROGRAMSIGNATURE_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::relax::sym {

/// Index into the `segments` of a program.
enum ProgramGroup : unsigned { kInputs = 0, kOuts, kWorkspaces, kScalars, kNumGroups };
StringRef stringifyProgramGroup(ProgramGroup group);

struct ProgramSignature {
  SmallVector<OpAsmParser::Argument> arguments;
  int32_t segments[kNumGroups] = {0, 0, 0, 0};
};

/// Parses `(inputs) [outs(...)] [workspaces(...)] [scalars(...)]`. With `namesOptional` an argument may be a type
/// alone.
ParseResult parseProgramSignature(OpAsmParser &parser, ProgramSignature &signature, bool namesOptional);
/// Prints it. `arguments` is empty when the program has no body; then types stand alone.
void printProgramSignature(OpAsmPrinter &printer, ArrayRef<Type> types, ArrayRef<int32_t> segments, ArrayAttr argAttrs,
                           ArrayRef<BlockArgument> arguments);

/// Attribute `name` of argument `index` in an optional array of dictionaries.
Attribute getProgramArgAttr(ArrayAttr argAttrs, unsigned index, StringRef name);

/// Extents of a plain tensor or memref argument beside an optional shape attribute.
SmallVector<SymExpr> getPlainDims(ShapedType type, ShapeAttr shape, MLIRContext *context);

/// Checks what both kinds of program have in common. `segments` is the raw attribute; nothing about `op` is assumed.
/// Also checks that inputs and scalars determine every symbol that is mentioned.
LogicalResult verifyProgramSignature(Operation *op, FunctionType type, ArrayRef<int32_t> segments, ArrayAttr argAttrs);

/// Symbols that the signature mentions, in order of appearance.
SmallVector<StringRef> getProgramSymbols(FunctionType type, ArrayAttr argAttrs);

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_DIALECT_SYM_IR_PROGRAMSIGNATURE_H
