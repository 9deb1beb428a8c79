//===- BranchFacts.h - What holds inside of control flow -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_BRANCHFACTS_H
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_BRANCHFACTS_H

#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"
#include "mlir/IR/Region.h"

namespace mlir::relax::graph {

/// The expression that an integer value is the value of, from `relax.eval_expr`, `tensor.dim`, constants and arithmetic
/// that cannot wrap; null when there is none.
sym::SymExpr getSymbolicValue(Value value);

/// Appends what holds when `condition` is `value`: comparisons of symbolic values, joined by and, or, not.
void collectConditionFacts(Value condition, bool value, SmallVectorImpl<sym::Fact> &facts);

/// Appends what holds in `region` because control got there: the condition of an scf.if or scf.while, and that an
/// scf.for has something to do.
void collectRegionFacts(Region &region, SmallVectorImpl<sym::Fact> &facts);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_BRANCHFACTS_H
