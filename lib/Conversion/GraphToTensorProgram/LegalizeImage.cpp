//===- LegalizeImage.cpp - Resizing as programs ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Interpolation along one axis after the other: each pass reads 1, 2 or 4
// neighbours, and what is computed outside of an axis stays as it is.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphImageOps.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
/// f64 arithmetic at one place.
struct FloatWriter {
  OpBuilder &builder;
  Location loc;

  Value constant(double value) const { return createScalar(builder, loc, builder.getF64Type(), value); }
  Value add(Value a, Value b) const { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) const { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) const { return arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) const { return arith::DivFOp::create(builder, loc, a, b); }
  Value floor(Value a) const { return math::FloorOp::create(builder, loc, a); }
  Value ceil(Value a) const { return math::CeilOp::create(builder, loc, a); }
  Value less(Value a, Value b) const { return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b); }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value fromIndex(Value index) const {
    Value integer = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
    return arith::SIToFPOp::create(builder, loc, builder.getF64Type(), integer);
  }
  Value toIndex(Value value) const {
    Value integer = arith::FPToSIOp::create(builder, loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), integer);
  }
};

/// One axis of the op.
class AxisWriter {
public:
  AxisWriter(ResizeOp op, unsigned number, Value in, Value out)
      : op(op), number(number), axis(op.getAxes()[number]), in(in), out(out), coordinates(op.getCoordinates()),
        crops(coordinates == "tf_crop_and_resize") {}

  /// The element at the loops' present iteration.
  Value write(OpBuilder &builder, Location loc, Value source) {
    FloatWriter w{builder, loc};
    Value zero = w.constant(0), last = w.sub(w.fromIndex(in), w.constant(1));
    Value position = writePosition(w);
    SmallVector<std::pair<Value, Value>> taps; // position, weight (null is 1)
    if (op.getMode() == "nearest")
      taps.emplace_back(writeRounded(w, position), nullptr);
    else
      writeTaps(w, position, last, taps);

    Type type = cast<RankedTensorType>(source.getType()).getElementType();
    Value sum;
    for (auto [tap, weight] : taps) {
      // Neighbours outside are the nearest elements; NaN reads the first.
      Value inside = w.select(w.less(zero, tap), w.select(w.less(last, tap), last, tap), zero);
      Value element = read(w, source, w.toIndex(inside));
      if (weight)
        element = arith::MulFOp::create(builder, loc, element, convertFloat(builder, loc, weight, type));
      sum = sum ? arith::AddFOp::create(builder, loc, sum, element).getResult() : element;
    }
    // The weights of no neighbours may be NaN.
    if (taps.front().second)
      sum = w.select(isNotEmpty(w), sum, createScalar(builder, loc, type, 0));
    if (!crops)
      return sum;
    Value isOutside = arith::OrIOp::create(builder, loc, w.less(position, zero), w.less(last, position));
    isOutside = arith::AndIOp::create(builder, loc, isOutside, isNotEmpty(w));
    return w.select(isOutside, createScalar(builder, loc, type, op.getExtrapolation().convertToDouble()), sum);
  }

private:
  Value writePosition(FloatWriter &w) {
    Value i = w.fromIndex(linalg::IndexOp::create(w.builder, w.loc, axis)), half = w.constant(0.5);
    Value size = w.fromIndex(in), result = w.fromIndex(out), one = w.constant(1), zero = w.constant(0);
    Value isOne = arith::CmpFOp::create(w.builder, w.loc, arith::CmpFPredicate::OEQ, result, one);
    // The quotient of the extents itself is not rounded: i * in / out.
    auto unscale = [&](Value x) {
      if (auto scales = op.getScales())
        return w.div(x, w.constant((*scales)[number]));
      return w.div(w.mul(x, size), result);
    };
    if (coordinates == "asymmetric")
      return unscale(i);
    Value steps = w.sub(size, one), intervals = w.sub(result, one);
    if (coordinates == "align_corners")
      return w.select(isOne, zero, w.div(w.mul(i, steps), intervals));
    if (crops) {
      ArrayRef<double> roi = *op.getRoi();
      double begin = roi[number], end = roi[op.getAxes().size() + number];
      Value moved = w.div(w.mul(w.mul(i, w.constant(end - begin)), steps), intervals);
      return w.select(isOne, w.mul(w.constant((begin + end) / 2), steps),
                      w.add(w.mul(w.constant(begin), steps), moved));
    }
    Value center = unscale(w.add(i, half));
    // Without scales the adjustment is nothing.
    if (auto scales = op.getScales(); scales && coordinates == "half_pixel_symmetric") {
      Value adjusted = w.sub(one, w.div(result, w.mul(w.constant((*scales)[number]), size)));
      center = w.add(w.mul(w.mul(size, half), adjusted), center);
    }
    Value position = w.sub(center, half);
    return coordinates == "pytorch_half_pixel" ? w.select(isOne, zero, position) : position;
  }

  Value writeRounded(FloatWriter &w, Value position) {
    StringRef rounding = op.getRounding();
    if (rounding == "floor")
      return w.floor(position);
    if (rounding == "ceil")
      return w.ceil(position);
    if (rounding == "round_prefer_floor")
      return w.ceil(w.sub(position, w.constant(0.5)));
    return w.floor(w.add(position, w.constant(0.5)));
  }

  void writeTaps(FloatWriter &w, Value position, Value last, SmallVectorImpl<std::pair<Value, Value>> &taps) {
    Value first = w.floor(position), part = w.sub(position, first), one = w.constant(1);
    if (op.getMode() == "linear") {
      taps.emplace_back(first, w.sub(one, part));
      taps.emplace_back(w.add(first, one), part);
    } else {
      double a = op.getCubicCoefficient().convertToDouble();
      // a d^3 - 5a d^2 + 8a d - 4a for 1 < d < 2, (a + 2) d^3 - (a + 3) d^2 + 1 for d <= 1.
      auto polynomial = [&](Value d, ArrayRef<double> coefficients) {
        Value value = w.constant(coefficients.front());
        for (double coefficient : coefficients.drop_front())
          value = w.add(w.mul(value, d), w.constant(coefficient));
        return value;
      };
      SmallVector<double> outer = {a, -5 * a, 8 * a, -4 * a}, inner = {a + 2, -(a + 3), 0, 1};
      taps.emplace_back(w.sub(first, one), polynomial(w.add(part, one), outer));
      taps.emplace_back(first, polynomial(part, inner));
      taps.emplace_back(w.add(first, one), polynomial(w.sub(one, part), inner));
      taps.emplace_back(w.add(first, w.constant(2)), polynomial(w.sub(w.constant(2), part), outer));
    }
    if (!op.getExcludeOutside())
      return;
    Value zero = w.constant(0), total;
    for (auto &[tap, weight] : taps) {
      Value isOutside = arith::OrIOp::create(w.builder, w.loc, w.less(tap, zero), w.less(last, tap));
      weight = w.select(isOutside, zero, weight);
      total = total ? w.add(total, weight) : weight;
    }
    for (auto &[tap, weight] : taps)
      weight = w.div(weight, total);
  }

  Value isNotEmpty(FloatWriter &w) const {
    Value none = arith::ConstantIndexOp::create(w.builder, w.loc, 0);
    return arith::CmpIOp::create(w.builder, w.loc, arith::CmpIPredicate::ne, in, none);
  }

  /// An element of the source; zero of an empty one.
  Value read(FloatWriter &w, Value source, Value index) {
    unsigned rank = cast<RankedTensorType>(source.getType()).getRank();
    SmallVector<Value> indices;
    for (unsigned dim = 0; dim != rank; ++dim)
      indices.push_back(dim == axis ? index : linalg::IndexOp::create(w.builder, w.loc, dim).getResult());
    Type type = cast<RankedTensorType>(source.getType()).getElementType();
    auto choose = scf::IfOp::create(
        w.builder, w.loc, isNotEmpty(w),
        [&](OpBuilder &b, Location l) {
          scf::YieldOp::create(b, l, tensor::ExtractOp::create(b, l, source, indices).getResult());
        },
        [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, createScalar(b, l, type, 0)); });
    return choose.getResult(0);
  }

  ResizeOp op;
  unsigned number, axis;
  Value in, out;
  StringRef coordinates;
  bool crops;
};
} // namespace

static Value writeResize(ResizeOp op, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  Type type = op.getType().getElementType(), wide = getAccumulatorType(type);
  Value value = body.getInput(0);
  SmallVector<SymExpr> dims = body.getInputDims(0), target = body.getOutDims();
  unsigned rank = dims.size();
  auto convert = [&](Value from, Value to) {
    return createParallel(
        body, from, builder.getMultiDimIdentityMap(rank), to, [&](OpBuilder &inner, Location loc, ValueRange x) {
          return convertFloat(inner, loc, x[0], cast<RankedTensorType>(to.getType()).getElementType());
        });
  };
  bool narrows = wide != type && op.getMode() != "nearest";
  if (narrows)
    value = convert(value, body.createEmpty(dims, wide));
  for (auto [number, axis] : llvm::enumerate(op.getAxes())) {
    Value in = body.getIndex(dims[axis]), out = body.getIndex(target[axis]);
    dims[axis] = target[axis];
    bool isLast = number + 1 == op.getAxes().size() && !narrows;
    Value into = isLast ? body.getOut() : body.createEmpty(dims, narrows ? wide : type);
    AxisWriter writer(op, number, in, out);
    Value source = value;
    value = createParallel(body, {}, {}, into, [&](OpBuilder &inner, Location loc, ValueRange) {
      return writer.write(inner, loc, source);
    });
  }
  return narrows || op.getAxes().empty() ? convert(value, body.getOut()) : value;
}

void relax::populateImageToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<ProgramPattern<ResizeOp>>(patterns.getContext(), library, writeResize);
}
