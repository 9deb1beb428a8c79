//===- LossOps.cpp - Losses of classification -----------------------------===//
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

/// -scores[n, target[n, d], d] with weights and a target that is ignored; `scores` are log-probabilities [N, C, d...].
static Value computeLoss(NodeEmitter &e, Value scores, bool hasWeights) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t rank = dims.size();
  std::string reduction = e.getString("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    e.fail("attribute 'reduction' is '" + printable(reduction) + "', expected none, sum or mean");
  if (rank < 2 || e.getRank(1) != rank - 1)
    e.fail("the ranks of scores and targets are " + Twine(rank) + " and " + Twine(e.getRank(1)) +
           ", expected at least 2 and one less");
  if (e.failed())
    return {};
  // A target is found by comparison with the positions of the classes: an ignored one may be any number.
  Value target = e.expandDims(e.cast(e.getTensor(1), e.getI64()), {1});
  SmallVector<SymExpr> classDims(rank, e.constant(1));
  classDims[1] = dims[1];
  Value isTarget = e.create<graph::EqualOp>({target, e.iota(classDims, 1)});
  if (e.hasAttr("ignore_index")) {
    int64_t ignored = e.getInt("ignore_index", 0);
    Value kept = e.create<graph::NotEqualOp>({target, e.makeIntegers({ignored})});
    isTarget = e.create<graph::LogicalAndOp>({isTarget, kept});
  }
  Value zero = e.makeScalarLike(0, scores);
  Value weights = hasWeights ? e.reshape(e.getTensor(2), classDims) : e.makeScalarLike(1, scores);
  Value chosenWeights = e.select(isTarget, weights, zero);
  Value loss = e.create<graph::NegateOp>(e.select(isTarget, e.multiply(scores, weights), zero));
  loss = e.reduceSum(loss, {1}, /*keepdims=*/false);
  if (reduction == "none")
    return loss;
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(rank - 1));
  Value sum = e.reduceSum(loss, all, /*keepdims=*/false);
  if (reduction == "sum")
    return sum;
  all.push_back(rank - 1);
  return e.divide(sum, e.reduceSum(chosenWeights, all, /*keepdims=*/false));
}

static void emitNegativeLogLikelihoodLoss(NodeEmitter &e) { e.setResult(0, computeLoss(e, e.getTensor(0), e.has(2))); }

static void emitSoftmaxCrossEntropyLoss(NodeEmitter &e) {
  Value scores = e.getTensor(0);
  if (e.getRank(0) < 2)
    return e.fail("scores have rank " + Twine(e.getRank(0)) + ", expected at least 2");
  Value shifted = e.subtract(scores, e.reduceMax(scores, {1}, /*keepdims=*/true));
  Value sum = e.reduceSum(e.create<graph::ExpOp>(shifted), {1}, /*keepdims=*/true);
  Value logarithms = e.subtract(shifted, e.create<graph::LogOp>(sum));
  e.setResult(0, computeLoss(e, logarithms, e.has(2)));
  e.setResult(1, logarithms);
}

ArrayRef<OpEntry> mlir::relax::onnx::getLossOps() {
  static constexpr OpEntry entries[] = {
      {"NegativeLogLikelihoodLoss", 12, 2, 3, 1, emitNegativeLogLikelihoodLoss},
      {"SoftmaxCrossEntropyLoss", 12, 2, 3, 2, emitSoftmaxCrossEntropyLoss},
  };
  return entries;
}
