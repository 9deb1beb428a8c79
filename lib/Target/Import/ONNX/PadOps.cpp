//===- PadOps.cpp - Padding -----------------------------------------------===//
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

namespace {
/// What is added and what is cut off before and after each dimension; none is negative.
struct Padding {
  SmallVector<SymExpr> low, high, cutLow, cutHigh;
  // All lower, then all upper ones, where only run time knows them; else null.
  Value added, cut;
};
} // namespace

/// Splits pads into what is added and what is cut off. Run-time pads are bound as two symbols, so that either may be
/// zero.
static void splitPads(NodeEmitter &e, Elements pads, Value tensor, Elements &added, Elements &cut, Padding &padding) {
  for (SymExpr pad : pads) {
    std::optional<int64_t> value = pad ? pad.getConstant() : std::nullopt;
    added.push_back(value && *value < 0 ? e.constant(0) : pad);
    cut.push_back(value && *value < 0 ? -pad : pad ? e.constant(0) : SymExpr());
  }
  if (!llvm::is_contained(pads, SymExpr()))
    return;
  Value zero = e.makeScalarLike(0, tensor);
  Value positive = e.create<graph::MaximumOp>({tensor, zero});
  Value negative = e.create<graph::MaximumOp>({e.create<graph::NegateOp>(tensor), zero});
  if (!positive || !negative)
    return;
  if (llvm::all_of(pads, [](SymExpr pad) { return !pad; })) {
    padding.added = positive;
    padding.cut = negative;
  }
  e.getImporter().bindShape(positive, added, (e.getSymbolStem() + "_pad").str(), e.getLoc());
  e.getImporter().bindShape(negative, cut, (e.getSymbolStem() + "_cut").str(), e.getLoc());
}

/// Pads of axes that only run time knows, as pads of every dimension; -1 makes nothing but an error of an invalid axis.
static Value spreadPads(NodeEmitter &e, int64_t rank) {
  RuntimeAxes axes = readRuntimeAxes(e, 3, rank);
  Value pads = e.cast(e.getTensor(1), e.getI64());
  if (e.failed() || e.getRank(1) != 1 || e.getType(1).getDimSize(0) != 2 * axes.count) {
    e.fail("needs two pads for each of " + Twine(axes.count) + " axes");
    return {};
  }
  auto half = [&](int64_t from) {
    Value part = e.slice(pads, NodeEmitter::Range{0, e.constant(from), e.constant(from + axes.count)});
    return e.reduceSum(e.multiply(axes.membership, e.expandDims(part, {0})), {1}, /*keepdims=*/false);
  };
  Value all = e.concat({half(0), half(axes.count)}, 0);
  // Axes that are invalid cut off more than there is, which is an error of the slice.
  Value far = e.makeConstant(DenseElementsAttr::get(RankedTensorType::get({}, e.getI64()), -(int64_t(1) << 40)));
  return e.select(axes.isValid, all, far);
}

static std::optional<Padding> readPadding(NodeEmitter &e) {
  int64_t rank = e.getRank(0);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  Elements pads, added, cut;
  SmallVector<SymExpr> none(rank, e.constant(0));
  Padding padding{none, none, none, none, {}, {}};
  Value tensor;
  if (e.getOpset() < 11) {
    for (int64_t pad : e.getInts(e.getOpset() < 2 ? "paddings" : "pads"))
      pads.push_back(e.constant(pad));
  } else if (e.getNumInputs() < 2) {
    e.fail("has 1 input, expected at least 2");
  } else if (e.has(3) && !e.getIntegers(3)) {
    tensor = spreadPads(e, rank);
    pads.assign(2 * rank, SymExpr());
  } else {
    pads = e.getElements(1).value_or(Elements());
    if (e.has(3))
      axes = e.normalizeAxes(*e.getIntegers(3), rank);
    if (llvm::is_contained(pads, SymExpr()))
      tensor = e.cast(e.getTensor(1), e.getI64());
  }
  size_t count = axes.size();
  if (pads.size() != 2 * count)
    e.fail("has " + Twine(pads.size()) + " pads of known number, expected " + Twine(2 * count));
  if (!e.failed())
    splitPads(e, pads, tensor, added, cut, padding);
  if (e.failed())
    return std::nullopt;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    padding.low[axis] = added[index];
    padding.high[axis] = added[index + count];
    padding.cutLow[axis] = cut[index];
    padding.cutHigh[axis] = cut[index + count];
  }
  return padding;
}

/// Lower plus upper pads of every dimension, from a tensor of both; null when not all are there.
static Value addHalves(NodeEmitter &e, Value pads, int64_t rank) {
  if (!pads || cast<RankedTensorType>(pads.getType()).getShape()[0] != 2 * rank)
    return {};
  Value low = e.slice(pads, NodeEmitter::Range{0, e.constant(0), e.constant(rank)});
  return e.add(low, e.slice(pads, NodeEmitter::Range{0, e.constant(rank), e.constant(2 * rank)}));
}

/// Run-time pads make extents of several symbols, and sizes of too many products: such extents get symbols of their
/// own, all together where run time computes them from tensors (`total`), which no pass turns back into sums.
static SmallVector<SymExpr> nameSums(NodeEmitter &e, SmallVector<SymExpr> sums, Value total, const Twine &stem) {
  if (e.failed())
    return sums;
  SmallVector<int64_t> axes;
  SmallVector<SymExpr> many;
  for (auto [axis, sum] : llvm::enumerate(sums)) {
    if (!sum) {
      e.fail("an extent does not fit 64 bits");
      return sums;
    }
    if (!total && sum.getSymbols().size() <= 1)
      continue;
    axes.push_back(axis);
    many.push_back(sum);
  }
  if (axes.empty())
    return sums;
  Elements named(axes.size());
  if (Value extents = total ? total : e.makeDimsTensor(many))
    e.getImporter().bindShape(extents, named, stem.str(), e.getLoc());
  for (auto [axis, extent] : llvm::zip(axes, named))
    if (extent)
      sums[axis] = extent;
  return sums;
}

static Value crop(NodeEmitter &e, Value x, const Padding &padding) {
  if (!x)
    return {};
  SymExpr zero = e.constant(0);
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType()), kept;
  for (auto [axis, dim] : llvm::enumerate(dims))
    kept.push_back(dim - padding.cutLow[axis] - padding.cutHigh[axis]);
  if (Value cut = addHalves(e, padding.cut, dims.size()))
    kept = nameSums(e, kept, e.subtract(e.makeDimsTensor(dims), cut), e.getSymbolStem() + "_kept");
  SmallVector<NodeEmitter::Range> ranges;
  for (int64_t axis = 0, rank = dims.size(); axis < rank && !e.failed(); ++axis)
    if (padding.cutLow[axis] != zero || padding.cutHigh[axis] != zero)
      ranges.push_back({axis, padding.cutLow[axis], padding.cutLow[axis] + kept[axis]});
  return ranges.empty() ? x : e.slice(x, ranges);
}

/// What is added at the end becomes the difference to a named extent.
static void nameExtents(NodeEmitter &e, Value x, Padding &padding) {
  if (!x)
    return;
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType()), sums;
  for (auto [axis, dim] : llvm::enumerate(dims))
    sums.push_back(dim + padding.low[axis] + padding.high[axis]);
  Value added = addHalves(e, padding.added, dims.size());
  if (added)
    added = e.add(e.makeDimsTensor(dims), added);
  SmallVector<SymExpr> named = nameSums(e, sums, added, e.getSymbolStem());
  for (auto [axis, extent] : llvm::enumerate(named))
    if (extent && extent != sums[axis])
      padding.high[axis] = extent - dims[axis] - padding.low[axis];
}

static void emitPad(NodeEmitter &e) {
  std::string mode = e.getString("mode", "constant");
  if (!llvm::is_contained({"constant", "edge", "reflect", "wrap"}, mode))
    return e.fail("attribute 'mode' is '" + printable(mode) + "', expected constant, edge, reflect or wrap");
  std::optional<Padding> padding = readPadding(e);
  if (!padding)
    return;
  Value x = crop(e, e.getTensor(0), *padding), value;
  if (e.getOpset() < 11) {
    float given = e.getFloat("value", 0);
    value = given != 0 ? e.makeScalarLike(given, x) : Value();
  } else if (e.has(2)) {
    value = e.reshape(e.getTensor(2), {});
  }
  SmallVector<SymExpr> added = padding->low;
  llvm::append_range(added, padding->high);
  SymExpr zero = e.constant(0);
  if (llvm::all_of(added, [&](SymExpr pad) { return pad == zero; }))
    return e.setResult(0, x);
  nameExtents(e, x, *padding);
  if (e.failed())
    return;
  added = padding->low;
  llvm::append_range(added, padding->high);
  Value result = createSegmented<graph::PadOp>(
      e, 1, {x, showSymbols(e, x, added), mode == "constant" ? value : Value()},
      {exprsAttr(e, "low", padding->low), exprsAttr(e, "high", padding->high), stringAttr(e, "mode", mode)})[0];
  e.setResult(0, result);
}

ArrayRef<OpEntry> mlir::relax::onnx::getPadOps() {
  static constexpr OpEntry entries[] = {
      {"Pad", 1, 1, 4, 1, emitPad},
  };
  return entries;
}
