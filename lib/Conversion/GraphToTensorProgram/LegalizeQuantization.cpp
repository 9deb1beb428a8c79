//===- LegalizeQuantization.cpp - Numbers of few bits, as programs --------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Integers are read by shifts and extensions, floats from a table of all their
// values; both are written by arithmetic that rounds once.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {
/// Arithmetic on i32 and f32 at one place.
struct BitWriter {
  OpBuilder &builder;
  Location loc;

  Type i32() const { return builder.getI32Type(); }
  Type f32() const { return builder.getF32Type(); }
  Value constant(int64_t value) const {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(i32(), APInt(32, value, false, true)));
  }
  Value add(Value a, Value b) const { return arith::AddIOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) const { return arith::SubIOp::create(builder, loc, a, b); }
  Value bitAnd(Value a, int64_t mask) const { return arith::AndIOp::create(builder, loc, a, constant(mask)); }
  Value bitOr(Value a, Value b) const { return arith::OrIOp::create(builder, loc, a, b); }
  Value shiftLeft(Value a, int64_t bits) const { return arith::ShLIOp::create(builder, loc, a, constant(bits)); }
  Value shiftRight(Value a, int64_t bits) const { return arith::ShRUIOp::create(builder, loc, a, constant(bits)); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) const {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value toBits(Value a) const { return arith::BitcastOp::create(builder, loc, i32(), a); }
  Value toFloat(Value a) const { return arith::BitcastOp::create(builder, loc, f32(), a); }
};
} // namespace

//===----------------------------------------------------------------------===//
// decode
//===----------------------------------------------------------------------===//

/// All values of a float format, by their bits.
static Value createTable(ProgramBody &body, StorageFormat format) {
  SmallVector<APFloat> values;
  for (unsigned bits = 0; bits != 1U << format.bits; ++bits) {
    APFloat value(*format.semantics, APInt(format.bits, bits));
    bool losesInfo = false;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    // Conversion may leave no bit of a NaN that has no payload.
    values.push_back(value.isNaN() ? APFloat::getNaN(APFloat::IEEEsingle()) : value);
  }
  auto type = RankedTensorType::get({1 << format.bits}, body.builder.getF32Type());
  return arith::ConstantOp::create(body.builder, body.loc, DenseElementsAttr::get(type, values));
}

/// The number in the low bits of `stored`.
static Value writeDecoded(OpBuilder &builder, Location loc, Value stored, StorageFormat format, Value table,
                          Type dtype) {
  unsigned width = stored.getType().getIntOrFloatBitWidth();
  if (!format.isInteger()) {
    Value index = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), stored);
    index = arith::AndIOp::create(builder, loc, index,
                                  createScalar(builder, loc, builder.getI32Type(), (1 << format.bits) - 1));
    index = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), index);
    return convertFloat(builder, loc, tensor::ExtractOp::create(builder, loc, table, index), dtype);
  }
  // The highest bit of the number becomes that of the element, which extension repeats or not.
  if (format.bits != width) {
    Value unused = createScalar(builder, loc, stored.getType(), width - format.bits);
    stored = arith::ShLIOp::create(builder, loc, stored, unused);
    stored = format.isSigned ? arith::ShRSIOp::create(builder, loc, stored, unused).getResult()
                             : arith::ShRUIOp::create(builder, loc, stored, unused).getResult();
  }
  if (isa<FloatType>(dtype)) {
    // Through f64, which holds every value: f16 is then rounded once.
    Type wide = dtype.isF16() && format.bits > 8 ? builder.getF32Type() : dtype;
    Value value = format.isSigned ? arith::SIToFPOp::create(builder, loc, wide, stored).getResult()
                                  : arith::UIToFPOp::create(builder, loc, wide, stored).getResult();
    return convertFloat(builder, loc, value, dtype);
  }
  if (dtype.getIntOrFloatBitWidth() == width)
    return stored;
  return format.isSigned ? arith::ExtSIOp::create(builder, loc, dtype, stored).getResult()
                         : arith::ExtUIOp::create(builder, loc, dtype, stored).getResult();
}

static Value writeDecode(DecodeOp op, ProgramBody &body) {
  StorageFormat format = *StorageFormat::parse(op.getFormat());
  Type dtype = op.getDtype();
  unsigned rank = op.getType().getRank(), count = format.getPerElement();
  Value table = format.isInteger() ? Value() : createTable(body, format), source = body.getInput(0);
  if (count == 1)
    return createParallel(body, source, body.builder.getMultiDimIdentityMap(rank), body.getOut(),
                          [&](OpBuilder &builder, Location loc, ValueRange x) {
                            return writeDecoded(builder, loc, x[0], format, table, dtype);
                          });
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) {
    SmallVector<Value> indices;
    for (unsigned dim = 0; dim != rank; ++dim)
      indices.push_back(linalg::IndexOp::create(builder, loc, dim));
    Value perElement = arith::ConstantIndexOp::create(builder, loc, count);
    Value place = arith::RemUIOp::create(builder, loc, indices.back(), perElement);
    indices.back() = arith::DivUIOp::create(builder, loc, indices.back(), perElement);
    Value stored = tensor::ExtractOp::create(builder, loc, source, indices);
    Value shift = arith::MulIOp::create(builder, loc, place, arith::ConstantIndexOp::create(builder, loc, format.bits));
    shift = arith::IndexCastOp::create(builder, loc, stored.getType(), shift);
    stored = arith::ShRUIOp::create(builder, loc, stored, shift);
    return writeDecoded(builder, loc, stored, format, table, dtype);
  });
}

//===----------------------------------------------------------------------===//
// encode
//===----------------------------------------------------------------------===//

namespace {
/// The codes of a float format.
struct FloatCodes {
  int64_t mantissa, lowest; // bits; exponent of the smallest normal number
  int64_t largest, overflow, nan;
  bool hasNegativeZero;
};
} // namespace

static FloatCodes getCodes(StringRef format, bool saturate) {
  FloatCodes codes = llvm::StringSwitch<FloatCodes>(format)
                         .Case("f4e2m1fn", {1, 0, 0x7, 0x7, 0x8, true})
                         .Case("f8e4m3fn", {3, -6, 0x7e, 0x7f, 0x7f, true})
                         .Case("f8e5m2", {2, -14, 0x7b, 0x7c, 0x7e, true})
                         .Case("f8e4m3fnuz", {3, -7, 0x7f, 0x80, 0x80, false})
                         .Default({2, -15, 0x7f, 0x80, 0x80, false});
  if (saturate)
    codes.overflow = codes.largest;
  return codes;
}

/// The code of an f32, as i32.
static Value writeFloatCode(const BitWriter &w, Value x, StringRef format, bool saturate) {
  FloatCodes codes = getCodes(format, saturate);
  Value bits = w.toBits(x), magnitude = w.bitAnd(bits, 0x7fffffff), sign = w.shiftRight(bits, 31);
  // In units of the last place of the number's binade, or of the smallest one: exact, then rounded once.
  Value exponent = arith::MaxSIOp::create(w.builder, w.loc, w.sub(w.shiftRight(magnitude, 23), w.constant(127)),
                                          w.constant(codes.lowest));
  Value inverse = w.toFloat(w.shiftLeft(w.sub(w.constant(127 + codes.mantissa), exponent), 23));
  Value isHuge = w.compare(arith::CmpIPredicate::uge, magnitude, w.constant((127 + 64) << 23));
  // What is far too large would leave the range of the conversion.
  Value inRange = w.toFloat(w.select(isHuge, w.constant(0), magnitude));
  Value scaled =
      arith::MulFOp::create(w.builder, w.loc, inRange, w.toFloat(w.select(isHuge, w.constant(0), w.toBits(inverse))));
  Value rounded = math::RoundEvenOp::create(w.builder, w.loc, scaled);
  Value units = arith::FPToSIOp::create(w.builder, w.loc, w.i32(), rounded);
  Value code = w.add(w.shiftLeft(w.sub(exponent, w.constant(codes.lowest)), codes.mantissa), units);
  Value tooLarge = w.bitOr(isHuge, w.compare(arith::CmpIPredicate::sgt, code, w.constant(codes.largest)));
  code = w.select(tooLarge, w.constant(codes.overflow), code);
  Value isNaN = w.compare(arith::CmpIPredicate::ugt, magnitude, w.constant(0x7f800000));
  code = w.select(isNaN, w.constant(codes.nan), code);
  int64_t signBit = format == "f4e2m1fn" ? 3 : 7;
  Value takesSign = w.compare(arith::CmpIPredicate::ne, sign, w.constant(0));
  auto drop = [&](Value where) {
    Value yes = arith::ConstantOp::create(w.builder, w.loc, w.builder.getBoolAttr(true));
    takesSign = arith::AndIOp::create(w.builder, w.loc, takesSign, arith::XOrIOp::create(w.builder, w.loc, where, yes));
  };
  if (!codes.hasNegativeZero)
    drop(w.compare(arith::CmpIPredicate::eq, code, w.constant(0)));
  if (format == "f4e2m1fn")
    drop(isNaN);
  return w.select(takesSign, w.bitOr(code, w.constant(int64_t(1) << signBit)), code);
}

/// Powers of two: the exponent, up where the rest is half or more; NaN for zero and what is negative.
static Value writePowerCode(const BitWriter &w, Value x, bool saturate) {
  Value bits = w.toBits(x);
  Value normal = w.shiftRight(w.add(bits, w.constant(0x400000)), 23);
  Value subnormal =
      w.select(w.compare(arith::CmpIPredicate::uge, bits, w.constant(0x600000)), w.constant(1), w.constant(0));
  Value isNormal = w.compare(arith::CmpIPredicate::uge, bits, w.constant(0x800000));
  Value code = w.select(isNormal, normal, subnormal);
  Value isFinite = w.compare(arith::CmpIPredicate::ult, bits, w.constant(0x7f800000));
  if (saturate) {
    // Infinity and what rounds to 2^128 become 2^127.
    code = arith::MinUIOp::create(w.builder, w.loc, code, w.constant(254));
    isFinite = w.compare(arith::CmpIPredicate::ule, bits, w.constant(0x7f800000));
  }
  Value isPositive = w.compare(arith::CmpIPredicate::ugt, bits, w.constant(0));
  Value isNumber = arith::AndIOp::create(w.builder, w.loc, isFinite, isPositive);
  return w.select(isNumber, code, w.constant(255));
}

Value relax::encodeFloat(OpBuilder &builder, Location loc, Value value, StringRef format) {
  BitWriter w{builder, loc};
  return format == "f8e8m0fnu" ? writePowerCode(w, value, /*saturate=*/false)
                               : writeFloatCode(w, value, format, /*saturate=*/false);
}

/// The nearest value of an integer format, as i64.
static Value writeIntegerCode(OpBuilder &builder, Location loc, Value x, StorageFormat format) {
  Type i64 = builder.getI64Type();
  double low = format.isSigned ? -std::ldexp(1.0, format.bits - 1) : 0;
  double high = std::ldexp(1.0, format.bits - (format.isSigned ? 1 : 0)) - 1;
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, x, x);
  Value rounded = math::RoundEvenOp::create(builder, loc, x);
  // Bounds of 32 bits are exact in f64.
  rounded = convertFloat(builder, loc, rounded, builder.getF64Type());
  Type f64 = builder.getF64Type();
  rounded = arith::SelectOp::create(builder, loc, isNaN, createScalar(builder, loc, f64, 0), rounded);
  rounded = arith::MaximumFOp::create(builder, loc, rounded, createScalar(builder, loc, f64, low));
  rounded = arith::MinimumFOp::create(builder, loc, rounded, createScalar(builder, loc, f64, high));
  return arith::FPToSIOp::create(builder, loc, i64, rounded);
}

/// The code in the low bits of an element of the storage type.
static Value writeEncoded(EncodeOp op, OpBuilder &builder, Location loc, Value x) {
  StorageFormat format = *StorageFormat::parse(op.getFormat());
  Type storage = builder.getIntegerType(format.getStorageBits());
  Value code;
  if (format.isInteger()) {
    code = writeIntegerCode(builder, loc, x, format);
  } else {
    BitWriter w{builder, loc};
    if (x.getType().isF64())
      x = roundToOddF32(builder, loc, x);
    x = convertFloat(builder, loc, x, builder.getF32Type());
    code = op.getFormat() == "f8e8m0fnu" ? writePowerCode(w, x, op.getSaturate())
                                         : writeFloatCode(w, x, op.getFormat(), op.getSaturate());
  }
  return arith::TruncIOp::create(builder, loc, storage, code);
}

static Value writeEncode(EncodeOp op, ProgramBody &body) {
  StorageFormat format = *StorageFormat::parse(op.getFormat());
  unsigned rank = op.getType().getRank(), count = format.getPerElement();
  Value source = body.getInput(0);
  if (count == 1)
    return createParallel(
        body, source, body.builder.getMultiDimIdentityMap(rank), body.getOut(),
        [&](OpBuilder &builder, Location loc, ValueRange x) { return writeEncoded(op, builder, loc, x[0]); });
  Value extent = body.getIndex(body.getInputDims(0).back());
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) {
    Type storage = builder.getIntegerType(format.getStorageBits()), type = op.getOperand().getType().getElementType();
    SmallVector<Value> indices;
    for (unsigned dim = 0; dim != rank; ++dim)
      indices.push_back(linalg::IndexOp::create(builder, loc, dim));
    Value first =
        arith::MulIOp::create(builder, loc, indices.back(), arith::ConstantIndexOp::create(builder, loc, count));
    Value result;
    for (unsigned place = 0; place != count; ++place) {
      indices.back() = arith::AddIOp::create(builder, loc, first, arith::ConstantIndexOp::create(builder, loc, place));
      Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, indices.back(), extent);
      auto read = scf::IfOp::create(
          builder, loc, inside,
          [&](OpBuilder &b, Location l) {
            scf::YieldOp::create(b, l, tensor::ExtractOp::create(b, l, source, indices).getResult());
          },
          [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, createScalar(b, l, type, 0)); });
      Value code = writeEncoded(op, builder, loc, read.getResult(0));
      code = arith::AndIOp::create(builder, loc, code, createScalar(builder, loc, storage, (1 << format.bits) - 1));
      code = arith::ShLIOp::create(builder, loc, code, createScalar(builder, loc, storage, place * format.bits));
      result = result ? arith::OrIOp::create(builder, loc, result, code).getResult() : code;
    }
    return result;
  });
}

static Value writeBitcast(BitcastOp op, ProgramBody &body) {
  Type type = cast<RankedTensorType>(body.getOut().getType()).getElementType();
  return createParallel(body, body.getInput(0), body.builder.getMultiDimIdentityMap(op.getType().getRank()),
                        body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange x) -> Value {
                          // Programs see integers without a sign.
                          if (x[0].getType() == type)
                            return x[0];
                          return arith::BitcastOp::create(builder, loc, type, x[0]);
                        });
}

void relax::populateQuantizationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<ProgramPattern<DecodeOp>>(patterns.getContext(), library, writeDecode);
  patterns.add<ProgramPattern<EncodeOp>>(patterns.getContext(), library, writeEncode);
  patterns.add<ProgramPattern<BitcastOp>>(patterns.getContext(), library, writeBitcast);
}
