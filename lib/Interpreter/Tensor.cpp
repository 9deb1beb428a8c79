//===- Tensor.cpp - Values of the reference interpreter -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Interpreter/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Exact. APFloat makes infinity of a NaN without payload, which f8E8M0FNU has.
static double toDouble(APFloat number) {
  if (number.isNaN())
    return std::nan("");
  bool losesInfo = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

static double decode(FloatType type, unsigned code) {
  return toDouble(APFloat(type.getFloatSemantics(), APInt(type.getWidth(), code)));
}

/// To the nearest power of two, up from the middle.
static double roundToPower(double value) {
  if (!(value > 0) || value >= std::ldexp(1.5, 127))
    return std::nan("");
  int exponent = 0;
  bool isUp = std::frexp(value, &exponent) >= 0.75;
  return std::ldexp(1.0, std::max(exponent - (isUp ? 0 : 1), -127));
}

/// To one of the few numbers of a type of up to 8 bits; all are tried.
static double roundToSmall(FloatType type, double value) {
  if (isa<Float8E8M0FNUType>(type))
    return roundToPower(value);
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  unsigned largest = APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue();
  bool hasNaN = APFloat::semanticsHasNaN(semantics), hasInf = APFloat::semanticsHasInf(semantics);
  if (std::isnan(value))
    return hasNaN ? value : -0.0;
  double magnitude = std::fabs(value), highest = decode(type, largest), step = highest - decode(type, largest - 1);
  // The next number would be one step further.
  double limit = highest + step / 2;
  if (magnitude > limit || (magnitude == limit && largest % 2 == 1))
    return hasInf ? std::copysign(INFINITY, value) : hasNaN ? std::nan("") : std::copysign(highest, value);
  unsigned best = 0;
  for (unsigned code = 1; code <= largest; ++code) {
    double distance = std::fabs(decode(type, code) - magnitude), least = std::fabs(decode(type, best) - magnitude);
    if (distance < least || (distance == least && code % 2 == 0))
      best = code;
  }
  bool hasMinusZero = !isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
  double rounded = decode(type, best);
  return rounded == 0 && !hasMinusZero ? 0.0 : std::copysign(rounded, value);
}

double interp::roundToType(Type type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  if (type.getIntOrFloatBitWidth() <= 8)
    return roundToSmall(cast<FloatType>(type), value);
  APFloat number(value);
  bool losesInfo = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

bool interp::isUnsignedElement(Type type) { return type.isInteger(1) || type.isUnsignedInteger(); }

int64_t interp::wrapToType(Type type, int64_t value) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width >= 64)
    return value;
  auto low = static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
  if (isUnsignedElement(type) || !(low >> (width - 1)))
    return static_cast<int64_t>(low);
  return static_cast<int64_t>(low | ~((uint64_t(1) << width) - 1));
}

int64_t interp::getOrder(Type type, int64_t value) {
  return type.isUnsignedInteger(64) ? static_cast<int64_t>(static_cast<uint64_t>(value) ^ (uint64_t(1) << 63)) : value;
}

double interp::getEpsilon(Type type) {
  const llvm::fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
  return std::ldexp(1.0, 1 - static_cast<int>(APFloat::semanticsPrecision(semantics)));
}

bool interp::isSupportedElement(Type type) {
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() <= 64;
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 64;
}

int64_t interp::getElementBytes(Type elementType) {
  return elementType.isIndex() ? 8 : static_cast<int64_t>(llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8));
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

static int64_t getProduct(ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= dim;
  return product;
}

Tensor::Tensor(Type elementType, ArrayRef<int64_t> dims) : elementType(elementType), dims(dims) {
  // Zero is all bits zero as a double and as an integer.
  elements.resize(getProduct(dims), intNumber(0));
}

int64_t Tensor::at(ArrayRef<int64_t> index) const {
  int64_t position = 0;
  for (auto [dim, value] : llvm::zip_equal(dims, index))
    position = position * dim + value;
  return position;
}

/// Whether rounding to the type may have changed a value. A double that uses few of its bits is taken for exact.
static bool isRounded(Type type, double exact, double rounded) {
  if (std::isnan(exact) || std::isinf(rounded))
    return false;
  if (!type.isF64())
    return exact != rounded;
  uint64_t bits;
  std::memcpy(&bits, &exact, sizeof bits);
  return (bits & 0x7f) != 0;
}

void Tensor::setFloat(int64_t position, double value) { setFloat(position, value, 0); }

void Tensor::setFloat(int64_t position, double value, double error) {
  double rounded = roundToType(elementType, value);
  elements[position].f = rounded;
  // Library functions are allowed to be a few units in the last place away.
  if (isRounded(elementType, value, rounded))
    error += 4 * getEpsilon(elementType) * std::fabs(rounded);
  // Just beyond the largest number: another implementation may stay below.
  if (std::isinf(rounded) && std::isfinite(value) &&
      std::isfinite(roundToType(elementType, std::fabs(value) * (1 - 4 * getEpsilon(elementType)) - error)))
    error = std::numeric_limits<double>::infinity();
  if (error == 0 || (std::isnan(rounded) && !std::isinf(error)))
    return;
  if (errors.empty())
    errors.resize(elements.size(), 0);
  errors[position] = error;
}

Tensor Tensor::reshaped(ArrayRef<int64_t> newDims) const {
  Tensor result = *this;
  result.dims.assign(newDims.begin(), newDims.end());
  result.errors.clear();
  return result;
}

int64_t Buffer::at(ArrayRef<int64_t> index) const {
  int64_t position = offset;
  for (auto [stride, value] : llvm::zip_equal(strides, index))
    position += stride * value;
  return position;
}

Buffer interp::makeBuffer(const Tensor &tensor) {
  Buffer buffer;
  buffer.elementType = tensor.getElementType();
  buffer.dims.assign(tensor.getDims().begin(), tensor.getDims().end());
  buffer.strides.resize(buffer.dims.size());
  int64_t stride = 1;
  for (size_t dim = buffer.dims.size(); dim-- != 0; stride *= buffer.dims[dim])
    buffer.strides[dim] = stride;
  buffer.memory = std::make_shared<std::vector<Number>>();
  for (int64_t i = 0; i < tensor.size(); ++i)
    buffer.memory->push_back(tensor[i]);
  return buffer;
}

Tensor interp::readBuffer(const Buffer &buffer) {
  Tensor tensor(buffer.elementType, buffer.dims);
  int64_t position = 0;
  forEachIndex(buffer.dims,
               [&](ArrayRef<int64_t> index) { tensor.set(position++, (*buffer.memory)[buffer.at(index)]); });
  return tensor;
}

LogicalResult interp::forEachIndexOrFail(ArrayRef<int64_t> dims,
                                         llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> visit) {
  for (int64_t dim : dims)
    if (dim <= 0)
      return success();
  SmallVector<int64_t> index(dims.size(), 0);
  while (true) {
    if (failed(visit(index)))
      return failure();
    size_t dim = dims.size();
    while (dim != 0 && ++index[dim - 1] == dims[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return success();
  }
}

void interp::forEachIndex(ArrayRef<int64_t> dims, llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  (void)forEachIndexOrFail(dims, [&](ArrayRef<int64_t> index) {
    visit(index);
    return success();
  });
}

std::string interp::formatShape(ArrayRef<int64_t> dims) {
  std::string text = "[";
  for (auto [index, dim] : llvm::enumerate(dims))
    text += (index ? ", " : "") + std::to_string(dim);
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static APInt getBits(Type type, Number number) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    return APInt(64, static_cast<uint64_t>(number.i)).trunc(width);
  }
  // A small type may have no NaN to convert to, and a number has one code.
  if (floatType.getWidth() <= 8)
    for (unsigned code = 0; code != 1U << floatType.getWidth(); ++code)
      if (double held = decode(floatType, code); std::memcmp(&held, &number.f, sizeof held) == 0)
        return APInt(floatType.getWidth(), code);
  APFloat value(number.f);
  if (floatType.getWidth() <= 8) // some other NaN
    return APFloat::getNaN(floatType.getFloatSemantics()).bitcastToAPInt();
  bool losesInfo = false;
  value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt();
}

static Number getNumber(Type type, const APInt &bits) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return intNumber(wrapToType(type, static_cast<int64_t>(bits.getZExtValue())));
  return floatNumber(toDouble(APFloat(floatType.getFloatSemantics(), bits)));
}

Tensor Tensor::reinterpreted(Type type) const {
  Tensor result(type, dims);
  for (int64_t i = 0; i < size(); ++i)
    result.set(i, getNumber(type, getBits(elementType, elements[i]).zextOrTrunc(type.getIntOrFloatBitWidth())));
  return result;
}

void interp::writeBytes(const Tensor &tensor, uint8_t *bytes) {
  int64_t width = getElementBytes(tensor.getElementType());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t bits = getBits(tensor.getElementType(), tensor[i]).getZExtValue();
    for (int64_t byte = 0; byte < width; ++byte)
      *bytes++ = static_cast<uint8_t>(bits >> (8 * byte));
  }
}

void interp::readBytes(const uint8_t *bytes, Tensor &tensor) {
  Type type = tensor.getElementType();
  int64_t width = getElementBytes(type);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t bits = 0;
    for (int64_t byte = 0; byte < width; ++byte)
      bits |= static_cast<uint64_t>(*bytes++) << (8 * byte);
    // A bool is true unless it is 0.
    if (type.isInteger(1))
      tensor.set(i, intNumber(bits != 0));
    else
      tensor.set(i, getNumber(type, APInt(64, bits).trunc(type.isIndex() ? 64 : type.getIntOrFloatBitWidth())));
  }
}

FailureOr<Tensor> interp::readElements(ElementsAttr attr) {
  auto type = dyn_cast<RankedTensorType>(attr.getShapedType());
  if (!type || !type.hasStaticShape())
    return failure();
  // Extents are constants of index in what canonicalization makes of programs.
  if (!type.getElementType().isIndex() && !isSupportedElement(type.getElementType()))
    return failure();
  Tensor tensor(type.getElementType(), type.getShape());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || static_cast<int64_t>(blob->getData().size()) < tensor.size() * getElementBytes(type.getElementType()))
      return failure();
    readBytes(reinterpret_cast<const uint8_t *>(blob->getData().data()), tensor);
    return tensor;
  }
  if (tensor.size() == 0)
    return tensor;
  if (tensor.isFloat()) {
    auto values = attr.tryGetValues<APFloat>();
    if (!values)
      return failure();
    for (auto [index, value] : llvm::enumerate(*values))
      tensor.set(index, floatNumber(toDouble(value)));
    return tensor;
  }
  auto values = attr.tryGetValues<APInt>();
  if (!values)
    return failure();
  for (auto [index, value] : llvm::enumerate(*values))
    tensor.setInt(index, static_cast<int64_t>(value.getZExtValue()));
  return tensor;
}
