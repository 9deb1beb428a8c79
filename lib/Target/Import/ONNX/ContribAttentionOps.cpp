//===- ContribAttentionOps.cpp - Attention of com.microsoft ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Attention.h"
#include "Builders.h"
#include "ContribOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;
using mlir::relax::sym::Verdict;

static SymExpr getExtent(Value x, int64_t axis) { return sym::getSymbolicDims(x.getType())[axis]; }

/// A part of the last dimension, or of another one.
static Value part(NodeEmitter &e, Value x, int64_t axis, SymExpr start, SymExpr end) {
  return e.slice(x, NodeEmitter::Range{axis, start, end});
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

/// `x` [batch, heads, sequence, size] rotated by the rows of the caches at `positions` [batch, sequence].
static Value rotate(NodeEmitter &e, Value x, Value positions, Value cosCache, Value sinCache, bool isInterleaved) {
  auto gather = [&](Value cache) {
    return e.expandDims(e.create<graph::TakeOp>({cache, positions}, e.attr("axis", int64_t(0))), {1});
  };
  SmallVector<NamedAttribute> attributes;
  if (isInterleaved)
    attributes.push_back(unitAttr(e, "interleaved"));
  return e.create<graph::RotaryEmbeddingOp>({x, gather(cosCache), gather(sinCache)}, attributes);
}

/// Input [batch, sequence, hidden] or [batch, heads, sequence, size], positions [batch, sequence] or an offset [1],
/// caches [positions, half].
static void emitRotaryEmbedding(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t heads = e.getInt("num_heads", 0), rotated = e.getInt("rotary_embedding_dim", 0);
  e.ignoreAttr("is_packed_batching");
  if (e.getFloat("scale", 1) != 1)
    return e.fail("attribute 'scale' must be 1");
  bool isInterleaved = e.getInt("interleaved", 0), isPacked = dims.size() == 3;
  if ((dims.size() != 3 && dims.size() != 4) || e.getRank(2) != 2 || e.getRank(3) != 2)
    return e.fail("the input must have rank 3 or 4, the caches rank 2");
  if (isPacked && rotated > 0 && heads < 1)
    return e.fail("a partial rotation needs num_heads");
  Value x = e.getTensor(0);
  SymExpr one = e.constant(1), size = e.getDims(2)[1] * 2;
  if (e.failed() || !size)
    return e.fail("an extent does not fit 64 bits");
  if (isPacked && heads > 0)
    x = splitHeads(e, x, heads);
  else if (isPacked)
    x = e.permute(e.reshape(x, {dims[0], dims[1], SymExpr::floordiv(dims[2], size), size}), {0, 2, 1, 3});
  if (!x)
    return;
  Value positions = e.cast(e.getTensor(1), e.getI64());
  if (e.getRank(1) == 1)
    positions = e.add(e.iota({one, getExtent(x, 2)}, 1), e.reshape(positions, {one, one}));
  x = rotate(e, x, positions, e.getTensor(2), e.getTensor(3), isInterleaved);
  e.setResult(0, isPacked ? e.reshape(joinHeads(e, x), dims) : x);
}

//===----------------------------------------------------------------------===//
// Common parts
//===----------------------------------------------------------------------===//

namespace {
/// [batch, heads, sequence, size] each.
struct Heads {
  Value query, key, value;
  explicit operator bool() const { return query && key && value; }
};
} // namespace

static void addScale(NodeEmitter &e, SmallVectorImpl<NamedAttribute> &attributes) {
  if (float scale = e.getFloat("scale", 0); scale != 0)
    attributes.push_back(doubleAttr(e, "scale", scale));
  if (float softcap = e.getFloat("softcap", 0); softcap > 0)
    attributes.push_back(doubleAttr(e, "softcap", softcap));
}

/// Attention with a mask that may be null.
static Value attend(NodeEmitter &e, const Heads &heads, Value mask, ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value> operands = {heads.query, heads.key, heads.value};
  if (mask)
    operands.push_back(mask);
  return e.create<graph::AttentionOp>(operands, attributes);
}

/// `mask` (bool) as numbers to add, plus `bias`.
static Value addToMask(NodeEmitter &e, Value mask, Value bias, double absent) {
  if (!bias)
    return mask;
  if (!mask)
    return bias;
  Value addend = e.select(mask, e.makeScalarLike(0, bias), e.makeScalarLike(absent, bias));
  return e.add(addend, bias);
}

static int64_t readHeadCount(NodeEmitter &e, StringRef name) {
  int64_t count = e.getInt(name, 0);
  if (count < 1)
    e.fail("attribute '" + name + "' is " + Twine(count) + ", expected at least 1");
  return std::max<int64_t>(count, 1);
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

namespace {
/// Where the new keys of a batch element go: i64 [batch, 1].
struct CachePlaces {
  Value past, total;
  SymExpr length; // positions of the result's cache
};
} // namespace

static Heads readGroups(NodeEmitter &e, int64_t queryHeads, int64_t keyHeads) {
  if (e.getRank(0) != 3) {
    e.fail("query has rank " + Twine(e.getRank(0)) + ", expected 3");
    return {};
  }
  if (e.has(1) != e.has(2)) {
    e.fail("key and value come together");
    return {};
  }
  if (e.has(1))
    return {splitHeads(e, e.getTensor(0), queryHeads), splitHeads(e, e.getTensor(1), keyHeads),
            splitHeads(e, e.getTensor(2), keyHeads)};
  SymExpr size = e.divideExactly(e.getDims(0)[2], queryHeads + 2 * keyHeads), zero = e.constant(0);
  if (e.failed())
    return {};
  SymExpr first = size * queryHeads, second = size * (queryHeads + keyHeads), end = size * (queryHeads + 2 * keyHeads);
  Value packed = e.getTensor(0);
  return {splitHeads(e, part(e, packed, 2, zero, first), queryHeads),
          splitHeads(e, part(e, packed, 2, first, second), keyHeads),
          splitHeads(e, part(e, packed, 2, second, end), keyHeads)};
}

/// The cache with the new keys behind the valid ones of each batch element; what is after them stays.
static Value updateCache(NodeEmitter &e, Value past, Value fresh, const CachePlaces &places) {
  if (!fresh || e.failed())
    return {};
  if (!past)
    return checkDims(e, fresh, {getExtent(fresh, 0), getExtent(fresh, 1), places.length, getExtent(fresh, 3)});
  Value joined = e.getImporter().nameExtents(e.concat({past, fresh}, 2), e.getSymbolStem(), e.getLoc());
  SymExpr batch = getExtent(fresh, 0), one = e.constant(1);
  Value position = e.iota({one, places.length}, 1), before = e.dimScalar(getExtent(past, 2), e.getI64());
  Value last = e.dimScalar(getExtent(joined, 2) - 1, e.getI64());
  Value isPast = e.create<graph::LessOp>({position, places.past});
  Value isFresh = e.create<graph::LessOp>({position, places.total});
  Value moved = e.add(before, e.subtract(position, places.past));
  Value index = e.select(isPast, position, e.select(isFresh, moved, position));
  index = e.create<graph::MinimumOp>({index, last});
  SmallVector<SymExpr> dims = {batch, getExtent(fresh, 1), places.length, getExtent(fresh, 3)};
  index =
      e.broadcastTo(e.reshape(e.broadcastTo(index, {batch, places.length}), {batch, one, places.length, one}), dims);
  return e.create<graph::TakeAlongAxisOp>({joined, index}, e.attr("axis", int64_t(2)));
}

static CachePlaces findPlaces(NodeEmitter &e, SymExpr batch, SymExpr queries) {
  CachePlaces places;
  SymExpr total = e.requireExtent(6, "total_sequence_length"), one = e.constant(1);
  SymExpr past = e.has(3) ? e.getDims(3)[2] : e.constant(0);
  if (e.failed())
    return places;
  places.length = e.maximum(past, total);
  if (!places.length) {
    e.fail("an extent does not fit 64 bits");
    return places;
  }
  Value valid = e.reshape(e.cast(e.getTensor(5), e.getI64()), {batch, one});
  places.total = e.add(valid, e.makeScalar(1, e.getI64()));
  // The first call holds as many queries as there are positions, whatever is valid of them.
  Value fresh = e.dimScalar(queries, e.getI64());
  Value isFirst = e.create<graph::EqualOp>({fresh, e.dimScalar(total, e.getI64())});
  places.past = e.select(isFirst, e.makeScalar(0, e.getI64()), e.subtract(places.total, fresh));
  if (past.getConstant() == 0)
    places.past = e.makeIntegers({0});
  return places;
}

/// Softmax with one more logit per head, which only adds to the sum.
static Value attendWithSink(NodeEmitter &e, const Heads &heads, Value mask, Value sink,
                            ArrayRef<NamedAttribute> attributes) {
  if (!heads || e.failed())
    return {};
  auto find = [&](StringRef name, double absent) {
    for (const NamedAttribute &attribute : attributes)
      if (attribute.getName() == name)
        return cast<FloatAttr>(attribute.getValue()).getValueAsDouble();
    return absent;
  };
  Type f32 = e.getF32(), type = getElementTypeOrSelf(heads.query.getType());
  Value query = e.cast(heads.query, f32), key = e.cast(heads.key, f32), value = e.cast(heads.value, f32);
  SmallVector<SymExpr> q = sym::getSymbolicDims(query.getType()), k = sym::getSymbolicDims(key.getType());
  SymExpr repeats = k[1].getConstant().value_or(0) > 0 ? e.divideExactly(q[1], *k[1].getConstant()) : e.constant(1);
  Value scale =
      find("scale", 0) != 0 ? e.makeScalar(find("scale", 0), f32) : e.create<graph::RsqrtOp>(e.dimScalar(q[3], f32));
  SmallVector<SymExpr> scoreDims = {q[0], q[1], q[2], k[2]};
  Value scores = multiplyGrouped(e, e.multiply(query, scale), e.permute(key, {0, 1, 3, 2}), repeats, scoreDims);
  if (double cap = find("softcap", 0); cap > 0)
    scores = e.multiply(e.create<graph::TanhOp>(e.divide(scores, e.makeScalar(cap, f32))), e.makeScalar(cap, f32));
  if (mask && getElementTypeOrSelf(mask.getType()).isInteger(1))
    scores = e.select(mask, scores, e.makeScalar(-std::numeric_limits<double>::infinity(), f32));
  else if (mask)
    scores = e.add(scores, e.cast(mask, f32));
  sink = e.cast(sink, f32);
  Value top = e.create<graph::MaximumOp>({e.reduceMax(scores, {3}, /*keepdims=*/true), sink});
  Value weights = e.create<graph::ExpOp>(e.subtract(scores, top));
  Value sum = e.add(e.reduceSum(weights, {3}, /*keepdims=*/true), e.create<graph::ExpOp>(e.subtract(sink, top)));
  return e.cast(multiplyGrouped(e, e.divide(weights, sum), value, repeats, {q[0], q[1], q[2], q[3]}), type);
}

static void emitGroupQueryAttention(NodeEmitter &e) {
  int64_t queryHeads = readHeadCount(e, "num_heads"), keyHeads = readHeadCount(e, "kv_num_heads");
  if (e.has(3) != e.has(4))
    return e.fail("past_key and past_value come together");
  if (!e.has(5) || !e.has(6))
    return e.fail("seqlens_k and total_sequence_length are missing");
  bool rotates = e.getInt("do_rotary", 0), isInterleaved = e.getInt("rotary_interleaved", 0);
  bool isSmooth = e.getInt("smooth_softmax", 0);
  int64_t window = e.getInt("local_window_size", -1);
  SmallVector<NamedAttribute> attributes;
  addScale(e, attributes);
  Heads heads = readGroups(e, queryHeads, keyHeads);
  if (!heads)
    return;
  SymExpr batch = getExtent(heads.query, 0), queries = getExtent(heads.query, 2), one = e.constant(1);
  CachePlaces places = findPlaces(e, batch, queries);
  if (e.failed())
    return;
  if (rotates) {
    if (!e.has(7) || !e.has(8))
      return e.fail("do_rotary needs cos_cache and sin_cache");
    Value positions = e.has(9) ? e.cast(e.getTensor(9), e.getI64())
                               : e.broadcastTo(e.add(places.past, e.iota({one, queries}, 1)), {batch, queries});
    heads.query = rotate(e, heads.query, positions, e.getTensor(7), e.getTensor(8), isInterleaved);
    heads.key = rotate(e, heads.key, positions, e.getTensor(7), e.getTensor(8), isInterleaved);
  }
  heads.key = updateCache(e, e.has(3) ? e.getTensor(3) : Value(), heads.key, places);
  heads.value = updateCache(e, e.has(4) ? e.getTensor(4) : Value(), heads.value, places);
  // Query s stands at past + s and sees the keys up to there.
  Value place = e.expandDims(e.add(places.past, e.iota({one, queries}, 1)), {1, 3});
  Value key = e.iota({one, one, one, places.length}, 3);
  Value mask = e.create<graph::LessEqualOp>({key, place});
  if (window > 0) {
    Value first = e.subtract(place, e.makeIntegers({window}));
    mask = e.create<graph::LogicalAndOp>({mask, e.create<graph::GreaterOp>({key, first})});
  }
  if (e.has(10))
    mask = addToMask(e, mask, e.getTensor(10), -std::numeric_limits<double>::infinity());
  Value sink;
  if (e.has(11))
    sink = e.reshape(e.getTensor(11), {one, e.constant(queryHeads), one, one});
  else if (isSmooth)
    sink = e.makeScalar(0, e.getF32());
  Value result = sink ? attendWithSink(e, heads, mask, sink, attributes) : attend(e, heads, mask, attributes);
  e.setResult(0, joinHeads(e, result));
  e.setResult(1, heads.key);
  e.setResult(2, heads.value);
}

//===----------------------------------------------------------------------===//
// MultiHeadAttention, Attention
//===----------------------------------------------------------------------===//

/// A mask of keys as bools to broadcast to [batch, heads, queries, keys]: by lengths, per key, or per query and key.
static Value readKeyMask(NodeEmitter &e, unsigned index, const Heads &heads) {
  if (!e.has(index) || !heads)
    return {};
  SymExpr batch = getExtent(heads.query, 0), keys = getExtent(heads.key, 2), one = e.constant(1);
  Value mask = e.cast(e.getTensor(index), e.getI64());
  int64_t rank = e.getRank(index);
  if (rank == 1) {
    Value length = e.reshape(mask, {batch, one, one, one});
    return e.create<graph::LessOp>({e.iota({one, one, one, keys}, 3), length});
  }
  if (rank != 2 && rank != 3) {
    e.fail("the mask has rank " + Twine(rank) + ", expected 1 to 3");
    return {};
  }
  mask = e.create<graph::NotEqualOp>({mask, e.makeScalar(0, e.getI64())});
  return e.expandDims(mask, rank == 2 ? ArrayRef<int64_t>{1, 2} : ArrayRef<int64_t>{1});
}

/// What the two ops do once heads are split. Inputs of mask and bias are given by index.
static void finishAttention(NodeEmitter &e, Heads heads, unsigned maskIndex, unsigned biasIndex) {
  if (!heads || e.failed())
    return;
  SmallVector<NamedAttribute> attributes;
  addScale(e, attributes);
  double filter = e.getFloat("mask_filter_value", -10000);
  bool isCausal = e.getInt("unidirectional", 0);
  if (isCausal) {
    SymExpr past = getExtent(heads.key, 2) - getExtent(heads.query, 2);
    attributes.push_back(unitAttr(e, "causal"));
    if (past.getConstant() != 0)
      attributes.push_back(e.attr("offset", sym::ExprAttr::get(past)));
  }
  Value mask = readKeyMask(e, maskIndex, heads), bias = e.has(biasIndex) ? e.getTensor(biasIndex) : Value();
  if (mask) { // masked keys are not left out but get a low score
    Value like = bias ? bias : heads.query;
    mask = e.select(mask, e.makeScalarLike(0, like), e.makeScalarLike(filter, like));
    mask = bias ? e.add(mask, bias) : mask;
  } else {
    mask = bias;
  }
  e.setResult(0, joinHeads(e, attend(e, heads, mask, attributes)));
}

/// Part `index` of a dimension of `count` parts, which goes.
static Value pick(NodeEmitter &e, Value x, int64_t axis, int64_t index) {
  return e.squeeze(part(e, x, axis, e.constant(index), e.constant(index + 1)), {axis});
}

static Value addBias(NodeEmitter &e, Value x, Value bias, SymExpr start) {
  if (!x || !bias)
    return x;
  return e.add(x, part(e, bias, 0, start, start + getExtent(x, 2)));
}

static Heads readSeparate(NodeEmitter &e, int64_t count) {
  Value bias = e.has(3) ? e.getTensor(3) : Value();
  int64_t rank = e.getRank(0);
  if (rank == 5) { // [batch, sequence, heads, 3, size]
    if (bias) {
      e.fail("a bias of packed inputs is not supported");
      return {};
    }
    auto head = [&](int64_t index) { return e.permute(pick(e, e.getTensor(0), 3, index), {0, 2, 1, 3}); };
    return {head(0), head(1), head(2)};
  }
  if (rank != 3 || !e.has(1)) {
    e.fail("query must have rank 3 beside a key, or 5");
    return {};
  }
  Value query = addBias(e, e.getTensor(0), bias, e.constant(0));
  if (!query)
    return {};
  SymExpr hidden = getExtent(query, 2);
  query = splitHeads(e, query, count);
  if (e.getRank(1) == 5) { // [batch, sequence, heads, 2, size]
    auto head = [&](int64_t index) { return e.permute(pick(e, e.getTensor(1), 3, index), {0, 2, 1, 3}); };
    return {query, head(0), head(1)};
  }
  if (!e.has(2)) {
    e.fail("a key of rank " + Twine(e.getRank(1)) + " needs a value");
    return {};
  }
  auto read = [&](unsigned index, SymExpr start) {
    if (e.getRank(index) == 4)
      return e.getTensor(index);
    return splitHeads(e, addBias(e, e.getTensor(index), bias, start), count);
  };
  return {query, read(1, hidden), read(2, hidden * 2)};
}

static void emitMultiHeadAttention(NodeEmitter &e) {
  int64_t count = readHeadCount(e, "num_heads");
  Heads heads = readSeparate(e, count);
  if (e.has(6) != e.has(7))
    return e.fail("past_key and past_value come together");
  if (e.has(6)) {
    heads.key = e.concat({e.getTensor(6), heads.key}, 2);
    heads.value = e.concat({e.getTensor(7), heads.value}, 2);
  }
  finishAttention(e, heads, 4, 5);
  e.setResult(1, heads.key);
  e.setResult(2, heads.value);
}

/// Input times weights gives query, key and value side by side.
static void emitAttention(NodeEmitter &e) {
  int64_t count = readHeadCount(e, "num_heads");
  if (e.getRank(0) != 3 || e.getRank(1) != 2)
    return e.fail("input and weights must have ranks 3 and 2");
  if (e.hasAttr("do_rotary") && e.getInt("do_rotary", 0))
    return e.fail("attribute 'do_rotary' is not supported");
  Value projected = e.create<graph::MatmulOp>({e.getTensor(0), e.getTensor(1)});
  if (e.has(2))
    projected = e.add(projected, e.getTensor(2));
  SmallVector<int64_t> sizes = e.getInts("qkv_hidden_sizes");
  if (!projected)
    return;
  SmallVector<SymExpr> ends;
  SymExpr third = sizes.empty() ? e.divideExactly(getExtent(projected, 2), 3) : SymExpr(), zero = e.constant(0);
  if (!sizes.empty() && sizes.size() != 3)
    return e.fail("attribute 'qkv_hidden_sizes' has " + Twine(sizes.size()) + " values, expected 3");
  for (int64_t index : {0, 1, 2})
    ends.push_back((ends.empty() ? zero : ends.back()) + (sizes.empty() ? third : e.constant(sizes[index])));
  Heads heads{splitHeads(e, part(e, projected, 2, zero, ends[0]), count),
              splitHeads(e, part(e, projected, 2, ends[0], ends[1]), count),
              splitHeads(e, part(e, projected, 2, ends[1], ends[2]), count)};
  if (e.has(4)) { // [2, batch, heads, past, size]
    heads.key = e.concat({pick(e, e.getTensor(4), 0, 0), heads.key}, 2);
    heads.value = e.concat({pick(e, e.getTensor(4), 0, 1), heads.value}, 2);
  }
  finishAttention(e, heads, 3, 5);
  if (e.wants(1))
    e.setResult(1, e.concat({e.expandDims(heads.key, {0}), e.expandDims(heads.value, {0})}, 0));
}

ArrayRef<OpEntry> mlir::relax::onnx::getContribAttentionOps() {
  static constexpr OpEntry entries[] = {
      {"RotaryEmbedding", 1, 4, 4, 1, emitRotaryEmbedding},
      {"GroupQueryAttention", 1, 1, 12, 3, emitGroupQueryAttention},
      {"MultiHeadAttention", 1, 1, 8, 3, emitMultiHeadAttention},
      {"Attention", 1, 2, 6, 2, emitAttention},
  };
  return entries;
}
