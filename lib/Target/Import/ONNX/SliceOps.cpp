//===- SliceOps.cpp - Slices ----------------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RuntimeAxes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::Fact;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;

/// From this value on a bound stands for "to the end" in files: exporters write 10^9, or the largest 32-bit or 64-bit
/// integer; "before the beginning" is its negation. The inputs are then assumed to be smaller, which is checked when
/// the function is entered: otherwise every later extent would carry a minimum.
static constexpr int64_t kSentinel = 1000000000;

/// A slice bound counted from the end when it is negative; null when its sign is not known.
static SymExpr resolveBound(NodeEmitter &e, SymExpr bound, SymExpr extent) {
  if (e.getProver().isLessEqual(e.constant(0), bound) == Verdict::True)
    return bound;
  if (e.getProver().isLessEqual(bound, e.constant(-1)) != Verdict::True)
    return {};
  std::optional<int64_t> constant = bound.getConstant();
  if (constant == e.makeBound(std::numeric_limits<int64_t>::min()).getConstant())
    return e.constant(-1);
  if (constant && *constant <= -kSentinel &&
      e.getImporter().assume(Fact{extent, Fact::Op::LessEqual, e.constant(-*constant - 1)}))
    return e.constant(-1);
  return bound + extent;
}

/// min(bound, limit), where `limit` is at most `extent`.
static SymExpr clampBelow(NodeEmitter &e, SymExpr bound, SymExpr limit, SymExpr extent) {
  std::optional<int64_t> constant = bound ? bound.getConstant() : std::nullopt;
  if (constant == std::numeric_limits<int64_t>::max())
    return limit;
  if (constant && *constant >= kSentinel && e.getImporter().assume(Fact{extent, Fact::Op::LessEqual, bound}))
    return limit;
  return e.minimum(bound, limit);
}

/// One axis of a slice in the form of relax.slice; null bounds when a sign is not known.
static NodeEmitter::Range makeRange(NodeEmitter &e, int64_t axis, SymExpr extent, SymExpr start, SymExpr end,
                                    int64_t stride) {
  NodeEmitter::Range range{axis, {}, {}, stride};
  SymExpr zero = e.constant(0), first = resolveBound(e, start, extent), last = resolveBound(e, end, extent);
  if (!first || !last)
    return range;
  if (stride > 0) {
    range.start = clampBelow(e, e.maximum(first, zero), extent, extent);
    range.end = e.maximum(clampBelow(e, e.maximum(last, zero), extent, extent), range.start);
    return range;
  }
  // Backwards: bounds are clamped to [0, extent - 1] and [-1, extent - 1]. An empty dimension has no first element: -1.
  range.start = clampBelow(e, e.maximum(first, zero), extent - 1, extent);
  range.end = e.minimum(e.maximum(last, e.constant(-1)), range.start);
  return range;
}

namespace {
struct SliceBounds {
  Elements starts, ends;
  SmallVector<int64_t> axes, steps;
  bool isRuntime = false; // axes or steps are not constants
};
} // namespace

static SliceBounds readSlice(NodeEmitter &e) {
  SliceBounds bounds;
  if (e.getOpset() < 10) {
    for (int64_t start : e.getInts("starts"))
      bounds.starts.push_back(e.makeBound(start));
    for (int64_t end : e.getInts("ends"))
      bounds.ends.push_back(e.makeBound(end));
    bounds.axes = e.getInts("axes");
  } else if (e.getNumInputs() < 3) {
    e.fail("has " + Twine(e.getNumInputs()) + " inputs, expected at least 3");
  } else {
    bounds.starts = e.getBounds(1).value_or(Elements());
    bounds.ends = e.getBounds(2).value_or(Elements());
    std::optional<SmallVector<int64_t>> axes = SmallVector<int64_t>(), steps = axes;
    if (e.has(3))
      axes = e.getIntegers(3);
    if (e.has(4))
      steps = e.getIntegers(4);
    bounds.isRuntime = !axes || !steps;
    bounds.axes = axes.value_or(SmallVector<int64_t>());
    bounds.steps = steps.value_or(SmallVector<int64_t>());
    if (bounds.isRuntime)
      return bounds;
  }
  if (bounds.axes.empty())
    bounds.axes = llvm::to_vector(llvm::seq<int64_t>(bounds.starts.size()));
  if (bounds.steps.empty())
    bounds.steps.assign(bounds.starts.size(), 1);
  size_t count = bounds.starts.size();
  if (bounds.ends.size() != count || bounds.axes.size() != count || bounds.steps.size() != count)
    e.fail("starts, ends, axes and steps have different lengths, or one of unknown length");
  bounds.axes = e.normalizeAxes(bounds.axes, e.getRank(0));
  return bounds;
}

/// Bounds that only run time knows, as non-negative symbols: clamped as tensors, then bound.
static void bindBounds(NodeEmitter &e, SliceBounds &bounds, ArrayRef<SymExpr> dims) {
  SmallVector<SymExpr> extents;
  for (int64_t axis : bounds.axes)
    extents.push_back(dims[axis]);
  auto bindOne = [&](unsigned index, Elements &elements, StringRef suffix) {
    if (!llvm::is_contained(elements, SymExpr()))
      return;
    Value extent = e.makeDimsTensor(extents), bound = e.cast(e.getTensor(index), e.getI64());
    Value zero = e.makeScalarLike(0, bound);
    bound = e.select(e.create<graph::LessOp>({bound, zero}), e.add(bound, extent), bound);
    bound = e.create<graph::MinimumOp>({e.create<graph::MaximumOp>({bound, zero}), extent});
    if (!bound)
      return;
    elements.assign(elements.size(), SymExpr());
    e.getImporter().bindShape(bound, elements, (e.getSymbolStem() + suffix).str(), e.getLoc());
  };
  bindOne(1, bounds.starts, "_start");
  bindOne(2, bounds.ends, "_end");
}

//===----------------------------------------------------------------------===//
// Everything known at run time only
//===----------------------------------------------------------------------===//

namespace {
/// i64 vectors with an entry per sliced axis.
struct RuntimeBounds {
  Value starts, ends, steps;
  SmallVector<int64_t> axes;
};
} // namespace

static Value minimum(NodeEmitter &e, Value a, Value b) { return e.create<graph::MinimumOp>({a, b}); }
static Value maximum(NodeEmitter &e, Value a, Value b) { return e.create<graph::MaximumOp>({a, b}); }
static Value isLess(NodeEmitter &e, Value a, int64_t b) {
  return e.create<graph::LessOp>({a, e.makeScalarLike(static_cast<double>(b), a)});
}

static RuntimeBounds readRuntimeBounds(NodeEmitter &e) {
  RuntimeBounds bounds;
  int64_t rank = e.getRank(0);
  for (unsigned index : {1, 2, 4})
    if ((index < 4 || e.has(index)) && (e.getRank(index) != 1 || !e.getType(index).hasStaticShape() ||
                                        e.getType(index).getShape() != e.getType(1).getShape()))
      e.fail("starts, ends and steps must be vectors of the same constant length");
  int64_t count = e.failed() ? 0 : e.getType(1).getDimSize(0);
  Value starts = e.cast(e.getTensor(1), e.getI64()), ends = e.cast(e.getTensor(2), e.getI64());
  Value steps = e.has(4) ? e.cast(e.getTensor(4), e.getI64()) : e.makeIntegers(SmallVector<int64_t>(count, 1));
  std::optional<SmallVector<int64_t>> axes = llvm::to_vector(llvm::seq<int64_t>(count));
  if (e.has(3))
    axes = e.getIntegers(3);
  if (axes) {
    bounds = {starts, ends, steps, e.normalizeAxes(*axes, rank)};
    if (static_cast<int64_t>(axes->size()) != count)
      e.fail("starts and axes have different lengths: " + Twine(count) + " and " + Twine(axes->size()));
    return bounds;
  }
  // All axes are sliced; those that are not listed from 0 to the end.
  RuntimeAxes listed = readRuntimeAxes(e, 3, rank);
  if (!e.failed() && listed.count != count)
    e.fail("starts and axes have different lengths: " + Twine(count) + " and " + Twine(listed.count));
  if (e.failed())
    return bounds;
  Value isListed = e.create<graph::NotEqualOp>({listed.mask, e.makeScalarLike(0, listed.mask)});
  auto spread = [&](Value values, Value absent) {
    Value chosen = e.reduceSum(e.multiply(listed.membership, e.expandDims(values, {0})), {1}, /*keepdims=*/false);
    return e.select(isListed, chosen, absent);
  };
  bounds.starts = spread(starts, e.makeScalarLike(0, starts));
  bounds.ends = spread(ends, e.makeDimsTensor(e.getDims(0)));
  // An axis that is listed twice or does not exist gets the step 0, which is an error below.
  bounds.steps = spread(steps, e.makeScalarLike(1, steps));
  bounds.steps = e.select(listed.isValid, bounds.steps, e.makeScalarLike(0, bounds.steps));
  bounds.axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  return bounds;
}

/// Each axis is gathered by start + step * position. The steps have any sign.
static void emitRuntimeSlice(NodeEmitter &e) {
  RuntimeBounds bounds = readRuntimeBounds(e);
  if (e.failed())
    return;
  SmallVector<SymExpr> dims = e.getDims(0), extents, lengths;
  for (int64_t axis : bounds.axes)
    extents.push_back(dims[axis]);
  Value extent = e.makeDimsTensor(extents), zero = e.makeScalarLike(0, extent), one = e.makeScalarLike(1, extent);
  Value last = e.subtract(extent, one);
  // A step beyond any extent takes one element, however large it is.
  constexpr double kMaxStep = double(int64_t(1) << 20) * double(1 << 20);
  Value far = e.makeConstant(DenseElementsAttr::get(RankedTensorType::get({}, e.getI64()), int64_t(kMaxStep)));
  Value steps = minimum(e, maximum(e, bounds.steps, e.create<graph::NegateOp>(far)), far);
  Value isBackward = isLess(e, steps, 0);
  auto wrap = [&](Value bound) { return e.select(isLess(e, bound, 0), e.add(bound, extent), bound); };
  Value start = wrap(bounds.starts), end = wrap(bounds.ends);
  Value forwardStart = minimum(e, maximum(e, start, zero), extent),
        forwardEnd = minimum(e, maximum(e, end, zero), extent);
  Value backwardStart = minimum(e, maximum(e, start, zero), last);
  Value backwardEnd = minimum(e, maximum(e, end, e.makeScalarLike(-1, end)), last);
  Value first = e.select(isBackward, backwardStart, forwardStart);
  Value reach = e.select(isBackward, e.subtract(backwardStart, backwardEnd), e.subtract(forwardEnd, forwardStart));
  Value size = e.create<graph::AbsOp>(steps);
  Value length = e.divide(e.subtract(e.add(maximum(e, reach, zero), size), one), size);
  if (!bindExtents(e, length, bounds.axes.size(), {}, lengths))
    return;
  Value x = e.getTensor(0);
  for (size_t index = 0; index < bounds.axes.size(); ++index) {
    int64_t axis = bounds.axes[index];
    SymExpr count = lengths[index];
    auto pick = [&](Value vector) {
      SymExpr at = e.constant(static_cast<int64_t>(index));
      return e.squeeze(e.slice(vector, NodeEmitter::Range{0, at, at + 1}), {0});
    };
    Value positions = e.add(e.multiply(e.iota({count}, 0), pick(steps)), pick(first));
    x = e.create<graph::TakeOp>({x, positions}, e.attr("axis", axis));
  }
  e.setResult(0, x);
}

static void emitSlice(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  SliceBounds bounds = readSlice(e);
  if (e.failed())
    return;
  bool isUnknown = llvm::is_contained(bounds.starts, SymExpr()) || llvm::is_contained(bounds.ends, SymExpr());
  if (bounds.isRuntime || (isUnknown && llvm::any_of(bounds.steps, [](int64_t step) { return step < 0; })))
    return emitRuntimeSlice(e);
  bindBounds(e, bounds, dims);
  SmallVector<NodeEmitter::Range> ranges;
  for (auto [axis, start, end, step] : llvm::zip(bounds.axes, bounds.starts, bounds.ends, bounds.steps)) {
    if (e.failed())
      return;
    if (step == 0)
      return e.fail("the step of axis " + Twine(axis) + " is 0");
    // Steps beyond any extent take one element.
    constexpr int64_t kMaxStep = int64_t(1) << 56;
    NodeEmitter::Range range = makeRange(e, axis, dims[axis], start, end, std::clamp(step, -kMaxStep, kMaxStep));
    // The sign of a bound may only be known at run time.
    if (!range.start || !range.end)
      return emitRuntimeSlice(e);
    if (step == 1 && range.start.getConstant() == 0 && range.end == dims[axis])
      continue;
    ranges.push_back(range);
  }
  Value x = e.getTensor(0);
  e.setResult(0, ranges.empty() ? x : e.slice(x, ranges));
}

ArrayRef<OpEntry> mlir::relax::onnx::getSliceOps() {
  static constexpr OpEntry entries[] = {
      {"Slice", 1, 1, 5, 1, emitSlice},
  };
  return entries;
}
