//===- ShapeAnalysis.h - Symbolic extents of upstream IR -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_TRANSFORMS_SHAPEANALYSIS_H
#define RELAXDIALECT_LIB_DIALECT_SYM_TRANSFORMS_SHAPEANALYSIS_H

#include "IndexEvaluator.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::relax::sym {

/// Facts that a function states about its extents, beside `relax_sym.shape` of its arguments.
inline constexpr StringLiteral kFactsAttrName = "relax_sym.facts";
/// Extents of an op's results: an array with a ShapeAttr for each, a unit attribute for results without extents.
inline constexpr StringLiteral kShapesAttrName = "relax_sym.shapes";

/// Goes through a function once, in the order of its blocks.
class ShapeAnalysis {
public:
  /// Called for each op when its results are known, with the facts that hold there.
  using Visitor = llvm::function_ref<void(Operation *, IndexEvaluator &)>;

  explicit ShapeAnalysis(FunctionOpInterface function);
  void run(Visitor visitor);

  IndexEvaluator &getEvaluator() { return evaluator; }

private:
  void bindArguments();
  void visit(Region &region, Visitor visitor);
  void visit(Block &block, Visitor visitor);
  void visit(Operation *op, Visitor visitor);
  void visitLoop(LoopLikeOpInterface loop, Visitor visitor);
  void bindCounters(LoopLikeOpInterface loop);
  void visitBranches(Operation *op, Value condition, Visitor visitor);
  void findResults(Operation *op);
  void reify(Operation *op, MutableArrayRef<SmallVector<SymExpr>> shapes);
  SymExpr getBoundedValue(Value value, std::optional<int64_t> dim);
  void addFactsOf(Operation *op);
  void fillUnknown(Value value);

  FunctionOpInterface function;
  IndexEvaluator evaluator;
};

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_LIB_DIALECT_SYM_TRANSFORMS_SHAPEANALYSIS_H
