//===- GraphPoolOps.cpp - Pooling, transposed convolution -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h"
#include "GraphFamilies.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// Spatial extents of an operand (batch, channel, spatial...).
static FailureOr<SmallVector<SymExpr>> getSpatial(TypeInference &inference, StringRef name, Value operand) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType());
  if (dims.size() < 3 || dims.size() > 5)
    return inference.fail(name, " is expected to have rank 3, 4 or 5, got ", dims.size());
  return dims;
}

namespace mlir::relax::graph {
/// Spatial extents become the given ones.
static FailureOr<RankedTensorType> inferAdaptivePool(TypeInference &inference, Value operand, ArrayRef<int64_t> sizes) {
  FailureOr<SmallVector<SymExpr>> dims = getSpatial(inference, "operand", operand);
  if (failed(dims) || failed(verifyEntries(inference, "output_size", sizes, dims->size() - 2, 1)))
    return failure();
  for (auto [index, size] : llvm::enumerate(sizes))
    (*dims)[index + 2] = inference.constant(size);
  return inference.makeType(*dims, getElementTypeOrSelf(operand.getType()));
}
} // namespace mlir::relax::graph

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.cpp.inc"

void graph::addPoolOps(Dialect &dialect) {
  addFamily<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.cpp.inc"
      >(dialect);
}

template <typename Adaptor>
static FailureOr<RankedTensorType> inferPool(TypeInference &inference, Adaptor adaptor, Type elementType) {
  Value operand = adaptor.getOperand();
  FailureOr<SmallVector<SymExpr>> dims = getSpatial(inference, "operand", operand);
  if (failed(dims))
    return failure();
  size_t spatial = dims->size() - 2;
  WindowAttrs attrs{adaptor.getStrides(), adaptor.getPads(), adaptor.getDilations(), adaptor.getAutoPad(),
                    adaptor.getCeilMode()};
  ArrayRef<int64_t> kernel = adaptor.getKernel();
  if (failed(verifyEntries(inference, "kernel", kernel, spatial, 1)) || failed(attrs.verify(inference, spatial)))
    return failure();
  for (size_t i = 0; i != spatial; ++i) {
    int64_t covered, steps;
    if (llvm::MulOverflow(kernel[i] - 1, attrs.dilations[i], steps) || llvm::AddOverflow(steps, int64_t(1), covered))
      return inference.fail("kernel with its dilation does not fit 64 bits");
    for (int64_t pad : {attrs.pads[i], attrs.pads[spatial + i]})
      if (pad >= covered)
        return inference.fail("pads are expected to be less than ", covered, ", which the window covers, got ", pad);
    SymExpr &extent = (*dims)[i + 2];
    if (!extent)
      continue;
    WindowDim window = getWindowDim(attrs, i, extent, inference.constant(kernel[i]));
    if (!window.extent)
      return inference.fail("dimension ", i + 2, " of the result does not fit 64 bits");
    if (failed(inference.requireLessEqual("dimension " + Twine(i + 2) + " of the operand", inference.constant(0),
                                          window.room)))
      return failure();
    extent = window.extent;
  }
  return inference.makeType(*dims, elementType ? elementType : getElementTypeOrSelf(operand.getType()));
}

FailureOr<RankedTensorType> MaxPoolOp::inferType(TypeInference &inference, Adaptor adaptor) {
  return inferPool(inference, adaptor, nullptr);
}

FailureOr<RankedTensorType> MaxPoolIndicesOp::inferType(TypeInference &inference, Adaptor adaptor) {
  return inferPool(inference, adaptor, IntegerType::get(inference.getContext(), 64));
}

FailureOr<RankedTensorType> AvgPoolOp::inferType(TypeInference &inference, Adaptor adaptor) {
  return inferPool(inference, adaptor, nullptr);
}

FailureOr<RankedTensorType> LpPoolOp::inferType(TypeInference &inference, Adaptor adaptor) {
  if (static_cast<int64_t>(adaptor.getP()) < 1)
    return inference.fail("p is expected to be at least 1, got ", static_cast<int64_t>(adaptor.getP()));
  return inferPool(inference, adaptor, nullptr);
}

FailureOr<RankedTensorType> ConvTransposeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  FailureOr<SmallVector<SymExpr>> input = getSpatial(inference, "input", adaptor.getInput());
  if (failed(input) ||
      failed(inference.requireSameElementType(adaptor.getInput().getType(), adaptor.getWeight().getType())))
    return failure();
  SmallVector<SymExpr> weight = sym::getSymbolicDims(adaptor.getWeight().getType());
  if (weight.size() != input->size())
    return inference.fail("weight is expected to have rank ", input->size(), ", got ", weight.size());
  size_t spatial = input->size() - 2;
  ArrayRef<int64_t> strides = adaptor.getStrides(), pads = adaptor.getPads(), dilations = adaptor.getDilations(),
                    outputPadding = adaptor.getOutputPadding();
  int64_t groups = adaptor.getGroups();
  if (failed(verifyEntries(inference, "strides", strides, spatial, 1)) ||
      failed(verifyEntries(inference, "pads", pads, 2 * spatial, std::numeric_limits<int64_t>::min())) ||
      failed(verifyEntries(inference, "dilations", dilations, spatial, 1)) ||
      failed(verifyEntries(inference, "output_padding", outputPadding, spatial, 0)))
    return failure();
  if (groups < 1)
    return inference.fail("groups is expected to be at least 1, got ", groups);
  if (failed(inference.requireEqual("dimension 0 of the weight", weight[0], (*input)[1])))
    return failure();
  if ((*input)[1] &&
      failed(inference.requireEqual("rest of dimension 1 of the input divided by groups",
                                    SymExpr::mod((*input)[1], inference.constant(groups)), inference.constant(0))))
    return failure();

  SmallVector<SymExpr> dims = {(*input)[0], weight[1] ? weight[1] * groups : SymExpr()};
  if (weight[1] && !dims[1])
    return inference.fail("number of channels does not fit 64 bits");
  for (size_t i = 0; i != spatial; ++i) {
    SymExpr extent = (*input)[i + 2], kernel = weight[i + 2];
    if (!extent || !kernel) {
      dims.emplace_back();
      continue;
    }
    SymExpr result =
        (extent - 1) * strides[i] + (kernel - 1) * dilations[i] + 1 + outputPadding[i] - pads[i] - pads[spatial + i];
    if (!result)
      return inference.fail("dimension ", i + 2, " of the result does not fit 64 bits");
    if (failed(
            inference.requireLessEqual("dimension " + Twine(i + 2) + " of the result", inference.constant(0), result)))
      return failure();
    dims.push_back(result);
  }
  return inference.makeType(dims, getElementTypeOrSelf(adaptor.getInput().getType()));
}
