//===- HostFunctions.cpp - Calls between functions, memory that grows -----===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// int32_t relax_function_<name>(invocation, words of the arguments..., int64_t
// first_block, void *words): growing block first_block + i of the caller holds
// result i when that is a tensor; `words` receives the words of the results.
//
//===----------------------------------------------------------------------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

LogicalResult HostEmitter::createFunction() {
  std::string name = form == HostForm::Entry ? getEntrySymbol(source.getName()) : getFunctionSymbol(source.getName());
  if (tables.lookup(name))
    return source.emitError("its entry needs the name '") << name << "', which is taken";
  SmallVector<Type> types = {pointerType};
  if (form == HostForm::Internal) {
    for (Type type : source.getArgumentTypes())
      if (failed(getWordTypes(source, type, types)))
        return failure();
    types.append({i64, pointerType});
  }
  builder.setInsertionPoint(source);
  entry = func::FuncOp::create(builder, loc, name, builder.getFunctionType(types, {i32}));
  if (form == HostForm::Internal) {
    entry.setPrivate();
    entry->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  }
  return success();
}

void HostEmitter::takeInternalArguments() {
  SmallVector<Value> arguments(entry.getArguments().drop_front());
  ArrayRef<Value> words = arguments;
  for (BlockArgument argument : source.getArguments())
    unflatten(argument, words);
  resultBlock = words[0];
  resultWords = words[1];
  callRuntime(7, {});
}

/// Blocks for what the calls give, once for each time that this function runs.
LogicalResult HostEmitter::reserveForCalls() {
  SmallVector<std::pair<Operation *, int64_t>> calls;
  int64_t count = 0;
  source.walk([&](CallOp call) {
    calls.push_back({call, count});
    count += call->getNumResults();
  });
  if (calls.empty())
    return success();
  Value first = callRuntimeFor(i64, 5, constant(count));
  for (auto [call, offset] : calls)
    callBlocks[call] = arith::AddIOp::create(builder, loc, first, constant(offset));
  return success();
}

LogicalResult HostEmitter::emitFunctionCall(CallOp call) {
  auto callee = dyn_cast_or_null<func::FuncOp>(tables.lookup(call.getCallee()));
  if (!callee || callee.isExternal())
    return call.emitOpError("calls '") << call.getCallee() << "', which has no body";
  SmallVector<Value> operands = {invocation};
  llvm::append_range(operands, flattenAll(call.getInputs()));
  SmallVector<Type> types;
  for (Type type : call.getResultTypes())
    if (failed(getWordTypes(call, type, types)))
      return failure();
  Value words = allocateOnStack(types.size());
  operands.append({callBlocks.lookup(call), words});
  auto status = func::CallOp::create(builder, loc, getFunctionSymbol(call.getCallee()), TypeRange(i32), operands);
  continueIfOk(status.getResult(0));

  SmallVector<Value> loaded;
  for (auto [index, type] : llvm::enumerate(types)) {
    Value word = loadField(type.isIndex() ? i64 : type, words, index);
    if (type.isIndex())
      word = arith::IndexCastOp::create(builder, loc, type, word);
    loaded.push_back(word);
  }
  ArrayRef<Value> rest = loaded;
  for (Value result : call.getResults())
    unflatten(result, rest);
  return success();
}

LogicalResult HostEmitter::emitInternalReturn(func::ReturnOp op) {
  SmallVector<Value> words;
  for (auto [index, value] : llvm::enumerate(op.getOperands())) {
    SmallVector<Value> own;
    flatten(value, own);
    // What this function reserved ends here.
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      if (HostTensor tensor = tensors[value]; tensor.output != static_cast<int64_t>(index))
        own.front() = copyToOutput(index, tensor, type.getElementType());
    llvm::append_range(words, own);
  }
  for (auto [index, word] : llvm::enumerate(words))
    storeElement(toI64(word), resultWords, index);
  callRuntime(8, {});
  Value status = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(RELAX_RT_OK));
  func::ReturnOp::create(builder, loc, status);
  return success();
}

//===----------------------------------------------------------------------===//
// Memory that grows
//===----------------------------------------------------------------------===//

void HostEmitter::reserveGrowing(StorageOp storage) {
  bool alternates = storage.getSpace() == "alternating";
  GrowingStorage result;
  result.block = callRuntimeFor(i64, 5, constant(alternates ? 2 : 1));
  if (alternates) {
    result.toggle = allocateOnStack(1);
    storeElement(constant(0), result.toggle, 0);
  }
  growing[storage.getResult()] = result;
}

Value HostEmitter::growStorage(Value storage, Value bytes) {
  const GrowingStorage &found = growing[storage];
  Value block = found.block;
  if (found.toggle) {
    // The other block than last time, which keeps what was made then.
    Value turn = loadField(i64, found.toggle, 0);
    storeElement(arith::SubIOp::create(builder, loc, constant(1), turn), found.toggle, 0);
    block = arith::AddIOp::create(builder, loc, block, turn);
  }
  return callRuntimeForPointer(6, {block, bytes});
}
