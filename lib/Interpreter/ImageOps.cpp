//===- ImageOps.cpp - Meaning of resizing ---------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// One axis after the other, by the table of the description, in double.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphImageOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

namespace {
/// One neighbour and what it counts.
struct Tap {
  double place, weight;
};

/// How one axis of the op is read.
class Axis {
public:
  Axis(ResizeOp op, unsigned number, int64_t in, int64_t out)
      : op(op), number(number), in(static_cast<double>(in)), out(static_cast<double>(out)) {}

  double getPosition(int64_t index) {
    auto i = static_cast<double>(index);
    StringRef coordinates = op.getCoordinates();
    if (coordinates == "asymmetric")
      return unscale(i);
    if (coordinates == "align_corners")
      return out == 1 ? 0 : i * (in - 1) / (out - 1);
    if (coordinates == "tf_crop_and_resize") {
      ArrayRef<double> roi = *op.getRoi();
      double begin = roi[number], end = roi[op.getAxes().size() + number];
      return out == 1 ? (begin + end) / 2 * (in - 1) : begin * (in - 1) + i * (end - begin) * (in - 1) / (out - 1);
    }
    if (coordinates == "pytorch_half_pixel" && out == 1)
      return 0;
    double center = unscale(i + 0.5);
    if (auto scales = op.getScales(); scales && coordinates == "half_pixel_symmetric")
      center = in * 0.5 * (1 - out / ((*scales)[number] * in)) + center;
    return center - 0.5;
  }

  bool isOutside(double position) {
    return op.getCoordinates() == "tf_crop_and_resize" && (position < 0 || position > in - 1);
  }

  SmallVector<Tap> getTaps(double position) {
    if (op.getMode() == "nearest")
      return {{round(position), 1}};
    double first = std::floor(position), part = position - first;
    SmallVector<Tap> taps;
    if (op.getMode() == "linear") {
      taps = {{first, 1 - part}, {first + 1, part}};
    } else {
      for (int place = -1; place != 3; ++place)
        taps.push_back({first + place, getCubic(std::abs(place - part))});
    }
    if (op.getExcludeOutside()) {
      double total = 0;
      for (Tap &tap : taps) {
        tap.weight = tap.place < 0 || tap.place > in - 1 ? 0 : tap.weight;
        total += tap.weight;
      }
      for (Tap &tap : taps)
        tap.weight /= total;
    }
    return taps;
  }

  /// The nearest element inside; the first for NaN.
  int64_t getInside(double place) const { return !(place > 0) ? 0 : static_cast<int64_t>(std::min(place, in - 1)); }

private:
  double unscale(double x) {
    auto scales = op.getScales();
    return scales ? x / (*scales)[number] : x * in / out;
  }

  double round(double position) {
    StringRef rounding = op.getRounding();
    if (rounding == "floor")
      return std::floor(position);
    if (rounding == "ceil")
      return std::ceil(position);
    return rounding == "round_prefer_floor" ? std::ceil(position - 0.5) : std::floor(position + 0.5);
  }

  /// Keys' kernel at a distance.
  double getCubic(double d) {
    double a = op.getCubicCoefficient().convertToDouble();
    if (d <= 1)
      return ((a + 2) * d - (a + 3)) * d * d + 1;
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  }

  ResizeOp op;
  unsigned number;
  double in, out;
};

/// Elements as numbers that are not rounded between axes, and how far others may be away.
struct Grid {
  SmallVector<int64_t> dims;
  std::vector<Number> elements;
  std::vector<double> errors;
};
} // namespace

static int64_t getPosition(ArrayRef<int64_t> dims, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (auto [dim, value] : llvm::zip_equal(dims, index))
    position = position * dim + value;
  return position;
}

static FailureOr<Tensor> interpretResize(Frame &frame, ResizeOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  Shape target = frame.shape(op.getShape());
  double epsilon = x.isFloat() ? getEpsilon(getWideType(x.getElementType())) : 0;
  // f16 is rounded at the end.
  Type kept = x.isFloat() && op.getMode() != "nearest" ? getWideType(x.getElementType()) : x.getElementType();
  Grid grid{SmallVector<int64_t>(x.getDims()), {}, std::vector<double>(x.size(), 0)};
  for (int64_t at = 0; at < x.size(); ++at)
    grid.elements.push_back(x[at]);
  for (unsigned number = 0; number != op.getAxes().size(); ++number) {
    int64_t axis = op.getAxes()[number];
    Grid next{grid.dims, {}, {}};
    next.dims[axis] = target[number];
    // Checks the number of elements.
    if (failed(frame.makeTensor(x.getElementType(), next.dims)))
      return failure();
    int64_t in = grid.dims[axis];
    Axis reader(op, number, in, target[number]);
    forEachIndex(next.dims, [&](ArrayRef<int64_t> index) {
      if (in == 0) {
        next.elements.push_back(intNumber(0)); // also a float's zero
        next.errors.push_back(0);
        return;
      }
      double position = reader.getPosition(index[axis]), sum = 0, error = 0, magnitude = 0;
      SmallVector<int64_t> from(index);
      if (reader.isOutside(position)) {
        double value = op.getExtrapolation().convertToDouble();
        next.elements.push_back(x.isFloat() ? floatNumber(roundToType(kept, value))
                                            : intNumber(static_cast<int64_t>(value)));
        next.errors.push_back(0);
        return;
      }
      SmallVector<Tap> taps = reader.getTaps(position);
      for (const Tap &tap : taps) {
        from[axis] = reader.getInside(tap.place);
        int64_t at = getPosition(grid.dims, from);
        if (op.getMode() == "nearest") {
          next.elements.push_back(grid.elements[at]);
          next.errors.push_back(grid.errors[at]);
          return;
        }
        double term = grid.elements[at].f * tap.weight;
        sum += term;
        magnitude += std::abs(term);
        error += 16 * epsilon * std::abs(term) + grid.errors[at] * std::abs(tap.weight);
      }
      if (std::isfinite(sum))
        error = getWideError(x.getElementType(), magnitude, error);
      next.elements.push_back(floatNumber(sum));
      next.errors.push_back(error);
    });
    grid = std::move(next);
  }
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), grid.dims);
  if (failed(result))
    return failure();
  for (auto [at, element] : llvm::enumerate(grid.elements)) {
    if (x.isFloat())
      result->setFloat(at, element.f, std::isfinite(element.f) ? grid.errors[at] : 0);
    else
      result->set(at, element);
  }
  return result;
}

void interp::registerImageOps(OpTable &table) { table.add(interpretResize); }
