//===- IndexOps.cpp - Indexing and padding --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// Indices counted from the end where they are negative.
static Value wrapIndices(NodeEmitter &e, Value indices, SymExpr extent) {
  Value size = e.reshape(e.makeDimsTensor({extent}), {});
  if (!indices || !size)
    return {};
  size = e.cast(size, cast<RankedTensorType>(indices.getType()).getElementType());
  Value isNegative = e.create<graph::LessOp>({indices, e.makeScalarLike(0, indices)});
  return e.select(isNegative, e.add(indices, size), indices);
}

static void emitGather(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), dims.size());
  if (e.failed())
    return;
  Value data = e.getTensor(0), indices;
  if (DenseElementsAttr dense = e.getDense(1); dense && isa<IntegerType>(dense.getElementType())) {
    // Constants need no arithmetic at run time when their sign is that of the result.
    if (llvm::all_of(dense.getValues<APInt>(), [](const APInt &index) { return index.isNonNegative(); }))
      indices = e.getTensor(1);
  }
  if (!indices)
    indices = wrapIndices(e, e.getTensor(1), dims[axis]);
  e.setResult(0, e.create<graph::TakeOp>({data, indices}, e.attr("axis", axis)));
}

/// A number of any type, as a scalar or a vector of one element.
static SymExpr readDepth(NodeEmitter &e) {
  if (isa<IntegerType>(e.getType(1).getElementType()))
    return e.requireExtent(1, "depth");
  Elements depth(1);
  if (Value tensor = e.reshape(e.cast(e.getTensor(1), e.getI64()), {e.constant(1)}))
    e.getImporter().bindShape(tensor, depth, e.getSymbolStem(), e.getLoc());
  return depth[0] ? depth[0] : e.constant(0);
}

static void emitOneHot(NodeEmitter &e) {
  int64_t rank = e.getRank(0), axis = e.normalizeAxis(e.getInt("axis", -1), rank + 1);
  if (e.failed())
    return;
  if (e.getRank(2) != 1 || e.getType(2).getShape()[0] != 2)
    return e.fail("values must be a vector of 2 elements");
  SymExpr depth = readDepth(e);
  if (e.failed())
    return;
  // An index outside of [-depth, depth) is equal to no position: a row of "off".
  Value indices = wrapIndices(e, e.cast(e.getTensor(0), e.getI64()), depth);
  Value range = e.expandDims(e.iota({depth}, 0), llvm::to_vector(llvm::seq<int64_t>(1, rank + 1 - axis)));
  Value isHot = e.create<graph::EqualOp>({e.expandDims(indices, axis), range});
  auto pick = [&](int64_t index) {
    Value part = e.slice(e.getTensor(2), NodeEmitter::Range{0, e.constant(index), e.constant(index + 1)});
    return e.squeeze(part, {0});
  };
  e.setResult(0, e.select(isHot, pick(1), pick(0)));
}

static void emitUnique(NodeEmitter &e) {
  if (!e.getInt("sorted", 1))
    return e.fail("attribute 'sorted' must be 1");
  if (e.hasAttr("axis"))
    return e.fail("attribute 'axis' is not supported");
  Value x = e.getTensor(0);
  if (!x)
    return;
  GraphImporter &importer = e.getImporter();
  SymExpr count = importer.getSymbols().makeFresh((e.getSymbolStem() + "_count").str());
  auto type = sym::getTensorType({count}, e.getType(0).getElementType());
  Value result = graph::UniqueOp::create(importer.getBuilder(), e.getLoc(), type, x,
                                         StringAttr::get(e.getContext(), *count.getSymbol()));
  importer.addProviders(result);
  e.setResult(0, result);
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// What is added and what is cut off along one axis; none is negative.
struct Padding {
  int64_t axis;
  SymExpr before, after, cutBefore, cutAfter;
};
} // namespace

/// Splits pads into what is added and what is cut off. Run-time pads are bound as two symbols, so that either may be
/// zero.
static void splitPads(NodeEmitter &e, ArrayRef<SymExpr> pads, Elements &added, Elements &cut) {
  for (SymExpr pad : pads) {
    std::optional<int64_t> value = pad ? pad.getConstant() : std::nullopt;
    added.push_back(value && *value < 0 ? e.constant(0) : pad);
    cut.push_back(value && *value < 0 ? -pad : e.constant(0));
    if (!pad)
      cut.back() = {};
  }
  if (!llvm::is_contained(pads, SymExpr()))
    return;
  Value tensor = e.cast(e.getTensor(1), e.getI64()), zero = e.makeScalarLike(0, tensor);
  Value positive = e.create<graph::MaximumOp>({tensor, zero});
  Value negative = e.create<graph::MaximumOp>({e.create<graph::NegateOp>(tensor), zero});
  if (!positive || !negative)
    return;
  e.getImporter().bindShape(positive, added, (e.getSymbolStem() + "_pad").str(), e.getLoc());
  e.getImporter().bindShape(negative, cut, (e.getSymbolStem() + "_cut").str(), e.getLoc());
}

static SmallVector<Padding> readPadding(NodeEmitter &e) {
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(e.getRank(0)));
  Elements pads, added, cut;
  if (e.getOpset() < 11) {
    for (int64_t pad : e.getInts("pads"))
      pads.push_back(e.constant(pad));
  } else if (e.getNumInputs() < 2) {
    e.fail("has 1 input, expected at least 2");
  } else {
    pads = e.getElements(1).value_or(Elements());
    if (e.has(3))
      axes = e.normalizeAxes(e.requireIntegers(3, "axes"), e.getRank(0));
  }
  size_t count = axes.size();
  if (pads.size() != 2 * count)
    e.fail("has " + Twine(pads.size()) + " pads of known number, expected " + Twine(2 * count));
  splitPads(e, pads, added, cut);
  if (e.failed())
    return {};
  SmallVector<Padding> result;
  for (auto [index, axis] : llvm::enumerate(axes))
    result.push_back({axis, added[index], added[index + count], cut[index], cut[index + count]});
  return result;
}

static Value crop(NodeEmitter &e, Value x, const Padding &padding) {
  SymExpr zero = e.constant(0);
  if (!x || (padding.cutBefore == zero && padding.cutAfter == zero))
    return x;
  SymExpr extent = sym::getSymbolicDims(x.getType())[padding.axis];
  return e.slice(x, NodeEmitter::Range{padding.axis, padding.cutBefore, extent - padding.cutAfter});
}

static Value padConstant(NodeEmitter &e, Value x, const Padding &padding, Value value) {
  SmallVector<Value> parts;
  auto addPart = [&](SymExpr extent) {
    if (!x || extent.getConstant() == 0)
      return;
    SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType());
    dims[padding.axis] = extent;
    parts.push_back(e.broadcastTo(value, dims));
  };
  addPart(padding.before);
  parts.push_back(x);
  addPart(padding.after);
  return e.concat(parts, padding.axis);
}

/// Mode edge repeats the outermost element, mode reflect mirrors without it.
static Value padFromInside(NodeEmitter &e, Value x, const Padding &padding, bool isEdge) {
  if (!x)
    return {};
  int64_t axis = padding.axis;
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType());
  SymExpr extent = dims[axis], zero = e.constant(0);
  auto edge = [&](SymExpr start, SymExpr count) {
    SmallVector<SymExpr> target = dims;
    target[axis] = count;
    return e.broadcastTo(e.slice(x, NodeEmitter::Range{axis, start, start + 1}), target);
  };
  auto mirror = [&](SymExpr from, SymExpr to) { return e.slice(x, NodeEmitter::Range{axis, from, to, -1}); };
  SmallVector<Value> parts;
  if (padding.before != zero)
    parts.push_back(isEdge ? edge(zero, padding.before) : mirror(padding.before, zero));
  parts.push_back(x);
  if (padding.after != zero)
    parts.push_back(isEdge ? edge(extent - 1, padding.after) : mirror(extent - 2, extent - 2 - padding.after));
  return e.concat(parts, axis);
}

/// A new symbol for the extent, in the place of a long expression.
static Value renameExtent(NodeEmitter &e, Value x, int64_t axis) {
  if (!x)
    return {};
  GraphImporter &importer = e.getImporter();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType());
  if (dims[axis].getSymbols().size() <= 1)
    return x;
  dims[axis] = importer.getSymbols().makeFresh((e.getSymbolStem() + "_d" + Twine(axis)).str());
  auto type = sym::getTensorType(dims, getElementTypeOrSelf(x.getType()));
  Value named = graph::MatchCastOp::create(importer.getBuilder(), e.getLoc(), type, x,
                                           importer.getBuilder().getStrArrayAttr({*dims[axis].getSymbol()}));
  importer.addProviders(named);
  return named;
}

static void emitPad(NodeEmitter &e) {
  std::string mode = e.getString("mode", "constant");
  bool isConstant = mode == "constant";
  if (!isConstant && mode != "edge" && mode != "reflect")
    return e.fail("attribute 'mode' is '" + printable(mode) + "', expected constant, edge or reflect");
  SmallVector<Padding> paddings = readPadding(e);
  Value x = e.getTensor(0), value;
  if (e.getOpset() < 11)
    value = e.makeScalarLike(e.getFloat("value", 0), x);
  else
    value = e.has(2) ? e.reshape(e.getTensor(2), {}) : e.makeScalarLike(0, x);
  for (const Padding &padding : paddings) {
    x = crop(e, x, padding);
    x = isConstant ? padConstant(e, x, padding, value) : padFromInside(e, x, padding, mode == "edge");
    x = renameExtent(e, x, padding.axis);
  }
  e.setResult(0, x);
}

ArrayRef<OpEntry> mlir::relax::onnx::getIndexOps() {
  static constexpr OpEntry entries[] = {
      {"Gather", 1, 2, 2, 1, emitGather},
      {"OneHot", 9, 3, 3, 1, emitOneHot},
      {"Unique", 11, 1, 1, 1, emitUnique},
      {"Pad", 1, 1, 4, 1, emitPad},
  };
  return entries;
}
