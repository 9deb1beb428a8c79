//===- ComposedOps.cpp - Operators that are a few others ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static void emitSwiGLU(NodeEmitter &e) {
  Value gate = e.getTensor(0), linear = e.getTensor(1);
  Value scaled = e.multiply(gate, e.makeScalarLike(e.getFloat("alpha", 1), gate));
  e.setResult(0, e.multiply(e.multiply(gate, e.create<graph::SigmoidOp>(scaled)), linear));
}

static void emitShrink(NodeEmitter &e) {
  Value x = e.getTensor(0);
  float lambda = e.getFloat("lambd", 0.5f), bias = e.getFloat("bias", 0);
  Value offset = e.makeScalarLike(bias, x), zero = e.makeScalarLike(0, x);
  Value isLow = e.create<graph::LessOp>({x, e.makeScalarLike(-lambda, x)});
  Value isHigh = e.create<graph::GreaterOp>({x, e.makeScalarLike(lambda, x)});
  e.setResult(0, e.select(isLow, e.add(x, offset), e.select(isHigh, e.subtract(x, offset), zero)));
}

static void emitIsInf(NodeEmitter &e) {
  Value x = e.getTensor(0);
  bool positive = e.getInt("detect_positive", 1), negative = e.getInt("detect_negative", 1);
  auto is = [&](double value) { return e.create<graph::EqualOp>({x, e.makeScalarLike(value, x)}); };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (positive && negative)
    return e.setResult(0, e.create<graph::LogicalOrOp>({is(kInfinity), is(-kInfinity)}));
  if (positive || negative)
    return e.setResult(0, is(positive ? kInfinity : -kInfinity));
  e.setResult(0, e.full(e.getDims(0), BoolAttr::get(e.getContext(), false)));
}

//===----------------------------------------------------------------------===//
// Normalizations over many elements
//===----------------------------------------------------------------------===//

static void emitMeanVarianceNormalization(NodeEmitter &e) {
  SmallVector<int64_t> axes = e.hasAttr("axes") ? e.getInts("axes") : SmallVector<int64_t>{0, 2, 3};
  axes = e.normalizeAxes(axes, e.getRank(0));
  llvm::sort(axes);
  Value x = e.getTensor(0);
  Value centered = e.subtract(x, e.reduceMean(x, axes, /*keepdims=*/true));
  Value variance = e.reduceMean(e.multiply(centered, centered), axes, /*keepdims=*/true);
  Value deviation = e.create<graph::SqrtOp>(variance);
  e.setResult(0, e.divide(centered, e.add(deviation, e.makeScalarLike(1e-9, x))));
}

/// x / (bias + alpha / size * (sum of squares over neighbouring channels)) ^ beta
static void emitLRN(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t size = e.getInt("size", 0);
  float alpha = e.getFloat("alpha", 1e-4f), beta = e.getFloat("beta", 0.75f), bias = e.getFloat("bias", 1);
  if (dims.size() < 2)
    return e.fail("input has rank " + Twine(dims.size()) + ", expected at least 2");
  if (size < 1 || size > 1024)
    return e.fail("attribute 'size' is " + Twine(size) + ", expected 1 to 1024");
  Value x = e.getTensor(0), squares = e.multiply(x, x), zero = e.makeScalarLike(0, x), sum;
  int64_t before = (size - 1) / 2, after = size - 1 - before;
  auto makeZeros = [&](int64_t channels) {
    SmallVector<SymExpr> padDims = dims;
    padDims[1] = e.constant(channels);
    return e.broadcastTo(zero, padDims);
  };
  SmallVector<Value> parts = {squares};
  if (before)
    parts.insert(parts.begin(), makeZeros(before));
  if (after)
    parts.push_back(makeZeros(after));
  Value padded = e.concat(parts, 1);
  for (int64_t shift = 0; shift < size; ++shift) {
    Value part = e.slice(padded, NodeEmitter::Range{1, e.constant(shift), dims[1] + shift});
    sum = sum ? e.add(sum, part) : part;
  }
  Value scaled = e.multiply(sum, e.makeScalarLike(double(alpha) / double(size), x));
  Value base = e.add(scaled, e.makeScalarLike(bias, x));
  e.setResult(0, e.divide(x, e.create<graph::PowerOp>({base, e.makeScalarLike(beta, x)})));
}

static void emitGlobalLpPool(NodeEmitter &e) {
  int64_t rank = e.getRank(0), p = e.getInt("p", 2);
  if (rank < 3)
    return e.fail("input has rank " + Twine(rank) + ", expected batch, channel and spatial dimensions");
  if (p < 1)
    return e.fail("attribute 'p' is " + Twine(p) + ", expected at least 1");
  Value x = e.getTensor(0), exponent = e.makeScalarLike(static_cast<double>(p), x);
  Value powers = e.create<graph::PowerOp>({e.create<graph::AbsOp>(x), exponent});
  Value sum = e.reduceSum(powers, llvm::to_vector(llvm::seq<int64_t>(2, rank)), /*keepdims=*/true);
  e.setResult(0, e.create<graph::PowerOp>({sum, e.makeScalarLike(1.0 / static_cast<double>(p), x)}));
}

//===----------------------------------------------------------------------===//
// CenterCropPad
//===----------------------------------------------------------------------===//

static void emitCenterCropPad(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  Elements target = e.requireExtents(1, "the shape");
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(dims.size()));
  if (e.hasAttr("axes"))
    axes = e.normalizeAxes(e.getInts("axes"), dims.size());
  if (!e.failed() && axes.size() != target.size())
    e.fail("has " + Twine(axes.size()) + " axes, the shape has " + Twine(target.size()) + " extents");
  if (e.failed())
    return;
  Value x = e.getTensor(0), zero = e.makeScalarLike(0, x);
  SymExpr none = e.constant(0), two = e.constant(2);
  for (size_t index = 0; index < axes.size(); ++index) {
    int64_t axis = axes[index];
    SymExpr wanted = target[index];
    // Either what is cut off or what is added is zero.
    SymExpr cut = e.maximum(none, dims[axis] - wanted), added = e.maximum(none, wanted - dims[axis]);
    if (!cut || !added)
      return e.fail("an extent does not fit 64 bits");
    SymExpr start = SymExpr::floordiv(cut, two), before = SymExpr::floordiv(added, two);
    if (cut != none)
      x = e.slice(x, NodeEmitter::Range{axis, start, start + (dims[axis] - cut)});
    dims[axis] = dims[axis] - cut;
    SmallVector<Value> parts = {x};
    auto makeZeros = [&](SymExpr extent) {
      SmallVector<SymExpr> padDims = dims;
      padDims[axis] = extent;
      return e.broadcastTo(zero, padDims);
    };
    if (added != none)
      parts = {makeZeros(before), x, makeZeros(added - before)};
    x = e.concat(parts, axis);
    dims[axis] = wanted;
    x = e.reshape(x, dims);
  }
  e.setResult(0, x);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// first + second * cos(2 pi i / n) + third * cos(4 pi i / n)
static void emitWindow(NodeEmitter &e, double first, double second, double third) {
  int32_t code = e.getInt("output_datatype", 1);
  Type type = getElementType(e.getContext(), code);
  bool periodic = e.getInt("periodic", 1);
  if (!type)
    return e.fail("unsupported element type " + getTypeName(code));
  SymExpr size = e.requireExtent(0, "size");
  if (e.failed())
    return;
  Type f32 = e.getF32();
  SymExpr length = periodic ? size : size - 1;
  Value count = e.cast(e.reshape(e.makeDimsTensor({e.maximum(e.constant(0), length)}), {}), f32);
  Value position = e.cast(e.iota({size}, 0), f32);
  Value angle = e.divide(e.multiply(position, e.makeScalar(2 * M_PI, f32)), count);
  Value result = e.add(e.multiply(e.create<graph::CosOp>(angle), e.makeScalar(second, f32)), e.makeScalar(first, f32));
  if (third != 0) {
    Value twice = e.create<graph::CosOp>(e.add(angle, angle));
    result = e.add(result, e.multiply(twice, e.makeScalar(third, f32)));
  }
  e.setResult(0, e.cast(result, type));
}

static void emitHannWindow(NodeEmitter &e) { emitWindow(e, 0.5, -0.5, 0); }
static void emitHammingWindow(NodeEmitter &e) { emitWindow(e, 25.0 / 46, -21.0 / 46, 0); }
static void emitBlackmanWindow(NodeEmitter &e) { emitWindow(e, 0.42, -0.5, 0.08); }

ArrayRef<OpEntry> mlir::relax::onnx::getComposedOps() {
  static constexpr OpEntry entries[] = {
      {"SwiGLU", 28, 2, 2, 1, emitSwiGLU},
      {"Shrink", 9, 1, 1, 1, emitShrink},
      {"IsInf", 10, 1, 1, 1, emitIsInf},
      {"MeanVarianceNormalization", 9, 1, 1, 1, emitMeanVarianceNormalization},
      {"LRN", 1, 1, 1, 1, emitLRN},
      {"GlobalLpPool", 2, 1, 1, 1, emitGlobalLpPool},
      {"CenterCropPad", 18, 2, 2, 1, emitCenterCropPad},
      {"HannWindow", 17, 1, 1, 1, emitHannWindow},
      {"HammingWindow", 17, 1, 1, 1, emitHammingWindow},
      {"BlackmanWindow", 17, 1, 1, 1, emitBlackmanWindow},
  };
  return entries;
}
