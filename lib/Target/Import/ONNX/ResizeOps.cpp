//===- ResizeOps.cpp - Resize and Upsample --------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Sizes and constant scales give a relax.resize. Scales, regions and policies
// that only run time knows are computed here: the position of each element along
// an axis, then the neighbours and their weights.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphImageOps.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

namespace {
struct Resize {
  std::string mode, coordinates, rounding, policy;
  SmallVector<int64_t> axes;
  bool excludesOutside = false, antialias = false;
  double cubic = -0.75, extrapolation = 0;
  std::optional<unsigned> scalesInput, sizesInput, roiInput;
  SmallVector<float> scales; // constant ones, one per axis
  bool isCropping() const { return coordinates == "tf_crop_and_resize"; }
};

/// One axis whose scale is a value of run time. All values are f64 scalars.
struct ResizedAxis {
  int64_t axis;
  SymExpr in, out;
  Value scale, length; // length: extent of the result before it is rounded
  Value begin, end;    // region, null without one
};

struct Tap {
  Value index, weight; // a null weight is 1
};
} // namespace

//===----------------------------------------------------------------------===//
// Attributes and inputs
//===----------------------------------------------------------------------===//

static Resize readResize(NodeEmitter &e) {
  Resize resize;
  int64_t rank = e.getRank(0);
  bool isUpsample = e.getOpType() == "Upsample", isOld = isUpsample || e.getOpset() < 11;
  resize.mode = e.getString("mode", "nearest");
  StringRef mode = resize.mode;
  if (mode.consume_front("bi") || mode.consume_front("tri"))
    resize.mode = mode.str();
  resize.coordinates = e.getString("coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
  resize.rounding = e.getString("nearest_mode", isOld ? "floor" : "round_prefer_floor");
  resize.policy = e.getString("keep_aspect_ratio_policy", "stretch");
  resize.excludesOutside = e.getInt("exclude_outside", 0);
  resize.antialias = e.getInt("antialias", 0);
  resize.cubic = e.getFloat("cubic_coeff_a", -0.75f);
  resize.extrapolation = e.getFloat("extrapolation_value", 0);
  resize.axes =
      e.hasAttr("axes") ? e.normalizeAxes(e.getInts("axes"), rank) : llvm::to_vector(llvm::seq<int64_t>(rank));
  auto require = [&](StringRef name, StringRef value, ArrayRef<StringRef> known) {
    if (!llvm::is_contained(known, value))
      e.fail("attribute '" + name + "' is '" + printable(value) + "', expected one of " + llvm::join(known, ", "));
  };
  require("mode", resize.mode, {"nearest", "linear", "cubic"});
  require("coordinate_transformation_mode", resize.coordinates,
          {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric", "align_corners",
           "tf_crop_and_resize"});
  require("nearest_mode", resize.rounding, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  require("keep_aspect_ratio_policy", resize.policy, {"stretch", "not_larger", "not_smaller"});
  if (isUpsample && e.getOpset() < 9) {
    resize.scales = e.getFloats("scales");
    return resize;
  }
  unsigned scalesInput = isOld ? 1 : 2;
  if (e.has(scalesInput) && e.getType(scalesInput).getShape() != ArrayRef<int64_t>{0})
    resize.scalesInput = scalesInput;
  else if (e.has(3))
    resize.sizesInput = 3;
  if (!isOld && resize.isCropping())
    resize.roiInput = 1;
  return resize;
}

/// Fills constant scales in; checks the lengths of the inputs.
static void readScales(NodeEmitter &e, Resize &resize) {
  size_t count = resize.axes.size();
  if (resize.scalesInput) {
    RankedTensorType type = e.getType(*resize.scalesInput);
    if (!isa<FloatType>(type.getElementType()) || type.getRank() != 1)
      return e.fail("scales must be a vector of floats");
    DenseElementsAttr dense = e.getDense(*resize.scalesInput);
    if (dense && type.getElementType().isF32())
      llvm::append_range(resize.scales, dense.getValues<float>());
    if (!dense && type.getShape() != ArrayRef<int64_t>(count) && type.hasStaticShape())
      return e.fail("has " + Twine(type.getDimSize(0)) + " scales, expected " + Twine(count));
  }
  if (!resize.scales.empty() && resize.scales.size() != count)
    return e.fail("has " + Twine(resize.scales.size()) + " scales, expected " + Twine(count));
  for (float scale : resize.scales)
    if (!(scale > 0) || !std::isfinite(scale))
      return e.fail("a scale is " + Twine(std::to_string(scale)) + ", expected a positive number");
  if (resize.scales.empty() && !resize.scalesInput && !resize.sizesInput)
    return e.fail("has neither scales nor sizes");
  if (resize.roiInput && !e.has(*resize.roiInput))
    return e.fail("tf_crop_and_resize needs a region");
}

/// Integers are interpolated as floats and rounded.
static Value finishType(NodeEmitter &e, Value x) {
  Type type = e.getType(0).getElementType();
  if (x && isa<IntegerType>(type) && isa<FloatType>(getElementTypeOrSelf(x.getType())))
    x = e.create<graph::RoundOp>(x);
  return e.cast(x, type);
}

static Value startType(NodeEmitter &e, const Resize &resize) {
  Value x = e.getTensor(0);
  Type type = e.getType(0).getElementType();
  bool stays = resize.mode == "nearest" || isa<Float32Type, Float64Type>(type);
  return stays ? x : e.cast(x, e.getF32());
}

//===----------------------------------------------------------------------===//
// As one op
//===----------------------------------------------------------------------===//

/// Nearest neighbours by integral factors: each element is repeated.
static bool emitRepeats(NodeEmitter &e, const Resize &resize) {
  bool repeats = resize.mode == "nearest" &&
                 ((resize.coordinates == "asymmetric" && resize.rounding == "floor") ||
                  (resize.coordinates == "half_pixel" && StringRef(resize.rounding).starts_with("round_")));
  if (!repeats || resize.scales.empty() || llvm::any_of(resize.scales, [](float scale) {
        return scale < 1 || scale > (1 << 20) || scale != std::floor(scale);
      }))
    return false;
  SmallVector<SymExpr> dims = e.getDims(0), split, repeated, joined;
  SmallVector<int64_t> factors(dims.size(), 1);
  for (auto [axis, scale] : llvm::zip(resize.axes, resize.scales))
    factors[axis] = static_cast<int64_t>(scale);
  for (auto [dim, factor] : llvm::zip(dims, factors)) {
    split.push_back(dim);
    repeated.push_back(dim);
    if (factor != 1) {
      split.push_back(e.constant(1));
      repeated.push_back(e.constant(factor));
    }
    joined.push_back(dim * factor);
  }
  e.setResult(0, e.reshape(e.broadcastTo(e.reshape(e.getTensor(0), split), repeated), joined));
  return true;
}

/// The region as constants, `begin` of each axis, then `end` of each.
static std::optional<SmallVector<double>> getRegion(NodeEmitter &e, const Resize &resize) {
  DenseElementsAttr dense = resize.roiInput ? e.getDense(*resize.roiInput) : DenseElementsAttr();
  if (!dense || !isa<FloatType>(dense.getElementType()) ||
      dense.getNumElements() != static_cast<int64_t>(2 * resize.axes.size()))
    return std::nullopt;
  SmallVector<double> region;
  for (const APFloat &value : dense.getValues<APFloat>()) {
    APFloat wide = value;
    bool loses;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    region.push_back(wide.convertToDouble());
  }
  return region;
}

/// False when the op does not have what the node asks for.
static bool emitAsOp(NodeEmitter &e, const Resize &resize) {
  bool fitsScales = !resize.scales.empty() && resize.coordinates != "align_corners" && !resize.isCropping();
  std::optional<SmallVector<double>> region = getRegion(e, resize);
  if (resize.antialias || resize.policy != "stretch" || (resize.isCropping() && !region) ||
      (!fitsScales && !resize.sizesInput))
    return false;
  SmallVector<SymExpr> dims = e.getDims(0), extents;
  SmallVector<int64_t> axes;
  SmallVector<double> scales, begins, ends;
  Elements sizes = resize.sizesInput ? e.requireExtents(*resize.sizesInput, "sizes") : Elements();
  if (!e.failed() && resize.sizesInput && sizes.size() != resize.axes.size())
    e.fail("has " + Twine(sizes.size()) + " sizes, expected " + Twine(resize.axes.size()));
  for (size_t index = 0; index < resize.axes.size() && !e.failed(); ++index) {
    int64_t axis = resize.axes[index];
    SymExpr extent = resize.sizesInput ? sizes[index] : graph::getScaledExtent(dims[axis], resize.scales[index]);
    if (!extent)
      return false;
    if (extent == dims[axis] && !resize.isCropping())
      continue;
    axes.push_back(axis);
    extents.push_back(extent);
    if (!resize.sizesInput)
      scales.push_back(resize.scales[index]);
    if (region) {
      begins.push_back((*region)[index]);
      ends.push_back((*region)[index + resize.axes.size()]);
    }
  }
  Value x = startType(e, resize);
  if (axes.empty() || e.failed()) {
    e.setResult(0, finishType(e, x));
    return true;
  }
  SmallVector<NamedAttribute> attributes = {e.attr("axes", axes),
                                            stringAttr(e, "mode", resize.mode),
                                            stringAttr(e, "coordinates", resize.coordinates),
                                            stringAttr(e, "rounding", resize.rounding),
                                            doubleAttr(e, "cubic_coefficient", resize.cubic),
                                            doubleAttr(e, "extrapolation", resize.extrapolation)};
  if (!scales.empty())
    attributes.push_back(e.attr("scales", DenseF64ArrayAttr::get(e.getContext(), scales)));
  if (region) {
    llvm::append_range(begins, ends);
    attributes.push_back(e.attr("roi", DenseF64ArrayAttr::get(e.getContext(), begins)));
  }
  if (resize.excludesOutside)
    attributes.push_back(unitAttr(e, "exclude_outside"));
  e.setResult(0, finishType(e, e.create<graph::ResizeOp>({x, e.makeShape(extents)}, attributes)));
  return true;
}

//===----------------------------------------------------------------------===//
// By positions
//===----------------------------------------------------------------------===//

namespace {
class Interpolation {
public:
  Interpolation(NodeEmitter &e, const Resize &resize) : e(e), resize(resize), f64(Float64Type::get(e.getContext())) {}

  Value run() {
    Value x = startType(e, resize);
    for (const ResizedAxis &axis : findAxes())
      x = resize.antialias ? applyMatrix(x, axis) : applyTaps(x, axis);
    return x;
  }

private:
  Value scalar(double value) { return e.makeScalar(value, f64); }
  Value less(Value a, Value b) { return e.create<graph::LessOp>({a, b}); }
  Value either(Value a, Value b) { return e.create<graph::LogicalOrOp>({a, b}); }
  Value floor(Value x) { return e.create<graph::FloorOp>(x); }
  Value clamp(Value x, Value low, Value high) {
    return e.create<graph::MaximumOp>({e.create<graph::MinimumOp>({x, high}), low});
  }
  /// A new extent with the value of a scalar.
  SymExpr bindExtent(Value value) {
    Elements extent(1);
    if (Value vector = e.reshape(e.cast(value, e.getI64()), {e.constant(1)}))
      e.getImporter().bindShape(vector, extent, e.getSymbolStem(), e.getLoc());
    return extent[0] ? extent[0] : e.constant(0);
  }

  SmallVector<ResizedAxis> findAxes();
  Value position(const ResizedAxis &axis);
  Value isOutside(Value index, const ResizedAxis &axis) {
    return either(less(index, scalar(0)), less(lastOf(axis), index));
  }
  Value lastOf(const ResizedAxis &axis) { return e.subtract(e.dimScalar(axis.in, f64), scalar(1)); }
  SmallVector<Tap> findTaps(Value position);
  void normalize(SmallVectorImpl<Tap> &taps, const ResizedAxis &axis);
  Value extrapolate(Value result, Value position, const ResizedAxis &axis, Type type, int64_t rank);
  Value applyTaps(Value x, const ResizedAxis &axis);
  Value kernel(Value distance);
  Value applyMatrix(Value x, const ResizedAxis &axis);

  NodeEmitter &e;
  const Resize &resize;
  Type f64;
};
} // namespace

SmallVector<ResizedAxis> Interpolation::findAxes() {
  SmallVector<SymExpr> dims = e.getDims(0);
  SmallVector<ResizedAxis> result;
  size_t count = resize.axes.size();
  Elements sizes = resize.sizesInput ? e.requireExtents(*resize.sizesInput, "sizes") : Elements();
  if (!e.failed() && resize.sizesInput && sizes.size() != count)
    e.fail("has " + Twine(sizes.size()) + " sizes, expected " + Twine(count));
  Value scales = resize.scalesInput ? e.cast(e.getTensor(*resize.scalesInput), f64) : Value(), common;
  Value region = resize.roiInput ? e.cast(e.getTensor(*resize.roiInput), f64) : Value();
  if (e.failed())
    return {};
  auto getScale = [&](size_t index) {
    if (!resize.scales.empty())
      return scalar(resize.scales[index]);
    if (scales)
      return pickEntry(e, scales, static_cast<int64_t>(index));
    return e.divide(e.dimScalar(sizes[index], f64), e.dimScalar(dims[resize.axes[index]], f64));
  };
  bool isStretched = resize.policy == "stretch" || !resize.sizesInput;
  for (size_t index = 0; index < count && !isStretched; ++index) {
    Value scale = getScale(index);
    if (!common)
      common = scale;
    else
      common = resize.policy == "not_larger" ? e.create<graph::MinimumOp>({common, scale})
                                             : e.create<graph::MaximumOp>({common, scale});
  }
  for (size_t index = 0; index < count && !e.failed(); ++index) {
    if (!resize.scales.empty() && resize.scales[index] == 1 && !resize.isCropping())
      continue;
    ResizedAxis axis{resize.axes[index], dims[resize.axes[index]], {}, common ? common : getScale(index), {}, {}, {}};
    axis.length = e.multiply(axis.scale, e.dimScalar(axis.in, f64));
    if (resize.sizesInput && isStretched) {
      axis.out = sizes[index];
      axis.length = e.dimScalar(axis.out, f64);
      if (axis.out == axis.in && !resize.isCropping())
        continue;
    } else {
      axis.out = bindExtent(floor(common ? e.add(axis.length, scalar(0.5)) : axis.length));
    }
    if (region) {
      axis.begin = pickEntry(e, region, static_cast<int64_t>(index));
      axis.end = pickEntry(e, region, static_cast<int64_t>(index + count));
    }
    result.push_back(axis);
  }
  return result;
}

/// Where each element of the result lies in the operand.
Value Interpolation::position(const ResizedAxis &axis) {
  Value i = e.cast(e.iota({axis.out}, 0), f64), half = scalar(0.5), zero = scalar(0), one = scalar(1);
  Value last = lastOf(axis), isSingle = e.create<graph::EqualOp>({axis.length, one});
  auto center = [&] { return e.subtract(e.divide(e.add(i, half), axis.scale), half); };
  if (resize.coordinates == "half_pixel")
    return center();
  if (resize.coordinates == "asymmetric")
    return e.divide(i, axis.scale);
  if (resize.coordinates == "pytorch_half_pixel")
    return e.select(isSingle, zero, center());
  if (resize.coordinates == "half_pixel_symmetric") {
    Value share = e.divide(e.dimScalar(axis.out, f64), axis.length);
    Value middle = e.multiply(e.dimScalar(axis.in, f64), half);
    return e.add(e.multiply(middle, e.subtract(one, share)), center());
  }
  Value steps = e.subtract(axis.length, one);
  if (resize.coordinates == "align_corners")
    return e.select(isSingle, zero, e.divide(e.multiply(i, last), steps));
  Value width = e.multiply(e.subtract(axis.end, axis.begin), last);
  Value inside = e.select(isSingle, e.multiply(width, half), e.divide(e.multiply(i, width), steps));
  return e.add(inside, e.multiply(axis.begin, last));
}

SmallVector<Tap> Interpolation::findTaps(Value position) {
  Value base = floor(position), one = scalar(1), half = scalar(0.5);
  if (resize.mode == "nearest") {
    if (resize.rounding == "floor")
      return {{base, Value()}};
    if (resize.rounding == "ceil")
      return {{e.create<graph::CeilOp>(position), Value()}};
    if (resize.rounding == "round_prefer_floor")
      return {{e.create<graph::CeilOp>(e.subtract(position, half)), Value()}};
    return {{floor(e.add(position, half)), Value()}};
  }
  Value t = e.subtract(position, base), rest = e.subtract(one, t);
  if (resize.mode == "linear")
    return {{base, rest}, {e.add(base, one), t}};
  auto polynomial = [&](Value x, ArrayRef<double> coefficients) {
    Value result = scalar(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = e.add(e.multiply(result, x), scalar(coefficient));
    return result;
  };
  double a = resize.cubic;
  double outer[] = {a, -5 * a, 8 * a, -4 * a}, inner[] = {a + 2, -(a + 3), 0, 1};
  return {{e.subtract(base, one), polynomial(e.add(t, one), outer)},
          {base, polynomial(t, inner)},
          {e.add(base, one), polynomial(rest, inner)},
          {e.add(base, scalar(2)), polynomial(e.add(rest, one), outer)}};
}

/// Weights of what does not exist become zero, the others get the sum 1.
void Interpolation::normalize(SmallVectorImpl<Tap> &taps, const ResizedAxis &axis) {
  Value sum;
  for (Tap &tap : taps) {
    tap.weight = e.select(isOutside(tap.index, axis), scalar(0), tap.weight);
    sum = sum ? e.add(sum, tap.weight) : tap.weight;
  }
  sum = e.select(e.create<graph::EqualOp>({sum, scalar(0)}), scalar(1), sum);
  for (Tap &tap : taps)
    tap.weight = e.divide(tap.weight, sum);
}

Value Interpolation::extrapolate(Value result, Value position, const ResizedAxis &axis, Type type, int64_t rank) {
  if (!resize.isCropping())
    return result;
  Value mask = e.expandDims(isOutside(position, axis), llvm::to_vector(llvm::seq<int64_t>(1, rank - axis.axis)));
  return e.select(mask, e.makeScalar(resize.extrapolation, type), result);
}

Value Interpolation::applyTaps(Value x, const ResizedAxis &axis) {
  if (!x || e.failed())
    return {};
  Type type = getElementTypeOrSelf(x.getType());
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  SmallVector<int64_t> trailing = llvm::to_vector(llvm::seq<int64_t>(1, rank - axis.axis));
  Value where = position(axis), result;
  SmallVector<Tap> taps = findTaps(where);
  if (resize.excludesOutside && resize.mode != "nearest")
    normalize(taps, axis);
  for (const Tap &tap : taps) {
    Value index = e.cast(clamp(tap.index, scalar(0), lastOf(axis)), e.getI64());
    Value part = e.create<graph::TakeOp>({x, index}, e.attr("axis", axis.axis));
    if (tap.weight)
      part = e.multiply(part, e.expandDims(e.cast(tap.weight, type), trailing));
    result = result ? e.add(result, part) : part;
  }
  return extrapolate(result, where, axis, type, rank);
}

/// The kernel of linear and cubic interpolation at a distance.
Value Interpolation::kernel(Value distance) {
  Value x = e.create<graph::AbsOp>(distance), zero = scalar(0), one = scalar(1);
  if (resize.mode == "linear")
    return e.create<graph::MaximumOp>({e.subtract(one, x), zero});
  double a = resize.cubic;
  auto polynomial = [&](ArrayRef<double> coefficients) {
    Value result = scalar(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = e.add(e.multiply(result, x), scalar(coefficient));
    return result;
  };
  Value inner = polynomial({a + 2, -(a + 3), 0, 1}), outer = polynomial({a, -5 * a, 8 * a, -4 * a});
  return e.select(less(one, x), e.select(less(x, scalar(2)), outer, zero), inner);
}

/// A kernel as wide as the scale asks for: a matrix of weights.
Value Interpolation::applyMatrix(Value x, const ResizedAxis &axis) {
  if (!x || e.failed())
    return {};
  if (resize.mode == "nearest") {
    e.fail("attribute 'antialias' needs linear or cubic interpolation");
    return {};
  }
  Type type = getElementTypeOrSelf(x.getType());
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  Value narrow = e.create<graph::MinimumOp>({axis.scale, scalar(1)});
  // As many elements before the first and after the last as the kernel reaches.
  SymExpr reach = bindExtent(e.create<graph::CeilOp>(e.add(e.divide(scalar(2), narrow), scalar(1))));
  SymExpr width = axis.in + reach * 2;
  Value index = e.subtract(e.cast(e.iota({width}, 0), f64), e.dimScalar(reach, f64)), where = position(axis);
  Value distance = e.subtract(e.expandDims(index, {0}), e.expandDims(where, {1}));
  Value weights = kernel(e.multiply(distance, narrow));
  if (resize.excludesOutside)
    weights = e.select(e.expandDims(isOutside(index, axis), {0}), scalar(0), weights);
  weights = e.divide(weights, e.reduceSum(weights, {1}, /*keepdims=*/true));
  Value source = e.cast(clamp(index, scalar(0), lastOf(axis)), e.getI64());
  Value padded = e.create<graph::TakeOp>({x, source}, e.attr("axis", axis.axis));
  SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(swapped[axis.axis], swapped[rank - 1]);
  Value matrix = e.permute(e.cast(weights, type), {1, 0});
  if (rank == 1) {
    Value row = e.create<graph::MatmulOp>({e.expandDims(padded, {0}), matrix});
    return extrapolate(e.squeeze(row, {0}), where, axis, type, rank);
  }
  Value product = e.create<graph::MatmulOp>({e.permute(padded, swapped), matrix});
  return extrapolate(e.permute(product, swapped), where, axis, type, rank);
}

static void emitResize(NodeEmitter &e) {
  Resize resize = readResize(e);
  readScales(e, resize);
  if (e.failed() || emitRepeats(e, resize) || emitAsOp(e, resize))
    return;
  e.setResult(0, finishType(e, Interpolation(e, resize).run()));
}

ArrayRef<OpEntry> mlir::relax::onnx::getResizeOps() {
  static constexpr OpEntry entries[] = {
      {"Resize", 10, 1, 4, 1, emitResize},
      {"Upsample", 7, 1, 2, 1, emitResize},
  };
  return entries;
}
