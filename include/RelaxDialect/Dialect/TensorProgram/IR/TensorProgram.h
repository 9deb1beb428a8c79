//===- TensorProgram.h - The relax_tp dialect ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAM_H
#define RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAM_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgramDialect.h.inc"

namespace mlir::relax::tp {

/// What a body computes, weakest fusion obstacle first. Set by relax-annotate-pattern-kinds, read by fusion.
enum class PatternKind { Elementwise, Broadcast, Injective, Reduction, Contraction, Opaque };
StringRef stringifyPatternKind(PatternKind kind);
std::optional<PatternKind> symbolizePatternKind(StringRef text);

/// StringAttr of a ProgramOp: the pattern kind.
inline constexpr StringLiteral kPatternKindAttrName = "relax_tp.pattern_kind";
/// ArrayAttr of StringAttr on the func.func made from a program: the message of each error site.
inline constexpr StringLiteral kSitesAttrName = "relax_tp.sites";
/// DenseI32ArrayAttr on that func.func: number of inputs, outs, workspaces and scalars.
inline constexpr StringLiteral kSegmentsAttrName = "relax_tp.segments";

} // namespace mlir::relax::tp

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgramOps.h.inc"

#endif // RELAXDIALECT_DIALECT_TENSORPROGRAM_IR_TENSORPROGRAM_H
