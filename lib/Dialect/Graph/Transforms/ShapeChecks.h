//===- ShapeChecks.h - What an op needs its extents to be ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_SHAPECHECKS_H
#define RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_SHAPECHECKS_H

#include "RelaxDialect/Dialect/Graph/IR/GraphShapeUtils.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::relax::graph {

/// The shape rules of a computing op or call; nullopt when the callee is unknown or refuses, or when only the call
/// itself can check them.
std::optional<SmallVector<ShapeRule>> getShapeChecks(Operation *op, SymbolTableCollection &symbols);

/// True when some fact of the rule is proved, false when each is refuted.
sym::Verdict holds(sym::Prover &prover, const ShapeRule &rule);

/// Why a fact or rule holds, or extents for which it does not, as the rest of a remark; empty when nobody listens to
/// remarks or no reason is known.
std::string explain(sym::Prover &prover, const sym::Fact &fact);
std::string explain(sym::Prover &prover, const ShapeRule &rule);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_SHAPECHECKS_H
