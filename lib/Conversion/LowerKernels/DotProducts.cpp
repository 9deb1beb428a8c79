//===- DotProducts.cpp - Instructions that multiply small integers --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Both instructions of x86 multiply unsigned by signed numbers. Which operand is
// never negative is read off the arithmetic that makes it. Of VNNI's, any number
// becomes unsigned by adding 128, and 128 times the sum of the other one is taken
// off again; AVX2's adds pairs in 16 bits, which hold the products of a number's
// magnitude with one from -127 to 127 only.
//
//===----------------------------------------------------------------------===//
#include "DotProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;

std::optional<DotProducts> relax::parseDotProducts(StringRef name) {
  return llvm::StringSwitch<std::optional<DotProducts>>(name)
      .Case("plain", DotProducts::Plain)
      .Case("avx2", DotProducts::AVX2)
      .Case("vnni", DotProducts::VNNI)
      .Case("avx512", DotProducts::AVX512)
      .Default(std::nullopt);
}

/// The values that a scalar may have, as far as the operations say that make it.
static ConstantIntRanges getRange(Value value) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  auto inferrable = dyn_cast_if_present<InferIntRangeInterface>(value.getDefiningOp());
  if (!inferrable)
    return ConstantIntRanges::maxRange(width);
  SmallVector<ConstantIntRanges> ranges;
  for (Value operand : inferrable->getOperands()) {
    if (ConstantIntRanges::getStorageBitwidth(operand.getType()) == 0)
      return ConstantIntRanges::maxRange(width);
    ranges.push_back(getRange(operand));
  }
  ConstantIntRanges result = ConstantIntRanges::maxRange(width);
  inferrable.inferResultRanges(ranges, [&](Value inferred, const ConstantIntRanges &range) {
    if (inferred == value)
      result = range;
  });
  return result;
}

VectorType DotEmitter::getType(int64_t bits, int64_t lanes) {
  return VectorType::get(lanes, builder.getIntegerType(bits));
}

Value DotEmitter::splat(int64_t value, int64_t bits, int64_t lanes) {
  VectorType type = getType(bits, lanes);
  APInt number(bits, static_cast<uint64_t>(value), /*isSigned=*/true, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, ArrayRef<APInt>(number)));
}

Value DotEmitter::call(StringRef intrinsic, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result, builder.getStringAttr(intrinsic), operands).getResult(0);
}

Value DotEmitter::share(Value value, StringRef what, function_ref<Value()> make) {
  Value &result = known[{value.getAsOpaquePointer(), what.str()}];
  if (!result)
    result = make();
  return result;
}

/// `sum` and the products of a, from 0 to 255 (to 128 with AVX2), with b.
Value DotEmitter::emitUnsigned(Value a, Value b, Value sum) {
  VectorType sums = getType(32, numSums);
  if (hasVNNI)
    return call(numSums == 16 ? "llvm.x86.avx512.vpdpbusd.512" : "llvm.x86.avx512.vpdpbusd.256", sums,
                {sum ? sum : splat(0, 32, numSums), a, b});
  Value pairs = call("llvm.x86.avx2.pmadd.ub.sw", getType(16, numNumbers / 2), {a, b});
  Value products = call("llvm.x86.avx2.pmadd.wd", sums, {pairs, splat(1, 16, numNumbers / 2)});
  return sum ? arith::AddIOp::create(builder, loc, sum, products).getResult() : products;
}

Value DotEmitter::emitPlain(Value a, Value b) {
  auto widen = [&](Value value) {
    return share(value, "wide",
                 [&] { return arith::ExtSIOp::create(builder, loc, getType(16, numNumbers), value).getResult(); });
  };
  // Products fit 16 bits; four of them do not.
  Value wideA = widen(a), wideB = widen(b);
  if (dots == DotProducts::AVX2) {
    Value halves[2];
    for (int64_t half = 0; half < 2; ++half) {
      auto part = [&](Value value) {
        return share(value, half ? "high" : "low", [&] {
          return vector::ExtractStridedSliceOp::create(builder, loc, value, half * numNumbers / 2, numNumbers / 2, 1)
              .getResult();
        });
      };
      halves[half] = call("llvm.x86.avx2.pmadd.wd", getType(32, numSums), {part(wideA), part(wideB)});
    }
    SmallVector<int64_t> even, odd;
    for (int64_t i = 0; i < numSums; ++i) {
      even.push_back(2 * i);
      odd.push_back(2 * i + 1);
    }
    Value first = vector::ShuffleOp::create(builder, loc, halves[0], halves[1], even);
    Value second = vector::ShuffleOp::create(builder, loc, halves[0], halves[1], odd);
    return arith::AddIOp::create(builder, loc, first, second);
  }
  Value products = arith::MulIOp::create(builder, loc, wideA, wideB);
  products = arith::ExtSIOp::create(builder, loc, getType(32, numNumbers), products);
  Value sum;
  for (int64_t i = 0; i < numNumbers / numSums; ++i) {
    SmallVector<int64_t> chosen;
    for (int64_t lane = 0; lane < numSums; ++lane)
      chosen.push_back(lane * (numNumbers / numSums) + i);
    Value part = vector::ShuffleOp::create(builder, loc, products, products, chosen);
    sum = sum ? arith::AddIOp::create(builder, loc, sum, part).getResult() : part;
  }
  return sum;
}

DotForm relax::chooseDotForm(DotProducts dots, Value a, Value b) {
  if (dots == DotProducts::Plain)
    return DotForm::Wide;
  ConstantIntRanges rangeA = getRange(a), rangeB = getRange(b);
  if (rangeA.smin().isNonNegative())
    return DotForm::FirstUnsigned;
  if (rangeB.smin().isNonNegative())
    return DotForm::SecondUnsigned;
  if (dots != DotProducts::AVX2)
    return DotForm::FirstShifted;
  // |-128| is 128 as an unsigned number; -(-128) is none.
  bool isSignedA = rangeA.smin().isMinSignedValue(), isSignedB = rangeB.smin().isMinSignedValue();
  if (isSignedA && isSignedB)
    return DotForm::Wide;
  return isSignedA ? DotForm::FirstMagnitude : DotForm::SecondMagnitude;
}

Value DotEmitter::emitShifted(Value a) {
  return share(a, "shifted",
               [&] { return arith::XOrIOp::create(builder, loc, a, splat(128, 8, numNumbers)).getResult(); });
}

Value DotEmitter::emitOffset(Value b) {
  return share(b, "offset", [&] {
    Value zero = splat(0, 32, numSums);
    return arith::SubIOp::create(builder, loc, zero, emitUnsigned(splat(128, 8, numNumbers), b, zero)).getResult();
  });
}

Value DotEmitter::emitMagnitude(Value a) {
  return share(a, "magnitude", [&] { return math::AbsIOp::create(builder, loc, a).getResult(); });
}

Value DotEmitter::emitSigned(Value other, Value a) {
  return call("llvm.x86.avx2.psign.b", getType(8, numNumbers), {other, a});
}

Value DotEmitter::emit(Value a, Value b, Value scalarA, Value scalarB) {
  switch (chooseDotForm(dots, scalarA, scalarB)) {
  case DotForm::FirstUnsigned:
    return emitUnsigned(a, b, Value());
  case DotForm::SecondUnsigned:
    return emitUnsigned(b, a, Value());
  case DotForm::FirstShifted: {
    Value offset = emitOffset(b);
    return emitUnsigned(emitShifted(a), b, offset);
  }
  case DotForm::FirstMagnitude: {
    Value magnitude = emitMagnitude(a);
    return emitUnsigned(magnitude, emitSigned(b, a), Value());
  }
  case DotForm::SecondMagnitude: {
    Value magnitude = emitMagnitude(b);
    return emitUnsigned(magnitude, emitSigned(a, b), Value());
  }
  case DotForm::Wide:
    return emitPlain(a, b);
  }
  llvm_unreachable("all forms are covered");
}

Value DotEmitter::emitSum(Value a) {
  return share(a, "sum", [&] {
    if (dots == DotProducts::Plain)
      return emitPlain(a, splat(1, 8, numNumbers));
    return emitUnsigned(splat(1, 8, numNumbers), a, Value());
  });
}
