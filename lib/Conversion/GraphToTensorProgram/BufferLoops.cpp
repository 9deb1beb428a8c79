//===- BufferLoops.cpp - Loops of programs over buffers -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BufferLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;

SmallVector<Value> relax::getIndices(ProgramBody &body, ArrayRef<SymExpr> dims) {
  return llvm::map_to_vector(dims, [&](SymExpr dim) { return body.getIndex(dim); });
}

SmallVector<Value> relax::createLoops(ProgramBody &body, ArrayRef<Value> extents, ValueRange carried,
                                      function_ref<SmallVector<Value>(ArrayRef<Value>, ValueRange)> inside) {
  Value zero = body.getConstant(0), one = body.getConstant(1);
  SmallVector<Value> indices, values(carried);
  SmallVector<scf::ForOp> loops;
  OpBuilder::InsertionGuard guard(body.builder);
  for (Value extent : extents) {
    auto loop = scf::ForOp::create(body.builder, body.loc, zero, extent, one, values);
    if (values.empty())
      loop.getBody()->getTerminator()->erase();
    body.builder.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
    values.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    loops.push_back(loop);
  }
  values = inside(indices, values);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    body.builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(body.builder, body.loc, values);
    values.assign(loop.getResults().begin(), loop.getResults().end());
  }
  return values;
}

void relax::createLoops(ProgramBody &body, ArrayRef<Value> extents, function_ref<void(ArrayRef<Value>)> inside) {
  createLoops(body, extents, ValueRange(), [&](ArrayRef<Value> indices, ValueRange) {
    inside(indices);
    return SmallVector<Value>();
  });
}

void relax::createLoopsAround(ProgramBody &body, ArrayRef<SymExpr> dims, int64_t axis,
                              function_ref<void(ArrayRef<Value>)> inside) {
  SmallVector<Value> extents = getIndices(body, dims);
  extents.erase(extents.begin() + axis);
  createLoops(body, extents, [&](ArrayRef<Value> around) {
    SmallVector<Value> indices(around);
    indices.insert(indices.begin() + axis, Value());
    inside(indices);
  });
}

SmallVector<Value> relax::createIf(ProgramBody &body, Value condition, TypeRange types,
                                   function_ref<SmallVector<Value>()> whenTrue,
                                   function_ref<SmallVector<Value>()> whenFalse) {
  auto choice = scf::IfOp::create(body.builder, body.loc, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(body.builder);
  auto fill = [&](Region &region, function_ref<SmallVector<Value>()> branch) {
    Block &block = region.front();
    if (!block.empty())
      block.back().erase(); // the yield of nothing
    body.builder.setInsertionPointToStart(&block);
    scf::YieldOp::create(body.builder, body.loc, branch());
  };
  fill(choice.getThenRegion(), whenTrue);
  fill(choice.getElseRegion(), whenFalse);
  return llvm::to_vector_of<Value>(choice.getResults());
}

Value relax::createLess(OpBuilder &builder, Location loc, Type type, Value a, Value b) {
  auto compare = [&](auto predicate, Value x, Value y) -> Value {
    if constexpr (std::is_same_v<decltype(predicate), arith::CmpIPredicate>)
      return arith::CmpIOp::create(builder, loc, predicate, x, y);
    else
      return arith::CmpFOp::create(builder, loc, predicate, x, y);
  };
  if (!isa<FloatType>(type))
    return compare(
        type.isInteger(1) || type.isUnsignedInteger() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, a, b);
  Value onlyB = arith::AndIOp::create(builder, loc, compare(arith::CmpFPredicate::ORD, a, a),
                                      compare(arith::CmpFPredicate::UNO, b, b));
  return arith::OrIOp::create(builder, loc, compare(arith::CmpFPredicate::OLT, a, b), onlyB);
}
