//===- CacheOps.cpp - Operators with a state ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// Each place of the cache takes the update that is written there, if any: no scatter is needed.
static void emitTensorScatter(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0), updateDims = e.getDims(1);
  int64_t rank = dims.size(), axis = e.normalizeAxis(e.getInt("axis", -2), rank);
  std::string mode = e.getString("mode", "linear");
  if (mode != "linear" && mode != "circular")
    e.fail("attribute 'mode' is '" + printable(mode) + "', expected linear or circular");
  if (!e.failed() && (static_cast<int64_t>(updateDims.size()) != rank || axis == 0))
    e.fail("cache and update must have the same rank and an axis after the batch");
  if (e.failed())
    return;
  SmallVector<SymExpr> batchDims(rank, e.constant(1)), placeDims = batchDims;
  batchDims[0] = dims[0];
  placeDims[axis] = dims[axis];
  Value first = e.has(2) ? e.reshape(e.cast(e.getTensor(2), e.getI64()), batchDims) : e.makeScalar(0, e.getI64());
  // Which element of the update comes here: out of its range where none does.
  Value source = e.subtract(e.iota(placeDims, axis), first);
  if (mode == "circular")
    source = e.create<graph::ModOp>({source, e.dimScalar(dims[axis], e.getI64())});
  Value zero = e.makeScalar(0, e.getI64()), length = e.dimScalar(updateDims[axis], e.getI64());
  Value isWritten = e.create<graph::LogicalAndOp>(
      {e.create<graph::GreaterEqualOp>({source, zero}), e.create<graph::LessOp>({source, length})});
  // The update is read at [batch, ..., source, ...]: as rows of a table that the batch and the axis choose.
  SmallVector<int64_t> permutation = {0, axis}, inverse(rank);
  for (int64_t dim = 1; dim < rank; ++dim)
    if (dim != axis)
      permutation.push_back(dim);
  for (auto [index, dim] : llvm::enumerate(permutation))
    inverse[dim] = index;
  SmallVector<SymExpr> rest;
  for (int64_t dim : ArrayRef(permutation).drop_front(2))
    rest.push_back(dims[dim]);
  SymExpr width = e.product(rest), rows = updateDims[0] * updateDims[axis];
  if (!width || !rows)
    return e.fail("the number of elements does not fit 64 bits");
  // One more row stands for what is not written.
  Value table = e.reshape(e.permute(e.getTensor(1), permutation), {rows, width});
  table = e.concat({table, e.broadcastTo(e.makeScalarLike(0, table), {e.constant(1), width})}, 0);
  SymExpr one = e.constant(1);
  Value batch = e.multiply(e.iota({dims[0], one}, 0), length);
  Value row = e.add(batch, e.reshape(e.select(isWritten, source, zero), {e.has(2) ? dims[0] : one, dims[axis]}));
  Value mask = e.reshape(isWritten, {e.has(2) ? dims[0] : one, dims[axis]});
  row = e.select(mask, row, e.dimScalar(rows, e.getI64()));
  Value taken = e.create<graph::TakeOp>({table, row}, e.attr("axis", int64_t(0)));
  SmallVector<SymExpr> takenDims = {dims[0], dims[axis]};
  takenDims.append(rest);
  taken = e.permute(e.reshape(taken, takenDims), inverse);
  e.setResult(0, e.select(isWritten, taken, e.getTensor(0)));
}

/// A depthwise convolution over what came before and what comes now.
static void emitCausalConvWithState(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0), weight = e.getDims(1);
  std::string activation = e.getString("activation", "none");
  if (dims.size() != 3 || weight.size() != 3)
    return e.fail("input and weight have ranks " + Twine(dims.size()) + " and " + Twine(weight.size()) +
                  ", expected 3");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return e.fail("attribute 'activation' is '" + printable(activation) + "', expected none, silu or swish");
  SymExpr kept = weight[2] - 1, one = e.constant(1);
  Value x = e.getTensor(0), kernel = e.getTensor(1), result;
  SmallVector<SymExpr> stateDims = {dims[0], dims[1], e.maximum(e.constant(0), kept)};
  Value state = e.has(3) ? e.getTensor(3) : e.broadcastTo(e.makeScalarLike(0, x), stateDims);
  Value padded = e.reshape(e.concat({state, x}, 2), {dims[0], dims[1], dims[2] + kept});
  Type type = e.getType(0).getElementType(), wide = type.getIntOrFloatBitWidth() < 32 ? e.getF32() : type;
  Value given = padded;
  padded = e.cast(padded, wide);
  kernel = e.cast(kernel, wide);
  std::optional<int64_t> size = weight[2].getConstant();
  if (size && *size >= 1 && *size <= 64) {
    for (int64_t shift = 0; shift < *size; ++shift) {
      Value part = e.slice(padded, NodeEmitter::Range{2, e.constant(shift), dims[2] + shift});
      Value factor = e.slice(kernel, NodeEmitter::Range{2, e.constant(shift), e.constant(shift + 1)});
      part = e.multiply(part, e.reshape(factor, {weight[0], one}));
      result = result ? e.add(result, part) : part;
    }
  } else {
    // Windows side by side: [batch, channel, position, kernel].
    Value index = e.add(e.iota({dims[2], one}, 0), e.iota({one, weight[2]}, 1));
    Value windows = e.create<graph::TakeOp>({padded, index}, e.attr("axis", int64_t(2)));
    result = e.reduceSum(e.multiply(windows, e.reshape(kernel, {weight[0], one, weight[2]})), {3}, /*keepdims=*/false);
  }
  if (e.has(2))
    result = e.add(result, e.cast(e.reshape(e.getTensor(2), {weight[0], one}), wide));
  if (activation != "none")
    result = e.multiply(result, e.create<graph::SigmoidOp>(result));
  e.setResult(0, e.reshape(e.cast(result, type), dims));
  if (e.wants(1))
    e.setResult(1, e.slice(given, NodeEmitter::Range{2, dims[2], dims[2] + kept}));
}

ArrayRef<OpEntry> mlir::relax::onnx::getCacheOps() {
  static constexpr OpEntry entries[] = {
      {"TensorScatter", 24, 2, 3, 1, emitTensorScatter},
      {"CausalConvWithState", 27, 2, 4, 2, emitCausalConvWithState},
  };
  return entries;
}
