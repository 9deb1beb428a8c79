//===- GraphCallUnification.h - Callee symbols at a call -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A callee has symbols of its own. Unification finds them in the caller's
// symbols and tells what is left to check at run time. Used by the verifiers,
// by shape inference and by lowering.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCALLUNIFICATION_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCALLUNIFICATION_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::relax::graph {

/// One extent that the callee states and the caller gives.
struct CallExtent {
  enum class Kind { Argument, Scalar, Destination } kind;
  unsigned index;        // of the argument, scalar or destination
  unsigned dim;          // of the argument or destination
  sym::SymExpr expected; // the callee's
  sym::SymExpr actual;   // the caller's; null when it is known at run time only
};

struct CallUnification {
  /// Callee's symbols in the caller's symbols; a symbol without an entry is known at run time only.
  sym::SymbolMap mapping;
  /// What the facts do not prove and run-time code checks. `expected` has the mapping applied and is null when some
  /// symbol has no entry.
  SmallVector<CallExtent> checks;
  /// Facts of the callee, in the caller's symbols, that the caller's facts do not prove.
  SmallVector<sym::Fact> facts;
  /// Some fact of the callee is about a symbol that is known at run time only.
  bool hasUnknownFacts = false;

  /// The call cannot fail because of its extents.
  bool isProved() const { return checks.empty() && facts.empty() && !hasUnknownFacts; }
};

/// Unifies a call with its callee. Emits an error on `call` and fails when no valuation can satisfy it; `prover` may
/// hold facts about the caller. The numbers, element types and ranks of the arguments are already verified.
FailureOr<CallUnification> unifyProgramCall(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                            sym::Prover &prover);
/// The same under these facts, which may be null. The context remembers what is found.
FailureOr<CallUnification> unifyProgramCall(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                            sym::ScopeAttr facts);
FailureOr<CallUnification> unifyCall(CallOp call, FunctionOpInterface callee, sym::Prover &prover);

/// `expr` of the callee in the caller's symbols; null when a symbol has no entry.
sym::SymExpr applyMapping(sym::SymExpr expr, const sym::SymbolMap &mapping);
/// The same for every extent of a tensor or shape type: what has no entry becomes unknown.
Type applyMapping(Type type, const sym::SymbolMap &mapping);

/// The most precise types of the results.
SmallVector<Type> inferProgramCallTypes(sym::TensorProgramInterface callee, const sym::SymbolMap &mapping,
                                        unsigned numResults);
SmallVector<Type> inferCallTypes(FunctionOpInterface callee, const sym::SymbolMap &mapping);

/// The type of program argument `index` with its extents as encoding, in the callee's symbols.
RankedTensorType getProgramTensorType(sym::TensorProgramInterface callee, unsigned index);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHCALLUNIFICATION_H
