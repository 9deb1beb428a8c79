//===- StablehloLinearAlgebra.cpp - Products and windows ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h"
#include "Stablehlo.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getOthers(int64_t rank, ArrayRef<int64_t> some, ArrayRef<int64_t> more) {
  SmallVector<int64_t> others;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(some, axis) && !llvm::is_contained(more, axis))
      others.push_back(axis);
  return others;
}

static Dims pick(ArrayRef<SymExpr> dims, ArrayRef<int64_t> axes) {
  return llvm::map_to_vector(axes, [&](int64_t axis) { return dims[axis]; });
}

/// The operand as (batch.., rows, columns), each group of rows and columns joined to one dimension.
static Value toMatrix(ForeignImporter &w, Value x, ArrayRef<int64_t> batch, ArrayRef<int64_t> rows,
                      ArrayRef<int64_t> columns) {
  if (!x || w.failed())
    return {};
  SmallVector<int64_t> order(batch);
  order.append(rows.begin(), rows.end());
  order.append(columns.begin(), columns.end());
  Dims own = w.dims(x), wanted = pick(own, batch);
  wanted.push_back(w.product(pick(own, rows)));
  wanted.push_back(w.product(pick(own, columns)));
  return w.reshape(w.permute(x, order), wanted);
}

static void emitProduct(ForeignImporter &w, Operation *op, ArrayRef<int64_t> lhsBatch, ArrayRef<int64_t> rhsBatch,
                        ArrayRef<int64_t> lhsSums, ArrayRef<int64_t> rhsSums) {
  Value lhs = w.get(op->getOperand(0)), rhs = w.get(op->getOperand(1));
  if (w.failed())
    return;
  Dims a = w.dims(lhs), b = w.dims(rhs);
  auto isInside = [](ArrayRef<int64_t> axes, const Dims &dims) {
    return llvm::all_of(axes, [&](int64_t axis) { return axis >= 0 && axis < static_cast<int64_t>(dims.size()); });
  };
  if (lhsBatch.size() != rhsBatch.size() || lhsSums.size() != rhsSums.size() || !isInside(lhsBatch, a) ||
      !isInside(lhsSums, a) || !isInside(rhsBatch, b) || !isInside(rhsSums, b))
    return w.fail("has dimensions that do not fit its operands");
  for (auto [one, other] : llvm::zip_equal(lhsBatch, rhsBatch))
    w.requireEqual(a[one], b[other]);
  for (auto [one, other] : llvm::zip_equal(lhsSums, rhsSums))
    w.requireEqual(a[one], b[other]);
  if (w.failed())
    return;
  SmallVector<int64_t> rows = getOthers(a.size(), lhsBatch, lhsSums), columns = getOthers(b.size(), rhsBatch, rhsSums);
  Dims result = pick(a, lhsBatch);
  result.append(pick(a, rows));
  result.append(pick(b, columns));
  // The sum has the type of the result.
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  lhs = w.astype(lhs, type);
  rhs = w.astype(rhs, type);
  Value right = toMatrix(w, rhs, rhsBatch, rhsSums, columns);
  Value left;
  // Rows in several dimensions stay as they are when all of them meet one matrix.
  if (lhsBatch.empty() && lhsSums.size() == 1 && !rows.empty()) {
    SmallVector<int64_t> order = rows;
    order.push_back(lhsSums[0]);
    left = w.permute(lhs, order);
  } else {
    left = toMatrix(w, lhs, lhsBatch, rows, lhsSums);
  }
  w.set(op->getResult(0), w.reshape(w.create<graph::MatmulOp>({left, right}), result));
}

static void emitDotGeneral(ForeignImporter &w, Operation *op) {
  StringRef text = stablehlo::getText(op, "dot_dimension_numbers");
  emitProduct(
      w, op, stablehlo::getList(text, "lhs_batching_dimensions"), stablehlo::getList(text, "rhs_batching_dimensions"),
      stablehlo::getList(text, "lhs_contracting_dimensions"), stablehlo::getList(text, "rhs_contracting_dimensions"));
}

static void emitDot(ForeignImporter &w, Operation *op) {
  emitProduct(w, op, {}, {}, {w.rank(w.get(op->getOperand(0))) - 1}, {0});
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

namespace {
/// `[b, 0, 1, f]`: places of batch and feature (or `o`, `i`), then of the spatial dimensions.
struct Layout {
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;

  /// The order of dimensions that gives (first, second, spatial..).
  SmallVector<int64_t> getOrder() const {
    SmallVector<int64_t> order = {first, second};
    order.append(spatial);
    return order;
  }
  bool isComplete() const { return first >= 0 && second >= 0 && !llvm::is_contained(spatial, -1); }
};
} // namespace

static Layout parseLayout(StringRef text, char first, char second) {
  Layout layout;
  SmallVector<StringRef> words;
  text.split(words, ',');
  layout.spatial.assign(words.size() < 2 ? 0 : words.size() - 2, -1);
  for (auto [index, word] : llvm::enumerate(words)) {
    word = word.trim();
    size_t axis = 0;
    if (word == StringRef(&first, 1))
      layout.first = index;
    else if (word == StringRef(&second, 1))
      layout.second = index;
    else if (!word.getAsInteger(10, axis) && axis < layout.spatial.size())
      layout.spatial[axis] = index;
  }
  return layout;
}

static SmallVector<int64_t> invert(ArrayRef<int64_t> order) {
  SmallVector<int64_t> inverse(order.size());
  for (auto [index, axis] : llvm::enumerate(order))
    inverse[axis] = index;
  return inverse;
}

/// Zeros between the elements of the spatial dimensions.
static Value spread(ForeignImporter &w, Value x, ArrayRef<int64_t> steps) {
  if (!x || w.failed() || llvm::all_of(steps, [](int64_t step) { return step == 1; }))
    return x;
  SymExpr zero = w.expr(0), one = w.expr(1);
  Dims own = w.dims(x), apart, joined, low(2 * own.size(), zero), high, ends;
  for (auto [index, dim] : llvm::enumerate(own)) {
    int64_t step = index < 2 ? 1 : steps[index - 2];
    apart.append({dim, one});
    high.append({zero, w.expr(step - 1)});
    joined.push_back(dim * step);
    ends.push_back(SymExpr::max({zero, dim * step - (step - 1)}));
  }
  Value padded = w.reshape(w.pad(w.reshape(x, apart), Value(), low, high), joined);
  return w.slice(padded, Dims(own.size(), zero), ends, SmallVector<int64_t>(own.size(), 1));
}

static void emitConvolution(ForeignImporter &w, Operation *op) {
  StringRef text = stablehlo::getText(op, "dimension_numbers");
  text.consume_front("conv<");
  auto [input, rest] = text.split('x');
  auto [kernel, output] = rest.split("->");
  auto strip = [](StringRef list) { return list.trim(" []<>"); };
  Layout in = parseLayout(strip(input), 'b', 'f'), weight = parseLayout(strip(kernel), 'o', 'i'),
         out = parseLayout(strip(output), 'b', 'f');
  size_t count = in.spatial.size();
  if (!in.isComplete() || !weight.isComplete() || !out.isComplete() || weight.spatial.size() != count)
    return w.fail("has dimension numbers that are not understood: " + text);
  if (count < 1 || count > 3)
    return w.fail("has " + Twine(count) + " spatial dimensions, expected 1 to 3");
  if (stablehlo::getInteger(op, "batch_group_count", 1) != 1)
    return w.fail("has groups of the batch, which are not supported");
  SmallVector<int64_t> pads = splitPads(stablehlo::getIntegers(op, "padding", 2 * count));
  if (llvm::any_of(pads, [](int64_t pad) { return pad < 0; }))
    return w.fail("has negative padding, which is not supported");
  Value x = w.permute(w.get(op->getOperand(0)), in.getOrder());
  Value k = w.permute(w.get(op->getOperand(1)), weight.getOrder());
  x = spread(w, x, stablehlo::getIntegers(op, "lhs_dilation", count, 1));
  SmallVector<int64_t> reversed;
  for (auto [index, isReversed] : llvm::enumerate(stablehlo::getBools(op, "window_reversal", count)))
    if (isReversed)
      reversed.push_back(index + 2);
  if (!reversed.empty())
    k = w.create<graph::FlipOp>(k, w.attr("axes", reversed));
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  Value result = w.create<graph::ConvOp>({w.astype(x, type), w.astype(k, type)},
                                         {w.attr("strides", stablehlo::getIntegers(op, "window_strides", count, 1)),
                                          w.attr("pads", pads),
                                          w.attr("dilations", stablehlo::getIntegers(op, "rhs_dilation", count, 1)),
                                          w.attr("groups", stablehlo::getInteger(op, "feature_group_count", 1))});
  w.set(op->getResult(0), w.permute(result, invert(out.getOrder())));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The operand as (batch, channel, spatial..) for the dimensions with windows, pooled, and back.
template <typename Pool> static Value poolAlong(ForeignImporter &w, Value x, ArrayRef<int64_t> spatial, Pool &&pool) {
  Dims own = w.dims(x);
  SmallVector<int64_t> others = getOthers(own.size(), spatial, {}), order = others;
  order.append(spatial.begin(), spatial.end());
  Dims rest = pick(own, others), flat = {w.product(rest), w.expr(1)};
  flat.append(pick(own, spatial));
  Value pooled = pool(w.reshape(w.permute(x, order), flat));
  if (!pooled)
    return {};
  Dims result = rest;
  result.append(llvm::to_vector(llvm::drop_begin(w.dims(pooled), 2)));
  return w.permute(w.reshape(pooled, result), invert(order));
}

static void emitReduceWindow(ForeignImporter &w, Operation *op) {
  if (op->getNumOperands() != 2 || op->getNumRegions() != 1)
    return w.fail("has several operands, expected one and an initial value");
  Value x = w.get(op->getOperand(0)), init = w.get(op->getOperand(1));
  if (w.failed())
    return;
  size_t rank = w.rank(x);
  SmallVector<int64_t> sizes = stablehlo::getIntegers(op, "window_dimensions", rank, 1),
                       strides = stablehlo::getIntegers(op, "window_strides", rank, 1),
                       dilations = stablehlo::getIntegers(op, "window_dilations", rank, 1),
                       pairs = stablehlo::getIntegers(op, "padding", 2 * rank);
  for (int64_t step : stablehlo::getIntegers(op, "base_dilations", rank, 1))
    if (step != 1)
      return w.fail("has elements between those of its operand, which is not supported");
  if (sizes.size() != rank || strides.size() != rank || dilations.size() != rank || pairs.size() != 2 * rank)
    return w.fail("has windows that do not fit its operand");
  SmallVector<int64_t> spatial, kernel, steps, apart, pads;
  for (size_t axis = 0; axis != rank; ++axis) {
    if (sizes[axis] == 1 && strides[axis] == 1 && pairs[2 * axis] == 0 && pairs[2 * axis + 1] == 0)
      continue;
    spatial.push_back(axis);
    kernel.push_back(sizes[axis]);
    steps.push_back(strides[axis]);
    apart.push_back(dilations[axis]);
    pads.append({pairs[2 * axis], pairs[2 * axis + 1]});
  }
  StringRef combiner = stablehlo::getCombiner(op->getRegion(0));
  bool isFloat = isa<FloatType>(w.elementType(x));
  if (spatial.empty() || spatial.size() > 3)
    return w.fail("has windows along " + Twine(spatial.size()) + " dimensions, expected 1 to 3");
  if (combiner != "add" && combiner != "maximum" && combiner != "minimum")
    return w.fail("combines elements in a way that is not supported");
  if (!isFloat && combiner != "maximum")
    return w.fail("combines integers in a way that is not supported");
  // What is outside counts as the initial value, for a maximum as often as one likes.
  bool isPadded = llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
  if (combiner == "add" && isPadded && !matchPattern(init, m_AnyZeroFloat()))
    return w.fail("adds an initial value that is not 0 outside of its operand, which is not supported");
  auto pool = [&](Value image) -> Value {
    SmallVector<NamedAttribute> attributes = {w.attr("kernel", kernel), w.attr("strides", steps),
                                              w.attr("pads", splitPads(pads)), w.attr("dilations", apart)};
    if (combiner == "maximum")
      return w.create<graph::MaxPoolOp>(image, attributes);
    if (combiner == "minimum")
      return w.create<graph::NegateOp>(w.create<graph::MaxPoolOp>(w.create<graph::NegateOp>(image), attributes));
    // The sum over a window is the mean of all its elements, zeros outside, times their number.
    attributes.push_back(w.flag("count_include_pad"));
    int64_t count = 1;
    for (int64_t extent : kernel)
      count *= extent;
    return w.mul(w.create<graph::AvgPoolOp>(image, attributes), w.scalarLike(count, image));
  };
  Value result = poolAlong(w, x, spatial, pool);
  // The initial value is combined with every window.
  if (combiner == "add")
    result = w.add(result, init);
  else if (combiner == "maximum")
    result = w.create<graph::MaximumOp>({result, init});
  else
    result = w.create<graph::MinimumOp>({result, init});
  w.set(op->getResult(0), result);
}

static void emitEinsum(ForeignImporter &w, Operation *op) {
  auto config = op->getAttrOfType<StringAttr>("einsum_config");
  auto [operands, result] = config ? config.getValue().split("->") : std::pair<StringRef, StringRef>();
  SmallVector<StringRef> parts;
  operands.split(parts, ',');
  if (parts.size() != op->getNumOperands() ||
      !llvm::all_of(operands, [](char c) { return c == ',' || llvm::isAlpha(c); }) ||
      !llvm::all_of(result, llvm::isAlpha))
    return w.fail("has a configuration that is not supported");
  SmallVector<Value> values;
  llvm::DenseMap<char, SymExpr> extents;
  for (auto [letters, operand] : llvm::zip_equal(parts, op->getOperands())) {
    Value value = values.emplace_back(w.get(operand));
    if (w.failed())
      return;
    if (w.rank(value) != static_cast<int64_t>(letters.size()))
      return w.fail("has a configuration for another rank than that of its operand");
    for (auto [letter, dim] : llvm::zip_equal(letters, w.dims(value)))
      if (auto [entry, isNew] = extents.try_emplace(letter, dim); !isNew)
        w.requireEqual(entry->second, dim);
  }
  w.set(op->getResult(0),
        w.create<graph::EinsumOp>(values, w.attr("equation", StringAttr::get(w.getContext(), config.getValue()))));
}

Emit stablehlo::getLinearAlgebraRule(StringRef name) {
  return llvm::StringSwitch<Emit>(name)
      .Case("stablehlo.convolution", emitConvolution)
      .Case("stablehlo.dot", emitDot)
      .Case("stablehlo.dot_general", emitDotGeneral)
      .Case("stablehlo.einsum", emitEinsum)
      .Case("stablehlo.reduce_window", emitReduceWindow)
      .Default(nullptr);
}
