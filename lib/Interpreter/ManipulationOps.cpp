//===- ManipulationOps.cpp - Meaning of ops that move elements ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

static FailureOr<Tensor> interpretReshape(Frame &frame, ReshapeOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  Shape dims = frame.shape(op.getShape());
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  if (result->size() != x.size())
    return frame.fail("cannot reshape " + formatShape(x.getDims()) + " to " + formatShape(dims));
  return x.reshaped(dims);
}

static FailureOr<Tensor> interpretBroadcastTo(Frame &frame, BroadcastToOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  Shape dims = frame.shape(op.getShape());
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    int64_t target = dims[dims.size() - x.getRank() + dim];
    if (x.getDim(dim) != 1 && x.getDim(dim) != target)
      return frame.fail("cannot broadcast " + formatShape(x.getDims()) + " to " + formatShape(dims));
  }
  return gather(frame, x, dims, [&](ArrayRef<int64_t> index) { return broadcastPosition(x, index); });
}

static FailureOr<Tensor> interpretPermuteDims(Frame &frame, PermuteDimsOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> dims;
  for (int64_t from : op.getPermutation())
    dims.push_back(x.getDim(from));
  return gather(frame, x, dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> source(index.size());
    for (auto [to, from] : llvm::enumerate(op.getPermutation()))
      source[from] = index[to];
    return x.at(source);
  });
}

static FailureOr<Tensor> interpretExpandDims(Frame &frame, ExpandDimsOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> dims;
  int64_t next = 0, rank = x.getRank() + static_cast<int64_t>(op.getAxes().size());
  for (int64_t dim = 0; dim < rank; ++dim)
    dims.push_back(llvm::is_contained(op.getAxes(), dim) ? 1 : x.getDim(next++));
  return x.reshaped(dims);
}

static FailureOr<Tensor> interpretSqueeze(Frame &frame, SqueezeOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    if (!llvm::is_contained(op.getAxes(), dim))
      dims.push_back(x.getDim(dim));
    else if (x.getDim(dim) != 1)
      return frame.fail("dimension " + Twine(dim) + ": expected 1, actual " + Twine(x.getDim(dim)));
  }
  return x.reshaped(dims);
}

static FailureOr<Tensor> interpretSlice(Frame &frame, SliceOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> dims(x.getDims()), first(x.getRank(), 0), step(x.getRank(), 1);
  for (auto [number, axis] : llvm::enumerate(op.getAxes())) {
    std::optional<int64_t> start = frame.evaluate(op.getStartExprs()[number]);
    std::optional<int64_t> end = frame.evaluate(op.getEndExprs()[number]);
    int64_t stride = op.getStrides()[number], extent = x.getDim(axis);
    if (!start || !end)
      return frame.fail("a bound of axis " + Twine(axis) + " has no value in 64 bits");
    bool isInside = stride > 0 ? 0 <= *start && *start <= *end && *end <= extent
                               : -1 <= *end && *end <= *start && *start <= extent - 1;
    if (!isInside)
      return frame.fail("axis " + Twine(axis) + " of extent " + Twine(extent) + ": bounds " + Twine(*start) + " and " +
                        Twine(*end) + " are not in order or outside");
    int64_t span = stride > 0 ? *end - *start : *start - *end, size = stride > 0 ? stride : -stride;
    dims[axis] = span / size + (span % size != 0);
    first[axis] = *start;
    step[axis] = stride;
  }
  return gather(frame, x, dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (auto [dim, value] : llvm::enumerate(from))
      value = first[dim] + step[dim] * value;
    return x.at(from);
  });
}

static FailureOr<Tensor> interpretConcat(Frame &frame, ConcatOp op) {
  int64_t axis = op.getAxis();
  SmallVector<std::shared_ptr<const Tensor>> parts;
  for (Value operand : op.getOperands())
    parts.push_back(frame.tensorPointer(operand));
  SmallVector<int64_t> dims(parts[0]->getDims());
  dims[axis] = 0;
  for (auto [number, part] : llvm::enumerate(parts)) {
    for (int64_t dim = 0; dim < part->getRank(); ++dim)
      if (dim != axis && part->getDim(dim) != dims[dim])
        return frame.fail("operand " + Twine(number) + " dimension " + Twine(dim) + ": expected " + Twine(dims[dim]) +
                          ", actual " + Twine(part->getDim(dim)));
    dims[axis] += part->getDim(axis);
  }
  FailureOr<Tensor> result = frame.makeTensor(parts[0]->getElementType(), dims);
  if (failed(result))
    return failure();
  int64_t before = 0;
  for (const std::shared_ptr<const Tensor> &part : parts) {
    int64_t position = 0;
    forEachIndex(part->getDims(), [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> to(index);
      to[axis] += before;
      result->set(result->at(to), (*part)[position++]);
    });
    before += part->getDim(axis);
  }
  return result;
}

static FailureOr<Tensor> interpretTake(Frame &frame, TakeOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &indices = frame.tensor(op.getIndices());
  int64_t axis = op.getAxis();
  for (int64_t i = 0; i < indices.size(); ++i)
    if (indices.i(i) < 0 || indices.i(i) >= x.getDim(axis))
      return frame.fail("index is out of range: " + Twine(indices.i(i)) + " of extent " + Twine(x.getDim(axis)));
  SmallVector<int64_t> dims(x.getDims().take_front(axis));
  llvm::append_range(dims, indices.getDims());
  llvm::append_range(dims, x.getDims().drop_front(axis + 1));
  return gather(frame, x, dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.take_front(axis));
    from.push_back(indices.i(indices.at(index.slice(axis, indices.getRank()))));
    llvm::append_range(from, index.drop_front(axis + indices.getRank()));
    return x.at(from);
  });
}

void interp::registerManipulationOps(OpTable &table) {
  table.add(interpretReshape);
  table.add(interpretBroadcastTo);
  table.add(interpretPermuteDims);
  table.add(interpretExpandDims);
  table.add(interpretSqueeze);
  table.add(interpretSlice);
  table.add(interpretConcat);
  table.add(interpretTake);
}
