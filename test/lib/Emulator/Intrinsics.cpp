//===- Intrinsics.cpp - What only chips have ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Retarget.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;
using namespace relax_emulator;

IntrinsicReplacer::IntrinsicReplacer(Module &module, Retargeted &made)
    : module(module), made(made), builder(module.getContext()), i32(builder.getInt32Ty()), i64(builder.getInt64Ty()),
      pointer(builder.getPtrTy()) {}

FunctionCallee IntrinsicReplacer::get(StringRef name, Type *result, ArrayRef<Type *> parameters) {
  return module.getOrInsertFunction(name, FunctionType::get(result, parameters, false));
}

uint32_t IntrinsicReplacer::addSite(const Instruction &at) {
  std::string text;
  raw_string_ostream(text) << at;
  // Operands suffice, without metadata behind them.
  made.sites.push_back({StringRef(text).trim().split(", !").first.str()});
  return made.sites.size() - 1;
}

/// The same for as long as a thread runs.
Value *IntrinsicReplacer::ask(uint32_t number) {
  FunctionCallee callee = get("relax_emu_number", i32, {i32});
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->addFnAttr(Attribute::WillReturn);
  return builder.CreateCall(callee, builder.getInt32(number));
}

IntrinsicReplacer::Result IntrinsicReplacer::wait(CallInst &call) {
  builder.CreateCall(get("relax_emu_barrier", builder.getVoidTy(), {i32}), builder.getInt32(addSite(call)));
  return kNothing;
}

Value *IntrinsicReplacer::exchange(CallInst &call, Exchange kind, Value *mask, Value *value, Value *other,
                                   Value *clamp) {
  return builder.CreateCall(get("relax_emu_exchange", i64, {i32, i64, i32, i32, i32, i32}),
                            {builder.getInt32(kind), mask, value, other, clamp, builder.getInt32(addSite(call))});
}

/// shfl.sync of 32 bits: with a predicate that tells whether the lane it comes from exists, or without.
IntrinsicReplacer::Result IntrinsicReplacer::shuffle(CallInst &call, StringRef mode) {
  auto [kindName, typeName] = mode.split('.');
  auto kind = StringSwitch<std::optional<Exchange>>(kindName)
                  .Case("up", kUp)
                  .Case("down", kDown)
                  .Case("bfly", kButterfly)
                  .Case("idx", kIndex)
                  .Default(std::nullopt);
  if (!kind || call.arg_size() != 4)
    return kUnknown;
  Value *value = builder.CreateBitCast(call.getArgOperand(1), i32);
  Value *mask = builder.CreateZExt(call.getArgOperand(0), i64);
  Value *both = exchange(call, *kind, mask, value, call.getArgOperand(2), call.getArgOperand(3));
  Type *type = call.getArgOperand(1)->getType();
  Value *result = builder.CreateBitCast(builder.CreateTrunc(both, i32), type);
  if (call.getType() == type)
    return {true, result};
  Value *isValid = builder.CreateTrunc(builder.CreateLShr(both, 32), builder.getInt1Ty());
  Value *pair = builder.CreateInsertValue(PoisonValue::get(call.getType()), result, 0);
  return {true, builder.CreateInsertValue(pair, isValid, 1)};
}

/// Which of x, y and z follows `front`.
static std::optional<uint32_t> getAxis(StringRef name, StringRef front) {
  if (!name.consume_front(front) || name.size() != 1)
    return std::nullopt;
  uint32_t axis = name.front() - 'x';
  return axis < 3 ? std::optional(axis) : std::nullopt;
}

IntrinsicReplacer::Result IntrinsicReplacer::replaceNVIDIA(CallInst &call, StringRef name) {
  if (name.consume_front("read.ptx.sreg.")) {
    for (auto [front, base] : {std::pair<StringRef, uint32_t>{"tid.", kThread},
                               {"ctaid.", kBlock},
                               {"ntid.", kBlockSize},
                               {"nctaid.", kGridSize}})
      if (std::optional<uint32_t> axis = getAxis(name, front))
        return {true, ask(base + *axis)};
    if (name == "laneid" || name == "warpsize")
      return {true, ask(name == "laneid" ? kLane : kWarpSize)};
    return kUnknown;
  }
  if (name == "barrier.cta.sync.aligned.all" || name == "barrier.cta.sync.all") {
    auto *number = dyn_cast<ConstantInt>(call.getArgOperand(0));
    return number && number->isZero() ? wait(call) : kUnknown;
  }
  if (name == "barrier0")
    return wait(call);
  if (name.starts_with("membar.")) // threads run one at a time
    return kNothing;
  if (name.consume_front("shfl.sync."))
    return shuffle(call, name);
  if (name.consume_front("vote.") && name.consume_back(".sync")) {
    auto kind = StringSwitch<std::optional<Exchange>>(name)
                    .Case("any", kAny)
                    .Case("all", kAll)
                    .Case("ballot", kBallot)
                    .Default(std::nullopt);
    if (!kind)
      return kUnknown;
    Value *mask = builder.CreateZExt(call.getArgOperand(0), i64), *zero = builder.getInt32(0);
    Value *value = builder.CreateZExt(call.getArgOperand(1), i32);
    return {true, builder.CreateTrunc(exchange(call, *kind, mask, value, zero, zero), call.getType())};
  }
  return kUnknown;
}

IntrinsicReplacer::Result IntrinsicReplacer::replaceAMD(CallInst &call, StringRef name) {
  Value *zero = builder.getInt32(0), *all = builder.getInt64(~uint64_t(0));
  for (auto [front, base] : {std::pair<StringRef, uint32_t>{"workitem.id.", kThread}, {"workgroup.id.", kBlock}})
    if (std::optional<uint32_t> axis = getAxis(name, front))
      return {true, ask(base + *axis)};
  if (name == "implicitarg.ptr") {
    Value *arguments = builder.CreateCall(get("relax_emu_implicit_arguments", pointer, {}));
    return {true, builder.CreateAddrSpaceCast(arguments, call.getType())};
  }
  // A barrier in two parts: the second one waits.
  if (name == "s.barrier.signal")
    return kNothing;
  if (name == "s.barrier" || name == "s.barrier.wait")
    return wait(call);
  if (name == "wavefrontsize")
    return {true, builder.CreateZExtOrTrunc(ask(kWarpSize), call.getType())};
  if (name == "mbcnt.lo" || name == "mbcnt.hi") {
    Value *below = builder.CreateAnd(call.getArgOperand(0), ask(name == "mbcnt.lo" ? kLanesBelowLow : kLanesBelowHigh));
    return {true, builder.CreateAdd(call.getArgOperand(1), builder.CreateUnaryIntrinsic(Intrinsic::ctpop, below))};
  }
  if (name == "ds.bpermute") // lanes are counted by bytes
    return {true, builder.CreateTrunc(exchange(call, kPermute, all, call.getArgOperand(1),
                                               builder.CreateLShr(call.getArgOperand(0), 2), zero),
                                      i32)};
  bool is32 = call.getType()->isIntegerTy(32) || call.getType()->isFloatTy();
  if (is32 && (name.starts_with("readfirstlane.") || name.starts_with("readlane."))) {
    bool isFirst = name.starts_with("readfirstlane.");
    Value *value = builder.CreateBitCast(call.getArgOperand(0), i32);
    Value *from = isFirst ? zero : call.getArgOperand(1);
    Value *result = exchange(call, isFirst ? kFirst : kLaneOf, all, value, from, zero);
    return {true, builder.CreateBitCast(builder.CreateTrunc(result, i32), call.getType())};
  }
  if (name.starts_with("ballot.")) {
    Value *value = builder.CreateZExt(call.getArgOperand(0), i32);
    return {true, builder.CreateTrunc(exchange(call, kBallot, all, value, zero, zero), call.getType())};
  }
  if (name == "sched.barrier" || name == "sched.group.barrier") // of the compiler alone
    return kNothing;
  return kUnknown;
}

bool IntrinsicReplacer::replace(CallInst &call) {
  StringRef name = call.getCalledFunction()->getName();
  builder.SetInsertPoint(&call);
  Result result = kUnknown;
  if (name.consume_front("llvm.nvvm."))
    result = replaceNVIDIA(call, name);
  else if (name.consume_front("llvm.amdgcn."))
    result = replaceAMD(call, name);
  if (!result.isKnown)
    return false;
  if (!call.getType()->isVoidTy()) {
    call.replaceAllUsesWith(result.value);
    result.value->takeName(&call); // messages show operands
  }
  call.eraseFromParent();
  return true;
}
