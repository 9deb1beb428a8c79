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

static FailureOr<Tensor> interpretFull(Frame &frame, FullOp op) {
  FailureOr<Tensor> result = frame.makeTensor(op.getValue().getType(), frame.shape(op.getShape()));
  if (failed(result))
    return failure();
  for (int64_t i = 0; i < result->size(); ++i) {
    if (auto value = dyn_cast<FloatAttr>(op.getValue()))
      result->setFloat(i, value.getValueAsDouble());
    else if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
      result->setInt(i, static_cast<int64_t>(integer.getValue().getZExtValue()));
  }
  return result;
}

void interp::registerCreationOps(OpTable &table) { table.add(interpretFull); }
