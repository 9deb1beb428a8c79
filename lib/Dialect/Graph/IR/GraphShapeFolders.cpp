//===- GraphShapeFolders.cpp - Folding of shape ops -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// Values of all-constant extents.
static std::optional<SmallVector<int64_t>> getConstants(ArrayRef<SymExpr> dims) {
  SmallVector<int64_t> values;
  for (SymExpr dim : dims) {
    std::optional<int64_t> value = dim ? dim.getConstant() : std::nullopt;
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

/// Each known extent of `coarse` is the one of `fine`.
static bool isErasedFrom(Type coarse, Type fine) {
  for (auto [kept, dim] : llvm::zip_equal(sym::getSymbolicDims(coarse), sym::getSymbolicDims(fine)))
    if (kept && kept != dim)
      return false;
  return true;
}

//===- Shape values -------------------------------------------------------===//

LogicalResult ShapeOfOp::canonicalize(ShapeOfOp op, PatternRewriter &rewriter) {
  // A static shape does not need the tensor.
  ArrayRef<SymExpr> dims = getShapeDims(op.getResult());
  if (getConstants(dims)) {
    rewriter.replaceOpWithNewOp<MakeShapeOp>(op, op.getType(), ValueRange());
    return success();
  }
  // Look through ops that only change the type, unless they know more.
  Operation *source = op.getSource().getDefiningOp();
  if (!isa_and_nonnull<RefineOp, EraseShapeOp>(source))
    return rewriter.notifyMatchFailure(op, "not a static shape nor a changed type");
  if (!isErasedFrom(op.getType(), source->getOperand(0).getType()))
    return rewriter.notifyMatchFailure(op, "the changed type says more");
  rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(source->getOperand(0)); });
  return success();
}

OpFoldResult MakeShapeOp::fold(FoldAdaptor) {
  for (Value shape : getShapes())
    if (shape.getType() == getType())
      return shape;
  return {};
}

LogicalResult MakeShapeOp::canonicalize(MakeShapeOp op, PatternRewriter &rewriter) {
  // Keep the operands that give a symbol which no earlier one gives.
  SmallVector<StringRef> needed, given;
  sym::collectSymbols(op.getType(), needed);
  SmallVector<Value> kept;
  for (Value shape : op.getShapes()) {
    SmallVector<StringRef> symbols;
    sym::collectSymbols(shape.getType(), symbols);
    auto isNew = [&](StringRef symbol) {
      return llvm::is_contained(needed, symbol) && !llvm::is_contained(given, symbol);
    };
    if (!llvm::any_of(symbols, isNew))
      continue;
    given.append(symbols);
    kept.push_back(shape);
  }
  if (kept.size() == op.getShapes().size())
    return rewriter.notifyMatchFailure(op, "every operand gives a symbol");
  rewriter.modifyOpInPlace(op, [&] { op.getShapesMutable().assign(kept); });
  return success();
}

OpFoldResult ShapeToTensorOp::fold(FoldAdaptor) {
  if (auto back = getShape().getDefiningOp<TensorToShapeOp>(); back && back.getSource().getType() == getType())
    return back.getSource();
  if (std::optional<SmallVector<int64_t>> values = getConstants(getShapeDims(getShape())))
    return DenseElementsAttr::get(cast<ShapedType>(getType()), ArrayRef<int64_t>(*values));
  return {};
}

OpFoldResult TensorToShapeOp::fold(FoldAdaptor) {
  auto back = getSource().getDefiningOp<ShapeToTensorOp>();
  if (back && getBinds().empty() && back.getShape().getType() == getType())
    return back.getShape();
  return {};
}

OpFoldResult EvalExprOp::fold(FoldAdaptor) {
  if (std::optional<int64_t> value = getExpr().getValue().getConstant())
    return IntegerAttr::get(IndexType::get(getContext()), *value);
  return {};
}

//===- Types of tensors ---------------------------------------------------===//

OpFoldResult MatchCastOp::fold(FoldAdaptor) {
  if (getBinds().empty() && getSource().getType() == getType())
    return getSource();
  return {};
}

/// The verifier refuses extents that differ for every valuation.
static bool isRefuted(Type source, Type result) {
  sym::Prover prover(source.getContext());
  for (auto [from, to] : llvm::zip_equal(sym::getSymbolicDims(source), sym::getSymbolicDims(result)))
    if (from && to && prover.isEqual(from, to) == sym::Verdict::False)
      return true;
  return false;
}

/// The checks of `op` made on `source` instead of its operand.
static LogicalResult castFrom(MatchCastOp op, Value source, PatternRewriter &rewriter) {
  if (isRefuted(source.getType(), op.getType()))
    return rewriter.notifyMatchFailure(op, "always traps");
  rewriter.modifyOpInPlace(op, [&] { op.getSourceMutable().assign(source); });
  return success();
}

/// match_cast of erase_shape, of refine, and of a match_cast whose checks it repeats.
static LogicalResult skipInnerCast(MatchCastOp op, PatternRewriter &rewriter) {
  Operation *inner = op.getSource().getDefiningOp();
  if (!inner)
    return rewriter.notifyMatchFailure(op, "operand is an argument");
  if (isa<EraseShapeOp>(inner))
    return castFrom(op, inner->getOperand(0), rewriter);
  auto cast = dyn_cast<MatchCastOp>(inner);
  if (!cast || !cast.getBinds().empty() || !isErasedFrom(cast.getType(), op.getType()))
    return rewriter.notifyMatchFailure(op, "operand is not a cast with fewer checks");
  return castFrom(op, cast.getSource(), rewriter);
}

/// A match_cast that checks and binds nothing only forgets extents.
static LogicalResult replaceByErase(MatchCastOp op, PatternRewriter &rewriter) {
  if (!op.getBinds().empty() || !isErasedFrom(op.getType(), op.getSource().getType()))
    return rewriter.notifyMatchFailure(op, "checks or binds");
  rewriter.replaceOpWithNewOp<EraseShapeOp>(op, op.getType(), op.getSource());
  return success();
}

void MatchCastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(skipInnerCast);
  patterns.add(replaceByErase);
}

OpFoldResult RefineOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto inner = getSource().getDefiningOp<RefineOp>();
  if (!inner)
    return {};
  if (inner.getSource().getType() == getType())
    return inner.getSource();
  if (isRefuted(inner.getSource().getType(), getType()))
    return {};
  getSourceMutable().assign(inner.getSource());
  return getResult();
}

OpFoldResult EraseShapeOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  Operation *inner = getSource().getDefiningOp();
  // What remains after the refinement must be what was there before.
  if (!isa_and_nonnull<EraseShapeOp, RefineOp>(inner) || !isErasedFrom(getType(), inner->getOperand(0).getType()))
    return {};
  getSourceMutable().assign(inner->getOperand(0));
  return getResult();
}

//===- AssertShapeOp ------------------------------------------------------===//

LogicalResult AssertShapeOp::canonicalize(AssertShapeOp op, PatternRewriter &rewriter) {
  FailureOr<sym::Fact> fact = op.getParsedFact();
  sym::Prover prover(op.getContext(), sym::getScope(op));
  if (failed(fact) || prover.holds(*fact) != sym::Verdict::True)
    return rewriter.notifyMatchFailure(op, "not proved");
  rewriter.eraseOp(op);
  return success();
}
