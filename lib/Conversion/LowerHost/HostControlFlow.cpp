//===- HostControlFlow.cpp - Host code of structured control flow ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Regions become blocks, because checks inside of them leave the function. What
// a region yields travels as words: a tensor is its address and extents.
//
//===----------------------------------------------------------------------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

LogicalResult HostEmitter::emitControlFlow(Operation *op, bool &handled) {
  handled = true;
  if (isa<scf::IfOp>(op))
    return emitIf(op);
  if (isa<scf::ForOp>(op))
    return emitFor(op);
  if (isa<scf::WhileOp>(op))
    return emitWhile(op);
  // Upstream makes one of a branch that only hands on.
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<RankedTensorType, ShapeType, StorageType>(select.getType()))
    return emitSelect(select);
  handled = false;
  return success();
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

LogicalResult HostEmitter::getWordTypes(Operation *op, Type type, SmallVectorImpl<Type> &types) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    types.push_back(pointerType);
    types.append(tensor.getRank(), i64);
  } else if (auto shape = dyn_cast<ShapeType>(type)) {
    types.append(shape.getDims().size(), i64);
  } else if (type.isIntOrIndexOrFloat()) {
    types.push_back(type);
  } else {
    return op->emitOpError("hands on a value of type ") << type << ", which host code does not support";
  }
  return success();
}

void HostEmitter::flatten(Value value, SmallVectorImpl<Value> &words) {
  if (isa<RankedTensorType>(value.getType())) {
    const HostTensor &tensor = tensors[value];
    words.push_back(tensor.data);
    llvm::append_range(words, tensor.dims);
  } else if (isa<ShapeType>(value.getType())) {
    llvm::append_range(words, shapes[value]);
  } else {
    words.push_back(scalars.lookup(value));
  }
}

void HostEmitter::unflatten(Value value, ArrayRef<Value> &words) {
  auto take = [&](size_t count) {
    ArrayRef<Value> taken = words.take_front(count);
    words = words.drop_front(count);
    return taken;
  };
  if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
    HostTensor tensor;
    tensor.data = take(1).front();
    ArrayRef<Value> dims = take(type.getRank());
    tensor.dims.assign(dims.begin(), dims.end());
    tensors[value] = tensor;
  } else if (auto shape = dyn_cast<ShapeType>(value.getType())) {
    ArrayRef<Value> entries = take(shape.getDims().size());
    shapes[value].assign(entries.begin(), entries.end());
  } else {
    scalars.map(value, take(1).front());
  }
}

SmallVector<Value> HostEmitter::flattenAll(ValueRange values) {
  SmallVector<Value> words;
  for (Value value : values)
    flatten(value, words);
  return words;
}

Block *HostEmitter::createBlock(TypeRange types) {
  Block *block = new Block();
  entry.getBody().push_back(block);
  block->addArguments(types, SmallVector<Location>(types.size(), loc));
  return block;
}

/// Goes on in `block`, whose arguments (behind the first `skip`) are the words of `values`.
void HostEmitter::continueIn(Block *block, ValueRange values, unsigned skip) {
  builder.setInsertionPointToStart(block);
  SmallVector<Value> arguments(block->getArguments().drop_front(skip));
  ArrayRef<Value> words = arguments;
  for (Value value : values)
    unflatten(value, words);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult HostEmitter::emitIf(Operation *op) {
  auto ifOp = cast<scf::IfOp>(op);
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    if (failed(getWordTypes(op, type, types)))
      return failure();
  DenseSet<Block *> outside;
  if (isCollecting)
    for (Block &block : entry.getBody())
      outside.insert(&block);
  Block *blocks[] = {createBlock({}), createBlock({})}, *after = createBlock({});
  Value condition = scalars.lookup(ifOp.getCondition());
  cf::CondBranchOp::create(builder, loc, condition, blocks[0], blocks[1]);
  BranchSide sides[2];
  for (auto [side, region, block] : llvm::zip_equal(sides, op->getRegions(), blocks)) {
    builder.setInsertionPointToStart(block);
    SymbolValues::ScopeTy inner(known);
    beginSide(side);
    if (!region.empty()) {
      if (failed(emitBlock(region.front())))
        return failure();
      side.words = flattenAll(region.front().getTerminator()->getOperands());
    }
    endSide(side);
  }
  loc = op->getLoc();
  // What both sides give is there already.
  SmallVector<Value> results, handed[2];
  for (auto [a, b] : llvm::zip_equal(sides[0].words, sides[1].words)) {
    results.push_back(a == b ? a : after->addArgument(a.getType(), loc));
    if (a != b) {
      handed[0].push_back(a);
      handed[1].push_back(b);
    }
  }
  for (auto [side, words] : llvm::zip_equal(sides, handed))
    side.words = words;
  if (sides[0].firstLaunch != sides[1].lastLaunch) {
    leaveSide(sides[0], sides[1], condition, after, outside);
    builder.setInsertionPointToStart(after);
    Value isOther = arith::XOrIOp::create(
        builder, loc, condition, arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)).getResult());
    leaveSide(sides[1], sides[0], isOther, after, outside);
  }
  for (BranchSide &side : sides) {
    builder.restoreInsertionPoint(side.end);
    cf::BranchOp::create(builder, loc, after, side.words);
  }
  builder.setInsertionPointToEnd(after);
  ArrayRef<Value> rest = results;
  for (Value result : op->getResults())
    unflatten(result, rest);
  return success();
}

LogicalResult HostEmitter::emitSelect(arith::SelectOp op) {
  if (!op.getCondition().getType().isInteger(1))
    return op.emitOpError("selects by a tensor of conditions, which host code does not support");
  Value condition = scalars.lookup(op.getCondition());
  if (isa<StorageType>(op.getType())) {
    Value a = storages.lookup(op.getTrueValue()), b = storages.lookup(op.getFalseValue());
    if (!a || !b)
      return op.emitOpError("chooses a storage that is not made at entry");
    storages[op.getResult()] = arith::SelectOp::create(builder, loc, condition, a, b);
    return success();
  }
  SmallVector<Value> words;
  for (auto [a, b] :
       llvm::zip_equal(flattenAll(ValueRange(op.getTrueValue())), flattenAll(ValueRange(op.getFalseValue()))))
    words.push_back(a == b ? a : Value(arith::SelectOp::create(builder, loc, condition, a, b)));
  ArrayRef<Value> rest = words;
  unflatten(op.getResult(), rest);
  return success();
}

LogicalResult HostEmitter::emitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  Value lower = scalars.lookup(loop.getLowerBound()), upper = scalars.lookup(loop.getUpperBound()),
        step = scalars.lookup(loop.getStep());
  Type type = step.getType();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 0));
  guard(builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sgt, step, zero), RELAX_RT_GUARD_FAILED,
        "the step of a loop is not positive", {});
  SmallVector<Type> types = {type};
  for (Type carried : op->getResultTypes())
    if (failed(getWordTypes(op, carried, types)))
      return failure();

  Block *header = createBlock(types), *body = createBlock({}), *after = createBlock({});
  SmallVector<Value> words = {lower};
  llvm::append_range(words, flattenAll(loop.getInitArgs()));
  cf::BranchOp::create(builder, loc, header, words);
  // Results are what the header holds when the loop ends; the body sees the same words.
  continueIn(header, op->getResults(), 1);
  Value induction = header->getArgument(0);
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, induction, upper);
  cf::CondBranchOp::create(builder, loc, more, body, after);

  {
    SymbolValues::ScopeTy inner(known);
    SmallVector<Value> carried(header->getArguments().drop_front());
    ArrayRef<Value> rest = carried;
    for (Value argument : loop.getRegionIterArgs())
      unflatten(argument, rest);
    scalars.map(loop.getInductionVar(), induction);
    builder.setInsertionPointToStart(body);
    if (failed(emitBlock(*loop.getBody())))
      return failure();
    // Stops instead of wrapping when the next value passes the largest integer: then it passes `upper` as well.
    Value left = arith::SubIOp::create(builder, loc, upper, induction);
    Value last = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, left, step);
    Value next = arith::AddIOp::create(builder, loc, induction, step);
    words = {arith::SelectOp::create(builder, loc, last, upper, next)};
    llvm::append_range(words, flattenAll(loop.getBody()->getTerminator()->getOperands()));
    cf::BranchOp::create(builder, loc, header, words);
  }
  builder.setInsertionPointToStart(after);
  return success();
}

LogicalResult HostEmitter::emitWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  SmallVector<Type> beforeTypes, afterTypes;
  for (Type type : loop.getInits().getTypes())
    if (failed(getWordTypes(op, type, beforeTypes)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(getWordTypes(op, type, afterTypes)))
      return failure();
  Block *header = createBlock(beforeTypes), *body = createBlock(afterTypes), *after = createBlock(afterTypes);
  cf::BranchOp::create(builder, loc, header, flattenAll(loop.getInits()));
  {
    // The body is reached through the header only, so that what the header knows is known there.
    SymbolValues::ScopeTy inner(known);
    continueIn(header, loop.getBeforeArguments(), 0);
    if (failed(emitBlock(*loop.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = loop.getConditionOp();
    SmallVector<Value> words = flattenAll(condition.getArgs());
    cf::CondBranchOp::create(builder, loc, scalars.lookup(condition.getCondition()), body, words, after, words);
    continueIn(body, loop.getAfterArguments(), 0);
    if (failed(emitBlock(*loop.getAfterBody())))
      return failure();
    cf::BranchOp::create(builder, loc, header, flattenAll(loop.getAfterBody()->getTerminator()->getOperands()));
  }
  continueIn(after, op->getResults(), 0);
  return success();
}
