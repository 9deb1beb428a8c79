//===- ManipulationOps.cpp - Moving elements ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::Fact;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;

static void emitTranspose(NodeEmitter &e) {
  SmallVector<int64_t> permutation = e.getInts("perm");
  if (permutation.empty() && !e.hasAttr("perm"))
    permutation = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(e.getRank(0))));
  e.setResult(0, e.permute(e.getTensor(0), permutation));
}

static void emitConcat(NodeEmitter &e) {
  if (!e.hasAttr("axis"))
    return e.fail("attribute 'axis' is missing");
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), e.getRank(0));
  SmallVector<Value> values;
  for (unsigned index = 0; index < e.getNumInputs(); ++index)
    values.push_back(e.getTensor(index));
  e.setResult(0, e.concat(values, axis));
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// The smaller of two, by proof where possible.
static SymExpr minimum(NodeEmitter &e, SymExpr a, SymExpr b) {
  if (a && b && e.getProver().isLessEqual(a, b) == Verdict::True)
    return a;
  if (a && b && e.getProver().isLessEqual(b, a) == Verdict::True)
    return b;
  return SymExpr::min({a, b});
}

static SymExpr maximum(NodeEmitter &e, SymExpr a, SymExpr b) {
  SymExpr smaller = minimum(e, a, b);
  if (smaller == a)
    return b;
  return smaller == b ? a : SymExpr::max({a, b});
}

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
  return minimum(e, bound, limit);
}

/// One axis of a slice in the form of relax.slice; null bounds when a sign is not known.
static NodeEmitter::Range makeRange(NodeEmitter &e, int64_t axis, SymExpr extent, SymExpr start, SymExpr end,
                                    int64_t stride) {
  NodeEmitter::Range range{axis, {}, {}, stride};
  SymExpr zero = e.constant(0), first = resolveBound(e, start, extent), last = resolveBound(e, end, extent);
  if (!first || !last)
    return range;
  if (stride > 0) {
    range.start = clampBelow(e, maximum(e, first, zero), extent, extent);
    range.end = maximum(e, clampBelow(e, maximum(e, last, zero), extent, extent), range.start);
    return range;
  }
  // Backwards: bounds are clamped to [0, extent - 1] and [-1, extent - 1]. An empty dimension has no first element: -1.
  range.start = clampBelow(e, maximum(e, first, zero), extent - 1, extent);
  range.end = minimum(e, maximum(e, last, e.constant(-1)), range.start);
  return range;
}

namespace {
struct SliceBounds {
  Elements starts, ends;
  SmallVector<int64_t> axes, steps;
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
    if (e.has(3))
      bounds.axes = e.requireIntegers(3, "axes");
    if (e.has(4))
      bounds.steps = e.requireIntegers(4, "steps");
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
  bool isUnknown = llvm::is_contained(bounds.starts, SymExpr()) || llvm::is_contained(bounds.ends, SymExpr());
  if (isUnknown && llvm::any_of(bounds.steps, [](int64_t step) { return step < 0; }))
    return e.fail("a negative step needs starts and ends that follow from the shapes");
  bindOne(1, bounds.starts, "_start");
  bindOne(2, bounds.ends, "_end");
}

static void emitSlice(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  SliceBounds bounds = readSlice(e);
  if (e.failed())
    return;
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
    if (!range.start || !range.end)
      return e.fail("the sign of start or end of axis " + Twine(axis) + " is not known: " + Twine(start.str()) + ", " +
                    end.str());
    if (step == 1 && range.start.getConstant() == 0 && range.end == dims[axis])
      continue;
    ranges.push_back(range);
  }
  Value x = e.getTensor(0);
  e.setResult(0, ranges.empty() ? x : e.slice(x, ranges));
}

//===----------------------------------------------------------------------===//
// Split
//===----------------------------------------------------------------------===//

/// Sizes of equal parts; since opset 18 the last may be smaller.
static Elements splitEvenly(NodeEmitter &e, SymExpr extent) {
  int64_t count = e.getNode().output_size();
  if (e.getOpset() >= 18 && e.getInt("num_outputs", count) != count)
    e.fail("attribute 'num_outputs' contradicts the number of outputs, " + Twine(count));
  if (e.getOpset() < 18)
    return Elements(count, e.divideExactly(extent, count));
  SymExpr part = SymExpr::ceildiv(extent, e.constant(count)), done = e.constant(0);
  Elements sizes;
  for (int64_t index = 0; index < count; ++index) {
    SymExpr next = minimum(e, part * (index + 1), extent);
    sizes.push_back(next - done);
    done = next;
  }
  return sizes;
}

static void emitSplit(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), dims.size());
  if (e.failed() || e.getNode().output_size() == 0)
    return;
  Elements sizes;
  if (e.getOpset() >= 13 && e.has(1))
    sizes = e.requireExtents(1, "split");
  else if (e.getOpset() < 13 && e.hasAttr("split"))
    for (int64_t size : e.getInts("split"))
      sizes.push_back(e.constant(size));
  else
    sizes = splitEvenly(e, dims[axis]);
  if (!e.failed() && static_cast<int>(sizes.size()) != e.getNode().output_size())
    e.fail("has " + Twine(e.getNode().output_size()) + " outputs, split has " + Twine(sizes.size()) + " sizes");
  SymExpr total = e.constant(0);
  for (SymExpr size : sizes)
    total = total + size;
  if (e.failed() || !total)
    return e.fail("the sizes do not fit 64 bits");
  if (e.getProver().isEqual(total, dims[axis]) != Verdict::True &&
      !e.getImporter().assume(Fact{total, Fact::Op::Equal, dims[axis]}))
    return e.fail("the sizes add up to " + Twine(total.str()) + ", the extent is " + dims[axis].str());
  Value x = e.getTensor(0);
  SymExpr start = e.constant(0);
  for (auto [index, size] : llvm::enumerate(sizes)) {
    NodeEmitter::Range range{axis, start, start + size};
    if (e.wants(index))
      e.setResult(index, e.slice(x, range));
    start = range.end;
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The four extents of an image, and the block size.
static SmallVector<SymExpr> readImage(NodeEmitter &e, int64_t &block) {
  SmallVector<SymExpr> dims = e.getDims(0);
  block = e.getInt("blocksize", 0);
  if (dims.size() != 4)
    e.fail("input has rank " + Twine(dims.size()) + ", expected 4");
  else if (block < 1 || block > (1 << 20))
    e.fail("attribute 'blocksize' is " + Twine(block) + ", expected at least 1");
  return dims;
}

static void emitDepthToSpace(NodeEmitter &e) {
  int64_t block;
  SmallVector<SymExpr> dims = readImage(e, block);
  std::string mode = e.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    e.fail("attribute 'mode' is '" + printable(mode) + "', expected DCR or CRD");
  if (e.failed())
    return;
  SymExpr depth = e.divideExactly(dims[1], block * block), b = e.constant(block);
  Value x = e.getTensor(0);
  if (mode == "DCR")
    x = e.permute(e.reshape(x, {dims[0], b, b, depth, dims[2], dims[3]}), {0, 3, 4, 1, 5, 2});
  else
    x = e.permute(e.reshape(x, {dims[0], depth, b, b, dims[2], dims[3]}), {0, 1, 4, 2, 5, 3});
  e.setResult(0, e.reshape(x, {dims[0], depth, dims[2] * block, dims[3] * block}));
}

static void emitSpaceToDepth(NodeEmitter &e) {
  int64_t block;
  SmallVector<SymExpr> dims = readImage(e, block);
  if (e.failed())
    return;
  SymExpr height = e.divideExactly(dims[2], block), width = e.divideExactly(dims[3], block), b = e.constant(block);
  Value x = e.reshape(e.getTensor(0), {dims[0], dims[1], height, b, width, b});
  x = e.permute(x, {0, 3, 5, 1, 2, 4});
  e.setResult(0, e.reshape(x, {dims[0], dims[1] * (block * block), height, width}));
}

static void emitTile(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0), split, repeated, joined;
  Elements repeats = e.requireExtents(1, "repeats");
  if (!e.failed() && repeats.size() != dims.size())
    e.fail("has " + Twine(repeats.size()) + " repeats, the input has rank " + Twine(dims.size()));
  if (e.failed())
    return;
  for (auto [dim, repeat] : llvm::zip(dims, repeats)) {
    // A dimension that is repeated gets one of extent 1 before it, which is broadcast.
    if (repeat.getConstant() != 1) {
      split.push_back(e.constant(1));
      repeated.push_back(repeat);
    }
    split.push_back(dim);
    repeated.push_back(dim);
    joined.push_back(repeat * dim);
  }
  e.setResult(0, e.reshape(e.broadcastTo(e.reshape(e.getTensor(0), split), repeated), joined));
}

/// How often each element of every dimension is repeated: from scales, or sizes that are multiples.
static SmallVector<int64_t> readFactors(NodeEmitter &e, ArrayRef<SymExpr> dims) {
  SmallVector<int64_t> factors;
  unsigned scalesIndex = e.getOpset() < 11 ? 1 : 2;
  if (e.has(scalesIndex)) {
    DenseElementsAttr scales = e.getDense(scalesIndex);
    if (scales && isa<FloatType>(scales.getElementType()))
      for (Attribute scale : scales.getValues<Attribute>()) {
        double value = cast<FloatAttr>(scale).getValueAsDouble();
        factors.push_back(value >= 1 && value <= (1 << 20) && value == std::floor(value) ? value : 0);
      }
  } else if (e.has(3)) {
    for (auto [size, dim] : llvm::zip(e.getElements(3).value_or(Elements()), dims)) {
      SymExpr factor = SymExpr::floordiv(size, dim);
      std::optional<int64_t> value = factor && dim * factor == size ? factor.getConstant() : std::nullopt;
      factors.push_back(value.value_or(0));
    }
  }
  if (factors.size() != dims.size() || llvm::is_contained(factors, 0))
    e.fail("only constant, positive, integral factors for each dimension are supported");
  return factors;
}

/// Nearest neighbours by integral factors: each element is repeated.
static void emitResize(NodeEmitter &e) {
  bool isOld = e.getOpset() < 11;
  std::string mode = e.getString("mode", "nearest");
  std::string transform = e.getString("coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
  std::string nearest = e.getString("nearest_mode", isOld ? "floor" : "round_prefer_floor");
  for (StringRef unused : {"cubic_coeff_a", "exclude_outside", "extrapolation_value", "antialias"})
    e.ignoreAttr(unused);
  // Inside the repetitions of an element these choose it: others do not.
  bool repeats = mode == "nearest" && ((transform == "asymmetric" && nearest == "floor") ||
                                       (transform == "half_pixel" && StringRef(nearest).starts_with("round_")));
  if (!repeats)
    return e.fail("mode '" + printable(mode) + "' with '" + printable(transform) + "' and '" + printable(nearest) +
                  "' is not supported");
  SmallVector<SymExpr> dims = e.getDims(0), split, repeated, joined;
  SmallVector<int64_t> factors = readFactors(e, dims);
  if (e.failed())
    return;
  for (auto [dim, factor] : llvm::zip(dims, factors)) {
    split.push_back(dim);
    repeated.push_back(dim);
    if (factor != 1) {
      split.push_back(e.constant(1));
      repeated.push_back(e.constant(factor));
    }
    joined.push_back(dim * factor);
  }
  e.setResult(0, e.reshape(e.broadcastTo(e.reshape(e.getTensor(0), split), repeated), joined));
}

ArrayRef<OpEntry> mlir::relax::onnx::getManipulationOps() {
  static constexpr OpEntry entries[] = {
      {"Transpose", 1, 1, 1, 1, emitTranspose},
      {"Concat", 1, 1, kVariadic, 1, emitConcat},
      {"Slice", 1, 1, 5, 1, emitSlice},
      {"Split", 1, 1, 2, kVariadic, emitSplit},
      {"DepthToSpace", 1, 1, 1, 1, emitDepthToSpace},
      {"SpaceToDepth", 1, 1, 1, 1, emitSpaceToDepth},
      {"Tile", 6, 2, 2, 1, emitTile},
      {"Resize", 10, 1, 4, 1, emitResize},
      {"Upsample", 9, 2, 2, 1, emitResize},
  };
  return entries;
}
