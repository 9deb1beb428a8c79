//===- PoolOps.cpp - Pooling and transposed convolution -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "PoolOps.h"

#include "Builders.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// An extent that is a little too small for one window: nothing by the formula of the format, which rounds down; one
/// window that reaches beyond the input by its shape inference and in other runtimes, which round to zero. That one is
/// taken where the extent is known; else run time reports it.
static void fitWindow(NodeEmitter &e, int64_t dim, SymExpr extent, int64_t kernel, Window &window) {
  int64_t last = dim + static_cast<int64_t>(window.strides.size());
  int64_t reach = window.dilations[dim] * (kernel - 1) + 1, pads = window.pads[dim] + window.pads[last];
  SymExpr span = extent + (pads - reach), stride = e.constant(window.strides[dim]), one = e.constant(1);
  SymExpr down = span ? SymExpr::floordiv(span, stride) : SymExpr(),
          up = span ? SymExpr::ceildiv(span, stride) : SymExpr();
  if (!down || !up)
    return e.fail("an extent does not fit 64 bits");
  if (std::optional<int64_t> rest = span.getConstant()) {
    if (*rest < 0 && *rest > -window.strides[dim])
      window.pads[last] -= *rest;
    return;
  }
  // The least of the numbers of windows and 1 is the same, however they are rounded.
  SymExpr zero = e.constant(0);
  assertFact(
      e, {SymExpr::max({SymExpr::min({up + 1, one}), zero}), sym::Fact::Op::LessEqual, SymExpr::max({down + 1, zero})},
      "a window of " + Twine(reach) + " does not fit dimension " + Twine(dim + 2) + " of extent " + extent.str() +
          " with pads of " + Twine(pads));
}

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
  bool roundsUp = e.getInt("ceil_mode", 0);
  SmallVector<SymExpr> dims = e.getDims(0);
  for (int64_t dim = 0; dim < spatial && !e.failed() && !roundsUp && !window.isSame(); ++dim)
    fitWindow(e, dim, dims[dim + 2], kernel[dim], window);
  SmallVector<NamedAttribute> attributes = {e.attr("kernel", kernel), e.attr("strides", window.strides),
                                            e.attr("pads", window.pads), e.attr("dilations", window.dilations)};
  if (roundsUp)
    attributes.push_back(e.attr("ceil_mode", UnitAttr::get(e.getContext())));
  if (window.isSame())
    attributes.push_back(e.attr("auto_pad", StringAttr::get(e.getContext(), StringRef(window.autoPad).lower())));
  return attributes;
}

/// Indices into images whose first spatial dimension is the one that runs fastest, from row-major ones.
static Value toColumnMajor(NodeEmitter &e, Value indices) {
  SmallVector<SymExpr> dims = e.getDims(0), extents(llvm::drop_begin(dims, 2));
  Value pixels = e.dimScalar(e.product(extents), e.getI64());
  Value rest = e.create<graph::ModOp>({indices, pixels}), result = e.subtract(indices, rest);
  for (int64_t dim = static_cast<int64_t>(extents.size()) - 1; dim >= 0; --dim) {
    Value extent = e.dimScalar(extents[dim], e.getI64());
    Value step = e.dimScalar(e.product(ArrayRef(extents).take_front(dim)), e.getI64());
    result = e.add(result, e.multiply(e.create<graph::ModOp>({rest, extent}), step));
    rest = e.divide(rest, extent);
  }
  return result;
}

static void emitMaxPool(NodeEmitter &e) {
  SmallVector<NamedAttribute> attributes = readPool(e);
  bool isColumnMajor = e.getInt("storage_order", 0);
  Value x = e.getTensor(0);
  e.setResult(0, e.create<graph::MaxPoolOp>(x, attributes));
  if (!e.wants(1))
    return;
  Value indices = e.create<graph::MaxPoolIndicesOp>(x, attributes);
  e.setResult(1, isColumnMajor ? toColumnMajor(e, indices) : indices);
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

static Value padZeros(NodeEmitter &e, Value x, ArrayRef<SymExpr> low, ArrayRef<SymExpr> high) {
  SmallVector<SymExpr> shown(low);
  shown.append(high.begin(), high.end());
  return createSegmented<graph::PadOp>(
      e, 1, {x, showSymbols(e, x, shown), Value()},
      {exprsAttr(e, "low", low), exprsAttr(e, "high", high), stringAttr(e, "mode", "constant")})[0];
}

/// The whole result before anything is cut off: as the convolution of the flipped kernel with the input between whose
/// elements there are zeros. For kernels whose extents are not known.
static Value convolveTransposed(NodeEmitter &e, const Window &window, ArrayRef<int64_t> outputPadding) {
  SmallVector<SymExpr> input = e.getDims(0), weight = e.getDims(1);
  int64_t rank = input.size(), groups = e.getInt("group", 1);
  SymExpr zero = e.constant(0), one = e.constant(1);
  if (groups < 1)
    e.fail("attribute 'group' is " + Twine(groups) + ", expected at least 1");
  // Zeros behind each element become elements of the dimension; those behind the last one go.
  SmallVector<SymExpr> apart = {input[0], input[1]}, spread = apart;
  SmallVector<SymExpr> low(2, zero), high(2, zero), before(2, zero), after(2, zero);
  SmallVector<NodeEmitter::Range> used;
  for (int64_t dim = 2; dim < rank && !e.failed(); ++dim) {
    int64_t stride = window.strides[dim - 2];
    SymExpr reach = (weight[dim] - 1) * window.dilations[dim - 2], behind = reach + outputPadding[dim - 2];
    if (!reach || !behind || !(input[dim] * stride))
      e.fail("an extent does not fit 64 bits");
    apart.append({input[dim], one});
    spread.push_back(input[dim] * stride);
    low.append(2, zero);
    high.append({zero, e.constant(stride - 1)});
    used.push_back({dim, zero, e.maximum(zero, input[dim] * stride - (stride - 1))});
    before.push_back(reach);
    after.push_back(behind);
  }
  if (e.failed())
    return {};
  Value image = padZeros(e, e.reshape(e.getTensor(0), apart), low, high);
  image = padZeros(e, e.slice(e.reshape(image, spread), used), before, after);
  // [channels, out / groups, ...] to [groups * out / groups, channels / groups, ...]
  SmallVector<int64_t> spatialAxes = llvm::to_vector(llvm::seq<int64_t>(2, rank)), swapped = {0, 2, 1};
  SmallVector<SymExpr> grouped = {e.constant(groups), e.divideExactly(weight[0], groups), weight[1]}, flat;
  for (int64_t dim = 2; dim < rank; ++dim) {
    grouped.push_back(weight[dim]);
    swapped.push_back(dim + 1);
  }
  if (e.failed())
    return {};
  flat = {grouped[0] * weight[1], grouped[1]};
  flat.append(grouped.begin() + 3, grouped.end());
  Value kernel = e.create<graph::FlipOp>(e.getTensor(1), e.attr("axes", spatialAxes));
  kernel = e.reshape(e.permute(e.reshape(kernel, grouped), swapped), flat);
  SmallVector<int64_t> ones(rank - 2, 1), none(2 * (rank - 2), 0);
  return e.create<graph::ConvOp>({image, kernel}, {e.attr("strides", ones), e.attr("pads", none),
                                                   e.attr("dilations", window.dilations), e.attr("groups", groups)});
}

/// Cuts the pads off, or what the wanted extents or auto_pad leave over. Where more is wanted, zeros are added.
static Value cutPads(NodeEmitter &e, const Window &window, Value x) {
  if (!x || e.failed())
    return {};
  SmallVector<SymExpr> dims = sym::getSymbolicDims(x.getType()), input = e.getDims(0);
  int64_t spatial = static_cast<int64_t>(dims.size()) - 2;
  bool isFitted = e.hasAttr("output_shape");
  SmallVector<int64_t> wanted = getPerDimension(e, "output_shape", spatial, 0, 0);
  SymExpr zero = e.constant(0);
  SmallVector<SymExpr> low(2, zero), high(2, zero);
  SmallVector<NodeEmitter::Range> kept;
  for (int64_t dim = 0; dim < spatial && !e.failed(); ++dim) {
    SymExpr extent = dims[dim + 2], start = e.constant(window.pads[dim]), end = extent - window.pads[dim + spatial];
    SymExpr before = zero, after = zero;
    if (isFitted || window.isSame()) {
      SymExpr result = isFitted ? e.constant(wanted[dim]) : input[dim + 2] * window.strides[dim];
      SymExpr total = result ? extent - result : SymExpr();
      SymExpr half = total ? SymExpr::floordiv(total, e.constant(2)) : SymExpr();
      start = half && window.autoPad != "SAME_UPPER" ? total - half : half;
      end = start ? start + result : SymExpr();
      before = start ? e.maximum(zero, -start) : SymExpr();
      after = end ? e.maximum(zero, end - extent) : SymExpr();
    }
    if (!before || !after || !end) {
      e.fail("an extent does not fit 64 bits");
      return {};
    }
    low.push_back(before);
    high.push_back(after);
    kept.push_back({dim + 2, start + before, end + before});
  }
  if (llvm::any_of(low, [&](SymExpr pad) { return pad != zero; }) ||
      llvm::any_of(high, [&](SymExpr pad) { return pad != zero; }))
    x = padZeros(e, x, low, high);
  return e.slice(x, kept);
}

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
  Window window = readWindow(e, spatial);
  SmallVector<int64_t> outputPadding = getPerDimension(e, "output_padding", spatial, 0, 0), kernel;
  SmallVector<int64_t> stated = getPerDimension(e, "kernel_shape", spatial, 0, 0);
  for (auto [dim, wanted] : llvm::zip(ArrayRef(weight).drop_front(2), stated)) {
    std::optional<int64_t> extent = dim.getConstant();
    if (extent && (*extent < 1 || *extent > kMaxWindow))
      e.fail("the extents of the kernel must be positive, got " + Twine(*extent));
    if (extent && wanted && *extent != wanted)
      e.fail("attribute 'kernel_shape' contradicts the shape of the weight");
    if (extent)
      kernel.push_back(*extent);
  }
  if (e.failed())
    return;
  Value result;
  if (kernel.size() == stated.size()) {
    fitPads(e, ArrayRef(input).drop_front(2), kernel, outputPadding, window);
    result = e.create<graph::ConvTransposeOp>(
        {e.getTensor(0), e.getTensor(1)},
        {e.attr("strides", window.strides), e.attr("pads", window.pads), e.attr("dilations", window.dilations),
         e.attr("output_padding", outputPadding), e.attr("groups", e.getInt("group", 1))});
  } else {
    result = cutPads(e, window, convolveTransposed(e, window, outputPadding));
  }
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
