//===- SearchOps.cpp - Finding, sorting and running totals ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RuntimeAxes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

static Value flatten(NodeEmitter &e, Value x) {
  return x ? e.reshape(x, {e.product(sym::getSymbolicDims(x.getType()))}) : Value();
}

static Value take(NodeEmitter &e, Value x, Value indices, int64_t axis = 0) {
  return e.create<graph::TakeOp>({x, indices}, e.attr("axis", axis));
}

static Value argsort(NodeEmitter &e, Value x) { return e.create<graph::ArgsortOp>(x, e.attr("axis", int64_t(0))); }

static SymExpr getExtent(Value x, int64_t axis) { return sym::getSymbolicDims(x.getType())[axis]; }

static void emitNonZero(NodeEmitter &e) { e.setResult(0, createBinder<graph::NonzeroOp>(e, 1, e.getTensor(0))); }

/// The condition may be shorter than the axis; what is beyond its end is left out.
static void emitCompress(NodeEmitter &e) {
  Value x = e.getTensor(0), condition = e.getTensor(1);
  int64_t axis = 0;
  if (e.hasAttr("axis"))
    axis = e.normalizeAxis(e.getInt("axis", 0), e.getRank(0));
  else
    x = flatten(e, x);
  if (e.getRank(1) != 1)
    e.fail("the condition has rank " + Twine(e.getRank(1)) + ", expected 1");
  if (e.failed())
    return;
  SymExpr length = e.getDims(1)[0], zero = e.constant(0);
  if (length != getExtent(x, axis))
    x = e.slice(x, NodeEmitter::Range{axis, zero, length});
  e.setResult(0, createBinder<graph::CompressOp>(e, 1, {x, condition}, {e.attr("axis", axis)}));
}

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

static void emitTopK(NodeEmitter &e) {
  bool isInput = e.getOpset() >= 10;
  if (isInput != e.has(1))
    return e.fail(isInput ? "has 1 input, expected 2" : "has 2 inputs, expected 1 before opset 10");
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.normalizeAxis(e.getInt("axis", -1), dims.size());
  bool isLargest = e.getOpset() < 11 || e.getInt("largest", 1);
  e.ignoreAttr("sorted"); // the results are always sorted
  SymExpr k = isInput ? e.requireExtent(1, "k") : e.constant(e.getInt("k", 0));
  if (e.failed())
    return;
  SmallVector<NamedAttribute> attributes = {e.attr("axis", axis)};
  if (!isLargest)
    attributes.push_back(unitAttr(e, "smallest"));
  SmallVector<Value> results = createAll<graph::TopKOp>(e, 2, {e.getTensor(0), e.makeShape({k})}, attributes);
  // There are as many as asked for, or it is an error.
  dims[axis] = k;
  for (unsigned index : {0, 1})
    e.setResult(index, checkDims(e, results[index], dims));
}

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

namespace {
struct Distinct {
  Value values, indices, inverse, counts;
};
} // namespace

/// From sorted order to the order in which the values come first.
static Distinct orderByPlace(NodeEmitter &e, Distinct distinct, int64_t axis) {
  Value order = argsort(e, distinct.indices);
  return {take(e, distinct.values, order, axis), take(e, distinct.indices, order),
          take(e, argsort(e, order), distinct.inverse), take(e, distinct.counts, order)};
}

/// Distinct slices along an axis, in lexicographic order: every two are compared.
static Distinct findDistinctSlices(NodeEmitter &e, Value x, int64_t axis) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType());
  int64_t rank = dims.size();
  SmallVector<int64_t> permutation = {axis};
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis)
      permutation.push_back(dim);
  SymExpr count = dims[axis], one = e.constant(1);
  dims.erase(dims.begin() + axis);
  SymExpr width = e.product(dims);
  Value rows = e.reshape(e.permute(x, permutation), {count, width});
  Value left = e.expandDims(rows, {1}), right = e.expandDims(rows, {0});
  // The first place at which two slices differ decides.
  Value differs = e.create<graph::NotEqualOp>({left, right});
  Value place = e.iota({one, one, width}, 2), end = e.dimScalar(width, e.getI64());
  Value first = e.reduceMin(e.select(differs, place, end), {2}, /*keepdims=*/true);
  Value isEqual = e.create<graph::EqualOp>({e.squeeze(first, {2}), end});
  auto asNumber = [&](Value flags) { return e.cast(flags, e.getI64()); };
  auto both = [&](Value a, Value b) { return e.create<graph::LogicalAndOp>({a, b}); };
  Value decides = both(e.create<graph::LessOp>({left, right}), e.create<graph::EqualOp>({place, first}));
  Value isLess = e.reduceMax(asNumber(decides), {2}, /*keepdims=*/false); // [i, j]: i before j
  Value isEarlier = e.create<graph::LessOp>({e.iota({one, count}, 1), e.iota({count, one}, 0)});
  Value hasTwin = e.reduceMax(asNumber(both(isEqual, isEarlier)), {1}, /*keepdims=*/false);
  Value isFirst = e.create<graph::EqualOp>({e.reshape(hasTwin, {count}), e.makeScalar(0, e.getI64())});
  // A slice stands where as many distinct ones come before it.
  Distinct distinct;
  distinct.inverse = e.reduceSum(e.multiply(isLess, e.expandDims(asNumber(isFirst), {1})), {0}, /*keepdims=*/false);
  Value places = flatten(e, createBinder<graph::NonzeroOp>(e, 1, isFirst));
  if (!places)
    return distinct;
  distinct.indices = take(e, places, argsort(e, take(e, distinct.inverse, places)));
  distinct.values = take(e, x, distinct.indices, axis);
  Value number = e.iota({getExtent(places, 0), one}, 0);
  Value belongs = e.create<graph::EqualOp>({number, e.expandDims(distinct.inverse, {0})});
  distinct.counts = e.reduceSum(asNumber(belongs), {1}, /*keepdims=*/false);
  return distinct;
}

static void emitUnique(NodeEmitter &e) {
  bool isSorted = e.getInt("sorted", 1), hasAxis = e.hasAttr("axis");
  int64_t axis = hasAxis ? e.normalizeAxis(e.getInt("axis", 0), e.getRank(0)) : 0;
  Value x = e.getTensor(0);
  if (!x || e.failed())
    return;
  Distinct distinct;
  if (hasAxis && e.getRank(0) != 1) {
    distinct = findDistinctSlices(e, x, axis);
  } else {
    NamedAttribute binds = bindsAttr(e, 1);
    SmallVector<Value> results = createAll<graph::UniqueAllOp>(e, 4, x, binds);
    if (results[0])
      e.getImporter().addProviders(results[0]);
    distinct = {results[0], results[1], results[2], results[3]};
  }
  if (!isSorted)
    distinct = orderByPlace(e, distinct, axis);
  e.setResult(0, distinct.values);
  e.setResult(1, distinct.indices);
  e.setResult(2, distinct.inverse);
  e.setResult(3, distinct.counts);
}

//===----------------------------------------------------------------------===//
// Running totals
//===----------------------------------------------------------------------===//

template <typename OpTy> static void emitScan(NodeEmitter &e) {
  SmallVector<NamedAttribute> attributes;
  for (StringRef flag : {"exclusive", "reverse"})
    if (e.getInt(flag, 0))
      attributes.push_back(unitAttr(e, flag));
  Value x = e.getTensor(0);
  std::optional<SmallVector<int64_t>> axis = e.getIntegers(1);
  if (axis && axis->size() != 1)
    e.fail("has " + Twine(axis->size()) + " axes, expected 1");
  if (e.failed())
    return;
  if (axis) {
    attributes.push_back(e.attr("axis", e.normalizeAxis(axis->front(), e.getRank(0))));
    return e.setResult(0, e.create<OpTy>(x, attributes));
  }
  attributes.push_back(e.attr("axis", int64_t(1)));
  e.setResult(0, e.reshape(e.create<OpTy>(collapseAround(e, 1, x), attributes), e.getDims(0)));
}

ArrayRef<OpEntry> mlir::relax::onnx::getSearchOps() {
  static constexpr OpEntry entries[] = {
      {"NonZero", 9, 1, 1, 1, emitNonZero},
      {"Compress", 9, 2, 2, 1, emitCompress},
      {"TopK", 1, 1, 2, 2, emitTopK},
      {"Unique", 11, 1, 1, 4, emitUnique},
      {"CumSum", 11, 2, 2, 1, emitScan<graph::CumsumOp>},
      {"CumProd", 26, 2, 2, 1, emitScan<graph::CumprodOp>},
  };
  return entries;
}
