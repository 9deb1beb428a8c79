//===- DecomposeQuantization.cpp - Quantization in simpler ops ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static Value decode(Composer &c, Value stored, StringRef format, Type dtype) {
  return c.make<DecodeOp>(stored, c.rewriter.getStringAttr(format), TypeAttr::get(dtype));
}

/// The first `extents` of each dimension, where packing or blocks made more of them.
static Value cut(Composer &c, Value value, ArrayRef<SymExpr> extents, Value source) {
  SmallVector<SymExpr> dims = c.dims(value), starts, ends;
  SmallVector<int64_t> axes;
  for (auto [dim, wanted] : llvm::enumerate(extents))
    if (dims[dim] != wanted && c.prover.isEqual(dims[dim], wanted) != sym::Verdict::True) {
      axes.push_back(dim);
      starts.push_back(SymExpr::constant(c.getContext(), 0));
      ends.push_back(wanted);
    }
  if (!axes.empty())
    value = c.make<SliceOp>(value, c.shape(extents, source), axes, starts, ends, SmallVector<int64_t>(axes.size(), 1));
  return c.withDims(value, extents);
}

/// Scales or zero points, ready to be broadcast to `like`.
template <typename OpTy> static Value spread(OpTy op, Composer &c, Value value, Value like) {
  SmallVector<SymExpr> dims = c.dims(like);
  if (!op.getAxis())
    return value;
  int64_t axis = *op.getAxis(), rank = dims.size();
  if (!op.getBlock())
    return c.along(c.withDims(value, dims[axis]), axis, rank);
  // Each scale stands for a block: repeat it, then cut what the last block has too much.
  SymExpr block = SymExpr::constant(c.getContext(), *op.getBlock());
  SmallVector<SymExpr> blocks(dims), repeated;
  blocks[axis] = SymExpr::ceildiv(dims[axis], block);
  value = c.withDims(value, blocks);
  repeated.assign(blocks.begin(), blocks.end());
  repeated.insert(repeated.begin() + axis + 1, block);
  Value expanded = c.make<BroadcastToOp>(c.expandDims(value, axis + 1), c.shape(repeated, value));
  SmallVector<SymExpr> joined(blocks);
  joined[axis] = blocks[axis] * block;
  return cut(c, c.reshape(expanded, joined), dims, like);
}

/// The zero point as a float, ready to be broadcast; null when there is none.
template <typename OpTy> static Value spreadZero(OpTy op, Composer &c, Value like) {
  if (!op.getZero())
    return {};
  Value zero = decode(c, op.getZero(), op.getFormat(), getElementTypeOrSelf(like.getType()));
  // Packing may have added numbers.
  if (StorageFormat::parse(op.getFormat())->getPerElement() != 1)
    zero = cut(c, zero, c.dims(op.getScale()), op.getScale());
  return spread(op, c, zero, like);
}

namespace {
struct DecomposeQuantize final : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    if (!hasKnownOperands(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    Composer c(rewriter, op);
    Value x = c.widen(op.getOperand());
    SmallVector<SymExpr> dims = c.dims(x);
    x = c.div(x, spread(op, c, c.widen(op.getScale()), x));
    if (StorageFormat::parse(op.getFormat())->isInteger())
      x = c.make<RoundOp>(x);
    if (Value zero = spreadZero(op, c, x))
      x = c.add(x, zero);
    c.finish(c.make<EncodeOp>(c.withDims(x, dims), op.getFormatAttr(), rewriter.getUnitAttr()));
    return success();
  }
};

struct DecomposeDequantize final : OpRewritePattern<DequantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeOp op, PatternRewriter &rewriter) const override {
    if (!hasKnownOperands(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    Composer c(rewriter, op);
    Value scale = c.widen(op.getScale());
    Type type = getElementTypeOrSelf(scale.getType());
    StorageFormat format = *StorageFormat::parse(op.getFormat());
    Value x;
    if (format.bits > 16 && op.getZero()) {
      // The difference of wide integers needs more digits than f32 has.
      Type f64 = rewriter.getF64Type();
      x = decode(c, op.getOperand(), op.getFormat(), f64);
      x = c.cast(c.sub(x, spreadZero(op, c, x)), type);
    } else {
      x = decode(c, op.getOperand(), op.getFormat(), type);
      if (Value zero = spreadZero(op, c, x))
        x = c.sub(x, zero);
    }
    x = c.mul(x, spread(op, c, scale, x));
    c.finish(c.cast(x, op.getType().getElementType()));
    return success();
  }
};

struct DecomposeDynamicQuantize final : OpRewritePattern<DynamicQuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DynamicQuantizeOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op);
    Value x = op.getOperand();
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, op.getOperand().getType().getRank()));
    Value none = c.scalar(0, x), one = c.scalar(1, x);
    auto reduceAll = [&](Value reduced, bool isMax) {
      return isMax ? c.make<MaximumOp>(reduced, none) : c.make<MinimumOp>(reduced, none);
    };
    auto attribute = rewriter.getDenseI64ArrayAttr(axes);
    Value high = reduceAll(c.make<MaxOp>(x, attribute, UnitAttr()), true);
    Value low = reduceAll(c.make<MinOp>(x, attribute, UnitAttr()), false);
    Value range = c.div(c.sub(high, low), c.scalar(255, x));
    Value scale = c.select(c.make<EqualOp>(range, none), one, range);
    auto encode = [&](Value value) {
      return c.make<EncodeOp>(value, rewriter.getStringAttr("u8"), rewriter.getUnitAttr());
    };
    Value zero = encode(c.make<RoundOp>(c.div(c.make<NegateOp>(low), scale)));
    Value offset = decode(c, zero, "u8", rewriter.getF32Type());
    Value result = encode(c.add(c.make<RoundOp>(c.div(x, scale)), offset));
    result = castToType(rewriter, op.getLoc(), result, op.getResult().getType(), c.prover);
    rewriter.replaceOp(op, {result, scale, zero});
    return success();
  }
};

/// `stored - zero` in i32.
Value centered(Composer &c, Value stored, Value zero, StringRef format) {
  Type i32 = c.rewriter.getI32Type();
  Value value = decode(c, stored, format, i32);
  if (!zero)
    return value;
  // Zero points are one to a byte.
  StringRef bytes = StorageFormat::parse(format)->isSigned ? "i8" : "u8";
  return c.withDims(c.sub(value, decode(c, zero, bytes, i32)), c.dims(value));
}

struct DecomposeQuantizedMatmul final : OpRewritePattern<QuantizedMatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizedMatmulOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op);
    c.finish(c.make<MatmulOp>(centered(c, op.getLhs(), op.getLhsZero(), op.getLhsFormat()),
                              centered(c, op.getRhs(), op.getRhsZero(), op.getRhsFormat())));
    return success();
  }
};

struct DecomposeQuantizedConv final : OpRewritePattern<QuantizedConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizedConvOp op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op);
    c.finish(c.make<ConvOp>(centered(c, op.getInput(), op.getInputZero(), op.getInputFormat()),
                            centered(c, op.getWeight(), op.getWeightZero(), op.getWeightFormat()), op.getStridesAttr(),
                            op.getPadsAttr(), op.getDilationsAttr(), op.getGroupsAttr(), op.getAutoPadAttr()));
    return success();
  }
};
} // namespace

void graph::populateQuantizationDecompositionPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeDequantize, DecomposeDynamicQuantize, DecomposeQuantize, DecomposeQuantizedConv,
               DecomposeQuantizedMatmul>(patterns.getContext());
}
