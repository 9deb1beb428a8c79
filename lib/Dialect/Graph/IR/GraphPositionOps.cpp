//===- GraphPositionOps.cpp - Positions as values -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphPositionOps.h"

#include "GraphFamilies.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphPositionOps.cpp.inc"

void graph::addPositionOps(Dialect &dialect) {
  addFamily<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphPositionOps.cpp.inc"
      >(dialect);
}

FailureOr<RankedTensorType> IotaOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<sym::SymExpr> dims = sym::getSymbolicDims(adaptor.getShape().getType());
  if (failed(inference.requireAxis("axis", adaptor.getAxis(), dims.size())))
    return failure();
  return inference.makeType(dims, IntegerType::get(adaptor.getShape().getContext(), 64));
}
