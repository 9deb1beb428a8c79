//===- ScatterOps.cpp - Writing elements at indices -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "OpTable.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "Windows.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

static NamedAttribute readReduction(NodeEmitter &e) {
  std::string reduction = e.getString("reduction", "none");
  if (!llvm::is_contained({"none", "add", "mul", "max", "min"}, reduction))
    e.fail("attribute 'reduction' is '" + printable(reduction) + "', expected none, add, mul, max or min");
  return stringAttr(e, "reduction", reduction);
}

static void emitScatterElements(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t axis = e.normalizeAxis(e.getInt("axis", 0), dims.size());
  NamedAttribute reduction = readReduction(e);
  if (e.failed())
    return;
  Value indices = wrapIndices(e, e.getTensor(1), dims[axis]);
  e.setResult(0, e.create<graph::ScatterElementsOp>({e.getTensor(0), indices, e.getTensor(2)},
                                                    {e.attr("axis", axis), reduction}));
}

static void emitScatterND(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0), indexDims = e.getDims(1);
  NamedAttribute reduction = readReduction(e);
  std::optional<int64_t> length = indexDims.empty() ? std::nullopt : indexDims.back().getConstant();
  if (!length)
    return e.fail("the last dimension of the indices must be constant");
  if (*length < 1 || *length > static_cast<int64_t>(dims.size()))
    return e.fail("indices of " + Twine(*length) + " entries do not fit data of rank " + Twine(dims.size()));
  Value indices = wrapIndices(e, e.getTensor(1), ArrayRef(dims).take_front(*length));
  e.setResult(0, e.create<graph::ScatterNDOp>({e.getTensor(0), indices, e.getTensor(2)}, reduction));
}

/// Zeros of the element type of input 0.
static Value makeZeros(NodeEmitter &e, ArrayRef<SymExpr> dims) {
  return e.failed() ? Value() : e.full(dims, e.getImporter().getBuilder().getZeroAttr(e.getType(0).getElementType()));
}

//===----------------------------------------------------------------------===//
// MaxUnpool
//===----------------------------------------------------------------------===//

/// The indices count in the shape that the attributes give; a larger one has zeros behind that.
static void emitMaxUnpool(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  int64_t spatial = static_cast<int64_t>(dims.size()) - 2;
  if (spatial < 1 || spatial > 3)
    return e.fail("input has rank " + Twine(spatial + 2) + ", expected 3 to 5");
  if (!e.hasAttr("kernel_shape"))
    return e.fail("attribute 'kernel_shape' is missing");
  SmallVector<int64_t> kernel = getPerDimension(e, "kernel_shape", spatial, 1, 1);
  Window window = readWindow(e, spatial);
  SmallVector<SymExpr> own = dims;
  for (int64_t dim = 0; dim < spatial && !e.failed(); ++dim)
    own[dim + 2] =
        (dims[dim + 2] - 1) * window.strides[dim] + kernel[dim] - window.pads[dim] - window.pads[dim + spatial];
  SymExpr total = e.product(own), count = e.product(dims);
  Value indices = e.reshape(e.cast(e.getTensor(1), e.getI64()), {count});
  Value flat = e.create<graph::ScatterElementsOp>({makeZeros(e, {total}), indices, e.reshape(e.getTensor(0), {count})},
                                                  {e.attr("axis", int64_t(0)), stringAttr(e, "reduction", "none")});
  Value result = e.reshape(flat, own);
  if (e.has(2)) {
    Elements target = e.requireExtents(2, "output_shape");
    if (!e.failed() && target.size() != dims.size())
      e.fail("output_shape has " + Twine(target.size()) + " entries, expected " + Twine(dims.size()));
    if (e.failed())
      return;
    SmallVector<SymExpr> low(dims.size(), e.constant(0)), high;
    for (auto [wanted, extent] : llvm::zip(target, own))
      high.push_back(wanted - extent);
    SmallVector<SymExpr> all(target);
    llvm::append_range(all, own);
    result = createSegmented<graph::PadOp>(
        e, 1, {result, showSymbols(e, result, all), Value()},
        {exprsAttr(e, "low", low), exprsAttr(e, "high", high), stringAttr(e, "mode", "constant")})[0];
    result = checkDims(e, result, target);
  }
  e.setResult(0, result);
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

/// Input (batch, channels * block, places): every element is added where its block puts it in the padded image.
static void emitCol2Im(NodeEmitter &e) {
  SmallVector<SymExpr> dims = e.getDims(0);
  Elements image = e.requireExtents(1, "image_shape"), block = e.requireExtents(2, "block_shape");
  int64_t spatial = image.size();
  if (!e.failed() && (dims.size() != 3 || spatial < 1 || block.size() != image.size()))
    e.fail("the input must have rank 3, image_shape and block_shape the same length");
  if (e.failed())
    return;
  Window window = readWindow(e, spatial);
  SymExpr one = e.constant(1), size = e.product(block);
  SymExpr channels = size ? SymExpr::floordiv(dims[1], size) : SymExpr();
  SmallVector<SymExpr> padded, places;
  for (int64_t dim = 0; dim < spatial && !e.failed(); ++dim) {
    SymExpr extent = image[dim] + window.pads[dim] + window.pads[dim + spatial];
    SymExpr room = extent - (block[dim] - 1) * window.dilations[dim] - 1;
    padded.push_back(extent);
    places.push_back(SymExpr::floordiv(room, e.constant(window.strides[dim])) + 1);
  }
  if (e.failed())
    return;
  // [block..., places...]: the flat position in the padded image.
  SmallVector<SymExpr> grid(block);
  llvm::append_range(grid, places);
  Value position;
  for (int64_t dim = 0; dim < spatial && !e.failed(); ++dim) {
    auto along = [&](int64_t axis, int64_t factor) {
      SmallVector<SymExpr> own(2 * spatial, one);
      own[axis] = grid[axis];
      return e.multiply(e.iota(own, axis), e.makeIntegers({factor}));
    };
    Value at = e.add(along(dim, window.dilations[dim]), along(dim + spatial, window.strides[dim]));
    Value before = position ? e.multiply(position, e.dimScalar(padded[dim], e.getI64())) : Value();
    position = before ? e.add(before, at) : at;
  }
  SymExpr rows = e.product({dims[0], channels}), columns = e.product(grid);
  Value indices = e.broadcastTo(e.reshape(e.broadcastTo(position, grid), {one, columns}), {rows, columns});
  Value updates = e.reshape(e.getTensor(0), {rows, columns});
  Value flat = e.create<graph::ScatterElementsOp>({makeZeros(e, {rows, e.product(padded)}), indices, updates},
                                                  {e.attr("axis", int64_t(1)), stringAttr(e, "reduction", "add")});
  SmallVector<SymExpr> full = {dims[0], channels};
  llvm::append_range(full, padded);
  Value result = e.reshape(flat, full);
  SmallVector<NodeEmitter::Range> ranges;
  for (int64_t dim = 0; dim < spatial; ++dim)
    if (image[dim] != padded[dim])
      ranges.push_back({dim + 2, e.constant(window.pads[dim]), image[dim] + window.pads[dim]});
  e.setResult(0, ranges.empty() ? result : e.slice(result, ranges));
}

ArrayRef<OpEntry> mlir::relax::onnx::getScatterOps() {
  static constexpr OpEntry entries[] = {
      {"Scatter", 9, 3, 3, 1, emitScatterElements}, {"ScatterElements", 11, 3, 3, 1, emitScatterElements},
      {"ScatterND", 11, 3, 3, 1, emitScatterND},    {"MaxUnpool", 9, 2, 3, 1, emitMaxUnpool},
      {"Col2Im", 18, 3, 3, 1, emitCol2Im},
  };
  return entries;
}
