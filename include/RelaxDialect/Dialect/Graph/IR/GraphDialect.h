//===- GraphDialect.h - The relax dialect ----------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h.inc"

namespace mlir::relax::graph {

/// Attribute on arguments and results of a public function: its name for the outside.
inline constexpr StringLiteral kNameAttrName = "relax.name";

/// Unit attribute on an op whose shape rules are proved or checked where the op stands for every execution: the op does
/// not trap on shapes. Set by relax-insert-checks.
inline constexpr StringLiteral kAssuredAttrName = "relax.assured";
bool isAssured(Operation *op);
void setAssured(Operation *op);

/// What run-time checks without results write, so that they are neither removed nor reordered with effects.
struct GuardResource : public SideEffects::Resource::Base<GuardResource> {
  StringRef getName() final { return "relax.guard"; }
};

/// Shared by every relax op; see GraphBase.td.
LogicalResult verifyScopedSymbols(Operation *op);

template <typename ConcreteOp> class ScopedSymbols : public OpTrait::TraitBase<ConcreteOp, ScopedSymbols> {
public:
  static LogicalResult verifyTrait(Operation *op) { return verifyScopedSymbols(op); }
};

/// See Relax_SpeculatableWhenAssured in GraphBase.td.
Speculation::Speculatability getSpeculatabilityWhenAssured(Operation *op);

template <typename ConcreteOp>
class SpeculatableWhenAssuredImpl : public OpTrait::TraitBase<ConcreteOp, SpeculatableWhenAssuredImpl> {
public:
  Speculation::Speculatability getSpeculatability() { return getSpeculatabilityWhenAssured(this->getOperation()); }
};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHDIALECT_H
