//===- PoolOps.cpp - Pooling and transposed convolution -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "PoolOps.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// The attributes of a pool op, empty after an error.
static SmallVector<NamedAttribute> readPool(NodeEmitter &e) {
  int64_t spatial = e.getRank(0) - 2;
  if (spatial < 1 || spatial > 3)
    e.fail("input has rank " + Twine(spatial + 2) + ", expected 3 to 5");
  if (!e.hasAttr("kernel_shape"))
    e.fail("attribute 'kernel_shape' is missing");
  if (e.failed())
    return {};
  SmallVector<int64_t> kernel = getPerDimension(e, "kernel_shape", spatial, 1, 1);
  Window window = readWindow(e, spatial);
  SmallVector<NamedAttribute> attributes = {e.attr("kernel", kernel), e.attr("strides", window.strides),
                                            e.attr("pads", window.pads), e.attr("dilations", window.dilations)};
  if (e.getInt("ceil_mode", 0))
    attributes.push_back(e.attr("ceil_mode", UnitAttr::get(e.getContext())));
  if (window.isSame())
    attributes.push_back(e.attr("auto_pad", StringAttr::get(e.getContext(), StringRef(window.autoPad).lower())));
  return attributes;
}

static void emitMaxPool(NodeEmitter &e) {
  SmallVector<NamedAttribute> attributes = readPool(e);
  if (e.getInt("storage_order", 0) && e.wants(1))
    return e.fail("indices in column-major order are not supported");
  Value x = e.getTensor(0);
  e.setResult(0, e.create<graph::MaxPoolOp>(x, attributes));
  if (e.wants(1))
    e.setResult(1, e.create<graph::MaxPoolIndicesOp>(x, attributes));
}

static void emitAveragePool(NodeEmitter &e) {
  SmallVector<NamedAttribute> attributes = readPool(e);
  if (e.getInt("count_include_pad", 0))
    attributes.push_back(e.attr("count_include_pad", UnitAttr::get(e.getContext())));
  e.setResult(0, e.create<graph::AvgPoolOp>(e.getTensor(0), attributes));
}

static void emitLpPool(NodeEmitter &e) {
  SmallVector<NamedAttribute> attributes = readPool(e);
  attributes.push_back(e.attr("p", e.getInt("p", 2)));
  e.setResult(0, e.create<graph::LpPoolOp>(e.getTensor(0), attributes));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// Pads from the extents that the result must have, or from auto_pad.
static void fitPads(NodeEmitter &e, ArrayRef<SymExpr> input, ArrayRef<int64_t> kernel, ArrayRef<int64_t> outputPadding,
                    Window &window) {
  int64_t spatial = kernel.size();
  SmallVector<int64_t> wanted;
  if (e.hasAttr("output_shape"))
    wanted = getPerDimension(e, "output_shape", spatial, 0, 0);
  if (wanted.empty() && !window.isSame())
    return;
  for (int64_t dim = 0; dim < spatial && !e.failed(); ++dim) {
    int64_t reach = window.dilations[dim] * (kernel[dim] - 1) + 1, stride = window.strides[dim];
    SymExpr total = e.constant(reach + outputPadding[dim] - stride) + input[dim] * stride -
                    (wanted.empty() ? input[dim] * stride : e.constant(wanted[dim]));
    std::optional<int64_t> constant = total ? total.getConstant() : std::nullopt;
    if (!constant)
      return e.fail("attribute 'output_shape' needs constant extents, got " + Twine(input[dim].str()));
    // The odd one goes to the end for SAME_UPPER, else to the beginning.
    int64_t small = *constant >= 0 ? *constant / 2 : -((-*constant + 1) / 2), large = *constant - small;
    window.pads[dim] = window.autoPad == "SAME_UPPER" ? small : large;
    window.pads[dim + spatial] = *constant - window.pads[dim];
  }
}

static void emitConvTranspose(NodeEmitter &e) {
  SmallVector<SymExpr> input = e.getDims(0), weight = e.getDims(1);
  int64_t spatial = static_cast<int64_t>(input.size()) - 2;
  if (spatial < 1 || spatial > 3 || weight.size() != input.size())
    return e.fail("input and weight have ranks " + Twine(input.size()) + " and " + Twine(weight.size()) +
                  ", expected the same from 3 to 5");
  SmallVector<int64_t> kernel;
  for (SymExpr dim : ArrayRef(weight).drop_front(2)) {
    std::optional<int64_t> extent = dim.getConstant();
    if (!extent || *extent < 1 || *extent > kMaxWindow)
      return e.fail("the extents of the kernel must be positive constants, got " + Twine(dim.str()));
    kernel.push_back(*extent);
  }
  if (e.hasAttr("kernel_shape") && e.getInts("kernel_shape") != kernel)
    return e.fail("attribute 'kernel_shape' contradicts the shape of the weight");
  Window window = readWindow(e, spatial);
  SmallVector<int64_t> outputPadding = getPerDimension(e, "output_padding", spatial, 0, 0);
  if (e.failed())
    return;
  fitPads(e, ArrayRef(input).drop_front(2), kernel, outputPadding, window);
  Value result = e.create<graph::ConvTransposeOp>(
      {e.getTensor(0), e.getTensor(1)},
      {e.attr("strides", window.strides), e.attr("pads", window.pads), e.attr("dilations", window.dilations),
       e.attr("output_padding", outputPadding), e.attr("groups", e.getInt("group", 1))});
  if (e.has(2)) {
    if (e.getRank(2) != 1)
      return e.fail("the bias has rank " + Twine(e.getRank(2)) + ", expected 1");
    result = e.add(result, e.expandDims(e.getTensor(2), llvm::to_vector(llvm::seq<int64_t>(1, spatial + 1))));
  }
  e.setResult(0, result);
}

ArrayRef<OpEntry> mlir::relax::onnx::getPoolOps() {
  static constexpr OpEntry entries[] = {
      {"MaxPool", 1, 1, 1, 2, emitMaxPool},
      {"AveragePool", 1, 1, 1, 1, emitAveragePool},
      {"LpPool", 2, 1, 1, 1, emitLpPool},
      {"ConvTranspose", 1, 2, 3, 1, emitConvTranspose},
  };
  return entries;
}
