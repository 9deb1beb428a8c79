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

FailureOr<SmallVector<Value>> relax::getShapesFor(OpBuilder &builder, ProgramCallOpInterface call, Type type) {
  SmallVector<StringRef> needed;
  sym::collectSymbols(type, needed);
  SmallVector<Value> shapes;
  auto offer = [&](Value value) {
    SmallVector<StringRef> given;
    sym::collectSymbols(value.getType(), given);
    if (llvm::none_of(given, [&](StringRef symbol) { return llvm::is_contained(needed, symbol); }))
      return;
    llvm::erase_if(needed, [&](StringRef symbol) { return llvm::is_contained(given, symbol); });
    shapes.push_back(isa<ShapeType>(value.getType()) ? value : createShapeOf(builder, call.getLoc(), value));
  };
  for (Value input : call.getProgramInputs())
    offer(input);
  if (Value shape = call.getShapeOperand())
    offer(shape);
  if (!needed.empty())
    return call->emitOpError("needs a destination of type ")
           << type << ", but no operand knows symbol '" << needed.front() << "'";
  return shapes;
}

FailureOr<Type> relax::getDestinationType(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                          const CallUnification &unification, unsigned index) {
  auto isKnown = [](Type type) { return !llvm::is_contained(sym::getSymbolicDims(type), sym::SymExpr()); };
  Type type = applyMapping(getProgramTensorType(callee, callee.getNumInputs() + index), unification.mapping);
  // A result type that knows more stems from facts that were proved.
  if (index < callee.getNumOuts() && !isKnown(type))
    type = call->getResult(index).getType();
  if (!isKnown(type))
    return call->emitOpError("needs known extents for destination ") << index << ", got " << type;
  return type;
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
