//===- StablehloShapes.cpp - Shapes and moved elements --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Stablehlo.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

static Dims getStaticDims(ForeignImporter &w, Value foreign) {
  auto type = cast<RankedTensorType>(foreign.getType());
  if (!type.hasStaticShape())
    w.fail("has a result of unknown extents");
  return llvm::map_to_vector(
      type.getShape(), [&](int64_t extent) { return ShapedType::isDynamic(extent) ? w.expr(0) : w.expr(extent); });
}

static void emitConstant(ForeignImporter &w, Operation *op) {
  auto value = op->getAttrOfType<DenseElementsAttr>("value");
  if (!value)
    return w.fail("has a value that is not dense");
  w.set(op->getResult(0), w.constant(value));
}

//===----------------------------------------------------------------------===//
// Extents as tensors
//===----------------------------------------------------------------------===//

static void emitDimensionSize(ForeignImporter &w, Operation *op) {
  Dims dims = w.getDims(op->getOperand(0));
  int64_t axis = stablehlo::getInteger(op, "dimension", -1);
  if (w.failed())
    return;
  if (axis < 0 || axis >= static_cast<int64_t>(dims.size()))
    return w.fail("has the dimension " + Twine(axis) + " of a tensor of rank " + Twine(dims.size()));
  w.set(op->getResult(0), w.dimScalar(dims[axis], getElementTypeOrSelf(op->getResult(0).getType())));
  w.setElements(op->getResult(0), {dims[axis]});
}

//===----------------------------------------------------------------------===//
// Broadcasting and reshaping
//===----------------------------------------------------------------------===//

Value stablehlo::broadcastInDim(ForeignImporter &w, Value value, ArrayRef<SymExpr> wanted, ArrayRef<int64_t> axes) {
  if (!value || w.failed())
    return {};
  Dims own = w.dims(value), aligned(wanted.size(), w.expr(1));
  if (axes.size() != own.size()) {
    w.fail("has " + Twine(axes.size()) + " dimensions for an operand of rank " + Twine(own.size()));
    return {};
  }
  // The axes need not be in order.
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, axes.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return axes[a] < axes[b]; });
  for (auto [axis, dim] : llvm::zip_equal(axes, own)) {
    if (axis < 0 || axis >= static_cast<int64_t>(wanted.size())) {
      w.fail("has the dimension " + Twine(axis) + " of a result of rank " + Twine(wanted.size()));
      return {};
    }
    // An extent of 1 is repeated, another one is the result's.
    if (dim && dim.getConstant() != 1 && wanted[axis] && wanted[axis].getConstant() != 1)
      w.requireEqual(dim, wanted[axis]);
    aligned[axis] = dim;
  }
  return w.broadcast(w.reshape(w.permute(value, order), aligned), wanted);
}

/// One element stays one when it is repeated in a vector.
static void followBroadcast(ForeignImporter &w, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<Dims> known = w.getElements(op->getOperand(0));
  if (!known || !type.hasStaticShape() || type.getNumElements() > kMaxFollowed)
    return;
  if (known->size() == 1)
    w.setElements(op->getResult(0), Dims(type.getNumElements(), known->front()));
  else if (static_cast<int64_t>(known->size()) == type.getNumElements() && type.getRank() == 1)
    w.setElements(op->getResult(0), *known);
}

static void emitBroadcastInDim(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  w.set(op->getResult(0), stablehlo::broadcastInDim(w, x, getStaticDims(w, op->getResult(0)),
                                                    stablehlo::getIntegers(op, "broadcast_dimensions")));
  followBroadcast(w, op);
}

static void emitDynamicBroadcast(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  Dims wanted = w.requireExtents(op->getOperand(1));
  w.set(op->getResult(0), stablehlo::broadcastInDim(w, x, wanted, stablehlo::getIntegers(op, "broadcast_dimensions")));
  followBroadcast(w, op);
}

static void followReshape(ForeignImporter &w, Operation *op) {
  if (std::optional<Dims> known = w.getElements(op->getOperand(0)))
    w.setElements(op->getResult(0), *known);
  if (std::optional<sym::Fact> fact = w.getFact(op->getOperand(0)))
    w.setFact(op->getResult(0), *fact);
}

/// What both shapes have in common is taken out, so that a symbol is compared with one extent instead of a product.
static Value reshapeTo(ForeignImporter &w, Value x, ArrayRef<SymExpr> wanted) {
  if (!x || w.failed())
    return {};
  Dims from = w.dims(x);
  for (SymExpr dim : wanted)
    if (auto *same = llvm::find(from, dim); dim && same != from.end())
      from.erase(same);
  return w.reshape(x, wanted);
}

static void emitReshape(ForeignImporter &w, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value x = w.get(op->getOperand(0));
  if (w.failed())
    return;
  // One extent that is not written is what the others leave over.
  Dims wanted = sym::getSymbolicDims(type), own = w.dims(x);
  if (llvm::count(wanted, SymExpr()) > 1)
    return w.fail("has a result with several unknown extents");
  if (auto *unknown = llvm::find(wanted, SymExpr()); unknown != wanted.end()) {
    SymExpr rest = w.expr(1);
    for (SymExpr dim : wanted)
      rest = dim ? rest * dim : rest;
    *unknown = SymExpr::floordiv(w.product(own), rest);
  }
  w.set(op->getResult(0), reshapeTo(w, x, wanted));
  followReshape(w, op);
}

static void emitDynamicReshape(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  w.set(op->getResult(0), reshapeTo(w, x, w.requireExtents(op->getOperand(1))));
  followReshape(w, op);
}

static void emitTranspose(ForeignImporter &w, Operation *op) {
  w.set(op->getResult(0), w.permute(w.get(op->getOperand(0)), stablehlo::getIntegers(op, "permutation")));
}

static void emitIota(ForeignImporter &w, Operation *op) {
  Dims wanted = op->getNumOperands() ? w.requireExtents(op->getOperand(0)) : getStaticDims(w, op->getResult(0));
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  w.set(op->getResult(0), w.iota(wanted, stablehlo::getInteger(op, "iota_dimension", 0), type));
  if (wanted.size() == 1 && isa<IntegerType>(type) &&
      wanted[0].getConstant().value_or(kMaxFollowed + 1) <= kMaxFollowed)
    w.setElements(op->getResult(0), llvm::map_to_vector(llvm::seq<int64_t>(0, *wanted[0].getConstant()),
                                                        [&](int64_t index) { return w.expr(index); }));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static void emitConcatenate(ForeignImporter &w, Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(w.get(operand));
  int64_t axis = stablehlo::getInteger(op, "dimension", 0);
  for (Value operand : llvm::drop_begin(operands))
    for (auto [index, one, other] : llvm::enumerate(w.dims(operands[0]), w.dims(operand)))
      if (static_cast<int64_t>(index) != axis)
        w.requireEqual(one, other);
  w.set(op->getResult(0),
        operands.size() == 1 ? operands[0] : w.create<graph::ConcatOp>(operands, w.attr("axis", axis)));
  if (cast<RankedTensorType>(op->getResult(0).getType()).getRank() != 1)
    return;
  Dims all;
  for (Value operand : op->getOperands()) {
    std::optional<Dims> known = w.getElements(operand);
    if (!known)
      return;
    all.append(*known);
  }
  if (static_cast<int64_t>(all.size()) <= kMaxFollowed)
    w.setElements(op->getResult(0), all);
}

static Dims toExprs(ForeignImporter &w, ArrayRef<int64_t> values) {
  return llvm::map_to_vector(values, [&](int64_t value) { return w.expr(value); });
}

static void emitSlice(ForeignImporter &w, Operation *op) {
  SmallVector<int64_t> starts = stablehlo::getIntegers(op, "start_indices"),
                       ends = stablehlo::getIntegers(op, "limit_indices"),
                       strides = stablehlo::getIntegers(op, "strides", starts.size(), 1);
  w.set(op->getResult(0), w.slice(w.get(op->getOperand(0)), toExprs(w, starts), toExprs(w, ends), strides));
  std::optional<Dims> known = w.getElements(op->getOperand(0));
  if (!known || starts.size() != 1 || starts[0] < 0 || ends[0] > static_cast<int64_t>(known->size()) || strides[0] < 1)
    return;
  Dims part;
  for (int64_t index = starts[0]; index < ends[0]; index += strides[0])
    part.push_back((*known)[index]);
  w.setElements(op->getResult(0), part);
}

static void emitRealDynamicSlice(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  std::optional<Dims> starts = w.getElements(op->getOperand(1)), ends = w.getElements(op->getOperand(2));
  std::optional<SmallVector<int64_t>> strides = w.getIntegers(op->getOperand(3));
  if (w.failed())
    return;
  if (!starts || !ends || !strides || llvm::is_contained(*starts, SymExpr()) || llvm::is_contained(*ends, SymExpr()))
    return w.fail("has bounds that no sizes give");
  w.set(op->getResult(0), w.slice(x, *starts, *ends, *strides));
}

static void emitReverse(ForeignImporter &w, Operation *op) {
  SmallVector<int64_t> axes = stablehlo::getIntegers(op, "dimensions");
  Value x = w.get(op->getOperand(0));
  w.set(op->getResult(0), axes.empty() ? x : w.create<graph::FlipOp>(x, w.attr("axes", axes)));
}

/// Elements between others come first: [n, .., m] with i of them is [n, 1, .., m, 1] padded to [n, 1 + i, .., m, 1 +
/// i], without the last i of each dimension. Negative pads cut off.
static void emitPadWith(ForeignImporter &w, Operation *op, Dims low, Dims high, ArrayRef<int64_t> interior) {
  Value x = w.get(op->getOperand(0)), fill = w.get(op->getOperand(1));
  if (w.failed())
    return;
  SymExpr zero = w.expr(0), one = w.expr(1);
  if (llvm::any_of(interior, [](int64_t count) { return count != 0; })) {
    Dims own = w.dims(x), apart, spread, before(2 * own.size(), zero), behind, ends;
    for (auto [dim, count] : llvm::zip_equal(own, interior)) {
      apart.append({dim, one});
      behind.append({zero, w.expr(count)});
      spread.push_back(dim * (count + 1));
      ends.push_back(SymExpr::max({zero, dim * (count + 1) - count}));
    }
    x = w.reshape(w.pad(w.reshape(x, apart), fill, before, behind), spread);
    x = w.slice(x, Dims(own.size(), zero), ends, SmallVector<int64_t>(own.size(), 1));
    if (w.failed())
      return;
  }
  Dims starts(low.size(), zero), ends = w.dims(x);
  bool cuts = false;
  for (auto [amount, start] : llvm::zip_equal(low, starts))
    if (amount.getConstant().value_or(0) < 0) {
      start = -amount;
      amount = zero;
      cuts = true;
    }
  for (auto [amount, end] : llvm::zip_equal(high, ends))
    if (amount.getConstant().value_or(0) < 0) {
      end = end + amount;
      amount = zero;
      cuts = true;
    }
  if (cuts)
    x = w.slice(x, starts, ends, SmallVector<int64_t>(low.size(), 1));
  w.set(op->getResult(0), w.pad(x, fill, low, high));
}

static void emitPad(ForeignImporter &w, Operation *op) {
  SmallVector<int64_t> low = stablehlo::getIntegers(op, "edge_padding_low");
  emitPadWith(w, op, toExprs(w, low), toExprs(w, stablehlo::getIntegers(op, "edge_padding_high")),
              stablehlo::getIntegers(op, "interior_padding", low.size()));
}

static void emitDynamicPad(ForeignImporter &w, Operation *op) {
  std::optional<Dims> low = w.getElements(op->getOperand(2)), high = w.getElements(op->getOperand(3));
  std::optional<SmallVector<int64_t>> interior = w.getIntegers(op->getOperand(4));
  if (w.failed())
    return;
  if (!low || !high || !interior || llvm::is_contained(*low, SymExpr()) || llvm::is_contained(*high, SymExpr()))
    return w.fail("has amounts that no sizes give");
  emitPadWith(w, op, *low, *high, *interior);
}

Emit stablehlo::getShapeRule(StringRef name) {
  return llvm::StringSwitch<Emit>(name)
      .Case("stablehlo.broadcast_in_dim", emitBroadcastInDim)
      .Case("stablehlo.concatenate", emitConcatenate)
      .Case("stablehlo.constant", emitConstant)
      .Case("stablehlo.dynamic_broadcast_in_dim", emitDynamicBroadcast)
      .Case("stablehlo.dynamic_iota", emitIota)
      .Case("stablehlo.dynamic_pad", emitDynamicPad)
      .Case("stablehlo.dynamic_reshape", emitDynamicReshape)
      .Case("stablehlo.get_dimension_size", emitDimensionSize)
      .Case("stablehlo.iota", emitIota)
      .Case("stablehlo.pad", emitPad)
      .Case("stablehlo.real_dynamic_slice", emitRealDynamicSlice)
      .Case("stablehlo.reshape", emitReshape)
      .Case("stablehlo.reverse", emitReverse)
      .Case("stablehlo.slice", emitSlice)
      .Case("stablehlo.transpose", emitTranspose)
      .Default(nullptr);
}
