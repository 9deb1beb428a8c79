//===- ContribOps.cpp - Operators of com.microsoft ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ContribOps.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// alpha * op(A) * op(B), where op swaps the last two dimensions or brings the first before the last two.
static void emitFusedMatMul(NodeEmitter &e) {
  Value operands[2];
  for (unsigned index : {0, 1}) {
    operands[index] = e.getTensor(index);
    int64_t rank = e.getRank(index);
    StringRef swaps = index ? "transB" : "transA", moves = index ? "transBatchB" : "transBatchA";
    if (rank < 2)
      return e.fail("operand " + Twine(index) + " has rank " + Twine(rank) + ", expected at least 2");
    SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(rank));
    if (e.getInt(moves, 0)) // [batch..., m, k] is stored as [m, batch..., k]
      std::rotate(permutation.begin(), permutation.begin() + 1, permutation.end() - 1);
    if (e.getInt(swaps, 0))
      std::swap(permutation[rank - 1], permutation[rank - 2]);
    operands[index] = e.permute(operands[index], permutation);
  }
  Value product = e.create<graph::MatmulOp>({operands[0], operands[1]});
  float alpha = e.getFloat("alpha", 1);
  e.setResult(0, alpha == 1 ? product : e.multiply(product, e.makeScalarLike(alpha, product)));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static Value gelu(NodeEmitter &e, Value x) {
  Value inner = e.create<graph::ErfOp>(e.multiply(x, e.makeScalarLike(0.70710678118654752440, x)));
  Value half = e.multiply(x, e.makeScalarLike(0.5, x));
  return e.multiply(half, e.add(inner, e.makeScalarLike(1, x)));
}

static void emitGelu(NodeEmitter &e) { e.setResult(0, gelu(e, e.getTensor(0))); }
static void emitBiasGelu(NodeEmitter &e) { e.setResult(0, gelu(e, e.add(e.getTensor(0), e.getTensor(1)))); }

static void emitFastGelu(NodeEmitter &e) {
  Value x = e.getTensor(0);
  if (e.has(1))
    x = e.add(x, e.getTensor(1));
  Value cube = e.multiply(e.multiply(x, x), e.multiply(x, e.makeScalarLike(0.044715, x)));
  Value inner = e.create<graph::TanhOp>(e.multiply(e.add(x, cube), e.makeScalarLike(0.79788456080286535588, x)));
  Value half = e.multiply(x, e.makeScalarLike(0.5, x));
  e.setResult(0, e.multiply(half, e.add(inner, e.makeScalarLike(1, x))));
}

static void emitQuickGelu(NodeEmitter &e) {
  Value x = e.getTensor(0);
  Value scaled = e.multiply(x, e.makeScalarLike(e.getFloat("alpha", 1.702f), x));
  e.setResult(0, e.multiply(x, e.create<graph::SigmoidOp>(scaled)));
}

//===----------------------------------------------------------------------===//
// Normalizations over the last dimension
//===----------------------------------------------------------------------===//

/// The moments are computed in f32 or wider.
static Value normalize(NodeEmitter &e, Value x, bool centers, double epsilon) {
  if (!x)
    return {};
  Type type = getElementTypeOrSelf(x.getType());
  SmallVector<int64_t> axes = {cast<RankedTensorType>(x.getType()).getRank() - 1};
  Value wide = e.cast(x, type.isF16() ? e.getF32() : type);
  if (centers)
    wide = e.subtract(wide, e.reduceMean(wide, axes, /*keepdims=*/true));
  Value variance = e.reduceMean(e.multiply(wide, wide), axes, /*keepdims=*/true);
  Value deviation = e.create<graph::SqrtOp>(e.add(variance, e.makeScalarLike(epsilon, variance)));
  return e.cast(e.divide(wide, deviation), type);
}

/// x + skip + bias normalized; the sum is an output as well.
template <bool centers> static void emitSkipNormalization(NodeEmitter &e) {
  int64_t rank = e.getRank(0), biasIndex = centers ? 4 : 3;
  if (rank < 1)
    return e.fail("input is a scalar");
  float epsilon = e.getFloat("epsilon", 1e-12f);
  Value sum = e.add(e.getTensor(0), e.getTensor(1));
  if (e.has(biasIndex))
    sum = e.add(sum, e.getTensor(biasIndex));
  Value result = e.multiply(normalize(e, sum, centers, epsilon), e.getTensor(2));
  if (centers && e.has(3))
    result = e.add(result, e.getTensor(3));
  if (e.wants(1) || e.wants(2))
    return e.fail("the mean and the deviation are not supported as outputs");
  e.setResult(0, result);
  e.setResult(3, sum);
}

static void emitSimplifiedLayerNormalization(NodeEmitter &e) {
  int64_t rank = e.getRank(0);
  e.ignoreAttr("stash_type"); // f16 is computed in f32
  if (rank < 1 || e.normalizeAxis(e.getInt("axis", -1), rank) != rank - 1)
    return e.fail("only the last axis is supported");
  float epsilon = e.getFloat("epsilon", 1e-5f);
  e.setResult(0, e.multiply(normalize(e, e.getTensor(0), /*centers=*/false, epsilon), e.getTensor(1)));
}

ArrayRef<OpEntry> mlir::relax::onnx::getContribOps() {
  static constexpr OpEntry entries[] = {
      {"FusedMatMul", 1, 2, 2, 1, emitFusedMatMul},
      {"Gelu", 1, 1, 1, 1, emitGelu},
      {"BiasGelu", 1, 2, 2, 1, emitBiasGelu},
      {"FastGelu", 1, 1, 2, 1, emitFastGelu},
      {"QuickGelu", 1, 1, 1, 1, emitQuickGelu},
      {"SkipLayerNormalization", 1, 3, 5, 4, emitSkipNormalization<true>},
      {"SkipSimplifiedLayerNormalization", 1, 3, 4, 4, emitSkipNormalization<false>},
      {"SimplifiedLayerNormalization", 1, 2, 2, 1, emitSimplifiedLayerNormalization},
  };
  return entries;
}
