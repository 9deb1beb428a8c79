//===- GraphReductionOps.cpp - Reductions ---------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphReductionOps.cpp.inc"

void RelaxDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphReductionOps.cpp.inc"
      >();
}

FailureOr<RankedTensorType> graph::inferReduction(TypeInference &inference, Value operand, ArrayRef<int64_t> axes,
                                                  bool keepDims) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType()), result;
  if (failed(inference.requireAxes("axes", axes, dims.size())))
    return failure();
  for (auto [dim, extent] : llvm::enumerate(dims)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(dim)))
      result.push_back(extent);
    else if (keepDims)
      result.push_back(inference.constant(1));
  }
  return inference.makeType(result, getElementTypeOrSelf(operand.getType()));
}

FailureOr<RankedTensorType> graph::inferArgReduction(TypeInference &inference, Value operand, int64_t axis,
                                                     bool keepDims) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(operand.getType());
  if (failed(inference.requireAxis("axis", axis, dims.size())) ||
      failed(inference.requireLessEqual("extent of axis " + Twine(axis), inference.constant(1), dims[axis])))
    return failure();
  if (keepDims)
    dims[axis] = inference.constant(1);
  else
    dims.erase(dims.begin() + axis);
  return inference.makeType(dims, IntegerType::get(inference.getContext(), 64));
}
