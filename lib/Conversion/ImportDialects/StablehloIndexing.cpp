//===- StablehloIndexing.cpp - Elements at computed places ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Starts of slices are moved so that the slice is inside; updates outside are
// left out. Neither is an error, unlike in the graph, whose indices are
// therefore made fit before.
//
//===----------------------------------------------------------------------===//
#include "Stablehlo.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

/// `value` restricted to [0, high], high being an extent.
static Value clampTo(ForeignImporter &w, Value value, SymExpr high) {
  if (!value || w.failed())
    return {};
  Type type = w.elementType(value);
  Value top =
      high && high.getConstant() ? w.scalar(static_cast<double>(*high.getConstant()), type) : w.dimScalar(high, type);
  return w.create<graph::MinimumOp>({w.create<graph::MaximumOp>({value, w.scalar(0, type)}), top});
}

/// dim - size, the last start; a slice may not be larger than its dimension.
static SymExpr getLastStart(ForeignImporter &w, SymExpr dim, SymExpr size) {
  w.require({size, sym::Fact::Op::LessEqual, dim}, "a slice is larger than its dimension");
  SymExpr last = dim - size;
  if (!last)
    w.fail("has an extent that does not fit 64 bits");
  return last;
}

//===----------------------------------------------------------------------===//
// One slice
//===----------------------------------------------------------------------===//

static void emitDynamicSlice(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  SmallVector<int64_t> sizes = stablehlo::getIntegers(op, "slice_sizes");
  if (w.failed())
    return;
  Dims own = w.dims(x);
  if (sizes.size() != own.size() || op->getNumOperands() != 1 + own.size())
    return w.fail("has sizes or starts that do not fit its operand");
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    if (own[axis] && own[axis].getConstant() == size)
      continue;
    Value start = w.astype(w.get(op->getOperand(1 + axis)), w.builder.getI64Type());
    start = clampTo(w, start, getLastStart(w, own[axis], w.expr(size)));
    Value indices = w.add(w.iota({w.expr(size)}, 0), start);
    x = w.create<graph::TakeOp>({x, indices}, w.attr("axis", static_cast<int64_t>(axis)));
  }
  w.set(op->getResult(0), x);
}

/// Places of a block that begins at `starts`, as a linear index into `dims`, in the shape of the block.
static Value getLinearIndex(ForeignImporter &w, ArrayRef<Value> starts, ArrayRef<SymExpr> dims,
                            ArrayRef<SymExpr> block) {
  Value linear;
  for (auto [axis, start] : llvm::enumerate(starts)) {
    Value index = w.iota(block, axis);
    if (start)
      index = w.add(index, start);
    linear = linear ? w.add(w.mul(linear, w.dimScalar(dims[axis], w.builder.getI64Type())), index) : index;
  }
  return linear;
}

static void emitDynamicUpdateSlice(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0)), update = w.get(op->getOperand(1));
  if (w.failed())
    return;
  Dims own = w.dims(x), block = w.dims(update);
  if (block.size() != own.size() || op->getNumOperands() != 2 + own.size())
    return w.fail("has an update or starts that do not fit its operand");
  if (own.empty())
    return w.set(op->getResult(0), update);
  SmallVector<Value> starts(own.size());
  for (auto [axis, dim] : llvm::enumerate(own)) {
    if (dim == block[axis])
      continue;
    Value start = w.astype(w.get(op->getOperand(2 + axis)), w.builder.getI64Type());
    starts[axis] = clampTo(w, start, getLastStart(w, dim, block[axis]));
  }
  if (llvm::none_of(starts, [](Value start) { return static_cast<bool>(start); }))
    return w.set(op->getResult(0), update);
  Value places = w.reshape(getLinearIndex(w, starts, own, block), {w.product(block)});
  Value result = w.create<graph::ScatterElementsOp>(
      {w.reshape(x, {w.product(own)}), places, w.reshape(update, {w.product(block)})},
      {w.attr("axis", int64_t(0)), w.attr("reduction", w.builder.getStringAttr("none"))});
  w.set(op->getResult(0), w.reshape(result, own));
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

static void emitGatherWith(ForeignImporter &w, Operation *op, Dims sizes) {
  StringRef text = stablehlo::getText(op, "dimension_numbers");
  SmallVector<int64_t> offsets = stablehlo::getList(text, "offset_dims"),
                       collapsed = stablehlo::getList(text, "collapsed_slice_dims"),
                       batching = stablehlo::getList(text, "operand_batching_dims"),
                       indexBatching = stablehlo::getList(text, "start_indices_batching_dims"),
                       indexed = stablehlo::getList(text, "start_index_map");
  Value x = w.get(op->getOperand(0)), starts = w.get(op->getOperand(1));
  if (w.failed())
    return;
  Type i64 = w.builder.getI64Type();
  int64_t vectorDim = stablehlo::getNumber(text, "index_vector_dim", 0), rank = w.rank(x);
  starts = w.astype(starts, i64);
  if (static_cast<int64_t>(sizes.size()) != rank || vectorDim > w.rank(starts) ||
      batching.size() != indexBatching.size())
    return w.fail("has dimensions that do not fit its operands");
  if (vectorDim == w.rank(starts))
    starts = w.expandDims(starts, {vectorDim});
  // (batch.., k)
  SmallVector<int64_t> order;
  for (int64_t axis = 0; axis < w.rank(starts); ++axis)
    if (axis != vectorDim)
      order.push_back(axis);
  order.push_back(vectorDim);
  starts = w.permute(starts, order);
  if (w.failed())
    return;
  Dims own = w.dims(x), batch = w.dims(starts);
  batch.pop_back();
  // Dimensions of which a part is taken get an index; the slice's places along them are dimensions behind the batch.
  SmallVector<int64_t> parts, whole, inner;
  Dims block = batch;
  for (int64_t axis = 0; axis < rank; ++axis) {
    bool isIndexed = llvm::is_contained(indexed, axis) || llvm::is_contained(batching, axis);
    // A slice of everything begins at 0.
    if (!llvm::is_contained(batching, axis) && (!isIndexed || sizes[axis] == own[axis])) {
      w.requireEqual(sizes[axis], own[axis]);
      whole.push_back(axis);
      continue;
    }
    parts.push_back(axis);
    if (sizes[axis].getConstant() != 1) {
      inner.push_back(axis);
      block.push_back(sizes[axis]);
    }
  }
  SmallVector<Value> columns;
  Dims column = block;
  column.push_back(w.expr(1));
  for (int64_t axis : parts) {
    Value index;
    if (auto *place = llvm::find(batching, axis); place != batching.end()) {
      int64_t dim = indexBatching[place - batching.begin()];
      index = w.iota(block, dim > vectorDim ? dim - 1 : dim);
    } else {
      int64_t entry = llvm::find(indexed, axis) - indexed.begin();
      Dims first(batch.size(), w.expr(0)), last = batch;
      first.push_back(w.expr(entry));
      last.push_back(w.expr(entry + 1));
      index = w.slice(starts, first, last, SmallVector<int64_t>(batch.size() + 1, 1));
      index = w.squeeze(index, {static_cast<int64_t>(batch.size())});
      index = clampTo(w, index, getLastStart(w, own[axis], sizes[axis]));
      SmallVector<int64_t> added =
          llvm::to_vector(llvm::seq<int64_t>(batch.size(), static_cast<int64_t>(block.size())));
      index = w.broadcast(w.expandDims(index, added), block);
      if (auto *place = llvm::find(inner, axis); place != inner.end())
        index = w.add(index, w.iota(block, batch.size() + (place - inner.begin())));
    }
    columns.push_back(w.reshape(index, column));
  }
  SmallVector<int64_t> front = parts;
  front.append(whole.begin(), whole.end());
  Value result = w.permute(x, front);
  if (columns.empty())
    result = stablehlo::broadcastInDim(
        w, result, llvm::to_vector(llvm::concat<SymExpr>(block, own)),
        llvm::to_vector(llvm::seq<int64_t>(block.size(), static_cast<int64_t>(block.size() + own.size()))));
  else {
    Value indices = columns.size() == 1
                        ? columns[0]
                        : w.create<graph::ConcatOp>(columns, w.attr("axis", static_cast<int64_t>(block.size())));
    result = w.create<graph::GatherNDOp>({result, indices}, w.attr("batch_dims", int64_t(0)));
  }
  // (batch.., inner.., whole..) to the order of the slice, without what is collapsed, then to that of the result.
  SmallVector<int64_t> slicePlaces, added;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (llvm::is_contained(collapsed, axis) || llvm::is_contained(batching, axis)) {
      if (llvm::is_contained(whole, axis)) {
        w.requireEqual(own[axis], w.expr(1));
        result = w.squeeze(result, {static_cast<int64_t>(block.size()) + (llvm::find(whole, axis) - whole.begin())});
        whole.erase(llvm::find(whole, axis));
      }
      continue;
    }
    slicePlaces.push_back(axis);
  }
  for (int64_t axis : slicePlaces)
    if (llvm::is_contained(parts, axis) && !llvm::is_contained(inner, axis)) {
      result = w.expandDims(result, {w.rank(result)});
      added.push_back(axis);
    }
  if (w.failed())
    return;
  SmallVector<int64_t> permutation(w.rank(result), -1);
  if (offsets.size() != slicePlaces.size() || permutation.size() != batch.size() + slicePlaces.size())
    return w.fail("has dimensions that do not fit its result");
  for (auto [offset, axis] : llvm::zip_equal(offsets, slicePlaces)) {
    int64_t place = 0;
    if (auto *at = llvm::find(inner, axis); at != inner.end())
      place = batch.size() + (at - inner.begin());
    else if (auto *at = llvm::find(whole, axis); at != whole.end())
      place = block.size() + (at - whole.begin());
    else
      place = block.size() + whole.size() + (llvm::find(added, axis) - added.begin());
    if (offset < 0 || offset >= static_cast<int64_t>(permutation.size()))
      return w.fail("has dimensions that do not fit its result");
    permutation[offset] = place;
  }
  int64_t next = 0;
  for (int64_t &place : permutation)
    if (place < 0)
      place = next++;
  w.set(op->getResult(0), w.permute(result, permutation));
}

static void emitGather(ForeignImporter &w, Operation *op) {
  Dims sizes;
  for (int64_t size : stablehlo::getIntegers(op, "slice_sizes"))
    sizes.push_back(w.expr(size));
  emitGatherWith(w, op, sizes);
}

static void emitDynamicGather(ForeignImporter &w, Operation *op) {
  emitGatherWith(w, op, w.requireExtents(op->getOperand(2)));
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

static StringRef getReduction(Region &region) {
  // The second argument alone: it replaces what is there.
  if (region.hasOneBlock() && !region.front().empty() && region.getNumArguments() == 2) {
    Operation *end = &region.front().back();
    if (&region.front().front() == end && end->getNumOperands() == 1 && end->getOperand(0) == region.getArgument(1))
      return "none";
  }
  return llvm::StringSwitch<StringRef>(stablehlo::getCombiner(region))
      .Case("add", "add")
      .Case("multiply", "mul")
      .Case("maximum", "max")
      .Case("minimum", "min")
      .Default("");
}

static void emitScatter(ForeignImporter &w, Operation *op) {
  StringRef text = stablehlo::getText(op, "scatter_dimension_numbers");
  SmallVector<int64_t> windowDims = stablehlo::getList(text, "update_window_dims"),
                       inserted = stablehlo::getList(text, "inserted_window_dims"),
                       indexed = stablehlo::getList(text, "scatter_dims_to_operand_dims"),
                       batching = stablehlo::getList(text, "input_batching_dims"),
                       indexBatching = stablehlo::getList(text, "scatter_indices_batching_dims");
  if (op->getNumOperands() != 3 || op->getNumRegions() != 1)
    return w.fail("has several operands, expected one with its indices and updates");
  StringRef reduction = getReduction(op->getRegion(0));
  if (reduction.empty())
    return w.fail("combines elements in a way that is not supported");
  Type i64 = w.builder.getI64Type();
  Value x = w.get(op->getOperand(0)), starts = w.astype(w.get(op->getOperand(1)), i64),
        updates = w.get(op->getOperand(2));
  if (w.failed())
    return;
  int64_t vectorDim = stablehlo::getNumber(text, "index_vector_dim", 0), rank = w.rank(x);
  if (vectorDim == w.rank(starts))
    starts = w.expandDims(starts, {vectorDim});
  if (w.failed() || vectorDim > w.rank(starts) || batching.size() != indexBatching.size())
    return w.fail("has dimensions that do not fit its operands");
  Dims own = w.dims(x), shape = w.dims(updates), indexDims = w.dims(starts);
  // Dimensions of the updates that come from the indices, in order.
  SmallVector<int64_t> outer = llvm::to_vector(llvm::make_filter_range(
      llvm::seq<int64_t>(0, shape.size()), [&](int64_t axis) { return !llvm::is_contained(windowDims, axis); }));
  SmallVector<int64_t> windowAxes =
      llvm::to_vector(llvm::make_filter_range(llvm::seq<int64_t>(0, rank), [&](int64_t axis) {
        return !llvm::is_contained(inserted, axis) && !llvm::is_contained(batching, axis);
      }));
  if (windowAxes.size() != windowDims.size() || outer.size() + 1 != indexDims.size())
    return w.fail("has dimensions that do not fit its operands");
  // For every update its place in the operand, and whether it is inside.
  Value linear, isInside;
  Value zero = w.scalar(0, i64);
  for (int64_t axis = 0; axis < rank && !w.failed(); ++axis) {
    Value index;
    auto add = [&](Value more) { index = index ? w.add(index, more) : more; };
    if (auto *place = llvm::find(indexed, axis); place != indexed.end()) {
      Dims first(indexDims.size(), w.expr(0)), last = indexDims;
      first[vectorDim] = w.expr(place - indexed.begin());
      last[vectorDim] = first[vectorDim] + 1;
      Value start = w.squeeze(w.slice(starts, first, last, SmallVector<int64_t>(first.size(), 1)), {vectorDim});
      for (auto [one, other] : llvm::zip_equal(w.dims(start), outer))
        w.requireEqual(one, shape[other]);
      add(stablehlo::broadcastInDim(w, start, shape, outer));
    }
    if (auto *place = llvm::find(batching, axis); place != batching.end()) {
      int64_t dim = indexBatching[place - batching.begin()];
      add(w.iota(shape, outer[dim > vectorDim ? dim - 1 : dim]));
    }
    if (auto *place = llvm::find(windowAxes, axis); place != windowAxes.end())
      add(w.iota(shape, windowDims[place - windowAxes.begin()]));
    if (!index)
      index = w.broadcast(zero, shape);
    Value extent = w.dimScalar(own[axis], i64);
    Value inside = w.create<graph::LogicalAndOp>(
        {w.create<graph::GreaterEqualOp>({index, zero}), w.create<graph::LessOp>({index, extent})});
    isInside = isInside ? w.create<graph::LogicalAndOp>({isInside, inside}) : inside;
    linear = linear ? w.add(w.mul(linear, extent), index) : index;
  }
  // What is outside goes to an element behind the last one, which is cut off again.
  SymExpr count = w.product(own), updateCount = w.product(shape);
  if (!linear || w.failed())
    return w.fail("has a scalar operand, which is not supported");
  Value places = w.reshape(w.select(isInside, linear, w.dimScalar(count, i64)), {updateCount});
  Value flat = w.pad(w.reshape(x, {count}), Value(), {w.expr(0)}, {w.expr(1)});
  Value result = w.create<graph::ScatterElementsOp>(
      {flat, places, w.reshape(updates, {updateCount})},
      {w.attr("axis", int64_t(0)), w.attr("reduction", w.builder.getStringAttr(reduction))});
  result = w.slice(result, {w.expr(0)}, {count}, {1});
  w.set(op->getResult(0), w.reshape(result, own));
}

Emit stablehlo::getIndexingRule(StringRef name) {
  return llvm::StringSwitch<Emit>(name)
      .Case("stablehlo.dynamic_gather", emitDynamicGather)
      .Case("stablehlo.dynamic_slice", emitDynamicSlice)
      .Case("stablehlo.dynamic_update_slice", emitDynamicUpdateSlice)
      .Case("stablehlo.gather", emitGather)
      .Case("stablehlo.scatter", emitScatter)
      .Default(nullptr);
}
