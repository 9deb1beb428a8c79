//===- RuntimeAxes.cpp - Axes that only run time knows --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RuntimeAxes.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// 0, 1, ... length - 1
static Value makePositions(NodeEmitter &e, int64_t length) {
  return e.makeIntegers(llvm::to_vector(llvm::seq<int64_t>(length)));
}

static Value isEqual(NodeEmitter &e, Value a, Value b) { return e.cast(e.create<graph::EqualOp>({a, b}), e.getI64()); }

RuntimeAxes mlir::relax::onnx::readRuntimeAxes(NodeEmitter &e, unsigned index, int64_t rank) {
  RuntimeAxes axes;
  axes.rank = rank;
  RankedTensorType type = e.getType(index);
  if (!isa<IntegerType>(type.getElementType()) || type.getRank() > 1 || !type.hasStaticShape() ||
      type.getNumElements() > kMaxElements)
    e.fail("axes must be integers of constant number, at most " + Twine(kMaxElements));
  if (e.failed())
    return axes;
  axes.count = type.getNumElements();
  Value listed = e.reshape(e.cast(e.getTensor(index), e.getI64()), {e.constant(axes.count)});
  Value isNegative = e.create<graph::LessOp>({listed, e.makeScalarLike(0, listed)});
  listed = e.select(isNegative, e.add(listed, e.makeScalarLike(static_cast<double>(rank), listed)), listed);
  axes.membership = isEqual(e, e.expandDims(makePositions(e, rank), {1}), e.expandDims(listed, {0}));
  axes.mask = e.reduceSum(axes.membership, {1}, /*keepdims=*/false);
  Value once = e.create<graph::MinimumOp>({axes.mask, e.makeScalarLike(1, axes.mask)});
  Value found = e.reduceSum(once, {0}, /*keepdims=*/false);
  axes.isValid = e.create<graph::EqualOp>({found, e.makeScalarLike(static_cast<double>(axes.count), found)});
  return axes;
}

Value mlir::relax::onnx::bindExtents(NodeEmitter &e, Value extents, int64_t length, Value isValid,
                                     SmallVectorImpl<SymExpr> &dims) {
  if (isValid)
    extents = e.select(isValid, extents, e.makeScalarLike(-1, extents));
  if (!extents)
    return {};
  dims.assign(length, SymExpr());
  return e.getImporter().bindShape(extents, dims, e.getSymbolStem(), e.getLoc());
}

/// 1 - mask
static Value invert(NodeEmitter &e, Value mask) { return e.subtract(e.makeScalarLike(1, mask), mask); }

/// For each dimension the number of dimensions before it that are no axes.
static Value countKeptBefore(NodeEmitter &e, const RuntimeAxes &axes) {
  int64_t rank = axes.rank;
  SmallVector<int64_t> isBefore;
  for (int64_t row = 0; row < rank; ++row)
    for (int64_t column = 0; column < rank; ++column)
      isBefore.push_back(column < row);
  Value matrix =
      e.makeConstant(DenseElementsAttr::get(RankedTensorType::get({rank, rank}, e.getI64()), ArrayRef(isBefore)));
  return e.reduceSum(e.multiply(matrix, e.expandDims(invert(e, axes.mask), {0})), {1}, /*keepdims=*/false);
}

Value mlir::relax::onnx::separateAxes(NodeEmitter &e, const RuntimeAxes &axes, Value x, Value &kept) {
  if (!x || e.failed())
    return {};
  Value extents = e.makeDimsTensor(sym::getSymbolicDims(x.getType())), one = e.makeScalarLike(1, extents);
  Value isAxis = e.create<graph::NotEqualOp>({axes.mask, e.makeScalarLike(0, axes.mask)});
  kept = e.select(isAxis, one, extents);
  Value pairs = e.concat({e.expandDims(kept, {1}), e.expandDims(e.select(isAxis, extents, one), {1})}, 1);
  SmallVector<SymExpr> dims;
  Value shape = bindExtents(e, e.reshape(pairs, {e.constant(2 * axes.rank)}), 2 * axes.rank, axes.isValid, dims);
  return shape ? e.create<graph::ReshapeOp>({x, shape}) : Value();
}

Value mlir::relax::onnx::removeAxes(NodeEmitter &e, const RuntimeAxes &axes, Value extents) {
  if (e.failed())
    return {};
  Value place = countKeptBefore(e, axes), values = e.multiply(extents, invert(e, axes.mask));
  Value isPlace = isEqual(e, e.expandDims(makePositions(e, axes.rank - axes.count), {1}), e.expandDims(place, {0}));
  return e.reduceSum(e.multiply(isPlace, e.expandDims(values, {0})), {1}, /*keepdims=*/false);
}

Value mlir::relax::onnx::insertAxes(NodeEmitter &e, const RuntimeAxes &axes, Value extents) {
  if (e.failed())
    return {};
  Value place = countKeptBefore(e, axes);
  Value isPlace = isEqual(e, e.expandDims(place, {1}), e.expandDims(makePositions(e, axes.rank - axes.count), {0}));
  Value chosen = e.reduceSum(e.multiply(isPlace, e.expandDims(extents, {0})), {1}, /*keepdims=*/false);
  Value isAxis = e.create<graph::NotEqualOp>({axes.mask, e.makeScalarLike(0, axes.mask)});
  return e.select(isAxis, e.makeScalarLike(1, chosen), chosen);
}

Value mlir::relax::onnx::collapseAround(NodeEmitter &e, unsigned index, Value x) {
  if (!x || e.failed())
    return {};
  SmallVector<SymExpr> input = sym::getSymbolicDims(x.getType());
  RuntimeAxes axes = readRuntimeAxes(e, index, input.size());
  if (e.failed())
    return {};
  if (axes.count != 1) {
    e.fail("has " + Twine(axes.count) + " axes, expected 1");
    return {};
  }
  // Dimensions before the axis have none of it before or at them.
  int64_t rank = axes.rank;
  Value extents = e.makeDimsTensor(input), one = e.makeScalarLike(1, extents);
  Value axis = e.reduceSum(e.multiply(makePositions(e, rank), axes.mask), {0}, /*keepdims=*/false);
  Value positions = makePositions(e, rank);
  auto productWhere = [&](Value condition) {
    return e.reduceProd(e.select(condition, extents, one), {0}, /*keepdims=*/true);
  };
  Value parts = e.concat({productWhere(e.create<graph::LessOp>({positions, axis})),
                          productWhere(e.create<graph::EqualOp>({positions, axis})),
                          productWhere(e.create<graph::GreaterOp>({positions, axis}))},
                         0);
  SmallVector<SymExpr> dims;
  Value shape = bindExtents(e, parts, 3, axes.isValid, dims);
  return shape ? e.create<graph::ReshapeOp>({x, shape}) : Value();
}
