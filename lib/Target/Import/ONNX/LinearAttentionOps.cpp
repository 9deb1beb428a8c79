//===- LinearAttentionOps.cpp - Attention with a state --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "Loops.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// [batch, steps, heads * size] as [batch, heads, steps, size] in f32, whatever the size is.
static Value unpack(NodeEmitter &e, unsigned index, SymExpr heads) {
  SmallVector<SymExpr> dims = e.getDims(index);
  if (e.failed())
    return {};
  if (dims.size() != 3) {
    e.fail("input " + Twine(index) + " has rank " + Twine(dims.size()) + ", expected 3");
    return {};
  }
  SymExpr size = heads.getConstant() ? e.divideExactly(dims[2], *heads.getConstant()) : e.constant(1);
  Value x = e.cast(e.getTensor(index), e.getF32());
  return e.permute(e.reshape(x, {dims[0], dims[1], heads, size}), {0, 2, 1, 3});
}

/// Steps one after the other: the state [batch, heads, key size, value size] decays, takes a product of key and value
/// in, and is read by the query.
static void emitLinearAttention(NodeEmitter &e) {
  int64_t queryHeads = e.getInt("q_num_heads", 0), heads = e.getInt("kv_num_heads", 0);
  std::string rule = e.getString("update_rule", "gated_delta");
  e.ignoreAttr("chunk_size"); // a hint
  float scale = e.getFloat("scale", 0);
  bool isGated = rule == "gated" || rule == "gated_delta", isDelta = rule == "delta" || rule == "gated_delta";
  if (!isGated && !isDelta && rule != "linear")
    return e.fail("attribute 'update_rule' is '" + printable(rule) + "', expected linear, gated, delta or gated_delta");
  if (heads < 1 || queryHeads < 1 || queryHeads % heads)
    return e.fail("q_num_heads is " + Twine(queryHeads) + ", expected a positive multiple of kv_num_heads, " +
                  Twine(heads));
  if (isGated != e.has(4) || isDelta != e.has(5))
    return e.fail("the inputs decay and beta do not fit update_rule '" + rule + "'");
  Value query = unpack(e, 0, e.constant(queryHeads)), key = unpack(e, 1, e.constant(heads)),
        value = unpack(e, 2, e.constant(heads));
  Value decay = isGated ? unpack(e, 4, e.constant(heads)) : Value(), beta;
  if (isDelta) { // one per head or one for all
    SmallVector<SymExpr> dims = e.getDims(5);
    if (dims.size() != 3)
      return e.fail("input 5 has rank " + Twine(dims.size()) + ", expected 3");
    beta = e.expandDims(e.permute(e.cast(e.getTensor(5), e.getF32()), {0, 2, 1}), {3});
  }
  if (e.failed())
    return;
  SmallVector<SymExpr> queryDims = sym::getSymbolicDims(query.getType()),
                       valueDims = sym::getSymbolicDims(value.getType());
  SymExpr batch = queryDims[0], steps = queryDims[2], keySize = queryDims[3], valueSize = valueDims[3],
          one = e.constant(1);
  SmallVector<SymExpr> stateDims = {batch, e.constant(heads), keySize, valueSize};
  Value state = e.has(3) ? checkDims(e, e.cast(e.getTensor(3), e.getF32()), stateDims)
                         : e.broadcastTo(e.makeScalar(0, e.getF32()), stateDims);
  // [batch, heads, queries of a head, steps, size]
  query = e.reshape(query, {batch, e.constant(heads), e.constant(queryHeads / heads), steps, keySize});
  SmallVector<SymExpr> outputDims = {batch, e.constant(heads), e.constant(queryHeads / heads), steps, valueSize};
  Value output = e.broadcastTo(e.makeScalar(0, e.getF32()), outputDims);
  Value positions = e.iota({one, one, one, steps, one}, 3);
  SmallVector<Value> results = repeat(e, steps, {state, output}, [&](Value position, ArrayRef<Value> carried) {
    auto at = [&](Value x, int64_t axis) { return e.create<graph::TakeOp>({x, position}, e.attr("axis", axis)); };
    Value now = carried[0], k = e.expandDims(at(key, 2), {3}), v = e.expandDims(at(value, 2), {2});
    if (isGated)
      now = e.multiply(now, e.expandDims(e.create<graph::ExpOp>(at(decay, 2)), {3}));
    if (isDelta) {
      Value known = e.reduceSum(e.multiply(now, k), {2}, /*keepdims=*/true);
      v = e.multiply(e.expandDims(at(beta, 2), {2}), e.subtract(v, known));
    }
    now = e.add(now, e.multiply(k, v));
    Value read = e.expandDims(e.create<graph::MatmulOp>({at(query, 3), now}), {3});
    Value isNow = e.create<graph::EqualOp>({positions, position});
    return SmallVector<Value>{now, e.select(isNow, read, carried[1])};
  });
  Value factor =
      scale != 0 ? e.makeScalar(scale, e.getF32()) : e.create<graph::RsqrtOp>(e.dimScalar(keySize, e.getF32()));
  Type type = e.getType(0).getElementType();
  Value result = e.permute(e.multiply(results[1], factor), {0, 3, 1, 2, 4});
  result = e.reshape(result, {batch, steps, valueSize * queryHeads});
  e.setResult(0, e.cast(result, type));
  e.setResult(1, e.cast(results[0], e.has(3) ? e.getType(3).getElementType() : type));
}

ArrayRef<OpEntry> mlir::relax::onnx::getLinearAttentionOps() {
  static constexpr OpEntry entries[] = {
      {"LinearAttention", 27, 3, 6, 2, emitLinearAttention},
  };
  return entries;
}
