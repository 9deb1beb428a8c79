//===- HalfConversions.cpp - f16 and bf16 without a compiler library -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "HalfConversions.h"

#include "mlir/Support/LLVM.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace mlir;

namespace {

/// Writes the functions; all of them work on the bits.
class HalfWriter {
public:
  explicit HalfWriter(llvm::Module &module)
      : module(module), builder(module.getContext()), half(builder.getHalfTy()), brain(builder.getBFloatTy()),
        single(builder.getFloatTy()), wide(builder.getDoubleTy()) {}

  void write() {
    begin("__truncsfhf2", half, single);
    finish(truncate(argument));
    begin("__truncdfhf2", half, wide);
    finish(truncate(roundToOdd(argument)));
    begin("__extendhfsf2", single, half);
    finish(extend(argument));
    begin("__extendhfdf2", wide, half);
    finish(builder.CreateFPExt(extend(argument), wide));
  }

  /// Kernels do not compute with bf16, but code generation moves it through f32.
  void writeBrain() {
    begin("__truncsfbf2", brain, single);
    finish(truncateToBrain(argument));
    begin("__truncdfbf2", brain, wide);
    finish(truncateToBrain(roundToOdd(argument)));
  }

private:
  void begin(StringRef name, llvm::Type *result, llvm::Type *parameter) {
    function = llvm::Function::Create(llvm::FunctionType::get(result, {parameter}, false),
                                      llvm::Function::ExternalLinkage, name, module);
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    function->setDoesNotThrow();
    argument = function->getArg(0);
    builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
  }
  void finish(llvm::Value *result) {
    builder.CreateRet(result);
    // The calls appear only when code is generated.
    llvm::appendToCompilerUsed(module, {function});
  }

  llvm::Value *int32(uint32_t value) { return builder.getInt32(value); }
  llvm::Value *bits(llvm::Value *value) { return builder.CreateBitCast(value, builder.getInt32Ty()); }

  /// float to half, to nearest even.
  llvm::Value *truncate(llvm::Value *value) {
    llvm::Value *all = bits(value);
    llvm::Value *sign = builder.CreateAnd(builder.CreateLShr(all, 16), int32(0x8000));
    llvm::Value *magnitude = builder.CreateAnd(all, int32(0x7fffffff));
    // Normal: rebias the exponent and add half of the last place, less one when that place is even.
    llvm::Value *odd = builder.CreateAnd(builder.CreateLShr(magnitude, 13), 1);
    llvm::Value *rounded = builder.CreateAdd(builder.CreateAdd(magnitude, int32(0xc8000fff)), odd);
    llvm::Value *normal = builder.CreateLShr(rounded, 13);
    // Below 2^-14: adding 0.5 leaves the mantissa of the result, rounded by the hardware, in the low bits.
    llvm::Value *shifted =
        builder.CreateFAdd(builder.CreateBitCast(magnitude, single), llvm::ConstantFP::get(single, 0.5));
    llvm::Value *small = builder.CreateSub(bits(shifted), int32(0x3f000000));
    llvm::Value *isSmall = builder.CreateICmpULT(magnitude, int32(0x38800000));
    llvm::Value *isLarge = builder.CreateICmpUGE(magnitude, int32(0x477ff000)); // rounds to infinity
    llvm::Value *isNaN = builder.CreateICmpUGT(magnitude, int32(0x7f800000));
    llvm::Value *result = builder.CreateSelect(isSmall, small, normal);
    result = builder.CreateSelect(isLarge, int32(0x7c00), result);
    llvm::Value *payload = builder.CreateAnd(builder.CreateLShr(magnitude, 13), int32(0x3ff));
    result = builder.CreateSelect(isNaN, builder.CreateOr(payload, int32(0x7e00)), result);
    return builder.CreateBitCast(builder.CreateTrunc(builder.CreateOr(result, sign), builder.getInt16Ty()), half);
  }

  /// float to bf16, to nearest even.
  llvm::Value *truncateToBrain(llvm::Value *value) {
    llvm::Value *all = bits(value), *odd = builder.CreateAnd(builder.CreateLShr(all, 16), 1);
    llvm::Value *rounded = builder.CreateAdd(builder.CreateAdd(all, int32(0x7fff)), odd);
    llvm::Value *isNaN = builder.CreateICmpUGT(builder.CreateAnd(all, int32(0x7fffffff)), int32(0x7f800000));
    llvm::Value *result = builder.CreateSelect(isNaN, builder.CreateOr(all, int32(0x400000)), rounded);
    return builder.CreateBitCast(builder.CreateTrunc(builder.CreateLShr(result, 16), builder.getInt16Ty()), brain);
  }

  /// double to float so that rounding again is as if rounded once: an inexact result gets an odd last place.
  llvm::Value *roundToOdd(llvm::Value *value) {
    llvm::Value *nearest = builder.CreateFPTrunc(value, single);
    llvm::Value *back = builder.CreateFPExt(nearest, wide);
    llvm::Value *size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
    llvm::Value *isAbove = builder.CreateFCmpOGT(builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back), size);
    llvm::Value *toZero = builder.CreateSub(bits(nearest), builder.CreateZExt(isAbove, builder.getInt32Ty()));
    llvm::Value *inexact = builder.CreateFCmpONE(back, value);
    llvm::Value *odd = builder.CreateOr(toZero, builder.CreateZExt(inexact, builder.getInt32Ty()));
    return builder.CreateBitCast(odd, single);
  }

  /// half to float, exact.
  llvm::Value *extend(llvm::Value *value) {
    llvm::Value *all = builder.CreateZExt(builder.CreateBitCast(value, builder.getInt16Ty()), builder.getInt32Ty());
    llvm::Value *sign = builder.CreateShl(builder.CreateAnd(all, int32(0x8000)), 16);
    llvm::Value *magnitude = builder.CreateShl(builder.CreateAnd(all, int32(0x7fff)), 13);
    // The exponent moves by a product, which also normalizes small numbers.
    llvm::Value *scaled =
        builder.CreateFMul(builder.CreateBitCast(magnitude, single), llvm::ConstantFP::get(single, 0x1p112));
    llvm::Value *isSpecial = builder.CreateICmpUGE(magnitude, int32(0x0f800000));
    llvm::Value *special = builder.CreateOr(magnitude, int32(0x7f800000));
    llvm::Value *result = builder.CreateSelect(isSpecial, special, bits(scaled));
    return builder.CreateBitCast(builder.CreateOr(result, sign), single);
  }

  llvm::Module &module;
  llvm::IRBuilder<> builder;
  llvm::Type *half, *brain, *single, *wide;
  llvm::Function *function = nullptr;
  llvm::Value *argument = nullptr;
};

bool uses(llvm::Module &module, bool (llvm::Type::*is)() const) {
  auto isHalf = [&](llvm::Type *type) { return (type->getScalarType()->*is)(); };
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (isHalf(instruction.getType()) ||
          llvm::any_of(instruction.operands(), [&](llvm::Use &use) { return isHalf(use->getType()); }))
        return true;
  return false;
}

} // namespace

void relax::addHalfConversions(llvm::Module &module) {
  bool hasHalf = uses(module, &llvm::Type::isHalfTy), hasBrain = uses(module, &llvm::Type::isBFloatTy);
  if (hasHalf)
    HalfWriter(module).write();
  if (hasBrain)
    HalfWriter(module).writeBrain();
}
