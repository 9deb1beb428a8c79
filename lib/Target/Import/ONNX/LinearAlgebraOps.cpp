//===- LinearAlgebraOps.cpp - Products and convolutions -------------------===//
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

/// Products of two such numbers stay inside 64 bits.
static constexpr int64_t kMaxWindow = int64_t(1) << 30;

namespace {
struct Window {
  SmallVector<int64_t> strides, dilations, pads;
};
} // namespace

/// An attribute with one value per spatial dimension; all `absent` when it is missing.
static SmallVector<int64_t> getPerDimension(NodeEmitter &e, StringRef name, int64_t count, int64_t absent,
                                            int64_t least) {
  SmallVector<int64_t> values = e.getInts(name);
  if (values.empty())
    return SmallVector<int64_t>(count, absent);
  if (static_cast<int64_t>(values.size()) != count)
    e.fail("attribute '" + name + "' has " + Twine(values.size()) + " values, expected " + Twine(count));
  for (int64_t value : values)
    if (value < least || value > kMaxWindow)
      e.fail("attribute '" + name + "' holds " + Twine(value) + ", expected at least " + Twine(least));
  return e.failed() ? SmallVector<int64_t>(count, least) : values;
}

/// Padding before and after one dimension for auto_pad SAME_*: the output has ceildiv(extent, stride) elements.
static std::optional<int64_t> getSamePadding(SymExpr extent, int64_t kernel, int64_t stride) {
  if (stride == 1)
    return kernel - 1;
  std::optional<int64_t> constant = extent.getConstant();
  if (!constant)
    return std::nullopt;
  int64_t outputs = llvm::divideCeil(*constant, stride);
  return std::max<int64_t>((outputs - 1) * stride + kernel - *constant, 0);
}

static Window readWindow(NodeEmitter &e, ArrayRef<SymExpr> spatial, ArrayRef<int64_t> kernel) {
  int64_t count = spatial.size();
  Window window;
  window.strides = getPerDimension(e, "strides", count, 1, 1);
  window.dilations = getPerDimension(e, "dilations", count, 1, 1);
  window.pads = getPerDimension(e, "pads", 2 * count, 0, 0);
  std::string autoPad = e.getString("auto_pad", "NOTSET");
  if (autoPad == "NOTSET")
    return window;
  if (autoPad == "VALID") {
    window.pads.assign(2 * count, 0);
    return window;
  }
  if (autoPad != "SAME_UPPER" && autoPad != "SAME_LOWER") {
    e.fail("attribute 'auto_pad' is '" + printable(autoPad) + "', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER");
    return window;
  }
  for (int64_t i = 0; i < count && !e.failed(); ++i) {
    int64_t reach = window.dilations[i] * (kernel[i] - 1) + 1;
    std::optional<int64_t> total = getSamePadding(spatial[i], reach, window.strides[i]);
    if (!total) {
      e.fail("auto_pad " + Twine(autoPad) + " with stride " + Twine(window.strides[i]) +
             " needs a constant extent, got " + spatial[i].str());
      break;
    }
    int64_t small = *total / 2, large = *total - small;
    window.pads[i] = autoPad == "SAME_UPPER" ? small : large;
    window.pads[i + count] = *total - window.pads[i];
  }
  return window;
}

static void emitConv(NodeEmitter &e) {
  SmallVector<SymExpr> input = e.getDims(0), weight = e.getDims(1);
  if (input.size() < 3 || input.size() != weight.size())
    return e.fail("input and weight have ranks " + Twine(input.size()) + " and " + Twine(weight.size()) +
                  ", expected the same of at least 3");
  SmallVector<int64_t> kernel;
  for (SymExpr dim : ArrayRef(weight).drop_front(2)) {
    std::optional<int64_t> extent = dim.getConstant();
    if (!extent || *extent < 1 || *extent > kMaxWindow)
      return e.fail("the extents of the kernel must be positive constants, got " + Twine(dim.str()));
    kernel.push_back(*extent);
  }
  if (e.hasAttr("kernel_shape") && e.getInts("kernel_shape") != kernel)
    return e.fail("attribute 'kernel_shape' contradicts the shape of the weight");
  Window window = readWindow(e, ArrayRef(input).drop_front(2), kernel);
  Value result =
      e.create<graph::ConvOp>({e.getTensor(0), e.getTensor(1)},
                              {e.attr("strides", window.strides), e.attr("pads", window.pads),
                               e.attr("dilations", window.dilations), e.attr("groups", e.getInt("group", 1))});
  if (e.has(2)) {
    if (e.getRank(2) != 1)
      return e.fail("the bias has rank " + Twine(e.getRank(2)) + ", expected 1");
    SmallVector<SymExpr> bias = e.getDims(2);
    if (!e.failed() && e.getProver().isEqual(bias[0], weight[0]) != sym::Verdict::True)
      return e.fail("the bias has " + Twine(bias[0].str()) + " elements, expected " + weight[0].str());
    result = e.add(result, e.expandDims(e.getTensor(2), llvm::to_vector(llvm::seq<int64_t>(1, kernel.size() + 1))));
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
