//===- TosaTensors.cpp - Products, windows, moved elements of TOSA --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Images are (batch, spatial.., channel) there and (batch, channel, spatial..)
// here: they are transposed before and behind.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h"
#include "Tosa.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

static SmallVector<int64_t> getInts(Operation *op, StringRef name) {
  if (auto ints = op->getAttrOfType<DenseI64ArrayAttr>(name))
    return llvm::to_vector(ints.asArrayRef());
  if (auto ints = op->getAttrOfType<DenseI32ArrayAttr>(name))
    return llvm::to_vector_of<int64_t>(ints.asArrayRef());
  return {};
}

static int64_t getAxis(Operation *op) { return op->getAttrOfType<IntegerAttr>("axis").getInt(); }

//===----------------------------------------------------------------------===//
// Constants and shapes
//===----------------------------------------------------------------------===//

static void emitConst(ForeignImporter &w, Operation *op) {
  auto values = dyn_cast<DenseElementsAttr>(cast<tosa::ConstOp>(op).getValues());
  if (!values)
    return w.fail("has values that are not dense");
  w.set(op->getResult(0), w.constant(values));
}

static void emitConstShape(ForeignImporter &w, Operation *op) {
  Dims known;
  for (APInt value : cast<tosa::ConstShapeOp>(op).getValues().getValues<APInt>())
    known.push_back(w.expr(value.getSExtValue()));
  w.setElements(op->getResult(0), known);
}

static Dims getShape(ForeignImporter &w, Value foreign) {
  std::optional<Dims> known = w.getElements(foreign);
  if (!known)
    w.fail("has a shape that is not constant");
  return known.value_or(Dims());
}

/// -1 is what the other extents leave over.
static void emitReshape(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  Dims wanted = getShape(w, op->getOperand(1));
  if (w.failed())
    return;
  auto *unknown = llvm::find_if(wanted, [](SymExpr dim) { return dim.getConstant() == -1; });
  if (unknown != wanted.end()) {
    *unknown = w.expr(1);
    SymExpr rest = w.product(wanted);
    *unknown = rest.getConstant() == 1 ? w.product(w.dims(x)) : SymExpr::floordiv(w.product(w.dims(x)), rest);
  }
  w.set(op->getResult(0), w.reshape(x, wanted));
}

static void emitTranspose(ForeignImporter &w, Operation *op) {
  w.set(op->getResult(0), w.permute(w.get(op->getOperand(0)), getInts(op, "perms")));
}

static void emitConcat(ForeignImporter &w, Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(w.get(operand));
    for (auto [index, one, other] : llvm::enumerate(w.dims(operands[0]), w.dims(operands.back())))
      if (static_cast<int64_t>(index) != getAxis(op))
        w.requireEqual(one, other);
  }
  w.set(op->getResult(0),
        operands.size() == 1 ? operands[0] : w.create<graph::ConcatOp>(operands, w.attr("axis", getAxis(op))));
}

static void emitPad(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0)), fill = w.get(op->getOperand(2));
  Dims pairs = getShape(w, op->getOperand(1)), low, high;
  for (auto [index, pad] : llvm::enumerate(pairs))
    (index % 2 ? high : low).push_back(pad);
  if (fill && w.rank(fill) == 1)
    fill = w.squeeze(fill, {0});
  w.set(op->getResult(0), w.pad(x, fill, low, high));
}

static void emitSlice(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  Dims starts = getShape(w, op->getOperand(1)), sizes = getShape(w, op->getOperand(2)), ends, own = w.dims(x);
  if (w.failed())
    return;
  for (auto [start, size, dim] : llvm::zip_equal(starts, sizes, own)) {
    // A size of -1 is an extent that the static shape cannot say.
    ends.push_back(size.getConstant() == -1 ? dim : start + size);
    w.require({ends.back(), sym::Fact::Op::LessEqual, dim}, "a slice is larger than its dimension");
  }
  w.set(op->getResult(0), w.slice(x, starts, ends, SmallVector<int64_t>(own.size(), 1)));
}

static void emitTile(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0));
  Dims repeats = getShape(w, op->getOperand(1));
  w.set(op->getResult(0), w.create<graph::TileOp>(x, w.exprs("repeats", repeats)));
}

static void emitReverse(ForeignImporter &w, Operation *op) {
  w.set(op->getResult(0), w.create<graph::FlipOp>(w.get(op->getOperand(0)), w.attr("axes", ArrayRef(getAxis(op)))));
}

/// (n, k, c) at (n, w) is (n, w, c).
static void emitGather(ForeignImporter &w, Operation *op) {
  Value values = w.get(op->getOperand(0)), indices = w.get(op->getOperand(1));
  if (w.failed())
    return;
  w.requireEqual(w.dims(values)[0], w.dims(indices)[0]);
  w.set(op->getResult(0),
        w.create<graph::GatherNDOp>({values, w.expandDims(indices, {2})}, w.attr("batch_dims", int64_t(1))));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename OpTy> static void emitReduction(ForeignImporter &w, Operation *op) {
  if (tosa_import::isPlain(w, op, 1))
    w.set(op->getResult(0),
          w.create<OpTy>(w.get(op->getOperand(0)), {w.attr("axes", ArrayRef(getAxis(op))), w.flag("keepdims")}));
}

static void emitArgMax(ForeignImporter &w, Operation *op) {
  if (!tosa_import::isPlain(w, op, 1))
    return;
  Value indices = w.create<graph::ArgmaxOp>(w.get(op->getOperand(0)), w.attr("axis", getAxis(op)));
  w.set(op->getResult(0), w.astype(indices, getElementTypeOrSelf(op->getResult(0).getType())));
}

//===----------------------------------------------------------------------===//
// Products and windows
//===----------------------------------------------------------------------===//

static void emitMatMul(ForeignImporter &w, Operation *op) {
  Value a = w.get(op->getOperand(0)), b = w.get(op->getOperand(1));
  if (w.failed())
    return;
  w.requireEqual(w.dims(a)[0], w.dims(b)[0]);
  w.requireEqual(w.dims(a)[2], w.dims(b)[1]);
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  a = tosa_import::withoutZeroPoint(w, a, w.get(op->getOperand(2)), type);
  b = tosa_import::withoutZeroPoint(w, b, w.get(op->getOperand(3)), type);
  w.set(op->getResult(0), w.create<graph::MatmulOp>({a, b}));
}

/// (n, spatial.., c) to (n, c, spatial..).
static Value toChannelsFirst(ForeignImporter &w, Value x) {
  SmallVector<int64_t> order = {0, w.rank(x) - 1};
  for (int64_t axis = 1; axis < w.rank(x) - 1; ++axis)
    order.push_back(axis);
  return x ? w.permute(x, order) : Value();
}

static Value toChannelsLast(ForeignImporter &w, Value x) {
  SmallVector<int64_t> order = {0};
  for (int64_t axis = 2; axis < w.rank(x); ++axis)
    order.push_back(axis);
  order.push_back(1);
  return x ? w.permute(x, order) : Value();
}

static void emitConv(ForeignImporter &w, Operation *op) {
  Value x = w.get(op->getOperand(0)), weight = w.get(op->getOperand(1)), bias = w.get(op->getOperand(2));
  if (w.failed())
    return;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  // What is padded is the zero point, which is 0 once it is taken away.
  x = tosa_import::withoutZeroPoint(w, x, w.get(op->getOperand(3)), type);
  weight = tosa_import::withoutZeroPoint(w, weight, w.get(op->getOperand(4)), type);
  if (w.failed())
    return;
  int64_t groups = 1;
  if (isa<tosa::DepthwiseConv2DOp>(op)) {
    // (kh, kw, c, m) to (c * m, 1, kh, kw), a group for each channel.
    Dims dims = w.dims(weight);
    std::optional<int64_t> channels = dims[2] ? dims[2].getConstant() : std::nullopt;
    if (!channels)
      return w.fail("has an unknown number of channels");
    groups = *channels;
    w.requireEqual(w.dims(x)[3], dims[2]);
    weight = w.reshape(w.permute(weight, {2, 3, 0, 1}), {dims[2] * dims[3], w.expr(1), dims[0], dims[1]});
  } else {
    weight = toChannelsFirst(w, weight);
  }
  Value result =
      w.create<graph::ConvOp>({toChannelsFirst(w, x), weight},
                              {w.attr("strides", getInts(op, "stride")), w.attr("pads", splitPads(getInts(op, "pad"))),
                               w.attr("dilations", getInts(op, "dilation")), w.attr("groups", groups)});
  w.set(op->getResult(0), w.add(toChannelsLast(w, result), bias));
}

template <typename OpTy> static void emitPool(ForeignImporter &w, Operation *op) {
  if (!tosa_import::isPlain(w, op, 1))
    return;
  SmallVector<int64_t> kernel = getInts(op, "kernel");
  Value pooled = w.create<OpTy>(toChannelsFirst(w, w.get(op->getOperand(0))),
                                {w.attr("kernel", kernel), w.attr("strides", getInts(op, "stride")),
                                 w.attr("pads", splitPads(getInts(op, "pad"))),
                                 w.attr("dilations", SmallVector<int64_t>(kernel.size(), 1))});
  w.set(op->getResult(0), toChannelsLast(w, pooled));
}

Emit tosa_import::getTensorRule(StringRef name) {
  using namespace mlir::relax::graph;
  return llvm::StringSwitch<Emit>(name)
      .Case("tosa.argmax", emitArgMax)
      .Case("tosa.avg_pool2d", emitPool<AvgPoolOp>)
      .Case("tosa.concat", emitConcat)
      .Case("tosa.const", emitConst)
      .Case("tosa.const_shape", emitConstShape)
      .Cases({"tosa.conv2d", "tosa.conv3d", "tosa.depthwise_conv2d"}, emitConv)
      .Case("tosa.gather", emitGather)
      .Case("tosa.matmul", emitMatMul)
      .Case("tosa.max_pool2d", emitPool<MaxPoolOp>)
      .Case("tosa.pad", emitPad)
      .Case("tosa.reduce_all", emitReduction<AllOp>)
      .Case("tosa.reduce_any", emitReduction<AnyOp>)
      .Case("tosa.reduce_max", emitReduction<MaxOp>)
      .Case("tosa.reduce_min", emitReduction<MinOp>)
      .Case("tosa.reduce_product", emitReduction<ProdOp>)
      .Case("tosa.reduce_sum", emitReduction<SumOp>)
      .Case("tosa.reshape", emitReshape)
      .Case("tosa.reverse", emitReverse)
      .Case("tosa.slice", emitSlice)
      .Case("tosa.tile", emitTile)
      .Case("tosa.transpose", emitTranspose)
      .Default(nullptr);
}
