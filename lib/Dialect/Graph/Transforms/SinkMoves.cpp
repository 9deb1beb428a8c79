//===- SinkMoves.cpp - Moving elements later ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A permutation or reshape of an operand becomes one of the result, where it
// meets its inverse, or a reduction that makes it cheaper. It only ever moves
// towards results, so that rewriting ends, and only when every operand that it
// would have to be undone for has gone through the same one.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#define DEBUG_TYPE "relax-sink-moves"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace mlir::relax::graph {
#define GEN_PASS_DEF_SINKMOVESPASS
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h.inc"
} // namespace mlir::relax::graph

static void reportSunk(Operation *op, StringRef what) {
  remark::passed(op->getLoc(), remark::RemarkOpts::name("Sunk").category(DEBUG_TYPE))
      << (what + " moved behind '" + op->getName().getStringRef() + "'").str();
}

static bool isOne(SymExpr extent) { return extent && extent.getConstant() == 1; }

/// Every use of `value` is in `op`: moving what makes it leaves nothing behind.
static bool isOnlyReadBy(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) { return user == op; });
}

/// The only dimension whose extent is not 1: the rank when there is none; nullopt when there are several.
static std::optional<size_t> getOnlyDim(ArrayRef<SymExpr> dims) {
  size_t found = dims.size();
  for (auto [dim, extent] : llvm::enumerate(dims)) {
    if (isOne(extent))
      continue;
    if (found != dims.size())
      return std::nullopt;
    found = dim;
  }
  return found;
}

/// A tensor with one dimension that is not 1, as one whose dimension `place` of `rank` that is: no element moves.
static Value placeVector(Composer &c, Value value, size_t dim, size_t place, size_t rank) {
  SmallVector<int64_t> ones;
  for (size_t index = 0, count = Composer::dims(value).size(); index != count; ++index)
    if (index != dim)
      ones.push_back(static_cast<int64_t>(index));
  return c.along(c.squeeze(value, ones), static_cast<int64_t>(place), static_cast<int64_t>(rank));
}

/// `op` on other operands; the result has the extents that follow.
static Operation *cloneOn(Composer &c, Operation *op, ValueRange operands, ArrayRef<SymExpr> dims) {
  Operation *clone = c.rewriter.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(sym::getTensorType(dims, getElementTypeOrSelf(op->getResult(0))));
  return clone;
}

namespace {
/// `f(permute(x), permute(y), vector)` is `permute(f(x, y, vector))`.
struct SinkPermutation final : RewritePattern {
  SinkPermutation(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<graph::Broadcasting>() || !hasKnownOperands(op))
      return failure();
    SmallVector<SymExpr> result = Composer::dims(op->getResult(0));
    size_t rank = result.size();
    ArrayRef<int64_t> permutation;
    for (Value operand : op->getOperands()) {
      auto permute = operand.getDefiningOp<PermuteDimsOp>();
      if (!permute || !isOnlyReadBy(operand, op) || permute.getPermutation().size() != rank)
        continue;
      if (!permutation.empty() && permutation != permute.getPermutation())
        return rewriter.notifyMatchFailure(op, "operands went through different permutations");
      permutation = permute.getPermutation();
    }
    if (permutation.empty() || llvm::is_contained(result, SymExpr()))
      return failure();
    for (Value operand : op->getOperands())
      if (!isPermuted(operand, permutation, op) && !getOnlyDim(Composer::dims(operand)))
        return rewriter.notifyMatchFailure(op, "an operand did not go through the permutation");

    Composer c(rewriter, op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (isPermuted(operand, permutation, op)) {
        operands.push_back(operand.getDefiningOp()->getOperand(0));
        continue;
      }
      SmallVector<SymExpr> dims = Composer::dims(operand);
      size_t only = *getOnlyDim(dims);
      operands.push_back(
          only == dims.size() ? operand : placeVector(c, operand, only, permutation[only + rank - dims.size()], rank));
    }
    SmallVector<SymExpr> before(rank);
    for (auto [to, from] : llvm::enumerate(permutation))
      before[from] = result[to];
    SmallVector<int64_t> order(permutation);
    Operation *moved = cloneOn(c, op, operands, before);
    reportSunk(op, "a permutation");
    c.finish(c.permute(moved->getResult(0), order));
    return success();
  }

private:
  static bool isPermuted(Value operand, ArrayRef<int64_t> permutation, Operation *op) {
    auto permute = operand.getDefiningOp<PermuteDimsOp>();
    return permute && permute.getPermutation() == permutation && isOnlyReadBy(operand, op);
  }
};

/// The value before a reshape, or before dimensions of 1 came or went; null for anything else.
Value getReshaped(Value value, Operation *reader) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<ReshapeOp, ExpandDimsOp, SqueezeOp>(op) && isOnlyReadBy(value, reader) ? op->getOperand(0)
                                                                                                : Value();
}

/// `f(reshape(x), reshape(y), scalar)` is `reshape(f(x, y, scalar))` when x and y have the same shape.
struct SinkReshape final : RewritePattern {
  SinkReshape(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<graph::Broadcasting>() || !hasKnownOperands(op))
      return failure();
    SmallVector<SymExpr> result = Composer::dims(op->getResult(0));
    sym::Prover prover(op->getContext(), sym::getScope(op));
    auto areEqual = [&](ArrayRef<SymExpr> a, ArrayRef<SymExpr> b) {
      return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [&](auto pair) {
               auto [x, y] = pair;
               return x && y && (x == y || prover.isEqual(x, y) == sym::Verdict::True);
             });
    };
    Operation *reshape = nullptr;
    SmallVector<SymExpr> before;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      SmallVector<SymExpr> dims = Composer::dims(operand);
      if (Value source = getReshaped(operand, op)) {
        if (!areEqual(dims, result))
          return rewriter.notifyMatchFailure(op, "a reshaped operand is repeated");
        if (reshape && !areEqual(before, Composer::dims(source)))
          return rewriter.notifyMatchFailure(op, "operands had different shapes before");
        if (!reshape)
          before = Composer::dims(source);
        reshape = operand.getDefiningOp();
        operands.push_back(source);
      } else if (llvm::all_of(dims, isOne)) {
        operands.push_back(operand);
      } else {
        return rewriter.notifyMatchFailure(op, "an operand was not reshaped");
      }
    }
    if (!reshape || llvm::is_contained(before, SymExpr()))
      return failure();
    Composer c(rewriter, op);
    // What has one element may have more dimensions than there are now.
    for (Value &operand : operands) {
      SmallVector<SymExpr> dims = Composer::dims(operand);
      if (dims.size() > before.size())
        operand = c.squeeze(operand, llvm::to_vector(llvm::seq<int64_t>(0, dims.size())));
    }
    Operation *moved = cloneOn(c, op, operands, before);
    Operation *last = rewriter.clone(*reshape);
    last->setOperand(0, moved->getResult(0));
    last->getResult(0).setType(
        sym::getTensorType(Composer::dims(reshape->getResult(0)), getElementTypeOrSelf(op->getResult(0))));
    reportSunk(op, "a reshape");
    c.finish(last->getResult(0));
    return success();
  }
};

/// A reduction of a permuted tensor reduces the dimensions where they were; what is left is permuted, and smaller.
template <typename OpTy> struct ReduceBeforePermutation final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    auto permute = op.getOperand().template getDefiningOp<PermuteDimsOp>();
    if (!permute || !isOnlyReadBy(permute, op) || !hasKnownOperands(permute))
      return failure();
    ArrayRef<int64_t> permutation = permute.getPermutation();
    SmallVector<int64_t> axes = llvm::map_to_vector(op.getAxes(), [&](int64_t axis) { return permutation[axis]; });
    llvm::sort(axes);
    // Where a dimension that stays is after the reduction.
    SmallVector<int64_t> order;
    for (auto [to, from] : llvm::enumerate(permutation))
      if (op.getKeepdims())
        order.push_back(from);
      else if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(to)))
        order.push_back(from - std::distance(axes.begin(), llvm::lower_bound(axes, from)));
    Composer c(rewriter, op);
    Value reduced = c.make<OpTy>(permute.getOperand(), rewriter.getDenseI64ArrayAttr(axes), op.getKeepdimsAttr());
    reportSunk(op, "a permutation");
    c.finish(llvm::is_sorted(order) ? reduced : c.permute(reduced, order));
    return success();
  }
};

/// Parts that went through one permutation are joined before it.
struct JoinBeforePermutation final : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> sources;
    ArrayRef<int64_t> permutation;
    for (Value operand : op.getOperands()) {
      auto permute = operand.getDefiningOp<PermuteDimsOp>();
      if (!permute || !isOnlyReadBy(operand, op) || !hasKnownOperands(permute) ||
          (!sources.empty() && permutation != permute.getPermutation()))
        return failure();
      permutation = permute.getPermutation();
      sources.push_back(permute.getOperand());
    }
    if (sources.empty())
      return failure();
    Composer c(rewriter, op);
    SmallVector<int64_t> order(permutation);
    Value joined = c.make<ConcatOp>(sources, rewriter.getI64IntegerAttr(order[op.getAxis()]));
    if (isAssured(op))
      setAssured(joined.getDefiningOp());
    reportSunk(op, "a permutation");
    c.finish(c.permute(joined, order));
    return success();
  }
};

/// Rows that are decoded and turned for nothing but a product are decoded in it.
struct DecodeInProduct final : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    auto turned = op.getRhs().getDefiningOp<PermuteDimsOp>();
    if (!turned || !turned->hasOneUse() || turned.getPermutation() != ArrayRef<int64_t>{1, 0})
      return failure();
    auto decoded = turned->getOperand(0).getDefiningOp<DequantizeBlockOp>();
    if (!decoded || !decoded->hasOneUse() || cast<RankedTensorType>(op.getLhs().getType()).getRank() < 2)
      return failure();
    Composer c(rewriter, op);
    Value product = c.make<BlockMatmulOp>(op.getLhs(), decoded.getBlocks(), decoded.getFormatAttr());
    if (isAssured(op))
      setAssured(product.getDefiningOp());
    reportSunk(op, "the decoding of rows");
    c.finish(product);
    return success();
  }
};

struct SinkMovesPass final : graph::impl::SinkMovesPassBase<SinkMovesPass> {
  using SinkMovesPassBase::SinkMovesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<SinkPermutation, SinkReshape, DecodeInProduct, JoinBeforePermutation, ReduceBeforePermutation<SumOp>,
            ReduceBeforePermutation<ProdOp>, ReduceBeforePermutation<MaxOp>, ReduceBeforePermutation<MinOp>,
            ReduceBeforePermutation<MeanOp>, ReduceBeforePermutation<AnyOp>, ReduceBeforePermutation<AllOp>>(context);
    // Moves that meet cancel.
    for (StringRef name : {PermuteDimsOp::getOperationName(), ReshapeOp::getOperationName()})
      if (std::optional<RegisteredOperationName> info = RegisteredOperationName::lookup(name, context))
        info->getCanonicalizationPatterns(set, context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    // Only what this pass changes; other constants stay where they are.
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};
} // namespace
