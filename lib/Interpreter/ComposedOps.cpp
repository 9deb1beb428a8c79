//===- ComposedOps.cpp - Meaning of abbreviations that move elements ------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

static LogicalResult interpretDynamicReshape(Frame &frame, DynamicReshapeOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &target = frame.tensor(op.getTarget());
  SmallVector<int64_t> dims;
  // What is left over for the entry -1: the operand's extents but the copied ones, divided by the entries given.
  SmallVector<int64_t> left(x.getDims());
  int64_t given = 1, free = -1;
  for (int64_t at = 0; at < target.size(); ++at) {
    int64_t entry = target.i(at);
    if (entry == 0 && !op.getAllowZero()) {
      if (at >= x.getRank())
        return frame.fail("entry " + Twine(at) + " of the target copies a dimension that the operand does not have");
      dims.push_back(x.getDim(at));
      left[at] = 1;
      continue;
    }
    if (entry < -1 || (entry == -1 && free >= 0))
      return frame.fail("entry " + Twine(at) + " of the target is " + Twine(entry));
    if (entry == -1)
      free = at;
    else
      given *= entry;
    dims.push_back(entry);
  }
  if (free >= 0) {
    if (given == 0)
      return frame.fail("the target has -1 beside 0, which says nothing about it");
    dims[free] = std::accumulate(left.begin(), left.end(), int64_t(1), std::multiplies<>()) / given;
  }
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), dims);
  if (failed(result))
    return failure();
  if (result->size() != x.size())
    return frame.fail("cannot reshape " + formatShape(x.getDims()) + " to " + formatShape(dims));
  for (auto [name, dim] : llvm::zip_equal(op.getBoundSymbols(), dims))
    frame.bind(name, dim);
  frame.set(op.getResult(), x.reshaped(dims));
  return frame.checkFacts(sym::getScope(op), op.getBoundSymbols());
}

static LogicalResult interpretCompress(Frame &frame, CompressOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &mask = frame.tensor(op.getMask());
  int64_t axis = op.getAxis();
  if (x.getDims().slice(axis, mask.getRank()) != mask.getDims())
    return frame.fail("the mask " + formatShape(mask.getDims()) + " does not fit " + formatShape(x.getDims()));
  SmallVector<SmallVector<int64_t>> chosen;
  int64_t at = 0;
  forEachIndex(mask.getDims(), [&](ArrayRef<int64_t> index) {
    if (mask.i(at++) != 0)
      chosen.emplace_back(index);
  });
  SmallVector<int64_t> dims(x.getDims().take_front(axis));
  dims.push_back(static_cast<int64_t>(chosen.size()));
  llvm::append_range(dims, x.getDims().drop_front(axis + mask.getRank()));
  FailureOr<Tensor> result = gather(frame, x, dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index.take_front(axis));
    llvm::append_range(from, chosen[index[axis]]);
    llvm::append_range(from, index.drop_front(axis + 1));
    return x.at(from);
  });
  if (failed(result))
    return failure();
  frame.set(op.getResult(), std::move(*result));
  frame.bind(op.getBoundSymbols()[0], static_cast<int64_t>(chosen.size()));
  return frame.checkFacts(sym::getScope(op), op.getBoundSymbols());
}

static LogicalResult interpretSplit(Frame &frame, SplitOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  int64_t axis = op.getAxis(), extent = x.getDim(axis), start = 0;
  SmallVector<int64_t> sizes;
  if (std::optional<ArrayAttr> attr = op.getSizes()) {
    for (sym::SymExpr expr : getExprs(*attr)) {
      std::optional<int64_t> size = frame.evaluate(expr);
      if (!size || *size < 0)
        return frame.fail("a size is negative or has no value in 64 bits");
      sizes.push_back(*size);
    }
  } else {
    int64_t sections = *op.getSections(), size = (extent + sections - 1) / sections;
    if (!op.getUneven() && extent % sections != 0)
      return frame.fail(Twine(extent) + " elements cannot be split in " + Twine(sections));
    for (int64_t left = extent; sections > 0; --sections, left -= sizes.back())
      sizes.push_back(std::min(size, left));
  }
  for (auto [number, size] : llvm::enumerate(sizes)) {
    if (start + size > extent)
      return frame.fail("sizes add up to more than " + Twine(extent));
    SmallVector<int64_t> dims(x.getDims());
    dims[axis] = size;
    FailureOr<Tensor> part = gather(frame, x, dims, [&, first = start](ArrayRef<int64_t> index) {
      SmallVector<int64_t> from(index);
      from[axis] += first;
      return x.at(from);
    });
    if (failed(part))
      return failure();
    frame.set(op.getResult(number), std::move(*part));
    start += size;
  }
  return start == extent ? success() : frame.fail("sizes add up to less than " + Twine(extent));
}

static FailureOr<Tensor> interpretTile(Frame &frame, TileOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> dims(x.getDims());
  for (auto [dim, expr] : llvm::enumerate(getExprs(op.getRepeats()))) {
    std::optional<int64_t> count = frame.evaluate(expr);
    if (!count || *count < 0)
      return frame.fail("repeats of axis " + Twine(dim) + " are negative or have no value in 64 bits");
    dims[dim] *= *count;
  }
  return gather(frame, x, dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from;
    for (auto [value, extent] : llvm::zip_equal(index, x.getDims()))
      from.push_back(value % extent);
    return x.at(from);
  });
}

static FailureOr<Tensor> interpretRepeat(Frame &frame, RepeatOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  std::optional<int64_t> count = frame.evaluate(op.getRepeats().getValue());
  if (!count || *count < 0)
    return frame.fail("repeats are negative or have no value in 64 bits");
  int64_t axis = op.getAxis();
  SmallVector<int64_t> dims(x.getDims());
  dims[axis] *= *count;
  return gather(frame, x, dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    from[axis] /= *count;
    return x.at(from);
  });
}

static FailureOr<Tensor> interpretStack(Frame &frame, StackOp op) {
  SmallVector<std::shared_ptr<const Tensor>> parts;
  for (Value operand : op.getOperands()) {
    parts.push_back(frame.tensorPointer(operand));
    if (parts.back()->getDims() != parts.front()->getDims())
      return frame.fail("operands " + formatShape(parts.front()->getDims()) + " and " +
                        formatShape(parts.back()->getDims()) + " differ in shape");
  }
  int64_t axis = op.getAxis(), at = 0;
  SmallVector<int64_t> dims(parts.front()->getDims());
  dims.insert(dims.begin() + axis, static_cast<int64_t>(parts.size()));
  FailureOr<Tensor> result = frame.makeTensor(parts.front()->getElementType(), dims);
  if (failed(result))
    return failure();
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    from.erase(from.begin() + axis);
    const Tensor &part = *parts[index[axis]];
    result->set(at++, part[part.at(from)]);
  });
  return result;
}

static FailureOr<Tensor> interpretFlip(Frame &frame, FlipOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  return gather(frame, x, x.getDims(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (int64_t axis : op.getAxes())
      from[axis] = x.getDim(axis) - 1 - from[axis];
    return x.at(from);
  });
}

static FailureOr<Tensor> interpretRoll(Frame &frame, RollOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> shifts;
  for (sym::SymExpr expr : getExprs(op.getShifts())) {
    std::optional<int64_t> shift = frame.evaluate(expr);
    if (!shift)
      return frame.fail("a shift has no value in 64 bits");
    shifts.push_back(*shift);
  }
  return gather(frame, x, x.getDims(), [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    for (auto [axis, shift] : llvm::zip_equal(op.getAxes(), shifts)) {
      int64_t extent = x.getDim(axis);
      from[axis] = ((from[axis] - shift % extent) % extent + extent) % extent;
    }
    return x.at(from);
  });
}

/// Elements stay where column - row is on the given side of the diagonal.
template <typename OpTy> static FailureOr<Tensor> interpretTriangle(Frame &frame, OpTy op) {
  constexpr bool isLower = std::is_same_v<OpTy, TrilOp>;
  const Tensor &x = frame.tensor(op.getOperand());
  auto diagonal = static_cast<int64_t>(op.getDiagonal());
  return gather(frame, x, x.getDims(), [&](ArrayRef<int64_t> index) -> int64_t {
    int64_t distance = index.back() - index[index.size() - 2];
    return (isLower ? distance <= diagonal : distance >= diagonal) ? x.at(index) : -1;
  });
}

static FailureOr<Tensor> interpretOneHot(Frame &frame, OneHotOp op) {
  const Tensor &indices = frame.tensor(op.getIndices());
  const Tensor &on = frame.tensor(op.getOn()), &off = frame.tensor(op.getOff());
  int64_t axis = op.getAxis(), at = 0;
  SmallVector<int64_t> dims(indices.getDims());
  dims.insert(dims.begin() + axis, frame.shape(op.getDepth())[0]);
  FailureOr<Tensor> result = frame.makeTensor(on.getElementType(), dims);
  if (failed(result))
    return failure();
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> from(index);
    from.erase(from.begin() + axis);
    result->set(at++, indices.i(indices.at(from)) == index[axis] ? on[0] : off[0]);
  });
  return result;
}

void interp::registerComposedOps(OpTable &table) {
  table.add(interpretDynamicReshape);
  table.add(interpretCompress);
  table.add(interpretSplit);
  table.add(interpretTile);
  table.add(interpretRepeat);
  table.add(interpretStack);
  table.add(interpretFlip);
  table.add(interpretRoll);
  table.add(interpretTriangle<TrilOp>);
  table.add(interpretTriangle<TriuOp>);
  table.add(interpretOneHot);
}
