//===- GraphAttentionOps.cpp - Attention and its cache --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include "GraphFamilies.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.cpp.inc"

void graph::addAttentionOps(Dialect &dialect) {
  addFamily<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.cpp.inc"
      >(dialect);
}

static LogicalResult verifyWindow(TypeInference &inference, std::optional<uint64_t> window) {
  if (window && static_cast<int64_t>(*window) < 1)
    return inference.fail("window is expected to be at least 1, got ", static_cast<int64_t>(*window));
  return success();
}

FailureOr<RankedTensorType> AttentionMaskOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims(getShapeDims(adaptor.getShape()));
  if (dims.size() != 2 && dims.size() != 3)
    return inference.fail("shape is expected to have 2 or 3 entries, got ", dims.size());
  if (failed(verifyWindow(inference, adaptor.getWindow())))
    return failure();
  dims.resize(2);
  return inference.makeType(dims, IntegerType::get(inference.getContext(), 1));
}

FailureOr<RankedTensorType> AttentionOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value query = adaptor.getQuery(), key = adaptor.getKey(), value = adaptor.getValue(), mask = adaptor.getMask();
  SmallVector<SymExpr> q = sym::getSymbolicDims(query.getType()), k = sym::getSymbolicDims(key.getType()),
                       v = sym::getSymbolicDims(value.getType());
  if (q.size() != 4 || k.size() != 4 || v.size() != 4)
    return inference.fail("query, key and value are expected to have rank 4, got ", q.size(), ", ", k.size(), " and ",
                          v.size());
  if (failed(inference.requireSameElementType(query.getType(), key.getType())) ||
      failed(inference.requireSameElementType(query.getType(), value.getType())))
    return failure();
  if (failed(inference.requireEqual("dimension 0 of the key", k[0], q[0])) ||
      failed(inference.requireEqual("dimension 0 of the value", v[0], q[0])) ||
      failed(inference.requireEqual("dimension 1 of the value", v[1], k[1])) ||
      failed(inference.requireEqual("dimension 2 of the value", v[2], k[2])) ||
      failed(inference.requireEqual("dimension 3 of the key", k[3], q[3])))
    return failure();
  if (q[1] && k[1] && q[1] != k[1]) {
    // Only positive divisors have a rest: 0 kv heads fit 0 heads.
    SymExpr divisor = SymExpr::max({k[1], inference.constant(1)});
    if (failed(inference.requireEqual("rest of dimension 1 of the query divided by that of the key",
                                      q[1] - SymExpr::floordiv(q[1], divisor) * k[1], inference.constant(0))))
      return failure();
  }
  if (mask) {
    SmallVector<SymExpr> dims = sym::getSymbolicDims(mask.getType()), target = {q[0], q[1], q[2], k[2]};
    Type type = getElementTypeOrSelf(mask.getType());
    if (!type.isInteger(1) && failed(inference.requireSameElementType(query.getType(), mask.getType())))
      return failure();
    if (dims.size() > 4)
      return inference.fail("mask is expected to have rank 4 or less, got ", dims.size());
    for (auto [dim, extent] : llvm::enumerate(dims))
      if (failed(inference.requireBroadcastsTo("dimension " + Twine(dim) + " of the mask", extent,
                                               target[4 - dims.size() + dim])))
        return failure();
  }
  if (failed(verifyWindow(inference, adaptor.getWindow())))
    return failure();
  if (sym::ExprAttr offset = adaptor.getOffsetAttr()) {
    SmallVector<StringRef> known;
    for (Value operand : adaptor.getOperands())
      sym::collectSymbols(operand.getType(), known);
    for (StringRef symbol : offset.getValue().getSymbols())
      if (!llvm::is_contained(known, symbol))
        return inference.fail("offset mentions symbol '", symbol, "', which no operand type mentions");
  }
  return inference.makeType({q[0], q[1], q[2], v[3]}, getElementTypeOrSelf(query.getType()));
}

FailureOr<RankedTensorType> RotaryEmbeddingOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value operand = adaptor.getOperand();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType());
  SmallVector<SymExpr> cos = sym::getSymbolicDims(adaptor.getCos().getType()),
                       sin = sym::getSymbolicDims(adaptor.getSin().getType());
  if (failed(inference.requireSameElementType(operand.getType(), adaptor.getCos().getType())) ||
      failed(inference.requireSameElementType(operand.getType(), adaptor.getSin().getType())))
    return failure();
  if (cos.size() != sin.size())
    return inference.fail("sin is expected to have rank ", cos.size(), ", got ", sin.size());
  if (cos.empty() || cos.size() > dims.size())
    return inference.fail("cos is expected to have rank 1 to ", dims.size(), ", got ", cos.size());
  for (auto [dim, extent] : llvm::enumerate(sin))
    if (failed(inference.requireEqual("dimension " + Twine(dim) + " of sin", extent, cos[dim])))
      return failure();
  size_t added = dims.size() - cos.size();
  for (auto [dim, extent] : llvm::enumerate(ArrayRef<SymExpr>(cos).drop_back()))
    if (failed(inference.requireBroadcastsTo("dimension " + Twine(dim) + " of cos", extent, dims[added + dim])))
      return failure();
  if (cos.back() && failed(inference.requireLessEqual("twice the last dimension of cos", cos.back() * 2, dims.back())))
    return failure();
  return cast<RankedTensorType>(operand.getType());
}

FailureOr<RankedTensorType> CacheUpdateOp::inferType(TypeInference &inference, Adaptor adaptor) {
  auto type = cast<RankedTensorType>(adaptor.getCache().getType());
  SmallVector<SymExpr> cache = sym::getSymbolicDims(type), update = sym::getSymbolicDims(adaptor.getUpdate().getType()),
                       position = sym::getSymbolicDims(adaptor.getPosition().getType());
  if (failed(inference.requireSameElementType(type, adaptor.getUpdate().getType())))
    return failure();
  auto axis = static_cast<int64_t>(adaptor.getAxis());
  if (failed(inference.requireAxis("axis", axis, cache.size())))
    return failure();
  if (update.size() != cache.size())
    return inference.fail("update is expected to have rank ", cache.size(), ", got ", update.size());
  for (auto [dim, extent] : llvm::enumerate(update))
    if (static_cast<int64_t>(dim) != axis &&
        failed(inference.requireEqual("dimension " + Twine(dim) + " of the update", extent, cache[dim])))
      return failure();
  if (update[axis] && cache[axis] &&
      failed(inference.requireLessEqual("dimension " + Twine(axis) + " of the update", update[axis], cache[axis])))
    return failure();
  if (position.size() > (axis == 0 ? 0 : 1))
    return inference.fail("position is expected to have rank ", axis == 0 ? "0" : "0 or 1", ", got ", position.size());
  if (!position.empty() &&
      failed(inference.requireEqual("dimension 0 of the position", position.front(), cache.front())))
    return failure();
  return type;
}
