//===- IndexingOps.cpp - Meaning of ops with run-time places --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

/// Positions along one axis, as Python's range(start, end, stride) of the clamped bounds.
static SmallVector<int64_t> getSlicePositions(int64_t extent, int64_t start, int64_t end, int64_t stride) {
  int64_t lowest = stride > 0 ? 0 : -1, highest = stride > 0 ? extent : extent - 1;
  auto clamp = [&](int64_t bound) { return std::max(lowest, std::min(highest, bound < 0 ? bound + extent : bound)); };
  SmallVector<int64_t> positions;
  int64_t position = clamp(start), last = clamp(end);
  while (stride > 0 ? position < last : position > last) {
    positions.push_back(position);
    // The rest of the way is short: no step beyond it can overflow.
    int64_t rest = stride > 0 ? last - position : position - last;
    if (stride > 0 ? stride >= rest : stride <= -rest)
      break;
    position += stride;
  }
  return positions;
}

static LogicalResult interpretDynamicSlice(Frame &frame, DynamicSliceOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  const Tensor &starts = frame.tensor(op.getStarts()), &ends = frame.tensor(op.getEnds());
  const Tensor *strides = op.getStrides() ? &frame.tensor(op.getStrides()) : nullptr;
  SmallVector<SmallVector<int64_t>> positions;
  for (int64_t extent : x.getDims())
    positions.push_back(llvm::to_vector(llvm::seq<int64_t>(0, extent)));
  for (auto [number, axis] : llvm::enumerate(op.getAxes())) {
    int64_t stride = strides ? strides->i(number) : 1;
    if (stride == 0)
      return frame.fail("slice with a stride of 0");
    positions[axis] = getSlicePositions(x.getDim(axis), starts.i(number), ends.i(number), stride);
    frame.bind(op.getBoundSymbols()[number], positions[axis].size());
  }
  SmallVector<int64_t> dims;
  for (const SmallVector<int64_t> &line : positions)
    dims.push_back(line.size());
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from;
    for (auto [dim, value] : llvm::enumerate(index))
      from.push_back(positions[dim][value]);
    result->set(at++, x[x.at(from)]);
  });
  frame.set(op.getResult(), std::move(*result));
  return frame.checkFacts(sym::getScope(op), op.getBoundSymbols());
}

static LogicalResult checkIndex(Frame &frame, int64_t index, int64_t extent) {
  if (index >= 0 && index < extent)
    return success();
  return frame.fail("index is out of range: " + Twine(index) + " of extent " + Twine(extent));
}

static FailureOr<Tensor> interpretTakeAlongAxis(Frame &frame, TakeAlongAxisOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &indices = frame.tensor(op.getIndices());
  int64_t axis = op.getAxis(), at = 0;
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (dim != axis && indices.getDim(dim) > x.getDim(dim))
      return frame.fail("dimension " + Twine(dim) + " of the indices is larger than the operand's");
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), indices.getDims());
  if (failed(result))
    return failure();
  LogicalResult status = forEachIndexOrFail(indices.getDims(), [&](ArrayRef<int64_t> index) -> LogicalResult {
    SmallVector<int64_t> from(index);
    from[axis] = indices.i(at);
    if (failed(checkIndex(frame, from[axis], x.getDim(axis))))
      return failure();
    result->set(at++, x[x.at(from)]);
    return success();
  });
  if (failed(status))
    return failure();
  return result;
}

/// The index tuple at `outer`, checked against the extents from dimension `first` on.
static LogicalResult readTuple(Frame &frame, const Tensor &indices, ArrayRef<int64_t> outer, const Tensor &x,
                               int64_t first, SmallVectorImpl<int64_t> &position) {
  SmallVector<int64_t> place(outer);
  place.push_back(0);
  for (int64_t component = 0; component < indices.getDims().back(); ++component) {
    place.back() = component;
    int64_t index = indices.i(indices.at(place));
    if (failed(checkIndex(frame, index, x.getDim(first + component))))
      return failure();
    position.push_back(index);
  }
  return success();
}

static FailureOr<Tensor> interpretGatherND(Frame &frame, GatherNDOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &indices = frame.tensor(op.getIndices());
  int64_t batch = op.getBatchDims(), outer = indices.getRank() - 1, at = 0;
  for (int64_t dim = 0; dim < batch; ++dim)
    if (indices.getDim(dim) != x.getDim(dim))
      return frame.fail("dimension " + Twine(dim) + " of the indices is not the operand's");
  SmallVector<int64_t> dims(indices.getDims().drop_back());
  llvm::append_range(dims, x.getDims().drop_front(batch + indices.getDims().back()));
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  LogicalResult status = forEachIndexOrFail(dims, [&](ArrayRef<int64_t> index) -> LogicalResult {
    SmallVector<int64_t> from(index.take_front(batch));
    if (failed(readTuple(frame, indices, index.take_front(outer), x, batch, from)))
      return failure();
    llvm::append_range(from, index.drop_front(outer));
    result->set(at++, x[x.at(from)]);
    return success();
  });
  if (failed(status))
    return failure();
  return result;
}

//===- Scattering ---------------------------------------------------------===//

static void update(Tensor &result, int64_t at, StringRef reduction, const Tensor &updates, int64_t from) {
  if (reduction == "none")
    return result.set(at, updates[from]);
  if (result.isFloat()) {
    double a = result.f(at), b = updates.f(from);
    bool isNaN = std::isnan(a) || std::isnan(b);
    if (reduction == "add")
      return result.setFloat(at, a + b);
    if (reduction == "mul")
      return result.setFloat(at, a * b);
    double extreme = reduction == "max" ? std::max(a, b) : std::min(a, b);
    return result.setFloat(at, isNaN ? std::nan("") : extreme);
  }
  auto a = static_cast<uint64_t>(result.i(at)), b = static_cast<uint64_t>(updates.i(from));
  if (reduction == "add")
    return result.setInt(at, static_cast<int64_t>(a + b));
  if (reduction == "mul")
    return result.setInt(at, static_cast<int64_t>(a * b));
  if (reduction == "max" ? updates.order(from) > result.order(at) : updates.order(from) < result.order(at))
    result.setInt(at, updates.i(from));
}

static FailureOr<Tensor> interpretScatterElements(Frame &frame, ScatterElementsOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &indices = frame.tensor(op.getIndices());
  const Tensor &updates = frame.tensor(op.getUpdates());
  int64_t axis = op.getAxis(), at = 0;
  if (indices.getDims() != updates.getDims())
    return frame.fail("indices " + formatShape(indices.getDims()) + " and updates " + formatShape(updates.getDims()) +
                      " differ in shape");
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (dim != axis && indices.getDim(dim) > x.getDim(dim))
      return frame.fail("dimension " + Twine(dim) + " of the indices is larger than the operand's");
  Tensor result = x;
  LogicalResult status = forEachIndexOrFail(indices.getDims(), [&](ArrayRef<int64_t> index) -> LogicalResult {
    SmallVector<int64_t> to(index);
    to[axis] = indices.i(at);
    if (failed(checkIndex(frame, to[axis], x.getDim(axis))))
      return failure();
    update(result, result.at(to), op.getReduction(), updates, at++);
    return success();
  });
  if (failed(status))
    return failure();
  return result;
}

static FailureOr<Tensor> interpretScatterND(Frame &frame, ScatterNDOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &indices = frame.tensor(op.getIndices());
  const Tensor &updates = frame.tensor(op.getUpdates());
  int64_t outer = indices.getRank() - 1, at = 0;
  SmallVector<int64_t> expected(indices.getDims().drop_back());
  llvm::append_range(expected, x.getDims().drop_front(indices.getDims().back()));
  if (updates.getDims() != ArrayRef<int64_t>(expected))
    return frame.fail("updates: expected " + formatShape(expected) + ", actual " + formatShape(updates.getDims()));
  Tensor result = x;
  LogicalResult status = forEachIndexOrFail(updates.getDims(), [&](ArrayRef<int64_t> index) -> LogicalResult {
    SmallVector<int64_t> to;
    if (failed(readTuple(frame, indices, index.take_front(outer), x, 0, to)))
      return failure();
    llvm::append_range(to, index.drop_front(outer));
    update(result, result.at(to), op.getReduction(), updates, at++);
    return success();
  });
  if (failed(status))
    return failure();
  return result;
}

//===- Padding ------------------------------------------------------------===//

/// The element of a line that a place before or behind it shows.
static int64_t getPadSource(StringRef mode, int64_t offset, int64_t extent) {
  if (mode == "edge")
    return std::max<int64_t>(0, std::min(offset, extent - 1));
  int64_t period = mode == "wrap" ? extent : std::max<int64_t>(1, 2 * (extent - 1));
  int64_t rest = ((offset % period) + period) % period;
  return rest < extent ? rest : period - rest;
}

static FailureOr<Tensor> interpretPad(Frame &frame, PadOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  StringRef mode = op.getMode();
  SmallVector<int64_t> dims(x.getDims()), low;
  for (auto [dim, before, after] : llvm::enumerate(getExprs(op.getLow()), getExprs(op.getHigh()))) {
    std::optional<int64_t> first = frame.evaluate(before), last = frame.evaluate(after);
    if (!first || !last || *first < 0 || *last < 0)
      return frame.fail("an amount of axis " + Twine(dim) + " is negative or has no value in 64 bits");
    if (mode != "constant" && dims[dim] == 0 && (*first != 0 || *last != 0))
      return frame.fail("axis " + Twine(dim) + " has no element that could be repeated");
    dims[dim] += *first + *last;
    low.push_back(*first);
  }
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from;
    bool isInside = true;
    for (auto [dim, value] : llvm::enumerate(index)) {
      int64_t offset = value - low[dim], extent = x.getDim(dim);
      isInside &= offset >= 0 && offset < extent;
      from.push_back(mode == "constant" || extent == 0 ? offset : getPadSource(mode, offset, extent));
    }
    if (isInside || mode != "constant")
      result->set(at, x[x.at(from)]);
    else if (op.getValue())
      result->set(at, frame.tensor(op.getValue())[0]);
    ++at;
  });
  return result;
}

void interp::registerIndexingOps(OpTable &table) {
  table.add(interpretDynamicSlice);
  table.add(interpretTakeAlongAxis);
  table.add(interpretGatherND);
  table.add(interpretScatterElements);
  table.add(interpretScatterND);
  table.add(interpretPad);
}
