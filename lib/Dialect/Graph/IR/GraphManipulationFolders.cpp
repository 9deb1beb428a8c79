//===- GraphManipulationFolders.cpp - Folding manipulations ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphFolding.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// Every extent is known, so that equal types mean equal shapes.
static bool isFullyKnown(Type type) { return !llvm::is_contained(sym::getSymbolicDims(type), SymExpr()); }

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && isFullyKnown(getType()))
    return getOperand();
  // The shape in between does not matter if the numbers of elements are equal without its rule.
  if (auto inner = getOperand().getDefiningOp<ReshapeOp>();
      inner && sym::Prover(getContext())
                       .sameNumElements(sym::getSymbolicDims(inner.getOperand().getType()),
                                        sym::getSymbolicDims(getShape().getType())) == sym::Verdict::True) {
    getOperandMutable().assign(inner.getOperand());
    return getResult();
  }
  return foldManipulation(*this, adaptor.getOperands());
}

OpFoldResult BroadcastToOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && isFullyKnown(getType()))
    return getOperand();
  return foldManipulation(*this, adaptor.getOperands());
}

OpFoldResult PermuteDimsOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::is_sorted(permutation) && getOperand().getType() == getType())
    return getOperand();
  if (auto inner = getOperand().getDefiningOp<PermuteDimsOp>()) {
    SmallVector<int64_t> composed =
        llvm::map_to_vector(permutation, [&](int64_t axis) { return inner.getPermutation()[axis]; });
    getOperandMutable().assign(inner.getOperand());
    setPermutation(composed);
    return getResult();
  }
  return foldManipulation(*this, adaptor.getOperands());
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty() && getOperand().getType() == getType())
    return getOperand();
  return foldManipulation(*this, adaptor.getOperands());
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty() && getOperand().getType() == getType())
    return getOperand();
  return foldManipulation(*this, adaptor.getOperands());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // Everything in its order: bounds are the whole axis.
  SmallVector<SymExpr> dims = sym::getSymbolicDims(getOperand().getType());
  SmallVector<SymExpr> starts = getStartExprs(), ends = getEndExprs();
  auto isWhole = [&](size_t index) {
    return getStrides()[index] == 1 && starts[index].getConstant() == 0 && ends[index] == dims[getAxes()[index]];
  };
  if (getOperand().getType() == getType() && llvm::all_of(llvm::seq<size_t>(0, getAxes().size()), isWhole))
    return getOperand();
  return foldManipulation(*this, adaptor.getOperands());
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getOperands().size() == 1 && getOperands()[0].getType() == getType())
    return getOperands()[0];
  return foldManipulation(*this, adaptor.getOperands());
}

OpFoldResult TakeOp::fold(FoldAdaptor adaptor) { return foldManipulation(*this, adaptor.getOperands()); }
