//===- OpTable.cpp - What the functions of ops share ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Interpreter/OpTable.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>> interp::broadcastShapes(Frame &frame, ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  SmallVector<int64_t> result(rank, 1);
  for (ArrayRef<int64_t> shape : shapes)
    for (auto [dim, extent] : llvm::enumerate(shape)) {
      int64_t &target = result[rank - shape.size() + dim];
      if (target != 1 && extent != 1 && target != extent)
        return frame.fail("extents " + Twine(target) + " and " + Twine(extent) + " cannot be broadcast");
      if (target == 1)
        target = extent;
    }
  return result;
}

int64_t interp::broadcastPosition(const Tensor &tensor, ArrayRef<int64_t> index) {
  index = index.take_back(tensor.getRank());
  int64_t position = 0;
  for (auto [extent, value] : llvm::zip_equal(tensor.getDims(), index))
    position = position * extent + (extent == 1 ? 0 : value);
  return position;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult OpTable::runElementwise(Frame &frame, Operation *op, const ElementFunctions &of) {
  SmallVector<std::shared_ptr<const Tensor>> operands;
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value operand : op->getOperands()) {
    operands.push_back(frame.tensorPointer(operand));
    shapes.push_back(operands.back()->getDims());
  }
  FailureOr<SmallVector<int64_t>> dims = broadcastShapes(frame, shapes);
  if (failed(dims))
    return failure();
  FailureOr<Tensor> result =
      frame.makeTensor(cast<RankedTensorType>(op->getResult(0).getType()).getElementType(), *dims);
  if (failed(result))
    return failure();
  bool fromFloats = operands[0]->isFloat();
  if (fromFloats ? !of.ofFloats && !of.testFloats : !of.ofInts)
    return frame.fail("is not defined for this element type");

  bool isWide = of.ofUnsigned && operands.back()->getElementType().isUnsignedInteger(64);
  SmallVector<double> floats(operands.size());
  SmallVector<uint64_t> bits(operands.size());
  SmallVector<int64_t> ints(operands.size());
  int64_t position = 0;
  LogicalResult status = forEachIndexOrFail(*dims, [&](ArrayRef<int64_t> index) -> LogicalResult {
    for (auto [number, operand] : llvm::enumerate(operands)) {
      Number element = (*operand)[broadcastPosition(*operand, index)];
      floats[number] = fromFloats ? element.f : 0;
      ints[number] = fromFloats ? 0 : element.i;
      bits[number] = static_cast<uint64_t>(ints[number]);
    }
    int64_t at = position++;
    if (fromFloats && of.ofFloats) {
      result->setFloat(at, of.ofFloats(floats));
    } else if (fromFloats) {
      result->setInt(at, of.testFloats(floats));
    } else {
      std::optional<int64_t> value;
      if (!isWide)
        value = of.ofInts(ints);
      else if (std::optional<uint64_t> held = of.ofUnsigned(bits))
        value = static_cast<int64_t>(*held);
      if (!value)
        return frame.fail(of.error);
      result->setInt(at, *value);
    }
    return success();
  });
  if (failed(status))
    return failure();
  frame.set(op->getResult(0), std::move(*result));
  return success();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void Sum::add(double term) {
  total += term;
  ++count;
  if (term == 0 || !std::isfinite(term))
    return;
  magnitude += std::fabs(term);
  int exponent = 0;
  double mantissa = std::frexp(term, &exponent);
  auto bits = static_cast<int64_t>(std::ldexp(mantissa, 53));
  lowest = std::min(lowest, exponent - 53 + static_cast<int>(llvm::countr_zero(static_cast<uint64_t>(std::abs(bits)))));
}

double Sum::getError(Type accumulator) const {
  if (magnitude == 0 || count == 0)
    return 0;
  // Partial sums may overflow, in some order.
  const llvm::fltSemantics &semantics = cast<FloatType>(accumulator).getFloatSemantics();
  if (magnitude > llvm::APFloat::getLargest(semantics).convertToDouble())
    return std::numeric_limits<double>::infinity();
  // All partial sums are multiples of the lowest bit, and representable while they are small enough.
  double epsilon = getEpsilon(accumulator);
  if (magnitude * epsilon <= std::ldexp(1.0, lowest))
    return 0;
  return static_cast<double>(count) * epsilon * magnitude;
}
