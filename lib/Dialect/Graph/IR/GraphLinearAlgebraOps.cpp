//===- GraphLinearAlgebraOps.cpp - Products -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphWindows.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphLinearAlgebraOps.cpp.inc"

void RelaxDialect::registerLinearAlgebraOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphLinearAlgebraOps.cpp.inc"
      >();
}

FailureOr<RankedTensorType> graph::inferMatmul(TypeInference &inference, Type left, Type right, Type elementType) {
  SmallVector<SymExpr> lhs = sym::getSymbolicDims(left);
  SmallVector<SymExpr> rhs = sym::getSymbolicDims(right);
  if (failed(inference.requireSameElementType(left, right)))
    return failure();
  if (lhs.empty() || rhs.empty())
    return inference.fail("operands are expected to have rank 1 or more, got ", lhs.size(), " and ", rhs.size());
  // A vector has no row or column dimension.
  bool hasRows = lhs.size() > 1, hasColumns = rhs.size() > 1;
  size_t lhsBatch = lhs.size() - 1 - hasRows, rhsBatch = rhs.size() - 1 - hasColumns;
  if (failed(
          inference.requireEqual("dimension " + Twine(rhsBatch) + " of the right operand", rhs[rhsBatch], lhs.back())))
    return failure();
  FailureOr<SmallVector<SymExpr>> dims =
      inference.broadcast({SmallVector<SymExpr>(ArrayRef<SymExpr>(lhs).take_front(lhsBatch)),
                           SmallVector<SymExpr>(ArrayRef<SymExpr>(rhs).take_front(rhsBatch))},
                          "batch dimension");
  if (failed(dims))
    return failure();
  if (hasRows)
    dims->push_back(lhs[lhsBatch]);
  if (hasColumns)
    dims->push_back(rhs.back());
  return inference.makeType(*dims, elementType ? elementType : getElementTypeOrSelf(left));
}

FailureOr<RankedTensorType> MatmulOp::inferType(TypeInference &inference, Adaptor adaptor) {
  return inferMatmul(inference, adaptor.getLhs().getType(), adaptor.getRhs().getType(), nullptr);
}

FailureOr<RankedTensorType> graph::inferConv(TypeInference &inference, Type image, Type kernels,
                                             const WindowAttrs &attrs, int64_t groups, Type elementType,
                                             bool channelsLast) {
  SmallVector<SymExpr> input = sym::getSymbolicDims(image);
  SmallVector<SymExpr> weight = sym::getSymbolicDims(kernels);
  if (failed(inference.requireSameElementType(image, kernels)))
    return failure();
  if (input.size() < 3 || input.size() > 5)
    return inference.fail("input is expected to have rank 3, 4 or 5, got ", input.size());
  if (weight.size() != input.size())
    return inference.fail("weight is expected to have rank ", input.size(), ", got ", weight.size());
  size_t spatial = input.size() - 2;
  if (failed(attrs.verify(inference, spatial)))
    return failure();
  if (groups < 1)
    return inference.fail("groups is expected to be at least 1, got ", groups);
  SymExpr channels = weight[1] ? weight[1] * groups : SymExpr();
  if (weight[1] && !channels)
    return inference.fail("number of channels does not fit 64 bits");
  ImageDims places = ImageDims::get(input.size(), channelsLast);
  if (failed(inference.requireEqual("dimension " + Twine(places.channel) + " of the input", input[places.channel],
                                    channels)))
    return failure();
  if (weight[0] &&
      failed(inference.requireEqual("rest of dimension 0 of the weight divided by groups",
                                    SymExpr::mod(weight[0], inference.constant(groups)), inference.constant(0))))
    return failure();

  SmallVector<SymExpr> dims(input.size());
  dims[0] = input[0];
  dims[places.channel] = weight[0];
  for (size_t i = 0; i != spatial; ++i) {
    size_t dim = places.firstSpatial + i;
    SymExpr extent = input[dim], kernel = weight[i + 2];
    if (!extent || !kernel)
      continue;
    WindowDim window = getWindowDim(attrs, i, extent, kernel);
    if (!window.extent)
      return inference.fail("dimension ", dim, " of the result does not fit 64 bits");
    if (failed(inference.requireLessEqual("dimension " + Twine(dim) + " of the input", inference.constant(0),
                                          window.room)))
      return failure();
    dims[dim] = window.extent;
  }
  return inference.makeType(dims, elementType ? elementType : getElementTypeOrSelf(image));
}

FailureOr<RankedTensorType> ConvOp::inferType(TypeInference &inference, Adaptor adaptor) {
  WindowAttrs attrs{adaptor.getStrides(), adaptor.getPads(), adaptor.getDilations(), adaptor.getAutoPad()};
  return inferConv(inference, adaptor.getInput().getType(), adaptor.getWeight().getType(), attrs, adaptor.getGroups(),
                   nullptr);
}

FailureOr<RankedTensorType> ConvChannelsLastOp::inferType(TypeInference &inference, Adaptor adaptor) {
  WindowAttrs attrs{adaptor.getStrides(), adaptor.getPads(), adaptor.getDilations(), adaptor.getAutoPad()};
  return inferConv(inference, adaptor.getInput().getType(), adaptor.getWeight().getType(), attrs, adaptor.getGroups(),
                   nullptr, /*channelsLast=*/true);
}
