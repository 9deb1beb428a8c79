//===- SearchOps.cpp - Meaning of data-dependent ops ----------------------===//
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

/// Ascending, NaN last.
static bool goesBefore(const Tensor &x, int64_t a, int64_t b) {
  if (!x.isFloat())
    return x.order(a) < x.order(b);
  if (std::isnan(x.f(a)) || std::isnan(x.f(b)))
    return !std::isnan(x.f(a)) && std::isnan(x.f(b));
  return x.f(a) < x.f(b);
}

static LogicalResult interpretUnique(Frame &frame, UniqueOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  SmallVector<int64_t> order, kept;
  for (int64_t i = 0; i < x.size(); ++i)
    order.push_back(i);
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return goesBefore(x, a, b) || (!goesBefore(x, b, a) && a < b); // of equal ones the first is kept
  });
  for (int64_t position : order)
    if (kept.empty() || goesBefore(x, kept.back(), position))
      kept.push_back(position);
  Tensor result(x.getElementType(), {static_cast<int64_t>(kept.size())});
  for (auto [index, position] : llvm::enumerate(kept))
    result.set(index, x[position]);
  frame.bind(op.getSymbol(), result.size());
  frame.set(op.getResult(), std::move(result));
  return frame.checkFacts(sym::getScope(op), {op.getSymbol()});
}

void interp::registerSearchOps(OpTable &table) { table.add(interpretUnique); }
