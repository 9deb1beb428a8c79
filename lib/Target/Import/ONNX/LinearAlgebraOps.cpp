//===- LinearAlgebraOps.cpp - Products and convolutions -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "Quantization.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

Value mlir::relax::onnx::multiplyMatrices(NodeEmitter &e, Value a, Value b) {
  if (!a || !b || e.failed())
    return {};
  int64_t rankA = cast<RankedTensorType>(a.getType()).getRank(), rankB = cast<RankedTensorType>(b.getType()).getRank();
  if (rankA == 0 || rankB == 0) {
    e.fail("an operand is a scalar");
    return {};
  }
  // A vector is a row on the left and a column on the right; that dimension goes afterwards.
  if (rankA == 1)
    a = e.expandDims(a, {0});
  if (rankB == 1)
    b = e.expandDims(b, {1});
  Value product = e.create<graph::MatmulOp>({a, b});
  if (!product)
    return {};
  int64_t rank = cast<RankedTensorType>(product.getType()).getRank();
  SmallVector<int64_t> added;
  if (rankA == 1)
    added.push_back(rank - 2);
  if (rankB == 1)
    added.push_back(rank - 1);
  return e.squeeze(product, added);
}

static void emitMatMul(NodeEmitter &e) { e.setResult(0, multiplyMatrices(e, e.getTensor(0), e.getTensor(1))); }

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

Value mlir::relax::onnx::convolve(NodeEmitter &e, Value image, Value weights) {
  if (!image || !weights || e.failed())
    return {};
  SmallVector<SymExpr> input = sym::getSymbolicDims(image.getType()), weight = sym::getSymbolicDims(weights.getType());
  if (input.size() < 3 || input.size() != weight.size()) {
    e.fail("input and weight have ranks " + Twine(input.size()) + " and " + Twine(weight.size()) +
           ", expected the same of at least 3");
    return {};
  }
  ArrayRef<SymExpr> kernel = ArrayRef(weight).drop_front(2);
  for (SymExpr dim : kernel)
    if (std::optional<int64_t> extent = dim.getConstant(); extent && (*extent < 1 || *extent > kMaxWindow))
      e.fail("the extents of the kernel must be positive, got " + Twine(*extent));
  if (e.hasAttr("kernel_shape")) {
    SmallVector<int64_t> stated = getPerDimension(e, "kernel_shape", kernel.size(), 1, 1);
    for (auto [dim, extent] : llvm::zip(kernel, stated))
      if (dim.getConstant().value_or(extent) != extent)
        e.fail("attribute 'kernel_shape' contradicts the shape of the weight");
  }
  Window window = readWindow(e, kernel.size());
  SmallVector<NamedAttribute> attributes = {e.attr("strides", window.strides), e.attr("pads", window.pads),
                                            e.attr("dilations", window.dilations),
                                            e.attr("groups", e.getInt("group", 1))};
  if (window.isSame())
    attributes.push_back(e.attr("auto_pad", StringAttr::get(e.getContext(), StringRef(window.autoPad).lower())));
  return e.create<graph::ConvOp>({image, weights}, attributes);
}

static void emitConv(NodeEmitter &e) {
  Value result = convolve(e, e.getTensor(0), e.getTensor(1));
  if (e.has(2)) {
    if (e.getRank(2) != 1)
      return e.fail("the bias has rank " + Twine(e.getRank(2)) + ", expected 1");
    SymExpr bias = e.getDims(2)[0], channels = e.getDims(1)[0];
    if (!e.failed() && e.getProver().isEqual(bias, channels) == sym::Verdict::False)
      return e.fail("the bias has " + Twine(bias.str()) + " elements, expected " + channels.str());
    // One per output channel; run time decides about an extent that is not known to be theirs.
    Value values = e.reshape(e.getTensor(2), {channels});
    result = e.add(result, e.expandDims(values, llvm::to_vector(llvm::seq<int64_t>(1, e.getRank(0) - 1))));
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
