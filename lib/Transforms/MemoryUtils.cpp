//===- MemoryUtils.cpp - Shared by the memory passes ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryUtils.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

Value relax::createShapeOf(OpBuilder &builder, Location loc, Value tensor) {
  auto type = ShapeType::get(builder.getContext(), sym::getSymbolicDims(tensor.getType()));
  return ShapeOfOp::create(builder, loc, type, tensor);
}

Value relax::getAliasedOperand(Operation *op) {
  return isa_and_nonnull<MatchCastOp, RefineOp, EraseShapeOp>(op) ? op->getOperand(0) : Value();
}

Value relax::getMemoryRoot(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (Value source = getAliasedOperand(op)) {
      tensor = source;
      continue;
    }
    auto call = dyn_cast<ProgramCallOpInterface>(op);
    OpOperand *tied = call ? call.getTiedOperand(cast<OpResult>(tensor).getResultNumber()) : nullptr;
    if (!tied)
      break;
    tensor = tied->get();
  }
  return tensor;
}

sym::SymExpr relax::getByteSize(RankedTensorType type) {
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  sym::SymExpr bytes = sym::SymExpr::constant(type.getContext(), elementBytes);
  for (sym::SymExpr dim : sym::getSymbolicDims(type))
    bytes = bytes * dim;
  return bytes;
}

bool relax::isAllowedAfterLegalization(Operation *op) {
  if (op->getName().getDialectNamespace() != "relax")
    return true;
  return isa<ProgramCallOpInterface, ShapeOfOp, MakeShapeOp, ShapeToTensorOp, TensorToShapeOp, MatchCastOp, RefineOp,
             EraseShapeOp, EvalExprOp, AssertShapeOp, AllocOp, StorageOp, TensorAtOp, WeightOp, WeightDataOp,
             ConstantOp>(op);
}
