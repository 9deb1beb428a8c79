//===- BlockWriter.h - Arithmetic on the bytes of blocks -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BLOCKWRITER_H
#define RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BLOCKWRITER_H

#include "BlockLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::relax {

/// Arithmetic on integers of one type in a body.
struct IntegerWriter {
  OpBuilder &builder;
  Location loc;
  unsigned firstLoop;
  IntegerType type;

  Value constant(int64_t value) const {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  }
  /// `factor` times a loop of the block.
  Value loop(unsigned number, int64_t factor = 1) const {
    Value index = linalg::IndexOp::create(builder, loc, firstLoop + number);
    Value value = arith::IndexCastOp::create(builder, loc, type, index);
    return factor == 1 ? value : arith::MulIOp::create(builder, loc, value, constant(factor)).getResult();
  }
  Value add(Value a, Value b) const { return arith::AddIOp::create(builder, loc, a, b); }
  Value sub(Value a, int64_t b) const { return arith::SubIOp::create(builder, loc, a, constant(b)); }
  Value bitOr(Value a, Value b) const { return arith::OrIOp::create(builder, loc, a, b); }
  Value bitAnd(Value a, int64_t mask) const { return arith::AndIOp::create(builder, loc, a, constant(mask)); }
  Value left(Value a, int64_t bits) const { return arith::ShLIOp::create(builder, loc, a, constant(bits)); }
  Value right(Value a, Value bits) const { return arith::ShRUIOp::create(builder, loc, a, bits); }
  Value right(Value a, int64_t bits) const { return right(a, constant(bits)); }
};

/// Arithmetic on i32 and f32 in a body, from the bytes of a block.
struct BlockWriter : IntegerWriter {
  BlockWriter(OpBuilder &builder, Location loc, unsigned firstLoop, ValueRange bytes)
      : IntegerWriter{builder, loc, firstLoop, builder.getI32Type()}, bytes(bytes) {}
  ValueRange bytes;

  Type i32() const { return type; }
  Value byte(unsigned number) const { return arith::ExtUIOp::create(builder, loc, i32(), bytes[number]); }
  Value signedByte(unsigned number) const { return arith::ExtSIOp::create(builder, loc, i32(), bytes[number]); }
  Value toFloat(Value a) const { return arith::SIToFPOp::create(builder, loc, builder.getF32Type(), a); }
  Value mul(Value a, Value b) const { return arith::MulFOp::create(builder, loc, a, b); }
  Value addf(Value a, Value b) const { return arith::AddFOp::create(builder, loc, a, b); }
  Value subf(Value a, Value b) const { return arith::SubFOp::create(builder, loc, a, b); }

  /// Two bytes from `number` on as f16.
  Value half(unsigned number) const {
    Value bits = bitOr(byte(number), left(byte(number + 1), 8));
    bits = arith::TruncIOp::create(builder, loc, builder.getI16Type(), bits);
    Value value = arith::BitcastOp::create(builder, loc, builder.getF16Type(), bits);
    return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  }

  /// Four bits of a byte, the low or the high ones.
  Value nibble(unsigned number, Value isHigh4) const { return bitAnd(right(byte(number), isHigh4), 15); }
  /// With a fifth one.
  Value five(unsigned low, unsigned high, Value isHigh4, Value place) const {
    return bitOr(nibble(low, isHigh4), left(bitAnd(right(byte(high), place), 1), 4));
  }

  /// The scale of 6 bits of `q3_k`, from the bytes `number`, low halves, and + 1, high pairs.
  Value scaleOfThree(unsigned number) const {
    Value upper = bitAnd(right(byte(number + 1), add(loop(0, 4), loop(1, 2))), 3);
    return sub(bitOr(nibble(number, loop(0, 4)), left(upper, 4)), 32);
  }
  /// Scale and minimum of 6 bits of `q4_k` and `q5_k`, from the bytes `number`, + 1 and + 2, which are 4 places apart.
  /// The second four have their high pairs in what the first four leave of their bytes.
  std::pair<Value, Value> scaleAndMinimum(unsigned number) const {
    Value first = byte(number), second = byte(number + 1), third = byte(number + 2);
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, loop(0), constant(0));
    auto choose = [&](Value early, Value late) -> Value {
      return arith::SelectOp::create(builder, loc, isFirst, early, late);
    };
    Value scale = choose(bitAnd(first, 63), bitOr(bitAnd(third, 15), left(right(first, 6), 4)));
    Value minimum = choose(bitAnd(second, 63), bitOr(right(third, 4), left(right(second, 6), 4)));
    return {toFloat(scale), toFloat(minimum)};
  }
};

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_BLOCKWRITER_H
