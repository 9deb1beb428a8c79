//===- SortOps.cpp - Meaning of sorting and scanning ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "Products.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

/// NaN is larger than every number.
static bool isLess(const Tensor &x, int64_t a, int64_t b) {
  if (!x.isFloat())
    return x.order(a) < x.order(b);
  if (std::isnan(x.f(a)) || std::isnan(x.f(b)))
    return !std::isnan(x.f(a));
  return x.f(a) < x.f(b);
}

/// Calls `visit` with the positions of the elements of each line along the axis.
static void forEachLine(const Tensor &x, int64_t axis, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> outer(x.getDims());
  outer[axis] = 1;
  forEachIndex(outer, [&](ArrayRef<int64_t> first) {
    SmallVector<int64_t> index(first), line;
    for (int64_t step = 0; step < x.getDim(axis); ++step) {
      index[axis] = step;
      line.push_back(x.at(index));
    }
    visit(line);
  });
}

/// Numbers of the elements of a line in sorted order; equal ones keep theirs.
static SmallVector<int64_t> sortLine(const Tensor &x, ArrayRef<int64_t> line, bool descending) {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, line.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    bool isAscending = isLess(x, line[a], line[b]), isDescending = isLess(x, line[b], line[a]);
    return isAscending == isDescending ? a < b : descending ? isDescending : isAscending;
  });
  return order;
}

static FailureOr<Tensor> interpretArgsort(Frame &frame, ArgsortOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Tensor> result = frame.makeTensor(op.getType().getElementType(), x.getDims());
  if (failed(result) || x.size() == 0)
    return result;
  forEachLine(x, op.getAxis(), [&](ArrayRef<int64_t> line) {
    for (auto [to, from] : llvm::enumerate(sortLine(x, line, op.getDescending())))
      result->setInt(line[to], from);
  });
  return result;
}

static FailureOr<Tensor> interpretSort(Frame &frame, SortOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  Tensor result = x;
  if (x.size() == 0)
    return result;
  forEachLine(x, op.getAxis(), [&](ArrayRef<int64_t> line) {
    for (auto [to, from] : llvm::enumerate(sortLine(x, line, op.getDescending())))
      result.set(line[to], x[line[from]]);
  });
  return result;
}

static LogicalResult interpretTopK(Frame &frame, TopKOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  int64_t axis = op.getAxis(), count = std::min(frame.shape(op.getK())[0], x.getDim(axis));
  SmallVector<int64_t> dims(x.getDims());
  dims[axis] = count;
  FailureOr<Tensor> values = frame.makeTensor(x.getElementType(), dims);
  FailureOr<Tensor> indices = frame.makeTensor(IntegerType::get(op.getContext(), 64), dims);
  if (failed(values) || failed(indices))
    return failure();
  if (values->size() != 0) {
    SmallVector<SmallVector<int64_t>> lines, targets;
    forEachLine(x, axis, [&](ArrayRef<int64_t> line) { lines.emplace_back(line); });
    forEachLine(*values, axis, [&](ArrayRef<int64_t> line) { targets.emplace_back(line); });
    for (auto [line, target] : llvm::zip_equal(lines, targets)) {
      SmallVector<int64_t> order = sortLine(x, line, /*descending=*/!op.getSmallest());
      for (auto [number, to] : llvm::enumerate(target)) {
        values->set(to, x[line[order[number]]]);
        indices->setInt(to, order[number]);
      }
    }
  }
  frame.set(op.getValues(), std::move(*values));
  frame.set(op.getIndices(), std::move(*indices));
  return success();
}

static LogicalResult interpretNonzero(Frame &frame, NonzeroOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<SmallVector<int64_t>> found;
  int64_t at = 0;
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    if (x.isFloat() ? x.f(at) != 0 : x.i(at) != 0)
      found.emplace_back(index);
    ++at;
  });
  auto count = static_cast<int64_t>(found.size());
  FailureOr<Tensor> result = frame.makeTensor(IntegerType::get(op.getContext(), 64), {x.getRank(), count});
  if (failed(result))
    return failure();
  for (auto [column, index] : llvm::enumerate(found))
    for (auto [row, value] : llvm::enumerate(index))
      result->setInt(static_cast<int64_t>(row) * count + static_cast<int64_t>(column), value);
  frame.set(op.getResult(), std::move(*result));
  frame.bind(op.getBoundSymbols()[0], count);
  return frame.checkFacts(sym::getScope(op), op.getBoundSymbols());
}

static LogicalResult interpretUniqueAll(Frame &frame, UniqueAllOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, x.size()));
  SmallVector<int64_t> firsts, counts, inverse(x.size());
  for (int64_t position : sortLine(x, all, /*descending=*/false)) {
    if (firsts.empty() || (isLess(x, firsts.back(), position) && !isLess(x, position, firsts.back()))) {
      firsts.push_back(position);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[position] = static_cast<int64_t>(firsts.size()) - 1;
  }
  auto toTensor = [&](ArrayRef<int64_t> values) {
    Tensor tensor(IntegerType::get(op.getContext(), 64), {static_cast<int64_t>(values.size())});
    for (auto [at, value] : llvm::enumerate(values))
      tensor.setInt(at, value);
    return tensor;
  };
  Tensor values(x.getElementType(), {static_cast<int64_t>(firsts.size())});
  for (auto [at, position] : llvm::enumerate(firsts))
    values.set(at, x[position]);
  frame.set(op.getValues(), std::move(values));
  frame.set(op.getIndices(), toTensor(firsts));
  frame.set(op.getInverse(), toTensor(inverse));
  frame.set(op.getCounts(), toTensor(counts));
  frame.bind(op.getBoundSymbols()[0], firsts.size());
  return frame.checkFacts(sym::getScope(op), op.getBoundSymbols());
}

static FailureOr<Tensor> interpretBucketize(Frame &frame, BucketizeOp op) {
  const Tensor &x = frame.tensor(op.getOperand()), &bounds = frame.tensor(op.getBoundaries());
  FailureOr<Tensor> result = frame.makeTensor(IntegerType::get(op.getContext(), 64), x.getDims());
  if (failed(result))
    return failure();
  for (int64_t at = 0; at < x.size(); ++at) {
    int64_t count = 0;
    for (int64_t i = 0; i < bounds.size(); ++i) {
      // NaN is behind every bound.
      bool isBehind = x.isFloat() ? (op.getRight() ? !(x.f(at) < bounds.f(i)) : !(x.f(at) <= bounds.f(i)))
                                  : (op.getRight() ? x.order(at) >= bounds.order(i) : x.order(at) > bounds.order(i));
      count += isBehind;
    }
    result->setInt(at, count);
  }
  return result;
}

//===- Walks along an axis ------------------------------------------------===//

template <typename OpTy> static FailureOr<Tensor> interpretScan(Frame &frame, OpTy op) {
  constexpr bool isSum = std::is_same_v<OpTy, CumsumOp>;
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Tensor> result = frame.makeTensor(x.getElementType(), x.getDims());
  if (failed(result) || x.size() == 0)
    return result;
  auto start = [&] {
    if constexpr (isSum)
      return Sum();
    else
      return Product(x.isFloat() ? x.getElementType() : Float64Type::get(op.getContext()));
  };
  forEachLine(x, op.getAxis(), [&](ArrayRef<int64_t> line) {
    SmallVector<int64_t> walk(line);
    if (op.getReverse())
      std::reverse(walk.begin(), walk.end());
    std::conditional_t<isSum, Sum, Product> number = start();
    uint64_t integer = isSum ? 0 : 1;
    auto store = [&](int64_t at) {
      if (!x.isFloat())
        return result->setInt(at, static_cast<int64_t>(integer));
      if constexpr (isSum)
        result->setFloat(at, number.get(), number.getError(getWideType(x.getElementType())));
      else
        result->setFloat(at, number.get(), number.getError());
    };
    for (int64_t at : walk) {
      if (op.getExclusive())
        store(at);
      if (x.isFloat())
        number.add(x.f(at));
      else
        integer = isSum ? integer + static_cast<uint64_t>(x.i(at)) : integer * static_cast<uint64_t>(x.i(at));
      if (!op.getExclusive())
        store(at);
    }
  });
  return result;
}

template <typename OpTy> static FailureOr<Tensor> interpretArgReduction(Frame &frame, OpTy op) {
  constexpr bool isMax = std::is_same_v<OpTy, ArgmaxOp>;
  const Tensor &x = frame.tensor(op.getOperand());
  int64_t axis = op.getAxis(), at = 0;
  if (x.getDim(axis) == 0)
    return frame.fail("axis " + Twine(axis) + " has no element");
  SmallVector<int64_t> dims(x.getDims());
  if (op.getKeepdims())
    dims[axis] = 1;
  else
    dims.erase(dims.begin() + axis);
  FailureOr<Tensor> result = frame.makeTensor(IntegerType::get(op.getContext(), 64), dims);
  if (failed(result) || x.size() == 0)
    return result;
  // NaN is the extreme.
  auto beats = [&](int64_t a, int64_t b) {
    if (x.isFloat() && (std::isnan(x.f(a)) || std::isnan(x.f(b))))
      return std::isnan(x.f(a)) && !std::isnan(x.f(b));
    return isMax ? isLess(x, b, a) : isLess(x, a, b);
  };
  forEachLine(x, axis, [&](ArrayRef<int64_t> line) {
    int64_t best = 0;
    for (int64_t step = 1; step < static_cast<int64_t>(line.size()); ++step)
      if (beats(line[step], line[best]) || (op.getSelectLastIndex() && !beats(line[best], line[step])))
        best = step;
    result->setInt(at++, best);
  });
  return result;
}

void interp::registerSortOps(OpTable &table) {
  table.add(interpretArgsort);
  table.add(interpretSort);
  table.add(interpretTopK);
  table.add(interpretNonzero);
  table.add(interpretUniqueAll);
  table.add(interpretBucketize);
  table.add(interpretScan<CumsumOp>);
  table.add(interpretScan<CumprodOp>);
  table.add(interpretArgReduction<ArgmaxOp>);
  table.add(interpretArgReduction<ArgminOp>);
}
