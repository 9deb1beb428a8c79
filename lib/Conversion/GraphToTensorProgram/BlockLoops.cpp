//===- BlockLoops.cpp - Reading numbers out of blocks ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The order of the operations on floats is part of the formats: the numbers are
// those that every other reader of GGUF files gets, bit for bit.
//
//===----------------------------------------------------------------------===//
#include "BlockWriter.h"

using namespace mlir;
using namespace mlir::relax;
using graph::BlockFormat;

BlockLoops::BlockLoops(BlockFormat format, unsigned firstLoop, MLIRContext *context)
    : format(format), firstLoop(firstLoop) {
  auto at = [&](int64_t place) { return getAffineConstantExpr(place, context); };
  auto loop = [&](unsigned number) { return getAffineDimExpr(firstLoop + number, context); };
  AffineExpr a = loop(0), b = loop(1), c = loop(2), d = loop(3), e = loop(4);
  switch (format.kind) {
  case BlockFormat::F16:
  case BlockFormat::BF16:
    places = {at(0), at(1)};
    break;
  case BlockFormat::Q4_0: // scale, 16 bytes: the low halves are the first 16 numbers
    ranges = {2, 16};
    places = {at(0), at(1), b + 2};
    break;
  case BlockFormat::Q4_1: // scale, minimum, 16 bytes
    ranges = {2, 16};
    places = {at(0), at(1), at(2), at(3), b + 4};
    break;
  case BlockFormat::Q5_0: // scale, a fifth bit for each number, 16 bytes
    ranges = {2, 2, 8};
    places = {at(0), at(1), a * 2 + b + 2, b * 8 + c + 6};
    break;
  case BlockFormat::Q5_1: // scale, minimum, a fifth bit for each number, 16 bytes
    ranges = {2, 2, 8};
    places = {at(0), at(1), at(2), at(3), a * 2 + b + 4, b * 8 + c + 8};
    break;
  case BlockFormat::Q8_0: // scale, 32 bytes
    ranges = {32};
    places = {at(0), at(1), a + 2};
    break;
  case BlockFormat::Q2_K: // 16 scales and minimums of 4 bits, 64 bytes, factors of both
    ranges = {2, 4, 2, 16};
    places = {at(80), at(81), at(82), at(83), a * 8 + b * 2 + c, a * 32 + c * 16 + d + 16};
    break;
  case BlockFormat::Q3_K: // a third bit, 64 bytes, 16 scales of 6 bits: 8 bytes of low halves, 4 of high pairs; a
                          // factor
    ranges = {2, 2, 2, 2, 16};
    places = {at(108), at(109), d * 16 + e, a * 32 + d * 16 + e + 32, b * 4 + c * 2 + d + 96, c * 2 + d + 104};
    break;
  case BlockFormat::Q4_K: // factors, 8 scales and minimums of 6 bits, 128 bytes
    ranges = {2, 2, 2, 32};
    places = {at(0), at(1), at(2), at(3), b * 2 + c + 4, b * 2 + c + 8, b * 2 + c + 12, a * 64 + b * 32 + d + 16};
    break;
  case BlockFormat::Q5_K: // the same with a fifth bit for each number before the 128 bytes
    ranges = {2, 2, 2, 32};
    places = {at(0), at(1), at(2), at(3), b * 2 + c + 4, b * 2 + c + 8, b * 2 + c + 12, a * 64 + b * 32 + d + 48,
              d + 16};
    break;
  case BlockFormat::Q6_K: // 128 bytes of low halves, 64 of high pairs, 16 scales, a factor
    ranges = {2, 2, 2, 2, 16};
    places = {at(208), at(209), a * 8 + b * 4 + c * 2 + d + 192, a * 64 + c * 32 + d * 16 + e,
              a * 32 + d * 16 + e + 128};
    break;
  }
}

Value BlockLoops::write(OpBuilder &builder, Location loc, ValueRange bytes) const {
  BlockWriter w(builder, loc, firstLoop, bytes);
  switch (format.kind) {
  case BlockFormat::F16:
    return w.half(0);
  case BlockFormat::BF16: {
    Value bits = w.bitOr(w.left(w.byte(0), 16), w.left(w.byte(1), 24));
    return arith::BitcastOp::create(builder, loc, builder.getF32Type(), bits);
  }
  case BlockFormat::Q4_0:
    return w.mul(w.half(0), w.toFloat(w.sub(w.nibble(2, w.loop(0, 4)), 8)));
  case BlockFormat::Q4_1:
    return w.addf(w.mul(w.half(0), w.toFloat(w.nibble(4, w.loop(0, 4)))), w.half(2));
  case BlockFormat::Q5_0:
    return w.mul(w.half(0), w.toFloat(w.sub(w.five(3, 2, w.loop(0, 4), w.loop(2)), 16)));
  case BlockFormat::Q5_1:
    return w.addf(w.mul(w.half(0), w.toFloat(w.five(5, 4, w.loop(0, 4), w.loop(2)))), w.half(2));
  case BlockFormat::Q8_0:
    return w.mul(w.half(0), w.toFloat(w.signedByte(2)));
  case BlockFormat::Q2_K: {
    Value number = w.bitAnd(w.right(w.byte(5), w.loop(1, 2)), 3);
    Value scale = w.mul(w.half(0), w.toFloat(w.bitAnd(w.byte(4), 15)));
    Value minimum = w.mul(w.half(2), w.toFloat(w.right(w.byte(4), 4)));
    return w.subf(w.mul(scale, w.toFloat(number)), minimum);
  }
  case BlockFormat::Q3_K: {
    Value pair = w.add(w.loop(1, 2), w.loop(2)); // which two bits of the byte
    Value low = w.bitAnd(w.right(w.byte(3), w.left(pair, 1)), 3);
    Value high = w.bitAnd(w.right(w.byte(2), w.add(w.loop(0, 4), pair)), 1);
    Value number = w.sub(w.bitOr(low, w.left(high, 2)), 4);
    return w.mul(w.mul(w.half(0), w.toFloat(w.scaleOfThree(4))), w.toFloat(number));
  }
  case BlockFormat::Q4_K:
  case BlockFormat::Q5_K: {
    auto [scale, minimum] = w.scaleAndMinimum(4);
    Value number;
    if (format.kind == BlockFormat::Q4_K)
      number = w.nibble(7, w.loop(2, 4));
    else
      number = w.five(7, 8, w.loop(2, 4), w.add(w.add(w.loop(0, 4), w.loop(1, 2)), w.loop(2)));
    return w.subf(w.mul(w.mul(w.half(0), scale), w.toFloat(number)), w.mul(w.half(2), minimum));
  }
  case BlockFormat::Q6_K: {
    Value low = w.nibble(3, w.loop(1, 4));
    Value high = w.bitAnd(w.right(w.byte(4), w.add(w.loop(1, 4), w.loop(2, 2))), 3);
    Value number = w.sub(w.bitOr(low, w.left(high, 4)), 32);
    return w.mul(w.mul(w.half(0), w.toFloat(w.signedByte(2))), w.toFloat(number));
  }
  }
  llvm_unreachable("all formats are covered");
}
