//===- DeformConvOp.cpp - DeformConv --------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Each element of the kernel is read at its own place, between pixels: what is
// read are the columns of a product with the weights.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "LearningOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

namespace {
class DeformConv {
public:
  explicit DeformConv(NodeEmitter &e) : e(e) {}

  void emit() {
    read();
    Value sampled = sample();
    // [batch, offset groups, taps, places, channels of a group] to [batch, groups, channels of it * taps, places]
    SmallVector<SymExpr> columns = {input[0], groups, e.failed() ? SymExpr() : weight[1] * taps, places};
    sampled = e.permute(sampled, {0, 1, 4, 2, 3});
    sampled = e.failed() ? Value() : e.reshape(sampled, columns);
    SymExpr outs = e.failed() ? SymExpr() : e.divideExactly(weight[0], e.getInt("group", 1));
    if (e.failed())
      return;
    Value weights = e.reshape(e.getTensor(1), {e.constant(1), groups, outs, columns[2]});
    SmallVector<SymExpr> result = {input[0], weight[0]};
    result.append(extents.begin(), extents.end());
    Value y = e.reshape(e.create<graph::MatmulOp>({weights, sampled}), result);
    if (e.has(3)) {
      Value bias = checkDims(e, e.getTensor(3), {weight[0]});
      y = e.add(y, e.expandDims(bias, llvm::to_vector(llvm::seq<int64_t>(1, spatial + 1))));
    }
    e.setResult(0, y);
  }

private:
  void read() {
    input = e.getDims(0);
    weight = e.getDims(1);
    spatial = static_cast<int64_t>(input.size()) - 2;
    if (spatial < 1 || spatial > 3 || weight.size() != input.size() || e.getDims(2).size() != input.size())
      return e.fail("X, W and offset have ranks " + Twine(input.size()) + ", " + Twine(weight.size()) + " and " +
                    Twine(e.getDims(2).size()) + ", expected the same from 3 to 5");
    window = readWindow(e, spatial);
    type = e.getType(0).getElementType();
    int64_t group = e.getInt("group", 1), offsetGroup = e.getInt("offset_group", 1);
    if (group < 1 || offsetGroup < 1)
      return e.fail("attributes 'group' and 'offset_group' must be positive");
    if (window.autoPad != "NOTSET")
      return e.fail("attribute 'auto_pad' is not supported");
    SmallVector<int64_t> stated = getPerDimension(e, "kernel_shape", spatial, 0, 0);
    for (int64_t dim = 0; dim < spatial && !e.failed(); ++dim) {
      if (weight[dim + 2].getConstant().value_or(stated[dim]) != stated[dim] && stated[dim])
        return e.fail("attribute 'kernel_shape' contradicts the shape of the weight");
      SymExpr reach = (weight[dim + 2] - 1) * window.dilations[dim] + 1;
      SymExpr span = reach ? input[dim + 2] + (window.pads[dim] + window.pads[dim + spatial]) - reach : SymExpr();
      SymExpr steps = span ? SymExpr::floordiv(span, e.constant(window.strides[dim])) : SymExpr();
      if (!steps)
        return e.fail("an extent does not fit 64 bits");
      extents.push_back(steps + 1);
    }
    if (e.failed())
      return;
    groups = e.constant(group);
    offsetGroups = e.constant(offsetGroup);
    taps = e.product(ArrayRef(weight).drop_front(2));
    places = e.product(extents);
    // The weights say how many channels there are.
    input[1] = weight[1] * group;
    image = checkDims(e, e.getTensor(0), input);
    channels = e.divideExactly(input[1], offsetGroup);
    if (!taps || !places || !channels)
      e.fail("an extent does not fit 64 bits");
  }

  /// An input with a group of values for each tap and place, as [batch, offset groups, taps, count, places].
  Value readPlaces(unsigned index, int64_t count) {
    SmallVector<SymExpr> dims = {input[0], offsetGroups * taps * count};
    dims.append(extents.begin(), extents.end());
    return e.reshape(checkDims(e, e.getTensor(index), dims), {input[0], offsetGroups, taps, e.constant(count), places});
  }

  /// Where the taps lie along an axis without offsets: [1, 1, taps, places].
  Value makeGrid(int64_t axis) {
    SmallVector<SymExpr> dims(ArrayRef(weight).drop_front(2));
    dims.append(extents.begin(), extents.end());
    auto along = [&](int64_t dim, int64_t factor) {
      SmallVector<SymExpr> own(dims.size(), e.constant(1));
      own[dim] = dims[dim];
      return e.multiply(e.cast(e.iota(own, dim), type), e.makeScalar(static_cast<double>(factor), type));
    };
    Value sum = e.add(along(axis, window.dilations[axis]), along(spatial + axis, window.strides[axis]));
    sum = e.subtract(sum, e.makeScalar(static_cast<double>(window.pads[axis]), type));
    return e.reshape(e.broadcastTo(sum, dims), {e.constant(1), e.constant(1), taps, places});
  }

  /// What the image has at the places, with zeros outside: [batch, offset groups, taps, places, channels].
  Value sample() {
    if (e.failed())
      return {};
    SmallVector<SymExpr> pixels(ArrayRef(input).drop_front(2));
    SymExpr count = e.product(pixels), rows = count ? input[0] * offsetGroups * count : SymExpr();
    if (!rows)
      e.fail("the number of elements does not fit 64 bits");
    if (e.failed())
      return {};
    // A row for each pixel of each group of channels.
    Value table = e.reshape(image, {input[0], offsetGroups, channels, count});
    table = e.reshape(e.permute(table, {0, 1, 3, 2}), {rows, channels});
    SymExpr one = e.constant(1);
    Value first = e.multiply(e.reshape(e.iota({input[0] * offsetGroups}, 0), {input[0], offsetGroups, one, one}),
                             e.dimScalar(count, e.getI64()));
    Value offsets = readPlaces(2, spatial), mask = e.has(4) ? e.squeeze(readPlaces(4, 1), {3}) : Value();
    SmallVector<Value> low, fraction;
    for (int64_t axis = 0; axis < spatial; ++axis) {
      Value own = e.slice(offsets, NodeEmitter::Range{3, e.constant(axis), e.constant(axis + 1)});
      Value place = e.add(e.squeeze(e.cast(own, type), {3}), makeGrid(axis));
      low.push_back(e.create<graph::FloorOp>(place));
      fraction.push_back(e.subtract(place, low.back()));
    }
    Value result;
    for (int64_t corner = 0; corner < (int64_t(1) << spatial) && !e.failed(); ++corner) {
      Value index, factor = mask, exists;
      for (int64_t axis = 0; axis < spatial; ++axis) {
        bool isHigh = corner >> axis & 1;
        Value length = e.dimScalar(pixels[axis], type), zero = e.makeScalar(0, type), unit = e.makeScalar(1, type);
        Value at = isHigh ? e.add(low[axis], unit) : low[axis];
        Value part = isHigh ? fraction[axis] : e.subtract(unit, fraction[axis]);
        Value isInside = e.create<graph::LogicalAndOp>(
            {e.create<graph::GreaterEqualOp>({at, zero}), e.create<graph::LessOp>({at, length})});
        exists = exists ? e.create<graph::LogicalAndOp>({exists, isInside}) : isInside;
        factor = factor ? e.multiply(factor, part) : part;
        Value inside = e.cast(e.select(isInside, at, zero), e.getI64());
        index = index ? e.add(e.multiply(index, e.dimScalar(pixels[axis], e.getI64())), inside) : inside;
      }
      Value taken = take(table, e.add(first, index), exists);
      taken = e.multiply(taken, e.expandDims(factor, {4}));
      result = result ? e.add(result, taken) : taken;
    }
    return result;
  }

  /// Rows of the table, zeros where the pixel does not exist: an image without pixels has no row to take.
  Value take(Value table, Value index, Value exists) {
    SymExpr one = e.constant(1), zero = e.constant(0);
    Value padded = createSegmented<graph::PadOp>(
        e, 1, {table, Value(), Value()},
        {exprsAttr(e, "low", {one, zero}), exprsAttr(e, "high", {zero, zero}), stringAttr(e, "mode", "constant")})[0];
    Value behind = e.add(index, e.makeScalar(1, e.getI64()));
    return e.create<graph::TakeOp>({padded, e.select(exists, behind, e.makeScalar(0, e.getI64()))},
                                   e.attr("axis", int64_t(0)));
  }

  NodeEmitter &e;
  SmallVector<SymExpr> input, weight, extents; // extents: spatial ones of the result
  int64_t spatial = 0;
  Window window;
  Type type;
  SymExpr groups, offsetGroups, taps, places, channels; // channels: of an offset group
  Value image;
};
} // namespace

static void emitDeformConv(NodeEmitter &e) { DeformConv(e).emit(); }

ArrayRef<OpEntry> mlir::relax::onnx::getDeformConvOps() {
  static constexpr OpEntry entries[] = {{"DeformConv", 19, 3, 5, 1, emitDeformConv}};
  return entries;
}
