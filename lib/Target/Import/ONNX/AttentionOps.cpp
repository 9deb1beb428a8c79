//===- AttentionOps.cpp - Attention and rotary embedding ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Attention.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "TensorData.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

Value mlir::relax::onnx::splitHeads(NodeEmitter &e, Value x, int64_t heads) {
  if (!x || e.failed())
    return {};
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType());
  SymExpr size = e.divideExactly(dims[2], heads);
  return e.permute(e.reshape(x, {dims[0], dims[1], e.constant(heads), size}), {0, 2, 1, 3});
}

Value mlir::relax::onnx::joinHeads(NodeEmitter &e, Value x) {
  if (!x || e.failed())
    return {};
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType());
  return e.reshape(e.permute(x, {0, 2, 1, 3}), {dims[0], dims[2], dims[1] * dims[3]});
}

namespace {
/// What the parts of the import share. Queries, keys and values are [batch, heads, sequence, size].
struct Attention {
  Value query, key, value;
  SmallVector<SymExpr> queryDims, keyDims, valueDims, scoreDims;
  bool isPacked = false; // the inputs have three dimensions
  Value offset;          // i64: number of keys before the first query, to broadcast to the scores
  SymExpr past;
};
} // namespace

static Attention readAttention(NodeEmitter &e) {
  Attention attention;
  int64_t rank = e.getRank(0), queryHeads = e.getInt("q_num_heads", 0), keyHeads = e.getInt("kv_num_heads", 0);
  attention.isPacked = rank == 3;
  for (unsigned index : {0, 1, 2})
    if (e.getRank(index) != rank || (rank != 3 && rank != 4))
      e.fail("Q, K and V must have the same rank of 3 or 4");
  if (attention.isPacked && (queryHeads < 1 || keyHeads < 1))
    e.fail("inputs of rank 3 need positive q_num_heads and kv_num_heads");
  if (e.failed())
    return attention;
  Value parts[3];
  for (unsigned index : {0, 1, 2}) {
    parts[index] = e.getTensor(index);
    if (attention.isPacked)
      parts[index] = splitHeads(e, parts[index], index ? keyHeads : queryHeads);
  }
  if (e.has(4) != e.has(5))
    e.fail("past_key and past_value come together");
  attention.past = e.constant(0);
  if (e.has(4)) {
    if (e.getRank(4) != 4 || e.getRank(5) != 4)
      e.fail("past_key and past_value must have rank 4");
    if (e.failed())
      return attention;
    attention.past = e.getDims(4)[2];
    parts[1] = e.concat({e.getTensor(4), parts[1]}, 2);
    parts[2] = e.concat({e.getTensor(5), parts[2]}, 2);
  }
  // An extent that two of them bring along becomes one.
  for (unsigned index : {1, 2})
    if (parts[index])
      parts[index] = e.getImporter().nameExtents(parts[index], e.getSymbolStem(), e.getLoc());
  if (e.failed())
    return attention;
  attention.query = parts[0];
  attention.key = parts[1];
  attention.value = parts[2];
  attention.queryDims = sym::getSymbolicDims(parts[0].getType());
  attention.keyDims = sym::getSymbolicDims(parts[1].getType());
  attention.valueDims = sym::getSymbolicDims(parts[2].getType());
  const SmallVector<SymExpr> &query = attention.queryDims;
  attention.scoreDims = {query[0], query[1], query[2], attention.keyDims[2]};
  return attention;
}

/// How often each head of the keys is used: by the queries' heads divided by theirs.
static SymExpr countRepeats(NodeEmitter &e, const Attention &attention) {
  SymExpr heads = attention.queryDims[1], keyHeads = attention.keyDims[1];
  if (heads == keyHeads || e.getProver().isEqual(heads, keyHeads) == Verdict::True)
    return e.constant(1);
  if (std::optional<int64_t> count = keyHeads.getConstant())
    return *count < 1 ? e.constant(1) : e.divideExactly(heads, *count);
  // Without heads there is nothing to divide by.
  e.getImporter().assume(sym::Fact{e.constant(1), sym::Fact::Op::LessEqual, keyHeads});
  return SymExpr::floordiv(heads, keyHeads);
}

Value mlir::relax::onnx::multiplyGrouped(NodeEmitter &e, Value lhs, Value rhs, SymExpr repeats,
                                         ArrayRef<SymExpr> resultDims) {
  if (!lhs || !rhs || e.failed())
    return {};
  SmallVector<SymExpr> left = sym::getSymbolicDims(lhs.getType()), right = sym::getSymbolicDims(rhs.getType());
  if (repeats.getConstant() == 1)
    return e.reshape(e.create<graph::MatmulOp>({lhs, rhs}), resultDims);
  Value grouped = e.reshape(lhs, {left[0], right[1], repeats * left[2], left[3]});
  return e.reshape(e.create<graph::MatmulOp>({grouped, rhs}), resultDims);
}

/// The number of keys before the first query: of the cache, or per batch element from the count of valid keys.
static Value makeOffset(NodeEmitter &e, const Attention &attention) {
  if (e.has(4) || !e.has(6))
    return e.dimScalar(attention.past, e.getI64());
  Value valid = e.cast(e.getTensor(6), e.getI64());
  valid = e.reshape(valid, {attention.queryDims[0], e.constant(1), e.constant(1), e.constant(1)});
  return e.subtract(valid, e.dimScalar(attention.queryDims[2], e.getI64()));
}

/// The mask as something to add, of the rank that it has; a short one is filled up with "not attended".
static Value readMask(NodeEmitter &e, const Attention &attention, Type type) {
  Value mask = e.getTensor(3);
  if (!mask)
    return {};
  bool isBool = e.getType(3).getElementType().isInteger(1);
  SmallVector<SymExpr> dims = e.getDims(3);
  if (dims.empty() || dims.size() > 4) {
    e.fail("attn_mask has rank " + Twine(dims.size()) + ", expected 1 to 4");
    return {};
  }
  if (isBool)
    mask = e.select(mask, e.makeScalar(0, type), e.makeScalar(-kInfinity, type));
  else
    mask = e.cast(mask, type);
  SymExpr keys = attention.scoreDims[3], last = dims.back();
  if (e.getProver().isEqual(keys, last) != Verdict::True) {
    SymExpr missing = e.maximum(e.constant(0), keys - last);
    if (!missing) {
      e.fail("an extent does not fit 64 bits");
      return {};
    }
    dims.back() = missing;
    if (missing.getConstant() != 0)
      mask = e.concat({mask, e.broadcastTo(e.makeScalar(-kInfinity, type), dims)}, dims.size() - 1);
  }
  return e.broadcastTo(mask, attention.scoreDims);
}

/// Zero where a condition holds, else minus infinity, added to `bias` (which may be null).
static Value restrict(NodeEmitter &e, Value bias, Value condition, Type type) {
  Value addend = e.select(condition, e.makeScalar(0, type), e.makeScalar(-kInfinity, type));
  return bias ? e.add(bias, addend) : addend;
}

/// All that is added to the scores; null when nothing is.
static Value makeBias(NodeEmitter &e, const Attention &attention, Type type) {
  Value bias = e.has(3) ? readMask(e, attention, type) : Value();
  int64_t left = e.getInt("left_window_size", -1), right = e.getInt("right_window_size", -1);
  if (e.getInt("is_causal", 0))
    right = right < 0 ? 0 : std::min<int64_t>(right, 0);
  // A window to the right and causality are both upper bounds of the key's position.
  SymExpr one = e.constant(1), queries = attention.scoreDims[2], keys = attention.scoreDims[3];
  Value position = e.iota({one, one, one, keys}, 3);
  if (left >= 0 || right >= 0) {
    Value distance = e.subtract(e.add(e.iota({one, one, queries, one}, 2), makeOffset(e, attention)), position);
    auto isAtMost = [&](Value value, int64_t bound) {
      return e.create<graph::LessEqualOp>({value, e.makeIntegers({std::min(bound, int64_t(1) << 40)})});
    };
    if (left >= 0)
      bias = restrict(e, bias, isAtMost(distance, left), type);
    if (right >= 0)
      bias = restrict(e, bias, isAtMost(e.create<graph::NegateOp>(distance), right), type);
  }
  if (e.has(6)) {
    Value valid = e.cast(e.getTensor(6), e.getI64());
    valid = e.reshape(valid, {attention.queryDims[0], one, one, one});
    bias = restrict(e, bias, e.create<graph::LessOp>({position, valid}), type);
  }
  return bias ? e.broadcastTo(bias, attention.scoreDims) : Value();
}

/// Softmax over the last dimension; a row of minus infinities alone gives zeros.
static Value softmaxOrZero(NodeEmitter &e, Value x) {
  Value top = e.reduceMax(x, {3}, /*keepdims=*/true), zero = e.makeScalarLike(0, x);
  Value isMasked = e.create<graph::EqualOp>({top, e.makeScalarLike(-kInfinity, x)});
  Value exponentials = e.create<graph::ExpOp>(e.subtract(x, e.select(isMasked, zero, top)));
  Value sum = e.reduceSum(exponentials, {3}, /*keepdims=*/true);
  Value isZero = e.create<graph::EqualOp>({sum, zero});
  return e.divide(exponentials, e.select(isZero, e.makeScalarLike(1, sum), sum));
}

static void emitAttention(NodeEmitter &e) {
  Attention attention = readAttention(e);
  if (e.failed())
    return;
  Type type = e.getType(0).getElementType();
  // Each operand takes the root of the scale.
  Value scale;
  if (e.hasAttr("scale")) {
    float given = e.getFloat("scale", 1);
    scale = e.makeScalar(std::sqrt(given), type);
  } else {
    Value size = e.dimScalar(attention.queryDims[3], e.getF32());
    scale = e.cast(e.create<graph::SqrtOp>(e.create<graph::ReciprocalOp>(e.create<graph::SqrtOp>(size))), type);
  }
  SymExpr repeats = countRepeats(e, attention);
  if (!repeats)
    return e.fail("an extent does not fit 64 bits");
  Value keys = e.permute(e.multiply(attention.key, scale), {0, 1, 3, 2});
  Value scores = multiplyGrouped(e, e.multiply(attention.query, scale), keys, repeats, attention.scoreDims);
  Value raw = scores;
  if (float softcap = e.getFloat("softcap", 0); softcap > 0) {
    Value cap = e.makeScalarLike(softcap, scores);
    scores = e.multiply(e.create<graph::TanhOp>(e.divide(scores, cap)), cap);
  }
  Value capped = scores, bias = makeBias(e, attention, type);
  if (bias)
    scores = e.add(scores, bias);
  Value biased = scores;
  if (int32_t code = e.getInt("softmax_precision", 0)) {
    Type precision = getElementType(e.getContext(), code);
    if (!isa_and_present<FloatType>(precision))
      return e.fail("attribute 'softmax_precision' is " + getTypeName(code) + ", expected a floating-point type");
    scores = e.cast(scores, precision);
  }
  Value weights = softmaxOrZero(e, scores);
  if (bias) {
    // Decided on what is added alone: a masked row is zero whatever its scores are.
    Value isMasked =
        e.create<graph::EqualOp>({e.reduceMax(bias, {3}, /*keepdims=*/true), e.makeScalarLike(-kInfinity, bias)});
    weights = e.select(isMasked, e.makeScalarLike(0, weights), weights);
  }
  weights = e.cast(weights, type);
  SmallVector<SymExpr> resultDims = {attention.queryDims[0], attention.queryDims[1], attention.queryDims[2],
                                     attention.valueDims[3]};
  Value result = multiplyGrouped(e, weights, attention.value, repeats, resultDims);
  if (attention.isPacked)
    result = joinHeads(e, result);
  e.setResult(0, result);
  e.setResult(1, attention.key);
  e.setResult(2, attention.value);
  int64_t mode = e.getInt("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return e.fail("attribute 'qk_matmul_output_mode' is " + Twine(mode) + ", expected 0 to 3");
  Value shown[] = {raw, capped, biased, weights};
  e.setResult(3, shown[mode]);
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

/// A cache as [batch or 1, sequence, 1, half]: rows chosen by position, or one row per position.
static Value readCache(NodeEmitter &e, unsigned index, SymExpr half) {
  Value cache = e.getTensor(index);
  if (e.has(3))
    cache = e.create<graph::TakeOp>({cache, e.getTensor(3)}, e.attr("axis", int64_t(0)));
  if (!cache)
    return {};
  SmallVector<SymExpr> dims = sym::getSymbolicDims(cache.getType());
  if (dims.size() != 3) {
    e.fail("cos_cache and sin_cache must have rank " + Twine(e.has(3) ? 2 : 3));
    return {};
  }
  if (e.getProver().isEqual(dims[2], half) == Verdict::False) {
    e.fail("the caches have " + Twine(dims[2].str()) + " columns, expected " + half.str());
    return {};
  }
  return e.reshape(cache, {dims[0], dims[1], e.constant(1), half});
}

static void emitRotaryEmbedding(NodeEmitter &e) {
  SmallVector<SymExpr> given = e.getDims(0);
  Value x = e.getTensor(0);
  int64_t heads = e.getInt("num_heads", 0), rotated = e.getInt("rotary_embedding_dim", 0);
  bool isInterleaved = e.getInt("interleaved", 0);
  if (given.size() == 4)
    x = e.permute(x, {0, 2, 1, 3});
  else if (given.size() == 3 && heads > 0)
    x = e.reshape(x, {given[0], given[1], e.constant(heads), e.divideExactly(given[2], heads)});
  else
    e.fail("input has rank " + Twine(given.size()) + ", expected 4, or 3 with a positive num_heads");
  if (e.failed())
    return;
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType());
  SymExpr zero = e.constant(0), width = rotated > 0 ? e.constant(rotated) : dims[3], half = e.divideExactly(width, 2);
  auto part = [&](SymExpr start, SymExpr end, int64_t stride) {
    return e.slice(x, NodeEmitter::Range{3, start, end, stride});
  };
  Value rest = width == dims[3] ? Value() : part(width, dims[3], 1);
  Value first = isInterleaved ? part(zero, width, 2) : part(zero, half, 1);
  Value second = isInterleaved ? part(e.constant(1), width, 2) : part(half, width, 1);
  SmallVector<SymExpr> halfDims = {dims[0], dims[1], dims[2], half};
  first = e.reshape(first, halfDims);
  second = e.reshape(second, halfDims);
  Value cosine = readCache(e, 1, half), sine = readCache(e, 2, half);
  Value real = e.subtract(e.multiply(cosine, first), e.multiply(sine, second));
  Value imaginary = e.add(e.multiply(sine, first), e.multiply(cosine, second));
  SmallVector<SymExpr> widthDims = {dims[0], dims[1], dims[2], width};
  Value result;
  if (isInterleaved)
    result = e.reshape(e.concat({e.expandDims(real, {4}), e.expandDims(imaginary, {4})}, 4), widthDims);
  else
    result = e.reshape(e.concat({real, imaginary}, 3), widthDims);
  if (rest)
    result = e.concat({result, rest}, 3);
  e.setResult(0, given.size() == 4 ? e.permute(result, {0, 2, 1, 3}) : e.reshape(result, given));
}

ArrayRef<OpEntry> mlir::relax::onnx::getAttentionOps() {
  static constexpr OpEntry entries[] = {
      {"Attention", 23, 3, 7, 4, emitAttention},
      {"RotaryEmbedding", 23, 3, 4, 1, emitRotaryEmbedding},
  };
  return entries;
}
