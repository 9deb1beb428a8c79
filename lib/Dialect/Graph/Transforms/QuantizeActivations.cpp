//===- QuantizeActivations.cpp - Products of small integers ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/QuantizationPasses.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-quantize-activations"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace mlir::relax::graph {
#define GEN_PASS_DEF_QUANTIZEACTIVATIONSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/QuantizationPasses.h.inc"
} // namespace mlir::relax::graph

namespace {
/// Rows as integers, and the factor of each block of them.
struct Activations {
  Value integers, scales;
};

constexpr double kMost = 127, kLeast = 1e-30;

/// `extents`: those of the scales.
Activations quantize(Composer &c, Value x, ArrayRef<SymExpr> extents) {
  SmallVector<SymExpr> dims = Composer::dims(x), split(extents);
  split.push_back(c.expr(kActivationBlock));
  int64_t axis = extents.size();
  Value blocks = c.reshape(x, split);
  Value largest = c.max(c.make<AbsOp>(blocks), axis);
  // 127 / 1e-30 is finite. Not finite: the comparison is false, or the scale is infinite.
  Value inverse = c.select(c.make<GreaterOp>(largest, c.scalar(kLeast, largest)),
                           c.div(c.scalar(kMost, largest), largest), c.scalar(0, largest));
  Value numbers = c.make<RoundOp>(c.mul(blocks, inverse));
  Value integers = c.cast(numbers, c.rewriter.getI8Type());
  return {c.reshape(integers, dims), c.reshape(c.mul(largest, 1 / kMost), extents)};
}

struct QuantizeActivationsPass final : graph::impl::QuantizeActivationsPassBase<QuantizeActivationsPass> {
  using QuantizeActivationsPassBase::QuantizeActivationsPassBase;

  void runOnOperation() override {
    activations.clear();
    SmallVector<BlockMatmulOp> products;
    getOperation().walk([&](BlockMatmulOp op) { products.push_back(op); });
    PatternRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    for (BlockMatmulOp op : products) {
      if (!BlockFormat::parse(op.getFormat())->hasIntegers()) {
        keep(op, "its numbers are no integers");
        continue;
      }
      if (!hasKnownOperands(op)) {
        keep(op, "an extent is unknown");
        continue;
      }
      rewrite(op, rewriter, dominance);
    }
  }

private:
  static void keep(BlockMatmulOp op, StringRef reason) {
    remark::missed(op.getLoc(), remark::RemarkOpts::name("Kept").category(DEBUG_TYPE)) << reason;
  }

  void rewrite(BlockMatmulOp op, PatternRewriter &rewriter, DominanceInfo &dominance) {
    rewriter.setInsertionPoint(op);
    Composer c(rewriter, op);
    BlockFormat format = *BlockFormat::parse(op.getFormat());
    SmallVector<SymExpr> dims = Composer::dims(op.getLhs());
    dims.back() = Composer::dims(op.getBlocks())[1] * (format.numbers / kActivationBlock);
    // Another product of the same operand has made them already, if it always comes first.
    SmallVector<std::pair<Operation *, Activations>> &known = activations[op.getLhs()];
    auto *found = llvm::find_if(known, [&](auto &entry) { return dominance.properlyDominates(entry.first, op); });
    Activations rows = found != known.end() ? found->second : quantize(c, op.getLhs(), dims);
    Value product = c.make<QuantizedBlockMatmulOp>(rows.integers, rows.scales, op.getBlocks(), op.getFormatAttr());
    if (found == known.end())
      known.emplace_back(product.getDefiningOp(), rows);
    c.finish(product);
  }

  DenseMap<Value, SmallVector<std::pair<Operation *, Activations>>> activations;
};
} // namespace
