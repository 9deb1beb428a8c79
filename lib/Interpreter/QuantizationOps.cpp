//===- QuantizationOps.cpp - Meaning of numbers of few bits ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Codes of floats are read bit by bit and found by looking at all of them.
//
//===----------------------------------------------------------------------===//

#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphQuantizationOps.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

//===----------------------------------------------------------------------===//
// One number
//===----------------------------------------------------------------------===//

namespace {
/// A float format by its fields; a code's sign is the bit above exponent and mantissa.
struct FloatFormat {
  int mantissaBits, bias;
  int64_t largest;                 // code of the largest finite value, without sign
  std::optional<int64_t> infinity; // without sign
  int64_t nan;
  bool hasNegativeZero;
};
} // namespace

static FloatFormat getFloatFormat(StringRef name) {
  return llvm::StringSwitch<FloatFormat>(name)
      .Case("f4e2m1fn", {1, 1, 0x7, std::nullopt, 0x8, true})
      .Case("f8e4m3fn", {3, 7, 0x7e, std::nullopt, 0x7f, true})
      .Case("f8e5m2", {2, 15, 0x7b, 0x7c, 0x7e, true})
      .Case("f8e4m3fnuz", {3, 8, 0x7f, std::nullopt, 0x80, false})
      .Default({2, 16, 0x7f, std::nullopt, 0x80, false}); // f8e5m2fnuz
}

/// Value of a code without sign, read by the formula, also of the one after the largest.
static double getMagnitude(const FloatFormat &format, int64_t code) {
  int64_t exponent = code >> format.mantissaBits;
  auto fraction = std::ldexp(static_cast<double>(code & ((1 << format.mantissaBits) - 1)), -format.mantissaBits);
  if (exponent == 0)
    return std::ldexp(fraction, 1 - format.bias);
  return std::ldexp(1 + fraction, static_cast<int>(exponent) - format.bias);
}

static double decodeFloat(StringRef name, unsigned bits, int64_t code) {
  if (name == "f8e8m0fnu")
    return code == 255 ? NAN : std::ldexp(1.0, static_cast<int>(code) - 127);
  FloatFormat format = getFloatFormat(name);
  int64_t signBit = int64_t(1) << (bits - 1), magnitude = code & (signBit - 1);
  if (!format.hasNegativeZero && code == signBit)
    return NAN;
  double value = getMagnitude(format, magnitude);
  if (magnitude > format.largest)
    value = format.infinity == magnitude ? INFINITY : NAN;
  return (code & signBit) != 0 ? -value : value;
}

static int64_t encodeFloat(StringRef name, unsigned bits, double x, bool saturate) {
  if (name == "f8e8m0fnu") {
    if (!(x > 0))
      return 255;
    if (std::isinf(x))
      return saturate ? 254 : 255;
    int64_t code = 0; // up where the rest is half or more
    while (code < 255 && x >= 1.5 * std::ldexp(1.0, static_cast<int>(code) - 127))
      ++code;
    return saturate ? std::min<int64_t>(code, 254) : code;
  }
  FloatFormat format = getFloatFormat(name);
  int64_t signBit = int64_t(1) << (bits - 1), sign = std::signbit(x) ? signBit : 0;
  if (std::isnan(x))
    return name == "f4e2m1fn" || !format.hasNegativeZero ? format.nan : format.nan | sign;
  // The nearest of all values and of the one after the largest; of two the even code.
  double wanted = std::abs(x);
  bool isHuge = wanted >= getMagnitude(format, format.largest + 1);
  int64_t best = isHuge ? format.largest + 1 : 0;
  for (int64_t code = 1; !isHuge && code <= format.largest + 1; ++code) {
    double distance = std::abs(wanted - getMagnitude(format, code)),
           least = std::abs(wanted - getMagnitude(format, best));
    if (distance < least || (distance == least && code % 2 == 0))
      best = code;
  }
  if (best > format.largest) {
    if (saturate || (!format.infinity && name == "f4e2m1fn"))
      best = format.largest;
    else if (format.infinity)
      best = *format.infinity;
    else
      return format.hasNegativeZero ? format.nan | sign : format.nan;
  }
  if (best == 0 && !format.hasNegativeZero)
    return 0;
  return best | sign;
}

static int64_t encodeInteger(const StorageFormat &format, double x) {
  double low = format.isSigned ? -std::ldexp(1.0, static_cast<int>(format.bits) - 1) : 0;
  double high = std::ldexp(1.0, static_cast<int>(format.bits) - (format.isSigned ? 1 : 0)) - 1;
  return std::isnan(x) ? 0 : static_cast<int64_t>(std::clamp(std::nearbyint(x), low, high));
}

//===----------------------------------------------------------------------===//
// Tensors of them
//===----------------------------------------------------------------------===//

namespace {
/// What a stored tensor holds. Integers are exact in double.
struct Numbers {
  SmallVector<int64_t> dims;
  std::vector<double> values;

  double at(ArrayRef<int64_t> index) const {
    int64_t position = 0;
    for (auto [dim, value] : llvm::zip_equal(dims, index))
      position = position * dim + value;
    return values[position];
  }
};
} // namespace

static Numbers readNumbers(const Tensor &stored, StringRef name) {
  StorageFormat format = *StorageFormat::parse(name);
  Numbers numbers{SmallVector<int64_t>(stored.getDims()), {}};
  int64_t count = format.getPerElement(), modulus = int64_t(1) << format.bits;
  if (count != 1)
    numbers.dims.back() *= count;
  for (int64_t at = 0; at < stored.size(); ++at)
    for (int64_t place = 0; place < count; ++place) {
      int64_t code = (stored.i(at) >> (place * format.bits)) & (modulus - 1);
      if (!format.isInteger())
        numbers.values.push_back(decodeFloat(name, format.bits, code));
      else
        numbers.values.push_back(static_cast<double>(format.isSigned && code >= modulus / 2 ? code - modulus : code));
    }
  return numbers;
}

static FailureOr<Tensor> writeNumbers(Frame &frame, const Numbers &numbers, Type type, StringRef name, bool saturate) {
  StorageFormat format = *StorageFormat::parse(name);
  SmallVector<int64_t> dims(numbers.dims);
  int64_t count = format.getPerElement(), mask = (int64_t(1) << format.bits) - 1;
  if (count != 1)
    dims.back() = llvm::divideCeilSigned(dims.back(), count);
  FailureOr<Tensor> result = frame.makeTensor(type, dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(dims, [&](ArrayRef<int64_t> index) {
    int64_t element = 0;
    for (int64_t place = 0; place < count; ++place) {
      SmallVector<int64_t> from(index);
      if (count != 1)
        from.back() = from.back() * count + place;
      if (count != 1 && from.back() >= numbers.dims.back())
        break;
      double x = numbers.at(from);
      if (uint64_t run = frame.interpreter.getOptions().perturbation; run != 0 && std::isnan(x))
        x = std::copysign(x, run % 2 == 0 ? 1 : -1); // the sign of a NaN means nothing: runs show both
      int64_t code = format.isInteger() ? encodeInteger(format, x) : encodeFloat(name, format.bits, x, saturate);
      element |= (code & mask) << (place * format.bits);
    }
    result->setInt(at++, element);
  });
  return result;
}

static FailureOr<Tensor> interpretDecode(Frame &frame, DecodeOp op) {
  Numbers numbers = readNumbers(frame.tensor(op.getOperand()), op.getFormat());
  FailureOr<Tensor> result = frame.makeTensor(op.getDtype(), numbers.dims);
  if (failed(result))
    return failure();
  for (auto [at, value] : llvm::enumerate(numbers.values)) {
    if (result->isFloat()) // rounded as conversions are, exactly
      result->set(at, floatNumber(roundToType(op.getDtype(), value)));
    else
      result->setInt(at, static_cast<int64_t>(value));
  }
  return result;
}

static Numbers getNumbers(const Tensor &x) {
  Numbers numbers{SmallVector<int64_t>(x.getDims()), {}};
  for (int64_t at = 0; at < x.size(); ++at)
    numbers.values.push_back(x.f(at));
  return numbers;
}

static FailureOr<Tensor> interpretEncode(Frame &frame, EncodeOp op) {
  return writeNumbers(frame, getNumbers(frame.tensor(op.getOperand())), op.getType().getElementType(), op.getFormat(),
                      op.getSaturate());
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

namespace {
/// The scale and zero point of each element.
struct Scales {
  std::optional<uint64_t> axis, block;
  Numbers scale;
  std::optional<Numbers> zero;

  double get(const Numbers &from, ArrayRef<int64_t> index) const {
    if (!axis)
      return from.values.front();
    if (!block)
      return from.values[index[*axis]];
    SmallVector<int64_t> own(index);
    own[*axis] /= static_cast<int64_t>(*block);
    return from.at(own);
  }
  double getScale(ArrayRef<int64_t> index) const { return get(scale, index); }
  double getZero(ArrayRef<int64_t> index) const { return zero ? get(*zero, index) : 0; }
};
} // namespace

template <typename OpTy> static FailureOr<Scales> readScales(Frame &frame, OpTy op, ArrayRef<int64_t> dims) {
  const Tensor &scale = frame.tensor(op.getScale());
  SmallVector<int64_t> wanted;
  if (op.getAxis() && op.getBlock()) {
    wanted.assign(dims.begin(), dims.end());
    wanted[*op.getAxis()] = llvm::divideCeilSigned(wanted[*op.getAxis()], static_cast<int64_t>(*op.getBlock()));
  } else if (op.getAxis()) {
    wanted = {dims[*op.getAxis()]};
  }
  if (failed(checkDims(frame, scale, wanted, "scale")))
    return failure();
  Scales scales{op.getAxis(), op.getBlock(), getNumbers(scale), std::nullopt};
  if (!op.getZero())
    return scales;
  unsigned count = StorageFormat::parse(op.getFormat())->getPerElement();
  SmallVector<int64_t> packed(wanted);
  if (count != 1)
    packed.back() = llvm::divideCeilSigned(packed.back(), static_cast<int64_t>(count));
  if (failed(checkDims(frame, frame.tensor(op.getZero()), packed, "zero")))
    return failure();
  scales.zero = readNumbers(frame.tensor(op.getZero()), op.getFormat());
  return scales;
}

static FailureOr<Tensor> interpretQuantize(Frame &frame, QuantizeOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  FailureOr<Scales> scales = readScales(frame, op, x.getDims());
  if (failed(scales))
    return failure();
  Type type = getWideType(x.getElementType());
  bool isInteger = StorageFormat::parse(op.getFormat())->isInteger();
  Numbers numbers{SmallVector<int64_t>(x.getDims()), {}};
  forEachIndex(x.getDims(), [&](ArrayRef<int64_t> index) {
    double value = roundToType(type, x.f(x.at(index)) / scales->getScale(index));
    if (isInteger)
      value = std::nearbyint(value);
    if (scales->zero)
      value = roundToType(type, value + roundToType(type, scales->getZero(index)));
    numbers.values.push_back(value);
  });
  return writeNumbers(frame, numbers, op.getType().getElementType(), op.getFormat(), /*saturate=*/true);
}

static FailureOr<Tensor> interpretDequantize(Frame &frame, DequantizeOp op) {
  Numbers stored = readNumbers(frame.tensor(op.getOperand()), op.getFormat());
  FailureOr<Scales> scales = readScales(frame, op, stored.dims);
  if (failed(scales))
    return failure();
  Type type = op.getType().getElementType(), wide = getWideType(type);
  FailureOr<Tensor> result = frame.makeTensor(type, stored.dims);
  if (failed(result))
    return failure();
  int64_t at = 0;
  forEachIndex(stored.dims, [&](ArrayRef<int64_t> index) {
    double distance = roundToType(wide, stored.at(index) - scales->getZero(index));
    result->setFloat(at++, roundToType(wide, distance * scales->getScale(index)));
  });
  return result;
}

static LogicalResult interpretDynamicQuantize(Frame &frame, DynamicQuantizeOp op) {
  const Tensor &x = frame.tensor(op.getOperand());
  double low = 0, high = 0; // NaN when an element is
  for (int64_t at = 0; at < x.size(); ++at) {
    low = std::isnan(x.f(at)) || x.f(at) < low ? x.f(at) : low;
    high = std::isnan(x.f(at)) || x.f(at) > high ? x.f(at) : high;
    if (std::isnan(x.f(at)))
      break;
  }
  Type f32 = Float32Type::get(op.getContext());
  double scale = roundToType(f32, roundToType(f32, high - low) / 255);
  scale = scale == 0 ? 1 : scale;
  StorageFormat format = *StorageFormat::parse("u8");
  int64_t zero = encodeInteger(format, roundToType(f32, -low / scale));
  FailureOr<Tensor> result = frame.makeTensor(IntegerType::get(op.getContext(), 8), x.getDims()),
                    scales = frame.makeTensor(f32, {}),
                    zeros = frame.makeTensor(IntegerType::get(op.getContext(), 8), {});
  if (failed(result) || failed(scales) || failed(zeros))
    return failure();
  for (int64_t at = 0; at < x.size(); ++at) {
    double steps = std::nearbyint(roundToType(f32, x.f(at) / scale));
    result->setInt(at, encodeInteger(format, roundToType(f32, steps + static_cast<double>(zero))));
  }
  scales->set(0, floatNumber(scale));
  zeros->setInt(0, zero);
  frame.set(op.getResult(), std::move(*result));
  frame.set(op.getScale(), std::move(*scales));
  frame.set(op.getZero(), std::move(*zeros));
  return success();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `stored - zero` in i32; zero points are one to a byte.
static FailureOr<Tensor> subtractZero(Frame &frame, Value operand, Value zero, StringRef format) {
  Numbers numbers = readNumbers(frame.tensor(operand), format);
  FailureOr<Tensor> result = frame.makeTensor(IntegerType::get(operand.getContext(), 32), numbers.dims);
  if (failed(result))
    return failure();
  const Tensor *zeros = zero ? &frame.tensor(zero) : nullptr;
  if (zeros) {
    FailureOr<SmallVector<int64_t>> dims = broadcastShapes(frame, {numbers.dims, zeros->getDims()});
    if (failed(dims))
      return failure();
    if (*dims != numbers.dims)
      return frame.fail("zero of shape " + formatShape(zeros->getDims()) + " is not broadcast to " +
                        formatShape(numbers.dims));
  }
  bool isSigned = StorageFormat::parse(format)->isSigned;
  int64_t at = 0;
  forEachIndex(numbers.dims, [&](ArrayRef<int64_t> index) {
    int64_t none = zeros ? zeros->i(broadcastPosition(*zeros, index)) : 0;
    result->setInt(at, static_cast<int64_t>(numbers.values[at]) - (isSigned ? none : none & 0xff));
    ++at;
  });
  return result;
}

static FailureOr<Tensor> interpretQuantizedMatmul(Frame &frame, QuantizedMatmulOp op) {
  FailureOr<Tensor> a = subtractZero(frame, op.getLhs(), op.getLhsZero(), op.getLhsFormat());
  if (failed(a))
    return failure();
  FailureOr<Tensor> b = subtractZero(frame, op.getRhs(), op.getRhsZero(), op.getRhsFormat());
  if (failed(b))
    return failure();
  return multiplyMatrices(frame, *a, *b, a->getElementType());
}

static FailureOr<Tensor> interpretQuantizedConv(Frame &frame, QuantizedConvOp op) {
  FailureOr<Tensor> x = subtractZero(frame, op.getInput(), op.getInputZero(), op.getInputFormat());
  if (failed(x))
    return failure();
  FailureOr<Tensor> w = subtractZero(frame, op.getWeight(), op.getWeightZero(), op.getWeightFormat());
  if (failed(w))
    return failure();
  Convolution how{op.getStrides(), op.getPads(), op.getDilations(), static_cast<int64_t>(op.getGroups()),
                  op.getAutoPad()};
  return convolve(frame, *x, *w, how);
}

static FailureOr<Tensor> interpretBitcast(Frame &frame, BitcastOp op) {
  return frame.tensor(op.getOperand()).reinterpreted(op.getDtype());
}

void interp::registerQuantizationOps(OpTable &table) {
  table.add(interpretBitcast);
  table.add(interpretDecode);
  table.add(interpretEncode);
  table.add(interpretQuantize);
  table.add(interpretDequantize);
  table.add(interpretDynamicQuantize);
  table.add(interpretQuantizedMatmul);
  table.add(interpretQuantizedConv);
}
