//===- GraphCreationOps.cpp - Making tensors ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphFolding.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphCreationOps.cpp.inc"

void RelaxDialect::registerCreationOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphCreationOps.cpp.inc"
      >();
}

FailureOr<RankedTensorType> FullOp::inferType(TypeInference &inference, Adaptor adaptor) {
  TypedAttr value = adaptor.getValue();
  if (!isa<FloatAttr, IntegerAttr>(value) || isa<IndexType>(value.getType()))
    return inference.fail("value is expected to be a float or integer, got ", Attribute(value));
  return inference.makeType(sym::getSymbolicDims(adaptor.getShape().getType()), value.getType());
}

OpFoldResult FullOp::fold(FoldAdaptor) {
  RankedTensorType type = getType();
  if (!type.hasStaticShape() || type.getEncoding())
    return {};
  return DenseElementsAttr::get(type, Attribute(getValue()));
}

FailureOr<RankedTensorType> IotaOp::inferType(TypeInference &inference, Adaptor adaptor) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(adaptor.getShape().getType());
  if (failed(inference.requireAxis("axis", adaptor.getAxis(), dims.size())) ||
      failed(inference.requireNumber("dtype", adaptor.getDtype())))
    return failure();
  return inference.makeType(dims, adaptor.getDtype());
}

FailureOr<RankedTensorType> RandomUniformOp::inferType(TypeInference &inference, Adaptor adaptor) {
  if (failed(inference.requireFloat("dtype", adaptor.getDtype())))
    return failure();
  return inference.makeType(sym::getSymbolicDims(adaptor.getShape().getType()), adaptor.getDtype());
}
