//===- GraphIndexingFolders.cpp - Bounds that become known ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphFolding.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
/// Bounds as `relax.slice` wants them: clamped.
struct ClampedBounds {
  SymExpr start, end;
};

/// Clamps the bounds of one axis; null where facts do not tell a negative bound from one that is not.
class BoundClamper {
public:
  BoundClamper(sym::Prover &prover, SymExpr extent) : prover(prover), extent(extent) {}

  ClampedBounds clamp(SymExpr start, SymExpr end, int64_t stride) {
    SymExpr lowest = constant(stride > 0 ? 0 : -1), highest = extent - (stride > 0 ? 0 : 1);
    SymExpr first = clampOne(start, lowest, highest), last = clampOne(end, lowest, highest);
    if (!first || !last)
      return {};
    // Nothing lies between bounds that cross.
    last = stride > 0 ? SymExpr::max({first, last}) : SymExpr::min({first, last});
    return {prover.simplify(first), last ? prover.simplify(last) : last};
  }

private:
  SymExpr constant(int64_t value) { return SymExpr::constant(extent.getContext(), value); }

  SymExpr clampOne(SymExpr bound, SymExpr lowest, SymExpr highest) {
    // "To the end": no extent is larger.
    if (bound.getConstant() == std::numeric_limits<int64_t>::max())
      return highest;
    if (bound.getConstant() == std::numeric_limits<int64_t>::min())
      return lowest;
    if (prover.lowerBound(bound).value_or(-1) < 0) {
      if (prover.upperBound(bound).value_or(0) >= 0)
        return {};
      bound = bound + extent;
    }
    return bound ? SymExpr::max({lowest, SymExpr::min({bound, highest})}) : bound;
  }

  sym::Prover &prover;
  SymExpr extent;
};
} // namespace

LogicalResult DynamicSliceOp::canonicalize(DynamicSliceOp op, PatternRewriter &rewriter) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(op.getOperand().getType());
  SmallVector<Value> shapes;
  using Exprs = std::optional<SmallVector<SymExpr>>;
  Exprs starts = getElementExprs(op.getStarts(), shapes), ends = getElementExprs(op.getEnds(), shapes);
  SmallVector<SymExpr> ones(op.getAxes().size(), SymExpr::constant(op.getContext(), 1));
  Exprs strides = op.getStrides() ? getElementExprs(op.getStrides(), shapes) : Exprs(ones);
  if (!starts || !ends || !strides)
    return rewriter.notifyMatchFailure(op, "bounds are not known");

  sym::Prover prover(op.getContext(), sym::getScope(op));
  SmallVector<int64_t> steps;
  for (auto [axis, start, end, stride] : llvm::zip_equal(op.getAxes(), *starts, *ends, *strides)) {
    std::optional<int64_t> step = stride ? stride.getConstant() : std::nullopt;
    if (!start || !end || !dims[axis] || !step || *step == 0 || *step == std::numeric_limits<int64_t>::min())
      return rewriter.notifyMatchFailure(op, "a bound is not known");
    ClampedBounds bounds = BoundClamper(prover, dims[axis]).clamp(start, end, *step);
    if (!bounds.start || !bounds.end)
      return rewriter.notifyMatchFailure(op, "the sign of a bound is not known");
    start = bounds.start;
    end = bounds.end;
    steps.push_back(*step);
  }
  // A shape value that shows what the bounds mention.
  SmallVector<SymExpr> shown;
  for (ArrayRef<SymExpr> bounds : {ArrayRef(*starts), ArrayRef(*ends)})
    for (SymExpr bound : bounds)
      for (StringRef symbol : bound.getSymbols())
        if (SymExpr expr = SymExpr::symbol(op.getContext(), symbol); !llvm::is_contained(shown, expr))
          shown.push_back(expr);
  SmallVector<StringRef> known;
  sym::collectSymbols(op.getOperand().getType(), known);
  Value shape;
  if (llvm::any_of(shown, [&](SymExpr expr) { return !llvm::is_contained(known, *expr.getSymbol()); })) {
    SmallVector<StringRef> given(known);
    for (Value value : shapes)
      sym::collectSymbols(value.getType(), given);
    if (llvm::any_of(shown, [&](SymExpr expr) { return !llvm::is_contained(given, *expr.getSymbol()); }))
      return rewriter.notifyMatchFailure(op, "no operand shows a symbol of the bounds");
    shapes.push_back(ShapeOfOp::create(rewriter, op.getLoc(), op.getOperand()));
    shape = MakeShapeOp::create(rewriter, op.getLoc(), ShapeType::get(op.getContext(), shown), shapes);
  }
  Value slice = SliceOp::create(rewriter, op.getLoc(), op.getOperand(), shape, op.getAxes(), *starts, *ends, steps);
  rewriter.replaceOpWithNewOp<MatchCastOp>(op, op.getType(), slice, op.getBindsAttr());
  return success();
}
