//===- DetectionOps.cpp - Boxes and regions -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "Loops.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

static Value both(NodeEmitter &e, Value a, Value b) { return e.create<graph::LogicalAndOp>({a, b}); }
static Value negate(NodeEmitter &e, Value a) { return e.create<graph::LogicalNotOp>(a); }
static Value smaller(NodeEmitter &e, Value a, Value b) { return e.create<graph::MinimumOp>({a, b}); }
static Value larger(NodeEmitter &e, Value a, Value b) { return e.create<graph::MaximumOp>({a, b}); }
static Value isLess(NodeEmitter &e, Value a, Value b) { return e.create<graph::LessOp>({a, b}); }

/// Column `index` of the last dimension.
static Value getColumn(NodeEmitter &e, Value x, int64_t index) {
  if (!x)
    return {};
  int64_t last = cast<RankedTensorType>(x.getType()).getRank() - 1;
  return e.squeeze(e.slice(x, NodeEmitter::Range{last, e.constant(index), e.constant(index + 1)}), {last});
}

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

namespace {
struct Corners {
  Value top, left, bottom, right; // [batch, boxes]
};
} // namespace

static Corners readCorners(NodeEmitter &e) {
  Value boxes = e.getTensor(0), columns[4];
  for (int64_t index : {0, 1, 2, 3})
    columns[index] = getColumn(e, boxes, index);
  if (!e.getInt("center_point_box", 0)) // any two opposite corners
    return {smaller(e, columns[0], columns[2]), smaller(e, columns[1], columns[3]), larger(e, columns[0], columns[2]),
            larger(e, columns[1], columns[3])};
  Value half = e.makeScalarLike(0.5, boxes);
  Value halfWidth = e.multiply(columns[2], half), halfHeight = e.multiply(columns[3], half);
  return {e.subtract(columns[1], halfHeight), e.subtract(columns[0], halfWidth), e.add(columns[1], halfHeight),
          e.add(columns[0], halfWidth)};
}

/// Whether two boxes overlap by more than the threshold: [batch, classes, boxes, boxes], in the order of the scores.
static Value findOverlaps(NodeEmitter &e, Corners corners, Value order, Value threshold) {
  SmallVector<SymExpr> dims = order ? sym::getSymbolicDims(order.getType()) : SmallVector<SymExpr>();
  auto sort = [&](Value x) {
    Value spread = x ? e.broadcastTo(e.expandDims(x, {1}), dims) : Value();
    return e.create<graph::TakeAlongAxisOp>({spread, order}, e.attr("axis", int64_t(2)));
  };
  corners = {sort(corners.top), sort(corners.left), sort(corners.bottom), sort(corners.right)};
  auto pair = [&](Value x, auto combine) { return combine(e, e.expandDims(x, {3}), e.expandDims(x, {2})); };
  Value zero = e.makeScalarLike(0, corners.top);
  Value height = larger(e, e.subtract(pair(corners.bottom, smaller), pair(corners.top, larger)), zero);
  Value width = larger(e, e.subtract(pair(corners.right, smaller), pair(corners.left, larger)), zero);
  Value common = e.multiply(height, width);
  Value area = e.multiply(e.subtract(corners.bottom, corners.top), e.subtract(corners.right, corners.left));
  Value all = e.subtract(e.add(e.expandDims(area, {3}), e.expandDims(area, {2})), common);
  // Boxes without an area give no number here, which is not more than any.
  return isLess(e, threshold, e.divide(common, all));
}

static Value readThreshold(NodeEmitter &e, unsigned index) {
  return e.has(index) ? e.reshape(e.getTensor(index), {}) : Value();
}

/// Boxes are chosen by falling score; each one removes those that it overlaps.
static void emitNonMaxSuppression(NodeEmitter &e) {
  if (e.getRank(0) != 3 || e.getRank(1) != 3)
    return e.fail("boxes and scores must have rank 3");
  SmallVector<SymExpr> dims = e.getDims(1);
  SymExpr one = e.constant(1), count = dims[2];
  Value scores = e.getTensor(1);
  Value order = e.create<graph::ArgsortOp>(scores, {e.attr("axis", int64_t(2)), unitAttr(e, "descending")});
  Value threshold = readThreshold(e, 3), lowest = readThreshold(e, 4);
  if (!threshold)
    threshold = e.makeScalarLike(0, scores);
  Value overlaps = findOverlaps(e, readCorners(e), order, threshold);
  Value alive = e.full(dims, BoolAttr::get(e.getContext(), true));
  if (lowest)
    alive = isLess(e, lowest, e.create<graph::TakeAlongAxisOp>({scores, order}, e.attr("axis", int64_t(2))));
  Value positions = e.iota({one, one, count}, 2);
  alive = repeat(e, count, {alive}, [&](Value position, ArrayRef<Value> carried) {
    NamedAttribute axis = e.attr("axis", int64_t(2));
    Value chosen = e.expandDims(e.create<graph::TakeOp>({carried[0], position}, axis), {2});
    Value row = e.create<graph::TakeOp>({overlaps, position}, axis);
    Value removed = both(e, both(e, chosen, row), isLess(e, position, positions));
    return SmallVector<Value>{both(e, carried[0], negate(e, removed))};
  })[0];
  Value limit = e.has(2) ? e.cast(e.reshape(e.getTensor(2), {}), e.getI64()) : e.makeScalar(0, e.getI64());
  Value number = e.create<graph::CumsumOp>(e.cast(alive, e.getI64()), e.attr("axis", int64_t(2)));
  alive = both(e, alive, e.create<graph::LessEqualOp>({number, limit}));
  Value found = createBinder<graph::NonzeroOp>(e, 1, alive);
  Value places = e.permute(found, {1, 0}); // batch, class and place in the order
  if (!places)
    return;
  Value boxes = e.create<graph::GatherNDOp>({order, places}, e.attr("batch_dims", int64_t(0)));
  Value heads = e.slice(places, NodeEmitter::Range{1, e.constant(0), e.constant(2)});
  e.setResult(0, e.concat({heads, e.expandDims(boxes, {1})}, 1));
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

namespace {
/// Samples of every region along one axis: [regions, bins * samples].
struct Samples {
  Value low, high, lowWeight, highWeight; // neighbours (i64) and their weights, zero outside of the image
  Value count;                            // [regions, 1], in the type of the image
  SymExpr perBin;
  Value isUsed; // [regions, bins * samples]: regions may have fewer than others
};

struct RoiAlign {
  bool isMax = false;
  double offset = 0, scale = 1;
  int64_t height = 1, width = 1, ratio = 0;
  Type type;
};
} // namespace

static Samples sample(NodeEmitter &e, const RoiAlign &roi, Value begin, Value end, int64_t bins, SymExpr extent) {
  Samples samples;
  Value one = e.makeScalar(1, roi.type), zero = e.makeScalar(0, roi.type), half = e.makeScalar(0.5, roi.type);
  auto place = [&](Value edge) {
    Value scaled = e.multiply(edge, e.makeScalar(roi.scale, roi.type));
    return e.expandDims(e.subtract(scaled, e.makeScalar(roi.offset, roi.type)), {1});
  };
  Value start = place(begin), length = e.subtract(place(end), start);
  if (roi.offset == 0)
    length = larger(e, length, one);
  Value bin = e.divide(length, e.makeScalar(static_cast<double>(bins), roi.type));
  if (roi.ratio > 0) {
    samples.perBin = e.constant(roi.ratio);
    samples.count = e.makeScalar(static_cast<double>(roi.ratio), roi.type);
  } else {
    samples.count = larger(e, e.create<graph::CeilOp>(bin), one);
    Value most = e.reduceMax(e.cast(samples.count, e.getI64()), {0, 1}, /*keepdims=*/false);
    Elements bound(1);
    if (Value vector = e.reshape(larger(e, most, e.makeScalar(1, e.getI64())), {e.constant(1)}))
      e.getImporter().bindShape(vector, bound, e.getSymbolStem(), e.getLoc());
    samples.perBin = bound[0];
  }
  if (e.failed() || !samples.perBin)
    return samples;
  SymExpr total = samples.perBin * bins;
  Value flat = e.iota({e.constant(1), total}, 1), divisor = e.dimScalar(samples.perBin, e.getI64());
  Value which = e.cast(e.divide(flat, divisor), roi.type),
        inner = e.cast(e.create<graph::ModOp>({flat, divisor}), roi.type);
  samples.isUsed = isLess(e, inner, samples.count);
  Value step = e.divide(bin, samples.count);
  Value y = e.add(e.add(start, e.multiply(which, bin)), e.multiply(e.add(inner, half), step));
  Value size = e.dimScalar(extent, roi.type), last = e.subtract(size, one);
  Value isInside = both(e, e.create<graph::GreaterEqualOp>({y, e.makeScalar(-1, roi.type)}),
                        e.create<graph::LessEqualOp>({y, size}));
  y = smaller(e, larger(e, y, zero), last);
  Value low = smaller(e, e.create<graph::FloorOp>(y), last), high = smaller(e, e.add(low, one), last);
  Value weight = e.subtract(y, low), keep = e.cast(both(e, isInside, samples.isUsed), roi.type);
  samples.low = e.cast(low, e.getI64());
  samples.high = e.cast(high, e.getI64());
  samples.highWeight = e.multiply(weight, keep);
  samples.lowWeight = e.multiply(e.subtract(one, weight), keep);
  return samples;
}

/// The mean over the samples of a bin as a matrix of weights: [regions, bins, extent].
static Value makeWeights(NodeEmitter &e, const RoiAlign &roi, const Samples &samples, SymExpr regions, int64_t bins,
                         SymExpr extent) {
  if (e.failed())
    return {};
  SymExpr one = e.constant(1);
  Value column = e.iota({one, one, extent}, 2);
  auto spread = [&](Value index, Value weight) {
    Value isColumn = e.create<graph::EqualOp>({e.expandDims(index, {2}), column});
    return e.multiply(e.cast(isColumn, roi.type), e.expandDims(weight, {2}));
  };
  Value each = e.add(spread(samples.low, samples.lowWeight), spread(samples.high, samples.highWeight));
  each = e.reshape(each, {regions, e.constant(bins), samples.perBin, extent});
  Value sum = e.reduceSum(each, {2}, /*keepdims=*/false);
  Value count = roi.ratio > 0 ? samples.count : e.expandDims(samples.count, {2});
  return e.divide(sum, count);
}

/// The largest of the weighted neighbours of all samples of a bin.
static Value takeLargest(NodeEmitter &e, const RoiAlign &roi, const Samples &rows, const Samples &columns, Value batch,
                         SymExpr regions, ArrayRef<SymExpr> dims) {
  if (e.failed())
    return {};
  Value table = e.reshape(e.permute(e.getTensor(0), {0, 2, 3, 1}), {dims[0] * dims[2] * dims[3], dims[1]});
  Value height = e.dimScalar(dims[2], e.getI64()), width = e.dimScalar(dims[3], e.getI64()), result;
  Value base = e.expandDims(e.multiply(batch, height), {1, 2});
  for (bool isLowRow : {true, false}) {
    for (bool isLowColumn : {true, false}) {
      Value row = e.expandDims(isLowRow ? rows.low : rows.high, {2});
      Value column = e.expandDims(isLowColumn ? columns.low : columns.high, {1});
      Value index = e.add(e.multiply(e.add(base, row), width), column);
      Value weight = e.multiply(e.expandDims(isLowRow ? rows.lowWeight : rows.highWeight, {2, 3}),
                                e.expandDims(isLowColumn ? columns.lowWeight : columns.highWeight, {1, 3}));
      Value part = e.multiply(e.create<graph::TakeOp>({table, index}, e.attr("axis", int64_t(0))), weight);
      result = result ? larger(e, result, part) : part;
    }
  }
  Value isUsed = both(e, e.expandDims(rows.isUsed, {2, 3}), e.expandDims(columns.isUsed, {1, 3}));
  result = e.select(isUsed, result, e.makeScalar(-std::numeric_limits<double>::infinity(), roi.type));
  result =
      e.reshape(result, {regions, e.constant(roi.height), rows.perBin, e.constant(roi.width), columns.perBin, dims[1]});
  return e.permute(e.reduceMax(result, {2, 4}, /*keepdims=*/false), {0, 3, 1, 2});
}

static void emitRoiAlign(NodeEmitter &e) {
  if (e.getRank(0) != 4 || e.getRank(1) != 2 || e.getRank(2) != 1)
    return e.fail("X, rois and batch_indices must have ranks 4, 2 and 1");
  SmallVector<SymExpr> dims = e.getDims(0);
  RoiAlign roi;
  roi.type = e.getType(0).getElementType();
  std::string mode = e.getString("mode", "avg");
  std::string coordinates =
      e.getString("coordinate_transformation_mode", e.getOpset() < 16 ? "output_half_pixel" : "half_pixel");
  if (mode != "avg" && mode != "max")
    e.fail("attribute 'mode' is '" + printable(mode) + "', expected avg or max");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    e.fail("attribute 'coordinate_transformation_mode' is '" + printable(coordinates) +
           "', expected half_pixel or output_half_pixel");
  roi.isMax = mode == "max";
  roi.offset = coordinates == "half_pixel" ? 0.5 : 0;
  roi.scale = e.getFloat("spatial_scale", 1);
  roi.height = e.getInt("output_height", 1);
  roi.width = e.getInt("output_width", 1);
  roi.ratio = e.getInt("sampling_ratio", 0);
  for (int64_t value : {roi.height, roi.width, roi.ratio + 1})
    if (value < 1 || value > (1 << 16))
      e.fail("output_height, output_width or sampling_ratio is out of range");
  if (e.failed())
    return;
  SymExpr regions = e.getDims(1)[0];
  Value rois = e.cast(e.getTensor(1), roi.type), batch = e.cast(e.getTensor(2), e.getI64());
  batch = checkDims(e, batch, {regions});
  Samples rows = sample(e, roi, getColumn(e, rois, 1), getColumn(e, rois, 3), roi.height, dims[2]);
  Samples columns = sample(e, roi, getColumn(e, rois, 0), getColumn(e, rois, 2), roi.width, dims[3]);
  if (roi.isMax)
    return e.setResult(0, takeLargest(e, roi, rows, columns, batch, regions, dims));
  Value images = e.create<graph::TakeOp>({e.getTensor(0), batch}, e.attr("axis", int64_t(0)));
  Value vertical = e.expandDims(makeWeights(e, roi, rows, regions, roi.height, dims[2]), {1});
  Value horizontal = e.permute(makeWeights(e, roi, columns, regions, roi.width, dims[3]), {0, 2, 1});
  Value reduced = e.create<graph::MatmulOp>({vertical, images});
  e.setResult(0, e.create<graph::MatmulOp>({reduced, e.expandDims(horizontal, {1})}));
}

ArrayRef<OpEntry> mlir::relax::onnx::getDetectionOps() {
  static constexpr OpEntry entries[] = {
      {"NonMaxSuppression", 10, 2, 5, 1, emitNonMaxSuppression},
      {"RoiAlign", 10, 3, 3, 1, emitRoiAlign},
  };
  return entries;
}
