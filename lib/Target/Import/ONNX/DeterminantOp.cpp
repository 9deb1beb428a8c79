//===- DeterminantOp.cpp - Det --------------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Elimination with pivots, for all matrices of the batch at once: a loop over
// the columns.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "LearningOps.h"
#include "Loops.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// What one column changes: the matrices [batch, n, n] and the products of the pivots so far [batch].
static SmallVector<Value> eliminate(NodeEmitter &e, Value k, Value matrix, Value product, SymExpr batch,
                                    SymExpr extent) {
  Value zero = e.makeScalarLike(0, matrix), one = e.makeScalarLike(1, matrix);
  auto takeAt = [&](Value x, int64_t axis) { return e.create<graph::TakeOp>({x, k}, e.attr("axis", axis)); };
  Value row = e.iota({e.constant(1), extent}, 1), minusOne = e.makeScalarLike(-1, matrix);
  // The largest of the rows that are left comes first.
  Value size = e.create<graph::AbsOp>(takeAt(matrix, 2));
  Value isLeft = e.create<graph::GreaterEqualOp>({row, k});
  Value pivotRow = e.create<graph::ArgmaxOp>(e.select(isLeft, size, minusOne), e.attr("axis", int64_t(1)));
  Value pivots = e.create<graph::GatherNDOp>({matrix, e.reshape(pivotRow, {batch, e.constant(1)})},
                                             e.attr("batch_dims", int64_t(1)));
  Value pivot = takeAt(pivots, 1), isSwapped = e.create<graph::NotEqualOp>({pivotRow, k});
  product = e.multiply(product, e.select(isSwapped, e.create<graph::NegateOp>(pivot), pivot));
  // Row k goes to the place of the pivot's; nobody reads row k again.
  Value isPivot = e.create<graph::EqualOp>({row, e.expandDims(pivotRow, {1})});
  matrix = e.select(e.expandDims(isPivot, {2}), e.expandDims(takeAt(matrix, 1), {1}), matrix);
  // A column of zeros makes the product 0, whatever follows.
  Value divisor = e.select(e.create<graph::EqualOp>({pivot, zero}), one, pivot);
  Value factor = e.divide(takeAt(matrix, 2), e.expandDims(divisor, {1}));
  factor = e.select(e.create<graph::GreaterOp>({row, k}), factor, zero);
  return {e.subtract(matrix, e.multiply(e.expandDims(factor, {2}), e.expandDims(pivots, {1}))), product};
}

static void emitDet(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size();
  Type type = e.getType(0).getElementType();
  if (rank < 2 || !isa<FloatType>(type))
    return e.fail("the input must be floats of rank 2 or more");
  SymExpr extent = dims[rank - 2];
  SmallVector<SymExpr> square = dims, outer(ArrayRef(dims).drop_back(2));
  square[rank - 1] = extent;
  SymExpr batch = e.product(outer);
  if (!batch)
    return e.fail("the number of elements does not fit 64 bits");
  Value x = e.reshape(checkDims(e, e.getTensor(0), square), {batch, extent, extent});
  // Products of many numbers: in f64.
  x = e.cast(x, Float64Type::get(e.getContext()));
  Value product = e.broadcastTo(e.makeScalarLike(1, x), {batch});
  if (e.failed())
    return;
  SmallVector<Value> results = repeat(e, extent, {x, product}, [&](Value column, ArrayRef<Value> carried) {
    return eliminate(e, column, carried[0], carried[1], batch, extent);
  });
  e.setResult(0, e.reshape(e.cast(results[1], type), outer));
}

ArrayRef<OpEntry> mlir::relax::onnx::getDeterminantOps() {
  static constexpr OpEntry entries[] = {{"Det", 11, 1, 1, 1, emitDet}};
  return entries;
}
