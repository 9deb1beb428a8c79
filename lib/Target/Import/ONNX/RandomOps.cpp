//===- RandomOps.cpp - Random numbers -------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Each number follows from its position and a seed. A node without a seed gets
// one from its name, so that the same model gives the same numbers.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

static int64_t readSeed(NodeEmitter &e) {
  if (e.hasAttr("seed"))
    return llvm::bit_cast<uint32_t>(e.getFloat("seed", 0));
  return static_cast<int64_t>(llvm::xxh3_64bits(e.getSymbolStem()) >> 1);
}

/// Computed in f32 unless the type is one of these.
template <typename OpTy> static Value draw(NodeEmitter &e, ArrayRef<SymExpr> dims, Type type) {
  bool isOwn = isa<Float16Type, Float32Type, Float64Type>(type);
  NamedAttribute dtype = e.attr("dtype", TypeAttr::get(isOwn ? type : e.getF32()));
  return e.cast(e.create<OpTy>(e.makeShape(dims), {e.attr("seed", readSeed(e)), dtype}), type);
}

/// The type that `dtype` names, null after an error.
static Type readType(NodeEmitter &e, Type absent) {
  if (!e.hasAttr("dtype"))
    return absent;
  int32_t code = e.getInt("dtype", 0);
  Type type = getElementType(e.getContext(), code);
  if (!type)
    e.fail("unsupported element type " + getTypeName(code));
  return type;
}

template <bool isNormal, bool isLike> static void emitRandom(NodeEmitter &e) {
  SmallVector<SymExpr> dims;
  if (isLike)
    dims = e.getDims(0);
  else
    for (int64_t extent : e.getInts("shape"))
      dims.push_back(e.constant(extent));
  Type type = readType(e, isLike ? e.getType(0).getElementType() : e.getF32());
  if (e.failed())
    return;
  if (!isa<FloatType>(type))
    return e.fail("random numbers must be of a floating-point type");
  if (isNormal) {
    float mean = e.getFloat("mean", 0), scale = e.getFloat("scale", 1);
    Value x = draw<graph::RandomNormalOp>(e, dims, type);
    return e.setResult(0, e.add(e.multiply(x, e.makeScalar(scale, type)), e.makeScalar(mean, type)));
  }
  float low = e.getFloat("low", 0), high = e.getFloat("high", 1);
  Value x = draw<graph::RandomUniformOp>(e, dims, type);
  Value range = e.makeScalar(static_cast<double>(high) - static_cast<double>(low), type);
  e.setResult(0, e.add(e.multiply(x, range), e.makeScalar(low, type)));
}

static void emitBernoulli(NodeEmitter &e) {
  Type type = readType(e, e.getType(0).getElementType());
  Value chance = e.cast(e.getTensor(0), e.getF32());
  if (e.failed())
    return;
  Value drawn = draw<graph::RandomUniformOp>(e, e.getDims(0), e.getF32());
  e.setResult(0, e.cast(e.create<graph::LessOp>({drawn, chance}), type));
}

/// Classes by their unnormalized log-probabilities: where a random number lies in the running total.
static void emitMultinomial(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t count = e.getInt("sample_size", 1);
  Type type = readType(e, IntegerType::get(e.getContext(), 32)), f32 = e.getF32();
  if (dims.size() != 2)
    e.fail("input has rank " + Twine(dims.size()) + ", expected 2");
  if (e.failed())
    return;
  Value x = e.cast(e.getTensor(0), f32);
  Value weights = e.create<graph::ExpOp>(e.subtract(x, e.reduceMax(x, {1}, /*keepdims=*/true)));
  Value total = e.create<graph::CumsumOp>(weights, e.attr("axis", int64_t(1)));
  Value drawn = draw<graph::RandomUniformOp>(e, {dims[0], e.constant(count)}, f32);
  drawn = e.multiply(drawn, e.reduceSum(weights, {1}, /*keepdims=*/true));
  Value isBelow = e.create<graph::LessEqualOp>({e.expandDims(total, {1}), e.expandDims(drawn, {2})});
  Value place = e.reduceSum(e.cast(isBelow, e.getI64()), {2}, /*keepdims=*/false);
  Value last = e.dimScalar(dims[1] - 1, e.getI64());
  e.setResult(0, e.cast(e.create<graph::MinimumOp>({place, last}), type));
}

ArrayRef<OpEntry> mlir::relax::onnx::getRandomOps() {
  static constexpr OpEntry entries[] = {
      {"RandomUniform", 1, 0, 0, 1, emitRandom<false, false>},
      {"RandomUniformLike", 1, 1, 1, 1, emitRandom<false, true>},
      {"RandomNormal", 1, 0, 0, 1, emitRandom<true, false>},
      {"RandomNormalLike", 1, 1, 1, 1, emitRandom<true, true>},
      {"Bernoulli", 15, 1, 1, 1, emitBernoulli},
      {"Multinomial", 7, 1, 1, 1, emitMultinomial},
  };
  return entries;
}
