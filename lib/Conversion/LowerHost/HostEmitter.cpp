//===- HostEmitter.cpp - Values, checks and calls of the runtime ----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::relax;

// Fields are addressed as words of 8 bytes (ABI.h).
static_assert(sizeof(relax_rt_invocation) == 4 * 8 && sizeof(relax_rt_input) == 2 * 8 &&
                  sizeof(relax_rt_host_api) == 17 * 8 && sizeof(relax_rt_tensor_view) == 4 * 8,
              "the layout is the contract with the runtime");

HostEmitter::HostEmitter(func::FuncOp source, HostTables &tables, HostForm form)
    : source(source), tables(tables), form(form), context(source.getContext()), prover(context, sym::getScope(source)),
      loc(source.getLoc()), builder(context), pointerType(LLVM::LLVMPointerType::get(context)),
      i64(builder.getI64Type()), i32(builder.getI32Type()) {
  if (sym::ScopeAttr attr = sym::getScope(source))
    facts.assign(attr.getFacts().begin(), attr.getFacts().end());
}

LogicalResult HostEmitter::emit() {
  if (!llvm::hasSingleElement(source.getBody()))
    return source.emitError("has several blocks, which host code does not support");
  if ((form == HostForm::Entry && failed(checkNames())) || failed(createFunction()))
    return failure();
  Block *block = entry.addEntryBlock();
  returnBlock = new Block();
  returnBlock->addArgument(i32, loc);
  guardBlock = new Block();
  for (unsigned i = 0; i < 2 + kMaxGuardValues; ++i)
    guardBlock->addArgument(i64, loc);

  scope = std::make_unique<SymbolValues::ScopeTy>(known);
  builder.setInsertionPointToStart(block);
  invocation = block->getArgument(0);
  api = loadField(pointerType, invocation, 0);
  LogicalResult result = success(succeeded(emitArguments()) && succeeded(reserveForCalls()) &&
                                 succeeded(emitBlock(source.getBody().front())));
  scope.reset();
  if (succeeded(result) && form == HostForm::Entry)
    tables.addFunction(source);
  finish(); // also after a failure: the blocks must not leak
  return result;
}

/// Arrays are found by name at run time.
LogicalResult HostEmitter::checkNames() {
  llvm::StringSet<> inputs, outputs;
  for (unsigned index = 0, e = source.getNumArguments(); index < e; ++index)
    if (std::string name = getOutsideName(source.getArgAttrDict(index), "arg", index); !inputs.insert(name).second)
      return source.emitError("two arguments have the name '") << name << "'";
  for (unsigned index = 0, e = source.getNumResults(); index < e; ++index)
    if (std::string name = getOutsideName(source.getResultAttrDict(index), "result", index);
        !outputs.insert(name).second)
      return source.emitError("two results have the name '") << name << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value HostEmitter::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
}

Value HostEmitter::toI64(Value index) {
  return index.getType().isIndex() ? Value(arith::IndexCastOp::create(builder, loc, i64, index)) : index;
}

Value HostEmitter::elementAddress(Value base, int64_t index) {
  if (index == 0)
    return base;
  return LLVM::GEPOp::create(builder, loc, pointerType, i64, base, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value HostEmitter::loadField(Type type, Value base, int64_t index) {
  return LLVM::LoadOp::create(builder, loc, type, elementAddress(base, index));
}

Value HostEmitter::loadElement(Type type, Value base, Value index) {
  Type stored = type.isInteger(1) ? builder.getI8Type() : type;
  Value address = LLVM::GEPOp::create(builder, loc, pointerType, stored, base, ArrayRef<LLVM::GEPArg>{index});
  Value loaded = LLVM::LoadOp::create(builder, loc, stored, address);
  if (stored == type)
    return loaded;
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loaded, zero);
}

void HostEmitter::storeElement(Value value, Value base, int64_t index) {
  LLVM::StoreOp::create(builder, loc, value, elementAddress(base, index));
}

static Operation *createAlloca(func::FuncOp entry, Location loc, Type pointerType, Type word, int64_t words) {
  OpBuilder start = OpBuilder::atBlockBegin(&entry.getBody().front());
  Value count = LLVM::ConstantOp::create(start, loc, start.getI64Type(), words);
  return LLVM::AllocaOp::create(start, loc, pointerType, word, count, /*alignment=*/8);
}

Value HostEmitter::allocateOnStack(int64_t words) {
  return createAlloca(entry, loc, pointerType, i64, std::max<int64_t>(words, 1))->getResult(0);
}

Value HostEmitter::getScratch(Scratch purpose, int64_t count) {
  ScratchArea &area = scratch[static_cast<unsigned>(purpose)];
  if (!area.alloca)
    area.alloca = createAlloca(entry, loc, pointerType, i64, 1);
  area.words = std::max({area.words, count, int64_t(1)});
  return area.alloca->getResult(0);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void HostEmitter::guard(Value condition, int32_t status, const Twine &message, ArrayRef<Value> values) {
  if (matchPattern(condition, m_One()))
    return;
  int64_t site = tables.getSite(status, message.str());
  SmallVector<Value> arguments = {constant(site), constant(std::min<int64_t>(values.size(), kMaxGuardValues))};
  for (unsigned i = 0; i < kMaxGuardValues; ++i)
    arguments.push_back(i < values.size() ? values[i] : constant(0));
  Block *next = new Block();
  builder.getBlock()->getParent()->push_back(next);
  cf::CondBranchOp::create(builder, loc, condition, next, ValueRange(), guardBlock, arguments);
  builder.setInsertionPointToStart(next);
}

void HostEmitter::guardEqual(Value expected, Value actual, int32_t status, const Twine &message) {
  Value equal = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, expected, actual);
  guard(equal, status, message, {expected, actual});
}

void HostEmitter::guardSize(sym::SymExpr expr, Value actual, const Twine &what) {
  if (expr)
    if (std::optional<int64_t> least = prover.lowerBound(expr); least && *least >= 0)
      return;
  Value holds = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, actual, constant(0));
  guard(holds, RELAX_RT_GUARD_FAILED, what + " is negative: {0}", {actual});
}

void HostEmitter::callRuntime(unsigned function, ValueRange arguments) {
  Value callee = loadField(pointerType, api, function);
  SmallVector<Value> operands = {callee, invocation};
  llvm::append_range(operands, arguments);
  SmallVector<Type> types = {pointerType};
  llvm::append_range(types, arguments.getTypes());
  auto call = LLVM::CallOp::create(builder, loc, LLVM::LLVMFunctionType::get(i32, types), operands);
  continueIfOk(call.getResult());
}

void HostEmitter::continueIfOk(Value status) {
  Value zero = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  Value ok = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, status, zero);
  Block *next = new Block();
  builder.getBlock()->getParent()->push_back(next);
  cf::CondBranchOp::create(builder, loc, ok, next, ValueRange(), returnBlock, ValueRange(status));
  builder.setInsertionPointToStart(next);
}

Value HostEmitter::callRuntimeFor(Type type, unsigned function, ValueRange arguments) {
  Value slot = getScratch(Scratch::Slots, 1);
  SmallVector<Value> all(arguments);
  all.push_back(slot);
  callRuntime(function, all);
  return loadField(type, slot, 0);
}

void HostEmitter::finish() {
  Region &body = entry.getBody();
  body.push_back(guardBlock);
  body.push_back(returnBlock);
  builder.setInsertionPointToStart(guardBlock);
  Value values = allocateOnStack(kMaxGuardValues);
  for (unsigned i = 0; i < kMaxGuardValues; ++i)
    storeElement(guardBlock->getArgument(2 + i), values, i);
  Value callee = loadField(pointerType, api, 4);
  auto call = LLVM::CallOp::create(
      builder, loc, LLVM::LLVMFunctionType::get(i32, {pointerType, i64, pointerType, i64}),
      ValueRange{callee, invocation, guardBlock->getArgument(0), values, guardBlock->getArgument(1)});
  func::ReturnOp::create(builder, loc, call.getResults());
  builder.setInsertionPointToStart(returnBlock);
  func::ReturnOp::create(builder, loc, ValueRange(returnBlock->getArgument(0)));

  for (ScratchArea &area : scratch)
    if (area.alloca)
      cast<LLVM::ConstantOp>(area.alloca->getOperand(0).getDefiningOp())
          .setValueAttr(builder.getI64IntegerAttr(area.words));
}
