//===- GraphElementwiseOps.cpp - Elementwise ops --------------------------===//
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

/// `: T`, or `: T -> R` where the result type differs.
static ParseResult parseUnaryTypes(OpAsmParser &parser, Type &operand, Type &result) {
  if (parser.parseType(operand))
    return failure();
  result = operand;
  return succeeded(parser.parseOptionalArrow()) ? parser.parseType(result) : success();
}

static void printUnaryTypes(OpAsmPrinter &printer, Operation *, Type operand, Type result) {
  printer << operand;
  if (operand != result)
    printer << " -> " << result;
}

#define GET_OP_CLASSES
#include "RelaxDialect/Dialect/Graph/IR/GraphElementwiseOps.cpp.inc"

void RelaxDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "RelaxDialect/Dialect/Graph/IR/GraphElementwiseOps.cpp.inc"
      >();
}

FailureOr<RankedTensorType> graph::inferBroadcast(TypeInference &inference, ValueRange operands, Type elementType) {
  SmallVector<SmallVector<SymExpr>> shapes;
  for (Value operand : operands) {
    if (failed(inference.requireSameElementType(operands[0].getType(), operand.getType())))
      return failure();
    shapes.push_back(sym::getSymbolicDims(operand.getType()));
  }
  FailureOr<SmallVector<SymExpr>> dims = inference.broadcast(shapes);
  if (failed(dims))
    return failure();
  return inference.makeType(*dims, elementType ? elementType : getElementTypeOrSelf(operands[0].getType()));
}

FailureOr<RankedTensorType> AsTypeOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Type dtype = adaptor.getDtype();
  if (!sym::isElementOf(dtype, sym::kElements))
    return inference.fail("dtype is expected to be ", sym::listElementTypes(sym::kElements), ", got ", dtype);
  Type from = getElementTypeOrSelf(adaptor.getOperand().getType());
  auto isSmall = [](Type type) { return sym::isElementOf(type, sym::kStorage); };
  auto isSmallFloat = [&](Type type) { return isSmall(type) && isa<FloatType>(type); };
  bool crosses = (isSmallFloat(from) && !isa<FloatType>(dtype)) || (isSmallFloat(dtype) && !isa<FloatType>(from));
  if (from != dtype && ((isSmall(from) && isSmall(dtype)) || crosses))
    return inference.fail("cannot convert ", from, " to ", dtype, " directly; convert to ",
                          isSmallFloat(from) || isSmallFloat(dtype) ? "f32" : "i8", " first");
  return inference.makeType(sym::getSymbolicDims(adaptor.getOperand().getType()), dtype);
}

OpFoldResult AsTypeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return foldElementwise(*this, adaptor.getOperands());
}

FailureOr<RankedTensorType> WhereOp::inferType(TypeInference &inference, Adaptor adaptor) {
  Value x = adaptor.getX(), y = adaptor.getY();
  if (failed(inference.requireSameElementType(x.getType(), y.getType())))
    return failure();
  FailureOr<SmallVector<SymExpr>> dims =
      inference.broadcast({sym::getSymbolicDims(adaptor.getCondition().getType()), sym::getSymbolicDims(x.getType()),
                           sym::getSymbolicDims(y.getType())});
  if (failed(dims))
    return failure();
  return inference.makeType(*dims, getElementTypeOrSelf(x.getType()));
}

OpFoldResult WhereOp::fold(FoldAdaptor adaptor) {
  if (getX() == getY() && getX().getType() == getType())
    return getX();
  return foldElementwise(*this, adaptor.getOperands());
}
