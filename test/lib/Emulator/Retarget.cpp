//===- Retarget.cpp - Code of a chip as code of the CPU -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Retarget.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace relax_emulator;

namespace {

class Retargeter {
public:
  Retargeter(Module &module, Retargeted &made, std::string &error)
      : module(module), made(made), error(error), replacer(module, made) {}

  bool run();

private:
  bool fail(const Twine &text) {
    error = text.str();
    return false;
  }
  void moveSharedArrays();
  void exportConstants();
  void adaptFunction(Function &function);
  void adaptAllocas(Function &function);
  bool rewrite(Function &function);
  bool rewriteCall(CallInst &call);
  void check(Instruction &access);
  void checkTransfer(AnyMemIntrinsic &transfer);
  void addCheck(Instruction &access, Value *address, Value *bytes, uint32_t flags, Align alignment);
  void addEntry(Function &kernel);

  Module &module;
  Retargeted &made;
  std::string &error;
  IntrinsicReplacer replacer;
};

/// The emulator has the memory of a block.
void Retargeter::moveSharedArrays() {
  for (GlobalVariable &array : make_early_inc_range(module.globals())) {
    if (array.getAddressSpace() != kShared)
      continue;
    std::string symbol = "relax_emu_shared_" + std::to_string(made.shared.size());
    made.shared.push_back(
        {array.getName().str(), symbol, module.getDataLayout().getTypeAllocSize(array.getValueType())});
    array.setName(symbol);
    array.setLinkage(GlobalValue::ExternalLinkage);
    array.setVisibility(GlobalValue::DefaultVisibility);
    array.setInitializer(nullptr);
    array.setDSOLocal(false);
  }
}

void Retargeter::exportConstants() {
  for (GlobalVariable &array : module.globals()) {
    if (array.isDeclaration())
      continue;
    array.setName("relax_emu_constant_" + Twine(made.constants.size()));
    array.setLinkage(GlobalValue::ExternalLinkage);
    array.setVisibility(GlobalValue::DefaultVisibility);
    made.constants.push_back({array.getName().str(), module.getDataLayout().getTypeAllocSize(array.getValueType())});
  }
}

/// Everything that only the chip knows goes.
void Retargeter::adaptFunction(Function &function) {
  function.setCallingConv(CallingConv::C);
  function.setAttributes(AttributeList());
  function.setDoesNotThrow();
  function.setLinkage(GlobalValue::ExternalLinkage);
  function.setVisibility(GlobalValue::DefaultVisibility);
  function.setComdat(nullptr);
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    // Threads run one at a time, and arrays of their own live until they end.
    if (isa<FenceInst>(instruction) || (call && call->isLifetimeStartOrEnd())) {
      instruction.eraseFromParent();
    } else if (call) {
      call->setCallingConv(CallingConv::C);
    } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
      update->setSyncScopeID(SyncScope::System);
    } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      exchange->setSyncScopeID(SyncScope::System);
    }
  }
}

void Retargeter::adaptAllocas(Function &function) {
  SmallVector<AllocaInst *> allocas;
  for (Instruction &instruction : instructions(function))
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction); alloca && alloca->getAddressSpace() != 0)
      allocas.push_back(alloca);
  for (AllocaInst *alloca : allocas) {
    IRBuilder<> builder(alloca);
    auto *moved = builder.CreateAlloca(alloca->getAllocatedType(), 0u, alloca->getArraySize());
    moved->setAlignment(alloca->getAlign());
    alloca->replaceAllUsesWith(builder.CreateAddrSpaceCast(moved, alloca->getType()));
    alloca->eraseFromParent();
  }
}

void Retargeter::addCheck(Instruction &access, Value *address, Value *bytes, uint32_t flags, Align alignment) {
  unsigned space = address->getType()->getPointerAddressSpace();
  const Value *object = getUnderlyingObject(address, 0);
  if (space == kPrivate || isa<AllocaInst>(object))
    return;
  uint32_t index = replacer.addSite(access);
  Site &site = made.sites[index];
  site.flags = flags;
  site.space = space;
  site.alignment = alignment.value();
  for (auto [number, array] : enumerate(made.shared))
    if (object->getName() == array.symbol)
      site.sharedArray = static_cast<int>(number);
  IRBuilder<> builder(&access);
  Type *i64 = builder.getInt64Ty();
  builder.CreateCall(replacer.get("relax_emu_access", builder.getVoidTy(), {i64, i64, builder.getInt32Ty()}),
                     {builder.CreatePtrToInt(address, i64), bytes, builder.getInt32(index)});
}

void Retargeter::check(Instruction &access) {
  auto add = [&](Value *address, Type *type, uint32_t flags, Align alignment) {
    uint64_t bytes = module.getDataLayout().getTypeStoreSize(type);
    addCheck(access, address, ConstantInt::get(Type::getInt64Ty(module.getContext()), bytes), flags, alignment);
  };
  if (auto *load = dyn_cast<LoadInst>(&access))
    add(load->getPointerOperand(), load->getType(), load->isAtomic() ? kAtomic : 0, load->getAlign());
  else if (auto *store = dyn_cast<StoreInst>(&access))
    add(store->getPointerOperand(), store->getValueOperand()->getType(), kWrite | (store->isAtomic() ? kAtomic : 0),
        store->getAlign());
  else if (auto *update = dyn_cast<AtomicRMWInst>(&access))
    add(update->getPointerOperand(), update->getType(), kWrite | kAtomic, update->getAlign());
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access))
    add(exchange->getPointerOperand(), exchange->getNewValOperand()->getType(), kWrite | kAtomic, exchange->getAlign());
}

void Retargeter::checkTransfer(AnyMemIntrinsic &transfer) {
  Value *bytes = IRBuilder<>(&transfer).CreateZExtOrTrunc(transfer.getLength(), Type::getInt64Ty(module.getContext()));
  addCheck(transfer, transfer.getRawDest(), bytes, kWrite, transfer.getDestAlign().valueOrOne());
  if (auto *copy = dyn_cast<AnyMemTransferInst>(&transfer))
    addCheck(transfer, copy->getRawSource(), bytes, 0, copy->getSourceAlign().valueOrOne());
}

bool Retargeter::rewriteCall(CallInst &call) {
  Function *callee = call.getCalledFunction();
  if (!callee)
    return fail(call.isInlineAsm() ? "the emulator has no inline assembly" : "the emulator has no indirect calls");
  if (!callee->isDeclaration())
    return true;
  if (auto *transfer = dyn_cast<AnyMemIntrinsic>(&call)) {
    checkTransfer(*transfer);
    return true;
  }
  // LLVM's own, which the CPU has as well; those that touch memory would go unchecked.
  StringRef name = callee->getName();
  bool isOfChip = name.starts_with("llvm.nvvm.") || name.starts_with("llvm.amdgcn.");
  if (callee->isIntrinsic() && !isOfChip &&
      (call.doesNotAccessMemory() || isa<AssumeInst>(call) || call.onlyAccessesInaccessibleMemory()))
    return true;
  return replacer.replace(call) || fail("the emulator has no '" + name + "'");
}

bool Retargeter::rewrite(Function &function) {
  SmallVector<Instruction *> all;
  for (Instruction &instruction : instructions(function))
    all.push_back(&instruction);
  for (Instruction *instruction : all) {
    auto *call = dyn_cast<CallInst>(instruction);
    if (!call)
      check(*instruction);
    else if (!rewriteCall(*call))
      return false;
  }
  return true;
}

/// A function that takes addresses of the kernel's arguments.
void Retargeter::addEntry(Function &kernel) {
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(context);
  Type *pointer = builder.getPtrTy();
  std::string symbol = ("relax_emu_entry_" + kernel.getName()).str();
  auto *entry = Function::Create(FunctionType::get(builder.getVoidTy(), {pointer}, false), GlobalValue::ExternalLinkage,
                                 symbol, module);
  builder.SetInsertPoint(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> values;
  for (auto [index, argument] : enumerate(kernel.args())) {
    Value *place = builder.CreateConstGEP1_64(pointer, entry->getArg(0), index);
    values.push_back(builder.CreateLoad(argument.getType(), builder.CreateLoad(pointer, place)));
  }
  builder.CreateCall(&kernel, values);
  builder.CreateRetVoid();
  // Any function of the module may wait for a kernel that calls it.
  bool waits = module.getFunction("relax_emu_barrier") || module.getFunction("relax_emu_exchange");
  made.kernels.push_back({kernel.getName().str(), symbol, static_cast<unsigned>(kernel.arg_size()), waits});
}

bool Retargeter::run() {
  const Triple &triple = module.getTargetTriple();
  if (!triple.isNVPTX() && !triple.isAMDGPU())
    return fail("the emulator has no code for '" + triple.str() + "'");
  made.isAMD = triple.isAMDGPU();
  SmallVector<Function *> functions, kernels;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    functions.push_back(&function);
    if (function.getCallingConv() == CallingConv::PTX_Kernel || function.getCallingConv() == CallingConv::AMDGPU_KERNEL)
      kernels.push_back(&function);
  }
  moveSharedArrays();
  exportConstants();
  for (Function *function : functions) {
    adaptFunction(*function);
    adaptAllocas(*function);
    if (!rewrite(*function))
      return false;
  }
  for (Function *kernel : kernels)
    addEntry(*kernel);
  for (NamedMDNode &node : make_early_inc_range(module.named_metadata()))
    module.eraseNamedMetadata(&node);
  // Neither is left that says what chips allow.
  module.setTargetTriple(Triple());
  module.setDataLayout("");
  std::string text;
  raw_string_ostream stream(text);
  return !verifyModule(module, &stream) || fail("the emulator made invalid code: " + text);
}

} // namespace

bool relax_emulator::retarget(Module &module, Retargeted &made, std::string &error) {
  return Retargeter(module, made, error).run();
}
