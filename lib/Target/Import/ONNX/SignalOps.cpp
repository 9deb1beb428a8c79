//===- SignalOps.cpp - Spectra --------------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Fourier transforms are products with the matrix of the transform: exact for every length, at a cost
// that grows with its square.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RuntimeAxes.h"
#include "TensorData.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

namespace {
/// The imaginary part is null for a real signal.
struct Complex {
  Value real, imaginary;
};
} // namespace

/// Transforms dimension 1 of [before, n, after] to `bins` of a transform of length `length`. In f64: sums of terms that
/// cancel out.
static Complex transform(NodeEmitter &e, Complex x, SymExpr length, SymExpr bins, bool isInverse) {
  if (!x.real || e.failed())
    return {};
  Type own = getElementTypeOrSelf(x.real.getType()), type = Float64Type::get(e.getContext());
  x = {e.cast(x.real, type), e.cast(x.imaginary, type)};
  SymExpr samples = sym::getSymbolicDims(x.real.getType())[1], one = e.constant(1);
  Value row = e.iota({bins, one}, 0), column = e.iota({one, samples}, 1), size = e.dimScalar(length, e.getI64());
  // The phase is reduced as an integer, so that large positions lose nothing.
  Value phase = e.create<graph::ModOp>({e.multiply(row, column), size});
  Value angle = e.divide(e.multiply(e.cast(phase, type), e.makeScalar(2 * M_PI, type)), e.cast(size, type));
  // Samples beyond the length are cut off.
  Value isUsed = e.create<graph::LessOp>({column, size}), zero = e.makeScalar(0, type);
  Value cosine = e.select(isUsed, e.create<graph::CosOp>(angle), zero);
  Value sine = e.select(isUsed, e.create<graph::SinOp>(angle), zero);
  if (!isInverse)
    sine = e.create<graph::NegateOp>(sine);
  auto multiply = [&](Value matrix, Value part) { return e.create<graph::MatmulOp>({matrix, part}); };
  Complex result{multiply(cosine, x.real), multiply(sine, x.real)};
  if (x.imaginary) {
    result.real = e.subtract(result.real, multiply(sine, x.imaginary));
    result.imaginary = e.add(result.imaginary, multiply(cosine, x.imaginary));
  }
  if (isInverse) {
    Value count = e.cast(size, type);
    result = {e.divide(result.real, count), e.divide(result.imaginary, count)};
  }
  return {e.cast(result.real, own), e.cast(result.imaginary, own)};
}

/// Half of a spectrum for what the inverse makes a real signal of: each bin stands for its mirror image too.
static Complex weighBins(NodeEmitter &e, Complex x, SymExpr length) {
  if (!x.real || e.failed())
    return x;
  SymExpr one = e.constant(1);
  Type type = getElementTypeOrSelf(x.real.getType());
  Value bin = e.iota({sym::getSymbolicDims(x.real.getType())[1], one}, 0), size = e.dimScalar(length, e.getI64());
  Value twice = e.add(bin, bin), zero = e.makeScalar(0, e.getI64());
  Value isOwn =
      e.create<graph::LogicalOrOp>({e.create<graph::EqualOp>({bin, zero}), e.create<graph::EqualOp>({twice, size})});
  Value weight = e.select(isOwn, e.makeScalar(1, type), e.makeScalar(2, type));
  weight = e.select(e.create<graph::GreaterOp>({twice, size}), e.makeScalar(0, type), weight);
  return {e.multiply(x.real, weight), x.imaginary ? e.multiply(x.imaginary, weight) : Value()};
}

/// Splits the last dimension, of extent 1 or 2, off; it stays as 1.
static Complex splitComplex(NodeEmitter &e, Value x) {
  if (!x)
    return {};
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType());
  int64_t last = static_cast<int64_t>(dims.size()) - 1;
  std::optional<int64_t> parts = dims.back().getConstant();
  if (!parts || *parts < 1 || *parts > 2) {
    e.fail("the last dimension of the signal is " + Twine(dims.back().str()) + ", expected 1 or 2");
    return {};
  }
  if (*parts == 1)
    return {x, {}};
  auto part = [&](int64_t index) {
    return e.slice(x, NodeEmitter::Range{last, e.constant(index), e.constant(index + 1)});
  };
  return {part(0), part(1)};
}

static void emitDFT(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size();
  bool isInverse = e.getInt("inverse", 0), isOneSided = e.getInt("onesided", 0), axisIsInput = e.getOpset() >= 20;
  if (rank < 2)
    return e.fail("input has rank " + Twine(rank) + ", expected at least 2");
  bool isReal = isInverse && isOneSided; // the result is
  std::optional<int64_t> axis = axisIsInput ? -2 : e.getInt("axis", 1);
  if (axisIsInput && e.has(2)) {
    std::optional<SmallVector<int64_t>> given = e.getIntegers(2);
    axis = given && given->size() == 1 ? std::optional((*given)[0]) : std::nullopt;
  }
  Complex x = splitComplex(e, e.getTensor(0));
  SymExpr one = e.constant(1);
  auto join = [&](Complex result, ArrayRef<SymExpr> resultDims) {
    if (isReal)
      return e.reshape(result.real, resultDims);
    return e.concat({e.reshape(result.real, resultDims), e.reshape(result.imaginary, resultDims)}, rank - 1);
  };
  auto getBins = [&](SymExpr length) {
    return isOneSided && !isInverse ? SymExpr::floordiv(length, e.constant(2)) + 1 : length;
  };
  auto getLength = [&](SymExpr extent) {
    return e.has(1) ? e.requireExtent(1, "dft_length") : isReal ? (extent - 1) * 2 : extent;
  };
  auto run = [&](Complex x, SymExpr length, SymExpr bins) {
    return transform(e, isReal ? weighBins(e, x, length) : x, length, bins, isInverse);
  };
  if (!axis) {
    // Both parts are collapsed around the axis and put back by a shape of run time.
    x = {collapseAround(e, 2, x.real), x.imaginary ? collapseAround(e, 2, x.imaginary) : Value()};
    if (!x.real || e.failed())
      return;
    SymExpr length = getLength(sym::getSymbolicDims(x.real.getType())[1]);
    SymExpr bins = getBins(length);
    RuntimeAxes axes = readRuntimeAxes(e, 2, rank);
    SmallVector<SymExpr> partDims = dims, resultDims;
    partDims.back() = one;
    Value isAxis = e.create<graph::NotEqualOp>({axes.mask, e.makeScalar(0, e.getI64())});
    Value extents = e.select(isAxis, e.dimScalar(bins, e.getI64()), e.makeDimsTensor(partDims));
    if (!bindExtents(e, extents, rank, axes.isValid, resultDims))
      return;
    resultDims.back() = one;
    return e.setResult(0, join(run(x, length, bins), resultDims));
  }
  int64_t place = e.normalizeAxis(*axis, rank);
  if (!e.failed() && place == rank - 1)
    e.fail("the axis is the last dimension, which holds real and imaginary parts");
  SymExpr length = getLength(dims[place]);
  if (e.failed())
    return;
  ArrayRef<SymExpr> all(dims);
  SmallVector<SymExpr> collapsed = {e.product(all.take_front(place)), dims[place],
                                    e.product(all.slice(place + 1, rank - place - 2))};
  x = {e.reshape(x.real, collapsed), x.imaginary ? e.reshape(x.imaginary, collapsed) : Value()};
  SmallVector<SymExpr> resultDims = dims;
  resultDims[place] = getBins(length);
  resultDims.back() = one;
  e.setResult(0, join(run(x, length, resultDims[place]), resultDims));
}

/// Frames of the signal, each times the window, transformed.
static void emitSTFT(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  bool isOneSided = e.getInt("onesided", 1);
  if (dims.size() != 3 && dims.size() != 2)
    return e.fail("the signal has rank " + Twine(dims.size()) + ", expected 3");
  Value signal = e.getTensor(0);
  if (dims.size() == 2)
    signal = e.expandDims(signal, {2});
  SymExpr step = e.requireExtent(1, "frame_step"), one = e.constant(1), length;
  if (e.has(3))
    length = e.requireExtent(3, "frame_length");
  else if (e.has(2) && e.getRank(2) == 1)
    length = e.getDims(2)[0];
  else
    e.fail("needs a window or a frame_length");
  if (e.failed())
    return;
  SymExpr frames = SymExpr::floordiv(dims[1] - length, step) + 1;
  if (!frames)
    return e.fail("an extent does not fit 64 bits");
  Value start = e.multiply(e.iota({frames, one}, 0), e.dimScalar(step, e.getI64()));
  Value positions = e.add(start, e.iota({one, length}, 1));
  Complex x = splitComplex(e, signal);
  auto frame = [&](Value part) {
    if (!part)
      return Value();
    // [batch, frames, length, 1]
    Value taken = e.create<graph::TakeOp>({part, positions}, e.attr("axis", int64_t(1)));
    if (e.has(2))
      taken = e.multiply(taken, e.reshape(e.getTensor(2), {length, one}));
    return e.reshape(taken, {dims[0] * frames, length, one});
  };
  SymExpr bins = isOneSided ? SymExpr::floordiv(length, e.constant(2)) + 1 : length;
  Complex result = transform(e, {frame(x.real), frame(x.imaginary)}, length, bins, /*isInverse=*/false);
  SmallVector<SymExpr> resultDims = {dims[0], frames, bins, one};
  e.setResult(0, e.concat({e.reshape(result.real, resultDims), e.reshape(result.imaginary, resultDims)}, 3));
}

/// Triangles over the bins of a spectrum, at equal distances on the mel scale; in f64, as the reference.
static void emitMelWeightMatrix(NodeEmitter &e) {
  SymExpr count = e.requireExtent(0, "num_mel_bins"), length = e.requireExtent(1, "dft_length"), one = e.constant(1);
  Type f64 = Float64Type::get(e.getContext()), type = e.getF32();
  if (e.hasAttr("output_datatype"))
    type = getElementType(e.getContext(), static_cast<int32_t>(e.getInt("output_datatype", 1)));
  if (e.failed() || !type)
    return e.fail("attribute 'output_datatype' is not supported");
  auto scalar = [&](double value) { return e.makeScalar(value, f64); };
  auto read = [&](unsigned index) { return e.cast(e.reshape(e.getTensor(index), {}), f64); };
  auto toMel = [&](Value frequency) {
    return e.multiply(e.create<graph::Log1pOp>(e.divide(frequency, scalar(700))), scalar(2595 / std::log(10.0)));
  };
  Value low = toMel(read(3)), high = toMel(read(4)), rate = read(2);
  Value step = e.divide(e.subtract(high, low), e.dimScalar(count + 2, f64));
  Value mel = e.add(e.multiply(e.cast(e.iota({one, count + 2}, 1), f64), step), low);
  Value frequency = e.multiply(e.create<graph::Expm1Op>(e.multiply(mel, scalar(std::log(10.0) / 2595))), scalar(700));
  Value edges = e.create<graph::FloorOp>(e.divide(e.multiply(frequency, e.dimScalar(length + 1, f64)), rate));
  auto from = [&](int64_t start) { return e.slice(edges, NodeEmitter::Range{1, e.constant(start), count + start}); };
  Value left = from(0), center = from(1), right = from(2);
  SymExpr bins = SymExpr::floordiv(length, e.constant(2)) + 1;
  Value bin = e.cast(e.iota({bins, one}, 0), f64), rise = e.subtract(center, left), fall = e.subtract(right, center);
  auto isAtMost = [&](Value a, Value b) { return e.create<graph::LessEqualOp>({a, b}); };
  auto both = [&](Value a, Value b) { return e.create<graph::LogicalAndOp>({a, b}); };
  Value zero = scalar(0), unit = scalar(1), isSteep = e.create<graph::EqualOp>({rise, zero});
  Value rising = e.select(both(isAtMost(left, bin), isAtMost(bin, center)),
                          e.divide(e.subtract(bin, left), e.select(isSteep, unit, rise)), zero);
  Value peak = e.select(e.create<graph::EqualOp>({bin, center}), unit, zero);
  Value falls = both(e.create<graph::GreaterOp>({fall, zero}),
                     both(isAtMost(center, bin), e.create<graph::LessOp>({bin, right})));
  Value falling = e.divide(e.subtract(right, bin), e.create<graph::MaximumOp>({fall, unit}));
  e.setResult(0, e.cast(e.select(falls, falling, e.select(isSteep, peak, rising)), type));
}

ArrayRef<OpEntry> mlir::relax::onnx::getSignalOps() {
  static constexpr OpEntry entries[] = {
      {"DFT", 17, 1, 3, 1, emitDFT},
      {"STFT", 17, 2, 4, 1, emitSTFT},
      {"MelWeightMatrix", 17, 5, 5, 1, emitMelWeightMatrix},
  };
  return entries;
}
