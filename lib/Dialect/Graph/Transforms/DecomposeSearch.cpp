//===- DecomposeSearch.cpp - Sorting and searching ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Patterns.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static SmallVector<Value> decomposeSort(SortOp op, Composer &c) {
  int64_t axis = op.getAxis();
  Value order = c.make<ArgsortOp>(op.getOperand(), axis, op.getDescending());
  return {c.make<TakeAlongAxisOp>(op.getOperand(), order, axis)};
}

static SmallVector<Value> decomposeTopK(TopKOp op, Composer &c) {
  int64_t axis = op.getAxis();
  SymExpr count = SymExpr::min({c.dims(op.getK()).front(), c.dims(op.getOperand())[axis]});
  Value order = c.make<ArgsortOp>(op.getOperand(), axis, /*descending=*/!op.getSmallest());
  Value best = c.slice(order, axis, c.expr(0), count);
  return {c.make<TakeAlongAxisOp>(op.getOperand(), best, axis), best};
}

/// Sorted, the first of each run of equal elements is what is looked for.
static SmallVector<Value> decomposeUniqueAll(UniqueAllOp op, Composer &c) {
  Type i64 = c.getI64();
  SymExpr size = getNumElements(c.getContext(), c.dims(op.getOperand()));
  Value flat = c.reshape(op.getOperand(), size);
  Value order = c.make<ArgsortOp>(flat, 0, /*descending=*/false);
  Value sorted = c.make<TakeOp>(flat, order, 0);
  // Each element beside the one before it; the first is always new.
  Value position = c.iota(size, 0, i64), zero = c.integer(0);
  Value previous = c.make<MaximumOp>(c.make<SubtractOp>(position, c.integer(1)), zero);
  Value before = c.make<TakeOp>(sorted, previous, 0);
  Value isNew = c.make<NotEqualOp>(before, sorted);
  if (isa<FloatType>(c.elementType(flat))) {
    Value bothNaN = c.make<LogicalAndOp>(c.make<IsNaNOp>(before), c.make<IsNaNOp>(sorted));
    isNew = c.make<LogicalAndOp>(isNew, c.make<LogicalNotOp>(bothNaN));
  }
  Value starts = c.make<LogicalOrOp>(isNew, c.make<EqualOp>(position, zero));

  Value places = c.squeeze(c.make<NonzeroOp>(starts, op.getBindsAttr()), 0);
  Value values = c.make<TakeOp>(sorted, places, 0), indices = c.make<TakeOp>(order, places, 0);
  // The number of starts up to an element tells which value it has.
  Value rank = c.make<CumsumOp>(c.cast(starts, i64), 0, /*exclusive=*/false, /*reverse=*/false);
  rank = c.make<SubtractOp>(rank, c.integer(1));
  Value inverse = c.make<ScatterElementsOp>(c.full(size, 0, i64), order, rank, 0, "none");
  // A run ends where the next one starts.
  SymExpr found = c.dims(places).front();
  Value zeros = c.full(found, 0, i64, places), ones = c.full(size, 1, i64);
  Value counts = c.make<ScatterElementsOp>(zeros, rank, ones, 0, "add");
  return {values, indices, inverse, counts};
}

static SmallVector<Value> decomposeBucketize(BucketizeOp op, Composer &c) {
  SmallVector<SymExpr> dims = c.dims(op.getOperand());
  int64_t axis = dims.size();
  dims.push_back(c.dims(op.getBoundaries()).front());
  Value x = c.broadcast(c.expandDims(op.getOperand(), axis), dims), bounds = c.broadcast(op.getBoundaries(), dims);
  // Not "bound < x": NaN is behind every bound.
  Value isBehind = op.getRight() ? c.make<LessOp>(x, bounds) : c.make<LessEqualOp>(x, bounds);
  return {c.make<SumOp>(c.cast(c.make<LogicalNotOp>(isBehind), c.getI64()), axis)};
}

void graph::populateSearchDecompositionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DecomposeWith<SortOp>>(context, decomposeSort);
  patterns.add<DecomposeWith<TopKOp>>(context, decomposeTopK);
  patterns.add<DecomposeWith<UniqueAllOp>>(context, decomposeUniqueAll);
  patterns.add<DecomposeWith<BucketizeOp>>(context, decomposeBucketize);
}
