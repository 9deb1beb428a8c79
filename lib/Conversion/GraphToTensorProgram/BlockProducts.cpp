//===- BlockProducts.cpp - Numbers of blocks times integers ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Integers stay in 8 bits until they are multiplied, so that a vector has as many
// of them as it can. What is read off their arithmetic is which ones are never
// negative. Factors are multiplied one after another: what one operand alone
// decides is a number of its own then, for all rows of the other.
//
//===----------------------------------------------------------------------===//
#include "BlockWriter.h"

using namespace mlir;
using namespace mlir::relax;
using graph::BlockFormat;

namespace {
/// Arithmetic on i8 in a body.
struct ByteWriter : IntegerWriter {
  ByteWriter(OpBuilder &builder, Location loc, unsigned firstLoop)
      : IntegerWriter{builder, loc, firstLoop, builder.getI8Type()} {}
  /// Bits of a byte from `place` on.
  Value bits(Value byte, Value place, int64_t mask) const { return bitAnd(right(byte, place), mask); }
  /// Bits from `place` on, moved up.
  Value raised(Value byte, Value place, int64_t mask, int64_t by) const { return left(bits(byte, place, mask), by); }
  /// 16 where bit `place` is set, 0 elsewhere; the place differs from one number to the next.
  Value fifth(Value byte, Value place) const {
    Value mask = arith::ShLIOp::create(builder, loc, constant(1), place);
    Value bit = arith::AndIOp::create(builder, loc, byte, mask);
    Value isSet = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bit, constant(0));
    return arith::SelectOp::create(builder, loc, isSet, constant(16), constant(0));
  }
};
} // namespace

ArrayRef<int64_t> BlockLoops::getRangesAround(int64_t numbers) const {
  ArrayRef<int64_t> around = ranges;
  for (int64_t inside = 1; inside < numbers; around = around.drop_back())
    inside *= around.back();
  return around;
}

Value BlockLoops::writeProduct(OpBuilder &builder, Location loc, ValueRange bytes, Value integer, Value scale) const {
  BlockWriter w(builder, loc, firstLoop, bytes);
  ByteWriter b(builder, loc, firstLoop);
  auto widen = [&](Value value) { return arith::ExtSIOp::create(builder, loc, w.i32(), value); };
  auto product = [&](Value factor, Value number) {
    Value exact = arith::MulIOp::create(builder, loc, widen(number), widen(integer));
    return w.mul(w.mul(factor, scale), w.toFloat(exact));
  };
  // A part of the number that all of its group share.
  auto constantPart = [&](Value factor) { return w.mul(factor, w.mul(scale, w.toFloat(widen(integer)))); };
  switch (format.kind) {
  case BlockFormat::F16:
  case BlockFormat::BF16:
    break;
  case BlockFormat::Q4_0:
    return product(w.half(0), b.sub(b.bits(bytes[2], b.loop(0, 4), 15), 8));
  case BlockFormat::Q4_1:
    return w.addf(product(w.half(0), b.bits(bytes[4], b.loop(0, 4), 15)), constantPart(w.half(2)));
  case BlockFormat::Q5_0: {
    Value number = b.bitOr(b.bits(bytes[3], b.loop(0, 4), 15), b.fifth(bytes[2], b.loop(2)));
    return product(w.half(0), b.sub(number, 16));
  }
  case BlockFormat::Q5_1: {
    Value number = b.bitOr(b.bits(bytes[5], b.loop(0, 4), 15), b.fifth(bytes[4], b.loop(2)));
    return w.addf(product(w.half(0), number), constantPart(w.half(2)));
  }
  case BlockFormat::Q8_0:
    return product(w.half(0), bytes[2]);
  case BlockFormat::Q2_K: {
    Value factor = w.mul(w.half(0), w.toFloat(w.bitAnd(w.byte(4), 15)));
    Value minimum = w.mul(w.half(2), w.toFloat(w.right(w.byte(4), 4)));
    return w.subf(product(factor, b.bits(bytes[5], b.loop(1, 2), 3)), constantPart(minimum));
  }
  case BlockFormat::Q3_K: {
    Value pair = b.add(b.loop(1, 2), b.loop(2)), twice = b.add(b.loop(1, 4), b.loop(2, 2));
    Value number = b.bitOr(b.bits(bytes[3], twice, 3), b.raised(bytes[2], b.add(b.loop(0, 4), pair), 1, 2));
    return product(w.mul(w.half(0), w.toFloat(w.scaleOfThree(4))), b.sub(number, 4));
  }
  case BlockFormat::Q4_K:
  case BlockFormat::Q5_K: {
    auto [factor, minimum] = w.scaleAndMinimum(4);
    Value number = b.bits(bytes[7], b.loop(2, 4), 15);
    if (format.kind == BlockFormat::Q5_K) {
      Value place = b.add(b.add(b.loop(0, 4), b.loop(1, 2)), b.loop(2));
      number = b.bitOr(number, b.raised(bytes[8], place, 1, 4));
    }
    return w.subf(product(w.mul(w.half(0), factor), number), constantPart(w.mul(w.half(2), minimum)));
  }
  case BlockFormat::Q6_K: {
    Value high = b.raised(bytes[4], b.add(b.loop(1, 4), b.loop(2, 2)), 3, 4);
    Value number = b.sub(b.bitOr(b.bits(bytes[3], b.loop(1, 4), 15), high), 32);
    return product(w.mul(w.half(0), w.toFloat(w.signedByte(2))), number);
  }
  }
  llvm_unreachable("these formats have no integers");
}
