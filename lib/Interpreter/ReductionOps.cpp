//===- ReductionOps.cpp - Meaning of reductions ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "NeuralOps.h"
#include "Products.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

static FailureOr<Tensor> interpretSum(Frame &frame, SumOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  return reduce(frame, x, op.getAxes(), op.getKeepdims(), [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements) {
    if (!x.isFloat()) {
      uint64_t total = 0;
      for (int64_t element : elements)
        total += static_cast<uint64_t>(x.i(element));
      return result.setInt(at, static_cast<int64_t>(total));
    }
    Sum sum;
    for (int64_t element : elements)
      sum.add(x.f(element));
    result.setFloat(at, sum.get(), sum.getError(getWideType(x.getElementType())));
  });
}

static FailureOr<Tensor> interpretMean(Frame &frame, MeanOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  return reduce(frame, x, op.getAxes(), op.getKeepdims(), [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements) {
    Sum sum;
    for (int64_t element : elements)
      sum.add(x.f(element));
    auto count = static_cast<double>(elements.size()); // 0 gives NaN
    result.setFloat(at, sum.get() / count, sum.getError(getWideType(x.getElementType())) / count);
  });
}

static FailureOr<Tensor> interpretProd(Frame &frame, ProdOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  return reduce(frame, x, op.getAxes(), op.getKeepdims(), [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements) {
    if (!x.isFloat()) {
      uint64_t product = 1;
      for (int64_t element : elements)
        product *= static_cast<uint64_t>(x.i(element));
      return result.setInt(at, static_cast<int64_t>(product));
    }
    // The accumulator decides about overflow and what becomes 0.
    Product product(x.getElementType());
    for (int64_t element : elements)
      product.add(x.f(element));
    result.setFloat(at, product.get(), product.getError());
  });
}

/// The largest element (the smallest when `sign` is -1); of nothing the last choice. NaN wins.
static void setExtreme(Tensor &result, int64_t at, const Tensor &x, ArrayRef<int64_t> elements, int sign) {
  if (x.isFloat()) {
    double extreme = -sign * std::numeric_limits<double>::infinity();
    for (int64_t element : elements) {
      double value = x.f(element);
      if (std::isnan(value) || std::isnan(extreme))
        extreme = std::numeric_limits<double>::quiet_NaN();
      else if (sign > 0 ? value > extreme : value < extreme)
        extreme = value;
    }
    return result.setFloat(at, extreme);
  }
  unsigned width = x.getElementType().getIntOrFloatBitWidth();
  bool isUnsigned = isUnsignedElement(x.getElementType());
  APInt first = sign > 0 ? (isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width))
                         : (isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  int64_t extreme = wrapToType(x.getElementType(), static_cast<int64_t>(first.getZExtValue()));
  for (int64_t element : elements)
    if (int64_t order = x.order(element), best = getOrder(x.getElementType(), extreme);
        sign > 0 ? order > best : order < best)
      extreme = x.i(element);
  result.setInt(at, extreme);
}

static FailureOr<Tensor> interpretMax(Frame &frame, MaxOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  return reduce(frame, x, op.getAxes(), op.getKeepdims(), [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements) {
    setExtreme(result, at, x, elements, 1);
  });
}

static FailureOr<Tensor> interpretMin(Frame &frame, MinOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  return reduce(frame, x, op.getAxes(), op.getKeepdims(), [&](Tensor &result, int64_t at, ArrayRef<int64_t> elements) {
    setExtreme(result, at, x, elements, -1);
  });
}

void interp::registerReductionOps(OpTable &table) {
  table.add(interpretSum);
  table.add(interpretMean);
  table.add(interpretProd);
  table.add(interpretMax);
  table.add(interpretMin);
}
