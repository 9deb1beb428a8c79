//===- GridOps.cpp - Sampling at computed places --------------------------===//
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

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

/// Centers of pixels along an axis, from -1 to 1: of the first and last pixel themselves when corners are aligned.
static Value makeCenters(NodeEmitter &e, SymExpr extent, Type type, bool alignsCorners) {
  Value position = e.cast(e.iota({extent}, 0), type), count = e.dimScalar(extent, type);
  Value one = e.makeScalar(1, type), two = e.makeScalar(2, type);
  if (!alignsCorners)
    return e.subtract(e.divide(e.add(e.multiply(position, two), one), count), one);
  // A single pixel lies at -1.
  Value last = e.create<graph::MaximumOp>({e.subtract(count, one), one});
  return e.subtract(e.divide(e.multiply(position, two), last), one);
}

static void emitAffineGrid(NodeEmitter &e) {
  Elements size = e.requireExtents(1, "size");
  bool alignsCorners = e.getInt("align_corners", 0);
  if (!e.failed() && size.size() != 4 && size.size() != 5)
    e.fail("size has " + Twine(size.size()) + " entries, expected 4 or 5");
  if (!e.failed() && e.getRank(0) != 3)
    e.fail("theta has rank " + Twine(e.getRank(0)) + ", expected 3");
  if (e.failed())
    return;
  Type type = e.getType(0).getElementType();
  int64_t spatial = static_cast<int64_t>(size.size()) - 2;
  SmallVector<SymExpr> dims(size.begin() + 2, size.end());
  // [spatial..., coordinates and 1]: x comes first and runs along the last dimension.
  dims.push_back(e.constant(1));
  SmallVector<Value> coordinates;
  for (int64_t axis = spatial - 1; axis >= 0; --axis) {
    SmallVector<SymExpr> own(spatial + 1, e.constant(1));
    own[axis] = dims[axis];
    coordinates.push_back(e.broadcastTo(e.reshape(makeCenters(e, dims[axis], type, alignsCorners), own), dims));
  }
  coordinates.push_back(e.broadcastTo(e.makeScalar(1, type), dims));
  Value points = e.concat(coordinates, spatial);
  SymExpr count = e.product(ArrayRef(dims).drop_back());
  points = e.reshape(points, {count, e.constant(spatial + 1)});
  Value theta = e.permute(e.getTensor(0), {0, 2, 1});
  Value grid = e.create<graph::MatmulOp>({points, theta});
  SmallVector<SymExpr> result = {size[0]};
  result.append(dims.begin(), dims.end() - 1);
  result.push_back(e.constant(spatial));
  e.setResult(0, e.reshape(grid, result));
}

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

namespace {
enum class Padding { Zeros, Border, Reflection };

/// One neighbour along one axis: its index (i64, in range), its weight and, for padding by zeros, whether it exists.
struct Neighbour {
  Value index, weight, exists;
};

class Sampler {
public:
  Sampler(NodeEmitter &e, Padding padding, bool alignsCorners)
      : e(e), type(e.getType(0).getElementType()), padding(padding), alignsCorners(alignsCorners) {}

  /// Neighbours along an axis for normalized coordinates.
  SmallVector<Neighbour> find(Value normalized, SymExpr extent, StringRef mode) {
    Value length = e.dimScalar(extent, type), x = denormalize(normalized, length);
    if (mode == "nearest")
      return {place(pad(e.create<graph::RoundOp>(x), length), extent, Value())};
    x = pad(x, length);
    Value base = e.create<graph::FloorOp>(x), t = e.subtract(x, base);
    if (mode == "linear")
      return {place(base, extent, e.subtract(scalar(1), t)), place(e.add(base, scalar(1)), extent, t)};
    // Cubic convolution with -0.75.
    return {place(e.subtract(base, scalar(1)), extent, outerWeight(e.add(t, scalar(1)))),
            place(base, extent, innerWeight(t)),
            place(e.add(base, scalar(1)), extent, innerWeight(e.subtract(scalar(1), t))),
            place(e.add(base, scalar(2)), extent, outerWeight(e.subtract(scalar(2), t)))};
  }

private:
  Value scalar(double value) { return e.makeScalar(value, type); }

  Value denormalize(Value n, Value length) {
    Value shifted = e.add(n, scalar(1)), half = scalar(0.5);
    if (alignsCorners)
      return e.multiply(e.multiply(shifted, half), e.subtract(length, scalar(1)));
    return e.multiply(e.subtract(e.multiply(shifted, length), scalar(1)), half);
  }

  /// Coordinates outside of the image as the padding has them.
  Value pad(Value x, Value length) {
    if (padding == Padding::Border)
      return clamp(x, length);
    if (padding == Padding::Reflection)
      return reflect(x, length);
    return x;
  }

  Value clamp(Value x, Value length) {
    return e.create<graph::MaximumOp>({e.create<graph::MinimumOp>({x, e.subtract(length, scalar(1))}), scalar(0)});
  }

  Value reflect(Value x, Value length) {
    Value low = scalar(alignsCorners ? 0 : -0.5);
    Value range = alignsCorners ? e.subtract(length, scalar(1)) : length;
    // Distance from the lower border within a period of two ranges; the second half of it runs back. An image of one
    // pixel has no range when corners are aligned.
    range = e.create<graph::MaximumOp>({range, scalar(1e-30)});
    Value distance = e.create<graph::ModOp>({e.subtract(x, low), e.add(range, range)});
    Value folded = e.create<graph::MinimumOp>({distance, e.subtract(e.add(range, range), distance)});
    return e.add(low, folded);
  }

  Value innerWeight(Value t) { // (1.25 t - 2.25) t^2 + 1
    Value line = e.subtract(e.multiply(t, scalar(1.25)), scalar(2.25));
    return e.add(e.multiply(e.multiply(line, t), t), scalar(1));
  }
  Value outerWeight(Value t) { // ((-0.75 t + 3.75) t - 6) t + 3
    Value inner = e.add(e.multiply(t, scalar(-0.75)), scalar(3.75));
    inner = e.subtract(e.multiply(inner, t), scalar(6));
    return e.add(e.multiply(inner, t), scalar(3));
  }

  /// A whole coordinate as an index.
  Neighbour place(Value x, SymExpr extent, Value weight) {
    Neighbour neighbour;
    Value length = e.dimScalar(extent, type);
    if (padding == Padding::Zeros) {
      Value isLow = e.create<graph::LessOp>({x, scalar(0)}), isHigh = e.create<graph::GreaterEqualOp>({x, length});
      neighbour.exists = e.create<graph::LogicalNotOp>(e.create<graph::LogicalOrOp>({isLow, isHigh}));
    } else if (padding == Padding::Reflection) {
      x = reflect(x, length);
    }
    neighbour.index = e.cast(clamp(x, length), e.getI64());
    neighbour.weight = weight;
    return neighbour;
  }

  NodeEmitter &e;
  Type type;
  Padding padding;
  bool alignsCorners;
};
} // namespace

static std::optional<Padding> readPadding(NodeEmitter &e) {
  std::string mode = e.getString("padding_mode", "zeros");
  if (mode == "zeros")
    return Padding::Zeros;
  if (mode == "border")
    return Padding::Border;
  if (mode == "reflection")
    return Padding::Reflection;
  e.fail("attribute 'padding_mode' is '" + printable(mode) + "', expected zeros, border or reflection");
  return std::nullopt;
}

static void emitGridSample(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0), gridDims = e.getDims(1);
  int64_t rank = dims.size(), spatial = rank - 2;
  std::string mode = e.getString("mode", e.getOpset() < 20 ? "bilinear" : "linear");
  StringRef kind = mode;
  kind.consume_front("bi");
  std::optional<Padding> padding = readPadding(e);
  bool alignsCorners = e.getInt("align_corners", 0);
  if (kind != "nearest" && kind != "linear" && kind != "cubic")
    return e.fail("attribute 'mode' is '" + printable(mode) + "', expected nearest, linear or cubic");
  if (spatial < 1 || spatial > 3 || static_cast<int64_t>(gridDims.size()) != rank)
    return e.fail("input and grid have ranks " + Twine(rank) + " and " + Twine(gridDims.size()) +
                  ", expected the same from 3 to 5");
  if (e.failed() || !padding)
    return;
  // Coordinates have the batch and spatial dimensions of the grid; its last dimension starts with the last axis.
  Sampler sampler(e, *padding, alignsCorners);
  SmallVector<SmallVector<Neighbour>> neighbours;
  Value grid = e.cast(e.getTensor(1), e.getType(0).getElementType());
  for (int64_t axis = 0; axis < spatial; ++axis) {
    int64_t entry = spatial - 1 - axis;
    Value column = e.slice(grid, NodeEmitter::Range{rank - 1, e.constant(entry), e.constant(entry + 1)});
    neighbours.push_back(sampler.find(e.squeeze(column, {rank - 1}), dims[axis + 2], kind));
  }
  // The image as a table with a row per pixel of the batch.
  SmallVector<int64_t> toTable = {0}, fromTable = {0, rank - 1};
  for (int64_t axis = 2; axis < rank; ++axis)
    toTable.push_back(axis);
  toTable.push_back(1);
  for (int64_t axis = 1; axis < rank - 1; ++axis)
    fromTable.push_back(axis);
  SymExpr pixels = e.product(ArrayRef(dims).drop_front(2));
  if (!pixels || !(dims[0] * pixels))
    return e.fail("the number of elements does not fit 64 bits");
  Value table = e.reshape(e.permute(e.getTensor(0), toTable), {dims[0] * pixels, dims[1]});
  SmallVector<SymExpr> batchDims(rank - 1, e.constant(1));
  batchDims[0] = gridDims[0];
  Value batch = e.multiply(e.iota(batchDims, 0), e.dimScalar(pixels, e.getI64())), result;
  // Every combination of neighbours.
  SmallVector<size_t> chosen(spatial, 0);
  while (!e.failed()) {
    Value index, weight, exists;
    for (int64_t axis = 0; axis < spatial; ++axis) {
      const Neighbour &part = neighbours[axis][chosen[axis]];
      index = index ? e.add(e.multiply(index, e.dimScalar(dims[axis + 2], e.getI64())), part.index) : part.index;
      weight = weight && part.weight ? e.multiply(weight, part.weight) : part.weight;
      exists = exists && part.exists ? e.create<graph::LogicalAndOp>({exists, part.exists}) : part.exists;
    }
    Value taken = e.create<graph::TakeOp>({table, e.add(batch, index)}, e.attr("axis", int64_t(0)));
    if (exists)
      taken = e.select(e.expandDims(exists, {rank - 1}), taken, e.makeScalarLike(0, taken));
    if (weight)
      taken = e.multiply(taken, e.expandDims(weight, {rank - 1}));
    result = result ? e.add(result, taken) : taken;
    int64_t axis = 0;
    while (axis < spatial && ++chosen[axis] == neighbours[axis].size())
      chosen[axis++] = 0;
    if (axis == spatial)
      break;
  }
  e.setResult(0, e.permute(result, fromTable));
}

ArrayRef<OpEntry> mlir::relax::onnx::getGridOps() {
  static constexpr OpEntry entries[] = {
      {"AffineGrid", 20, 2, 2, 1, emitAffineGrid},
      {"GridSample", 16, 2, 2, 1, emitGridSample},
  };
  return entries;
}
