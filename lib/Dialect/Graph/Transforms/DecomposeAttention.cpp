//===- DecomposeAttention.cpp - Attention in simpler ops ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

struct DecomposeAttention final : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op, PatternRewriter &rewriter) const override {
    if (!hasKnownOperands(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    Composer c(rewriter, op);
    SmallVector<SymExpr> q = c.dims(op.getQuery()), k = c.dims(op.getKey()), v = c.dims(op.getValue());
    // What the shape rules ask for, so that no product broadcasts by chance.
    k = {q[0], k[1], k[2], q[3]};
    v = {q[0], k[1], k[2], v[3]};
    Value query = c.widen(op.getQuery()), key = c.withDims(c.widen(op.getKey()), k),
          value = c.withDims(c.widen(op.getValue()), v);
    query = c.mul(query, getScale(c, op, query, q[3]));

    // Heads that share keys become a dimension of their own.
    bool isGrouped = q[1] != k[1];
    SymExpr groups = SymExpr::floordiv(q[1], SymExpr::max({k[1], SymExpr::constant(op.getContext(), 1)}));
    if (isGrouped) {
      query = c.make<ReshapeOp>(query, c.shape({q[0], k[1], groups, q[2], q[3]}, {query, key}));
      key = c.expandDims(key, 2);
      value = c.expandDims(value, 2);
    }
    Value scores = c.make<MatmulOp>(
        query, c.permute(key, isGrouped ? ArrayRef<int64_t>{0, 1, 2, 4, 3} : ArrayRef<int64_t>{0, 1, 3, 2}));
    if (op.getSoftcap()) {
      double cap = op.getSoftcap()->convertToDouble();
      scores = c.mul(c.make<TanhOp>(c.div(scores, c.scalar(cap, scores))), cap);
    }
    if (Value mask = op.getMask())
      scores = applyMask(c, scores, isGrouped ? splitHeads(c, mask, q[1], k[1], groups, op.getKey()) : mask);
    if (op.getCausal() || op.getWindow()) {
      SmallVector<SymExpr> shape = {q[2], k[2]};
      if (sym::ExprAttr offset = op.getOffsetAttr())
        shape.push_back(offset.getValue());
      Value mask = AttentionMaskOp::create(rewriter, op.getLoc(), c.shape(shape, op->getOperands()), op.getCausal(),
                                           op.getWindowAttr());
      scores = applyMask(c, scores, mask);
    }
    Value result = c.make<MatmulOp>(c.softmax(scores, isGrouped ? 4 : 3), value);
    if (isGrouped)
      result = c.make<ReshapeOp>(result, c.shape({q[0], q[1], q[2], v[3]}, {op.getQuery(), value}));
    c.finish(c.cast(result, op.getType().getElementType()));
    return success();
  }

private:
  /// 1 / sqrt(depth) unless it is given.
  static Value getScale(Composer &c, AttentionOp op, Value query, SymExpr depth) {
    if (op.getScale())
      return c.scalar(op.getScale()->convertToDouble(), query);
    if (std::optional<int64_t> constant = depth.getConstant())
      return c.scalar(1 / std::sqrt(static_cast<double>(*constant)), query);
    auto type = RankedTensorType::get({1}, c.rewriter.getI64Type());
    Value extent = c.make<ShapeToTensorOp>(type, c.shape(depth, query));
    return c.make<RsqrtOp>(c.cast(extent, getElementTypeOrSelf(query.getType())));
  }

  static Value applyMask(Composer &c, Value scores, Value mask) {
    Value masked;
    if (getElementTypeOrSelf(mask.getType()).isInteger(1))
      masked = c.select(mask, scores, c.scalar(-std::numeric_limits<double>::infinity(), scores));
    else
      masked = c.add(scores, c.cast(mask, getElementTypeOrSelf(scores.getType())));
    return c.withDims(masked, c.dims(scores));
  }

  /// The mask's dimension of heads as kv heads and heads that share one.
  static Value splitHeads(Composer &c, Value mask, SymExpr heads, SymExpr kvHeads, SymExpr groups, Value key) {
    SmallVector<SymExpr> dims = c.dims(mask);
    if (dims.size() < 3)
      return mask;
    size_t position = dims.size() - 3;
    if (dims[position].getConstant() == 1)
      return c.expandDims(mask, position);
    if (dims[position] != heads) {
      // One or all, which only run time knows: repeat first.
      dims[position] = heads;
      mask = c.make<BroadcastToOp>(mask, c.shape(dims, {mask, c.op->getOperand(0)}));
    }
    dims[position] = kvHeads;
    dims.insert(dims.begin() + position + 1, groups);
    return c.make<ReshapeOp>(mask, c.shape(dims, {mask, key, c.op->getOperand(0)}));
  }
};

//===----------------------------------------------------------------------===//
// rotary_embedding
//===----------------------------------------------------------------------===//

struct DecomposeRotaryEmbedding final : OpRewritePattern<RotaryEmbeddingOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RotaryEmbeddingOp op, PatternRewriter &rewriter) const override {
    if (!hasKnownOperands(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    Composer c(rewriter, op);
    Value x = c.widen(op.getOperand()), cos = c.widen(op.getCos());
    SmallVector<SymExpr> dims = c.dims(x), angles = c.dims(cos);
    int64_t last = dims.size() - 1;
    // A dimension that may be 1 or the operand's is repeated: broadcasting below must not change the operand's.
    SmallVector<SymExpr> target(dims.begin() + (dims.size() - angles.size()), dims.end());
    target.back() = angles.back();
    for (auto [extent, wanted] : llvm::zip_equal(angles, target))
      if (extent.getConstant() == 1)
        wanted = extent;
    Value sin = c.withDims(c.widen(op.getSin()), angles);
    if (target != angles) {
      Value shape = c.shape(target, {x, cos});
      cos = c.make<BroadcastToOp>(cos, shape);
      sin = c.make<BroadcastToOp>(sin, shape);
    }

    SymExpr zero = SymExpr::constant(op.getContext(), 0), one = SymExpr::constant(op.getContext(), 1);
    SymExpr half = angles.back(), rotated = half * 2;
    auto slice = [&](SymExpr start, SymExpr end, int64_t stride) {
      bool needsShape = llvm::any_of(half.getSymbols(), [&](StringRef symbol) {
        return llvm::none_of(dims, [&](SymExpr dim) { return dim.usesSymbol(symbol); });
      });
      Value shape = needsShape ? c.shape(angles, cos) : Value();
      return c.make<SliceOp>(x, shape, ArrayRef<int64_t>{last}, ArrayRef<SymExpr>{start}, ArrayRef<SymExpr>{end},
                             ArrayRef<int64_t>{stride});
    };
    // The second elements of pairs: their last index is the last rotated one, so that both halves have one extent.
    Value first, second;
    if (op.getInterleaved()) {
      Value front = slice(zero, rotated, 1);
      SmallVector<SymExpr> pairs(dims);
      pairs.back() = half;
      pairs.push_back(SymExpr::constant(op.getContext(), 2));
      Value paired = c.make<ReshapeOp>(front, c.shape(pairs, {front, cos}));
      auto element = [&](SymExpr start, SymExpr end) {
        Value part = c.make<SliceOp>(paired, Value(), ArrayRef<int64_t>{last + 1}, ArrayRef<SymExpr>{start},
                                     ArrayRef<SymExpr>{end}, ArrayRef<int64_t>{1});
        return c.make<SqueezeOp>(part, rewriter.getDenseI64ArrayAttr({last + 1}));
      };
      first = element(zero, one);
      second = element(one, one + 1);
    } else {
      first = slice(zero, half, 1);
      second = slice(half, rotated, 1);
    }
    Value a = c.sub(c.mul(first, cos), c.mul(second, sin)), b = c.add(c.mul(second, cos), c.mul(first, sin));
    SmallVector<Value> parts = {a, b};
    if (op.getInterleaved()) {
      SmallVector<SymExpr> joined(dims);
      joined.back() = rotated;
      Value pairs = c.make<ConcatOp>(ValueRange{c.expandDims(a, last + 1), c.expandDims(b, last + 1)},
                                     rewriter.getI64IntegerAttr(last + 1));
      parts = {c.make<ReshapeOp>(pairs, c.shape(joined, pairs))};
    }
    if (dims.back() != rotated)
      parts.push_back(slice(rotated, dims.back(), 1));
    Value result = parts.size() == 1 ? parts.front() : c.make<ConcatOp>(parts, rewriter.getI64IntegerAttr(last));
    c.finish(c.cast(result, op.getType().getElementType()));
    return success();
  }
};
} // namespace

void graph::populateAttentionDecompositionPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeAttention, DecomposeRotaryEmbedding>(patterns.getContext());
}
