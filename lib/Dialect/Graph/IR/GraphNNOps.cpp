//===- GraphNNOps.cpp - Softmax, norms, activations -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "GraphFamilies.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.cpp.inc"

void graph::addNNOps(Dialect &dialect) {
  addFamily<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.cpp.inc"
      >(dialect);
}

/// `parameter` has the element type of `operand` and exactly the extents `expected`. An absent one fits.
static LogicalResult requireParameter(TypeInference &inference, StringRef name, Value operand, Value parameter,
                                      ArrayRef<SymExpr> expected) {
  if (!parameter)
    return success();
  if (failed(inference.requireSameElementType(operand.getType(), parameter.getType())))
    return failure();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(parameter.getType());
  if (dims.size() != expected.size())
    return inference.fail(name, " is expected to have rank ", expected.size(), ", got ", dims.size());
  for (auto [dim, actual, wanted] : llvm::enumerate(dims, expected))
    if (failed(inference.requireEqual("dimension " + Twine(dim) + " of the " + name, actual, wanted)))
      return failure();
  return success();
}

/// Axes in range and rising; gives their extents.
static FailureOr<SmallVector<SymExpr>> getAxisExtents(TypeInference &inference, Value operand, ArrayRef<int64_t> axes) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType()), extents;
  if (failed(inference.requireAxes("axes", axes, dims.size())))
    return failure();
  if (!llvm::is_sorted(axes))
    return inference.fail("axes are expected to rise");
  for (int64_t axis : axes)
    extents.push_back(dims[axis]);
  return extents;
}

FailureOr<RankedTensorType> LayerNormOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value operand = adaptor.getOperand();
  FailureOr<SmallVector<SymExpr>> extents = getAxisExtents(inference, operand, adaptor.getAxes());
  if (failed(extents) || failed(requireParameter(inference, "scale", operand, adaptor.getScale(), *extents)) ||
      failed(requireParameter(inference, "bias", operand, adaptor.getBias(), *extents)))
    return failure();
  return cast<RankedTensorType>(operand.getType());
}

FailureOr<RankedTensorType> RMSNormOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value operand = adaptor.getOperand();
  FailureOr<SmallVector<SymExpr>> extents = getAxisExtents(inference, operand, adaptor.getAxes());
  if (failed(extents) || failed(requireParameter(inference, "scale", operand, adaptor.getScale(), *extents)))
    return failure();
  return cast<RankedTensorType>(operand.getType());
}

FailureOr<RankedTensorType> BatchNormOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value operand = adaptor.getOperand();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType());
  if (failed(inference.requireAxis("axis", adaptor.getAxis(), dims.size())))
    return failure();
  SymExpr channels = dims[adaptor.getAxis()];
  if (failed(requireParameter(inference, "scale", operand, adaptor.getScale(), channels)) ||
      failed(requireParameter(inference, "bias", operand, adaptor.getBias(), channels)) ||
      failed(requireParameter(inference, "mean", operand, adaptor.getMean(), channels)) ||
      failed(requireParameter(inference, "variance", operand, adaptor.getVariance(), channels)))
    return failure();
  return cast<RankedTensorType>(operand.getType());
}

/// Extents of an operand with a batch and a channel dimension.
static FailureOr<SmallVector<SymExpr>> getChannelled(TypeInference &inference, Value operand) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType());
  if (dims.size() < 2)
    return inference.fail("operand is expected to have rank 2 or more, got ", dims.size());
  return dims;
}

FailureOr<RankedTensorType> GroupNormOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value operand = adaptor.getOperand();
  FailureOr<SmallVector<SymExpr>> dims = getChannelled(inference, operand);
  if (failed(dims))
    return failure();
  int64_t groups = adaptor.getGroups();
  if (groups < 1)
    return inference.fail("groups is expected to be at least 1, got ", groups);
  SymExpr channels = (*dims)[1];
  if (channels &&
      failed(inference.requireEqual("rest of dimension 1 of the operand divided by groups",
                                    SymExpr::mod(channels, inference.constant(groups)), inference.constant(0))))
    return failure();
  if (failed(requireParameter(inference, "scale", operand, adaptor.getScale(), channels)) ||
      failed(requireParameter(inference, "bias", operand, adaptor.getBias(), channels)))
    return failure();
  return cast<RankedTensorType>(operand.getType());
}

FailureOr<RankedTensorType> InstanceNormOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value operand = adaptor.getOperand();
  FailureOr<SmallVector<SymExpr>> dims = getChannelled(inference, operand);
  if (failed(dims) || failed(requireParameter(inference, "scale", operand, adaptor.getScale(), (*dims)[1])) ||
      failed(requireParameter(inference, "bias", operand, adaptor.getBias(), (*dims)[1])))
    return failure();
  return cast<RankedTensorType>(operand.getType());
}

FailureOr<RankedTensorType> PReluOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value operand = adaptor.getOperand(), slope = adaptor.getSlope();
  if (failed(inference.requireSameElementType(operand.getType(), slope.getType())))
    return failure();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType()), from = sym::getSymbolicDims(slope.getType());
  if (from.size() > dims.size())
    return inference.fail("slope is expected to have rank ", dims.size(), " or less, got ", from.size());
  size_t added = dims.size() - from.size();
  for (auto [dim, extent] : llvm::enumerate(from))
    if (failed(inference.requireBroadcastsTo("dimension " + Twine(dim) + " of the slope", extent, dims[added + dim])))
      return failure();
  return cast<RankedTensorType>(operand.getType());
}
