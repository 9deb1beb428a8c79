//===- GraphTypeInference.h - Shapes of computing ops ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// One run of inference gives an op's result type, its shape rules and its
// diagnostics, so that they cannot disagree. Types are inferred without facts:
// refused is what is false for every valuation, a rule is what depends on one.
// Facts only make rules and exact extents simpler.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPEINFERENCE_H
#define RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPEINFERENCE_H

#include "RelaxDialect/Dialect/Graph/IR/GraphShapeUtils.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace mlir::relax::graph {

/// Marks elementwise ops with numpy broadcasting; see GraphComputeBase.td.
template <typename ConcreteOp> class Broadcasting : public OpTrait::TraitBase<ConcreteOp, Broadcasting> {};

class TypeInference {
public:
  using SymExpr = sym::SymExpr;

  /// Without a location failures are silent.
  TypeInference(MLIRContext *context, std::optional<Location> location, StringRef opName)
      : context(context), location(location), opName(opName), prover(context) {}
  /// Rules and exact extents where the facts of the function around `op` are known.
  explicit TypeInference(Operation *op)
      : context(op->getContext()), opName(op->getName().getStringRef()), knowsFacts(true),
        prover(context, sym::getScope(op)) {}

  MLIRContext *getContext() const { return context; }
  SymExpr constant(int64_t value) const { return SymExpr::constant(context, value); }

  /// Emits "'relax.add' op ..." and gives failure.
  template <typename... Args> LogicalResult fail(Args &&...args) {
    return emitOptionalError(location, "'", opName, "' op ", std::forward<Args>(args)...);
  }

  //===- Rules --------------------------------------------------------------===//
  // Each refuses what no valuation satisfies, drops what every valuation satisfies and unknown extents, and keeps the
  // rest as a shape rule. `what` names the place in the diagnostic: "dimension 1 of operand 0".

  LogicalResult requireEqual(const Twine &what, SymExpr actual, SymExpr expected);
  LogicalResult requireLessEqual(const Twine &what, SymExpr smaller, SymExpr larger);
  /// `extent` is 1 or `target`, as broadcasting allows.
  LogicalResult requireBroadcastsTo(const Twine &what, SymExpr extent, SymExpr target);
  /// Products are equal.
  LogicalResult requireSameNumElements(ArrayRef<SymExpr> from, ArrayRef<SymExpr> to);

  /// numpy broadcasting of whole shapes, aligned at the last dimension. An extent that only run time decides is null;
  /// its exact value is kept for getExactDims. Fails when two constants do not fit. `what` names the dimension's owner.
  FailureOr<SmallVector<SymExpr>> broadcast(ArrayRef<SmallVector<SymExpr>> shapes, StringRef what = "dimension");

  //===- Operands -----------------------------------------------------------===//

  LogicalResult requireSameElementType(Type first, Type second);
  /// `axes` are in [0, rank) and differ.
  LogicalResult requireAxes(StringRef name, ArrayRef<int64_t> axes, int64_t rank);
  LogicalResult requireAxis(StringRef name, int64_t axis, int64_t rank);

  /// Attributes may use only symbols that some operand type shows.
  LogicalResult requireShown(const Twine &what, ArrayRef<SymExpr> exprs, ValueRange operands);
  /// `binds` has one name for each of `count` extents found.
  LogicalResult requireBinds(ArrayAttr binds, size_t count);
  /// One of the element types of Spec.md section 3 that is a float, or any but bool.
  LogicalResult requireFloat(StringRef name, Type type);
  LogicalResult requireNumber(StringRef name, Type type);

  //===- Results ------------------------------------------------------------===//

  RankedTensorType makeType(ArrayRef<SymExpr> dims, Type elementType) const {
    return sym::getTensorType(dims, elementType);
  }
  /// Replaces unknown extents of the inferred type by the exact ones found while broadcasting.
  SmallVector<SymExpr> getExactDims(RankedTensorType inferred) const;
  /// Refuses a written type that contradicts the inferred one, and unless `mayClaim` one that says more.
  LogicalResult verifyResult(RankedTensorType inferred, Type written, bool mayClaim);
  /// The same for several results.
  LogicalResult verifyResults(ArrayRef<RankedTensorType> inferred, TypeRange written, bool mayClaim);
  /// The rules, and those that a written type adds where it claims more.
  SmallVector<ShapeRule> takeRules(RankedTensorType inferred, Type written);

private:
  void addRule(ArrayRef<sym::Fact> anyOf);
  bool isKnownEqual(SymExpr a, SymExpr b) { return a == b || (a && b && prover.isEqual(a, b) == sym::Verdict::True); }

  MLIRContext *context;
  std::optional<Location> location;
  StringRef opName;
  bool knowsFacts = false; // then what is false is false here, not for every valuation
  sym::Prover prover;
  SmallVector<ShapeRule> rules;
  SmallVector<SymExpr> exactDims; // exact extents of the first dimensions, where broadcast
};

//===- Rules shared by families ---------------------------------------------===//

/// Elementwise ops: operands have one element type and are broadcast. A null `elementType` is the operands'.
FailureOr<RankedTensorType> inferBroadcast(TypeInference &inference, ValueRange operands, Type elementType);

/// Reductions: `axes` go, or stay with extent 1.
FailureOr<RankedTensorType> inferReduction(TypeInference &inference, Value operand, ArrayRef<int64_t> axes,
                                           bool keepDims);

/// Position along `axis`: i64, and the axis goes, or stays with extent 1.
FailureOr<RankedTensorType> inferArgReduction(TypeInference &inference, Value operand, int64_t axis, bool keepDims);

/// Extents of the result as values, from the operands of `op`; those that no operand knows are left out.
LogicalResult reifyExtents(OpBuilder &builder, Operation *op, ArrayRef<sym::SymExpr> extents,
                           ReifiedRankedShapedTypeDims &dims);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_IR_GRAPHTYPEINFERENCE_H
