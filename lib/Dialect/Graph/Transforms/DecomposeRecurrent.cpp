//===- DecomposeRecurrent.cpp - Recurrent layers in simpler ops -----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The product of the input with its weights is taken for all steps at once;
// what is left is one scan for each direction.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphRecurrentOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
struct DecomposeRecurrent final : OpRewritePattern<RecurrentOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RecurrentOp op, PatternRewriter &rewriter) const override {
    if (!hasKnownOperands(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    Composer c(rewriter, op);
    unsigned directions = op.getDirection() == "bidirectional" ? 2 : 1;
    SmallVector<Value> outputs, states, cells;
    for (unsigned direction = 0; direction != directions; ++direction) {
      Value scan = writeDirection(op, c, direction);
      SmallVector<SymExpr> dims = c.dims(scan);
      SymExpr steps = c.dims(op.getInput())[0], hidden = getHidden(op, c), zero = dims[0] - dims[0];
      auto part = [&](SymExpr first, SymExpr last, SymExpr begin, SymExpr end) {
        Value shape = c.shape(dims, {scan, op.getInput(), op.getRecurrence()});
        return c.make<SliceOp>(scan, shape, ArrayRef<int64_t>{0, 2}, ArrayRef<SymExpr>{first, begin},
                               ArrayRef<SymExpr>{last, end}, ArrayRef<int64_t>{1, 1});
      };
      outputs.push_back(c.expandDims(part(zero, steps, zero, hidden), 1));
      states.push_back(part(steps, steps + 1, zero, hidden));
      if (op.getCell() == "lstm")
        cells.push_back(part(steps, steps + 1, hidden, hidden * 2));
    }
    SmallVector<Value> results = {join(c, outputs, 1), join(c, states, 0)};
    if (op.getCell() == "lstm")
      results.push_back(join(c, cells, 0));
    for (auto [result, type] : llvm::zip_equal(results, op.getResultTypes()))
      result = castToType(rewriter, op.getLoc(), c.cast(result, getElementTypeOrSelf(type)), type, c.prover);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static SymExpr getHidden(RecurrentOp op, Composer &c) { return c.dims(op.getRecurrence())[2]; }

  static Value join(Composer &c, ArrayRef<Value> parts, int64_t axis) {
    return parts.size() == 1 ? parts.front() : c.make<ConcatOp>(parts, c.rewriter.getI64IntegerAttr(axis));
  }

  /// Slice `[begin, end)` of dimension `axis`; the bounds use symbols of the recurrence.
  static Value slice(RecurrentOp op, Composer &c, Value value, int64_t axis, SymExpr begin, SymExpr end) {
    return c.make<SliceOp>(value, c.make<ShapeOfOp>(op.getRecurrence()), ArrayRef<int64_t>{axis},
                           ArrayRef<SymExpr>{begin}, ArrayRef<SymExpr>{end}, ArrayRef<int64_t>{1});
  }

  /// The part of one direction with exactly the extents `dims` that the shape rules ask for.
  static Value ofDirection(RecurrentOp op, Composer &c, Value value, unsigned direction, ArrayRef<SymExpr> dims) {
    if (!value)
      return {};
    SymExpr first = SymExpr::constant(op.getContext(), direction);
    if (c.dims(value)[0] != SymExpr::constant(op.getContext(), 1))
      value = c.make<SliceOp>(value, Value(), ArrayRef<int64_t>{0}, ArrayRef<SymExpr>{first},
                              ArrayRef<SymExpr>{first + 1}, ArrayRef<int64_t>{1});
    value = c.make<SqueezeOp>(value, c.rewriter.getDenseI64ArrayAttr({0}));
    return c.withDims(c.widen(value), dims);
  }

  static Value zeros(Composer &c, ArrayRef<SymExpr> dims, ValueRange sources, Type type) {
    return c.make<FullOp>(c.shape(dims, sources), TypedAttr(c.rewriter.getFloatAttr(type, 0.0)));
  }

  static Value writeDirection(RecurrentOp op, Composer &c, unsigned direction) {
    StringRef cell = op.getCell();
    SymExpr hidden = getHidden(op, c), gates = hidden * getNumGates(cell);
    SymExpr zero = SymExpr::constant(op.getContext(), 0);
    SmallVector<SymExpr> x = c.dims(op.getInput());
    Value input = c.widen(op.getInput());
    Value weight = ofDirection(op, c, op.getWeight(), direction, {gates, x[2]});
    Value recurrence = ofDirection(op, c, op.getRecurrence(), direction, {gates, hidden});
    Value bias = ofDirection(op, c, op.getBias(), direction, {gates * 2});
    Value peephole = ofDirection(op, c, op.getPeephole(), direction, {hidden * 3});
    Value sums = c.make<MatmulOp>(input, c.permute(weight, {1, 0}));
    bool isLinear = cell == "gru" && op.getLinearBeforeReset();
    Value linearBias;
    if (bias) {
      sums = c.add(sums, slice(op, c, bias, 0, zero, gates));
      if (!isLinear) {
        sums = c.add(sums, slice(op, c, bias, 0, gates, gates * 2));
      } else {
        // The last gate gets its bias of the recurrence when it is reset.
        Value first = slice(op, c, bias, 0, gates, gates + hidden * 2);
        Value rest = zeros(c, hidden, op.getRecurrence(), getElementTypeOrSelf(first.getType()));
        sums =
            c.add(sums, c.withDims(c.make<ConcatOp>(ValueRange{first, rest}, c.rewriter.getI64IntegerAttr(0)), gates));
        linearBias = slice(op, c, bias, 0, gates + hidden * 2, gates * 2);
      }
      sums = c.withDims(sums, {x[0], x[1], gates});
    }
    Type type = getElementTypeOrSelf(sums.getType());
    SmallVector<SymExpr> stateDims = {x[1], hidden};
    auto initial = [&](Value given) {
      Value part = ofDirection(op, c, given, direction, stateDims);
      return part ? part : zeros(c, stateDims, {op.getInput(), op.getRecurrence()}, type);
    };
    Value state = initial(op.getInitial());
    if (cell == "lstm")
      state = c.make<ConcatOp>(ValueRange{state, initial(op.getInitialCell())}, c.rewriter.getI64IntegerAttr(1));
    Value lengths = op.getLengths();
    if (lengths)
      lengths = c.withDims(lengths, x[1]);

    unsigned count = getNumActivations(cell), from = direction * count;
    auto activations = c.rewriter.getArrayAttr(op.getActivations().getValue().slice(from, count));
    bool isReverse = op.getDirection() == "reverse" || direction == 1;
    return c.make<RecurrentScanOp>(sums, recurrence, state, lengths, peephole, linearBias, op.getCellAttr(),
                                   activations, c.rewriter.getDenseF64ArrayAttr(op.getAlpha().slice(from, count)),
                                   c.rewriter.getDenseF64ArrayAttr(op.getBeta().slice(from, count)), op.getClipAttr(),
                                   op.getInputForgetAttr(), op.getLinearBeforeResetAttr(),
                                   isReverse ? c.rewriter.getUnitAttr() : UnitAttr());
  }
};
} // namespace

void graph::populateRecurrentDecompositionPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeRecurrent>(patterns.getContext());
}
