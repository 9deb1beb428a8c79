//===- CreationOps.cpp - Meaning of ops that make tensors -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

static FailureOr<Tensor> fill(Frame &frame, TypedAttr value, ArrayRef<int64_t> dims) {
  FailureOr<Tensor> result = frame.makeTensor(value.getType(), dims);
  if (failed(result))
    return failure();
  for (int64_t at = 0; at < result->size(); ++at) {
    if (auto number = dyn_cast<FloatAttr>(value))
      result->setFloat(at, number.getValueAsDouble());
    else if (auto integer = dyn_cast<IntegerAttr>(value))
      result->setInt(at, static_cast<int64_t>(integer.getValue().getZExtValue()));
  }
  return result;
}

/// Each element is `compute(index)` in the element type.
static FailureOr<Tensor> fillByIndex(Frame &frame, Type type, ArrayRef<int64_t> dims,
                                     llvm::function_ref<int64_t(ArrayRef<int64_t>)> compute) {
  FailureOr<Tensor> result = frame.makeTensor(type, dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    int64_t value = compute(index);
    result->isFloat() ? result->setFloat(at++, static_cast<double>(value)) : result->setInt(at++, value);
  });
  return result;
}

static FailureOr<Tensor> interpretFull(Frame &frame, FullOp op) {
  return fill(frame, op.getValue(), frame.shape(op.getShape()));
}

static FailureOr<Tensor> interpretFullLike(Frame &frame, FullLikeOp op) {
  return fill(frame, op.getValue(), frame.tensor(op.getOperand()).getDims());
}

static FailureOr<Tensor> interpretIota(Frame &frame, IotaOp op) {
  return fillByIndex(frame, op.getDtype(), frame.shape(op.getShape()),
                     [&](ArrayRef<int64_t> index) { return index[op.getAxis()]; });
}

static FailureOr<Tensor> interpretEye(Frame &frame, EyeOp op) {
  return fillByIndex(frame, op.getDtype(), frame.shape(op.getShape()), [&](ArrayRef<int64_t> index) -> int64_t {
    return index[1] - index[0] == static_cast<int64_t>(op.getDiagonal());
  });
}

void interp::registerCreationOps(OpTable &table) {
  table.add(interpretFull);
  table.add(interpretFullLike);
  table.add(interpretIota);
  table.add(interpretEye);
}
