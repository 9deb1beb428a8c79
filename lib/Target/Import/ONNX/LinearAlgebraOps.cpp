//===- LinearAlgebraOps.cpp - Products and convolutions -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

static void emitMatMul(NodeEmitter &e) {
  Value a = e.getTensor(0), b = e.getTensor(1);
  int64_t rankA = e.getRank(0), rankB = e.getRank(1);
  if (rankA == 0 || rankB == 0)
    return e.fail("an operand is a scalar");
  // A vector is a row on the left and a column on the right; that dimension goes afterwards.
  if (rankA == 1)
    a = e.expandDims(a, {0});
  if (rankB == 1)
    b = e.expandDims(b, {1});
  Value product = e.create<graph::MatmulOp>({a, b});
  if (!product)
    return;
  int64_t rank = cast<RankedTensorType>(product.getType()).getRank();
  SmallVector<int64_t> added;
  if (rankA == 1)
    added.push_back(rank - 2);
  if (rankB == 1)
    added.push_back(rank - 1);
  e.setResult(0, e.squeeze(product, added));
}

static void emitGemm(NodeEmitter &e) {
  Value a = e.getTensor(0), b = e.getTensor(1);
  if (e.getRank(0) != 2 || e.getRank(1) != 2)
    return e.fail("operands have ranks " + Twine(e.getRank(0)) + " and " + Twine(e.getRank(1)) + ", expected 2");
  if (e.getOpset() < 7)
    e.ignoreAttr("broadcast"); // C is broadcast where it fits
  if (e.getInt("transA", 0))
    a = e.permute(a, {1, 0});
  if (e.getInt("transB", 0))
    b = e.permute(b, {1, 0});
  Value result = e.create<graph::MatmulOp>({a, b});
  float alpha = e.getFloat("alpha", 1), beta = e.getFloat("beta", 1);
  if (alpha != 1)
    result = e.multiply(result, e.makeScalarLike(alpha, result));
  if (e.has(2)) {
    Value c = e.getTensor(2);
    // C is broadcast to the product, never the other way round.
    if (c && result)
      c = e.broadcastTo(c, sym::getSymbolicDims(result.getType()));
    if (beta != 1)
      c = e.multiply(c, e.makeScalarLike(beta, c));
    result = e.add(result, c);
  }
  e.setResult(0, result);
}

/// Elements that auto_pad adds along a dimension: the output has ceildiv(extent, stride) elements.
static SymExpr getSamePadding(NodeEmitter &e, SymExpr extent, SymExpr reach, int64_t stride) {
  if (stride == 1)
    return reach - 1;
  SymExpr places = SymExpr::ceildiv(extent, e.constant(stride));
  return places ? e.maximum(e.constant(0), (places - 1) * stride + reach - extent) : SymExpr();
}

/// Puts the padding of auto_pad into the window where it is constant, else around the image.
static Value applySamePadding(NodeEmitter &e, Value image, ArrayRef<SymExpr> kernel, Window &window) {
  if (!image)
    return {};
  int64_t count = kernel.size();
  SmallVector<SymExpr> dims = sym::getSymbolicDims(image.getType());
  for (int64_t index = 0; index < count; ++index) {
    SymExpr reach = (kernel[index] - 1) * window.dilations[index] + 1;
    SymExpr total = getSamePadding(e, dims[index + 2], reach, window.strides[index]);
    if (!total) {
      e.fail("an extent does not fit 64 bits");
      return {};
    }
    SymExpr small = SymExpr::floordiv(total, e.constant(2)), large = total - small;
    SymExpr before = window.autoPad == "SAME_UPPER" ? small : large, after = total - before;
    if (total.getConstant() && kernel[index].getConstant()) {
      window.pads[index] = *before.getConstant();
      window.pads[index + count] = *after.getConstant();
      continue;
    }
    auto makeZeros = [&](SymExpr extent) {
      SmallVector<SymExpr> padDims = sym::getSymbolicDims(image.getType());
      padDims[index + 2] = extent;
      return e.broadcastTo(e.makeScalarLike(0, image), padDims);
    };
    image = e.concat({makeZeros(before), image, makeZeros(after)}, index + 2);
    if (!image)
      return {};
  }
  return image;
}

static void emitConv(NodeEmitter &e) {
  SmallVector<SymExpr> input = e.getDims(0), weight = e.getDims(1);
  if (input.size() < 3 || input.size() != weight.size())
    return e.fail("input and weight have ranks " + Twine(input.size()) + " and " + Twine(weight.size()) +
                  ", expected the same of at least 3");
  ArrayRef<SymExpr> kernel = ArrayRef(weight).drop_front(2);
  for (SymExpr dim : kernel)
    if (std::optional<int64_t> extent = dim.getConstant(); extent && (*extent < 1 || *extent > kMaxWindow))
      return e.fail("the extents of the kernel must be positive, got " + Twine(*extent));
  if (e.hasAttr("kernel_shape")) {
    SmallVector<int64_t> stated = getPerDimension(e, "kernel_shape", kernel.size(), 1, 1);
    for (auto [dim, extent] : llvm::zip(kernel, stated))
      if (dim.getConstant().value_or(extent) != extent)
        return e.fail("attribute 'kernel_shape' contradicts the shape of the weight");
  }
  Window window = readWindow(e, kernel.size());
  Value image = e.getTensor(0);
  if (window.isSame())
    image = applySamePadding(e, image, kernel, window);
  Value result = e.create<graph::ConvOp>(
      {image, e.getTensor(1)}, {e.attr("strides", window.strides), e.attr("pads", window.pads),
                                e.attr("dilations", window.dilations), e.attr("groups", e.getInt("group", 1))});
  if (e.has(2)) {
    if (e.getRank(2) != 1)
      return e.fail("the bias has rank " + Twine(e.getRank(2)) + ", expected 1");
    SmallVector<SymExpr> bias = e.getDims(2);
    if (!e.failed() && e.getProver().isEqual(bias[0], weight[0]) == sym::Verdict::False)
      return e.fail("the bias has " + Twine(bias[0].str()) + " elements, expected " + weight[0].str());
    // One per output channel; run time decides about an extent that is not known to be theirs.
    Value values = e.reshape(e.getTensor(2), {weight[0]});
    result = e.add(result, e.expandDims(values, llvm::to_vector(llvm::seq<int64_t>(1, kernel.size() + 1))));
  }
  e.setResult(0, result);
}

ArrayRef<OpEntry> mlir::relax::onnx::getLinearAlgebraOps() {
  static constexpr OpEntry entries[] = {
      {"MatMul", 1, 2, 2, 1, emitMatMul},
      {"Gemm", 1, 2, 3, 1, emitGemm},
      {"Conv", 1, 2, 3, 1, emitConv},
  };
  return entries;
}
