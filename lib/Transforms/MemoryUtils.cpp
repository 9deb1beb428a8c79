//===- MemoryUtils.cpp - Shared by the memory passes ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryUtils.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

Value relax::createShapeOf(OpBuilder &builder, Location loc, Value tensor) {
  auto type = ShapeType::get(builder.getContext(), sym::getSymbolicDims(tensor.getType()));
  return ShapeOfOp::create(builder, loc, type, tensor);
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
  // What the program does not tell: signed or unsigned.
  if (index < callee.getNumOuts())
    type = cast<RankedTensorType>(type).clone(getElementTypeOrSelf(call->getResult(index)));
  return type;
}

Block *relax::getLoopBody(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getBody();
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getAfterBody();
  return nullptr;
}

sym::SymExpr relax::getByteSize(RankedTensorType type) {
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  sym::SymExpr bytes = sym::SymExpr::constant(type.getContext(), elementBytes);
  for (sym::SymExpr dim : sym::getSymbolicDims(type))
    bytes = bytes * dim;
  return bytes;
}

sym::SymExpr relax::roundUp(sym::SymExpr bytes, int64_t alignment) {
  sym::SymExpr divisor = sym::SymExpr::constant(bytes.getContext(), alignment);
  return sym::SymExpr::ceildiv(bytes, divisor) * alignment;
}

bool relax::isSumOfProducts(sym::SymExpr expr) {
  return llvm::all_of(sym::getTerms(expr), [](const sym::SymTerm &term) {
    return term.coefficient > 0 &&
           llvm::all_of(term.factors, [](auto &factor) { return factor.first->kind == sym::SymAtom::Kind::Symbol; });
  });
}

bool relax::isAllowedAfterLegalization(Operation *op) {
  if (op->getName().getDialectNamespace() != "relax")
    return true;
  return isa<ProgramCallOpInterface, CallOp, ShapeOfOp, MakeShapeOp, ShapeToTensorOp, TensorToShapeOp, MatchCastOp,
             RefineOp, EraseShapeOp, ReshapeOp, EvalExprOp, AssertShapeOp, AllocOp, StorageOp, TensorAtOp, WeightOp,
             WeightDataOp, ConstantOp>(op);
}
