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

/// A dense constant in another shape, when that shape is static.
static DenseElementsAttr reshapeConstant(Attribute attr, RankedTensorType type) {
  DenseElementsAttr source = getFoldable(attr, type);
  return source && source.getNumElements() == type.getNumElements() ? source.reshape(type) : DenseElementsAttr();
}

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
  return reshapeConstant(adaptor.getOperand(), getType());
}

OpFoldResult BroadcastToOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && isFullyKnown(getType()))
    return getOperand();
  if (DenseElementsAttr source = getFoldable(adaptor.getOperand(), getType()))
    return gatherElements(source, getType(), [&](ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from) {
      llvm::append_range(from, to.take_back(source.getType().getRank()));
    });
  return {};
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
  if (DenseElementsAttr source = getFoldable(adaptor.getOperand(), getType()))
    return gatherElements(source, getType(), [&](ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from) {
      from.resize(to.size());
      for (auto [dim, axis] : llvm::enumerate(permutation))
        from[axis] = to[dim];
    });
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty() && getOperand().getType() == getType())
    return getOperand();
  return reshapeConstant(adaptor.getOperand(), getType());
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty() && getOperand().getType() == getType())
    return getOperand();
  return reshapeConstant(adaptor.getOperand(), getType());
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

  DenseElementsAttr source = getFoldable(adaptor.getOperand(), getType());
  auto isConstant = [](SymExpr bound) { return bound.getConstant().has_value(); };
  if (!source || !llvm::all_of(starts, isConstant))
    return {};
  return gatherElements(source, getType(), [&](ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from) {
    llvm::append_range(from, to);
    for (auto [axis, start, stride] : llvm::zip_equal(getAxes(), starts, getStrides()))
      from[axis] = *start.getConstant() + to[axis] * stride;
  });
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getOperands().size() == 1 && getOperands()[0].getType() == getType())
    return getOperands()[0];
  SmallVector<DenseElementsAttr> sources;
  for (Attribute operand : adaptor.getOperands()) {
    sources.push_back(getFoldable(operand, getType()));
    if (!sources.back())
      return {};
  }
  // Along the axis position by position; around it row-major order is kept.
  int64_t outer = 1;
  for (int64_t dim = 0; dim != static_cast<int64_t>(getAxis()); ++dim)
    outer *= getType().getDimSize(dim);
  SmallVector<Attribute> values;
  for (int64_t row = 0; row != outer; ++row)
    for (DenseElementsAttr source : sources) {
      int64_t size = source.getNumElements() / outer;
      auto elements = source.getValues<Attribute>();
      for (int64_t index = row * size; index != (row + 1) * size; ++index)
        values.push_back(elements[index]);
    }
  return DenseElementsAttr::get(getType(), values);
}

OpFoldResult TakeOp::fold(FoldAdaptor adaptor) {
  DenseElementsAttr source = getFoldable(adaptor.getOperand(), getType());
  DenseElementsAttr indices = getFoldable(adaptor.getIndices(), getType());
  if (!source || !indices)
    return {};
  int64_t axis = getAxis(), extent = source.getType().getDimSize(axis), indexRank = indices.getType().getRank();
  // An index out of range stays for run time, where it is an error.
  for (const APInt &index : indices.getValues<APInt>())
    if (index.isNegative() || index.sge(extent))
      return {};
  auto positions = indices.getValues<APInt>();
  return gatherElements(source, getType(), [&](ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &from) {
    int64_t flat = 0;
    for (int64_t dim = 0; dim != indexRank; ++dim)
      flat = flat * indices.getType().getDimSize(dim) + to[axis + dim];
    llvm::append_range(from, to.take_front(axis));
    from.push_back(positions[flat].getSExtValue());
    llvm::append_range(from, to.drop_front(axis + indexRank));
  });
}
