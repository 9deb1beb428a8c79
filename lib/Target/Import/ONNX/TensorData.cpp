//===- TensorData.cpp - Element types and stored tensors ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "TensorData.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphAttrs.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using relax_onnx_wire::TensorProto;

namespace {
/// Codes of TensorProto.data_type that are asked for by name.
enum Code : int32_t {
  Float = 1,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  Bfloat16 = 16
};

/// A code and the type that it stands for.
struct TypeCode {
  int32_t code;
  Type (*get)(MLIRContext *);
};
} // namespace

template <typename FloatTy> static Type getFloat(MLIRContext *context) { return FloatTy::get(context); }
template <unsigned width> static Type getSigned(MLIRContext *context) { return IntegerType::get(context, width); }
template <unsigned width> static Type getUnsigned(MLIRContext *context) {
  return IntegerType::get(context, width, IntegerType::Unsigned);
}

static constexpr TypeCode kTypes[] = {
    {Float, getFloat<Float32Type>},
    {2, getUnsigned<8>},
    {3, getSigned<8>},
    {Uint16, getUnsigned<16>},
    {Int16, getSigned<16>},
    {Int32, getSigned<32>},
    {Int64, getSigned<64>},
    {9, getSigned<1>},
    {Float16, getFloat<Float16Type>},
    {Double, getFloat<Float64Type>},
    {Uint32, getUnsigned<32>},
    {Uint64, getUnsigned<64>},
    {Bfloat16, getFloat<BFloat16Type>},
    {17, getFloat<Float8E4M3FNType>},
    {18, getFloat<Float8E4M3FNUZType>},
    {19, getFloat<Float8E5M2Type>},
    {20, getFloat<Float8E5M2FNUZType>},
    {21, getUnsigned<4>},
    {22, getSigned<4>},
    {23, getFloat<Float4E2M1FNType>},
    {24, getFloat<Float8E8M0FNUType>},
    {25, getUnsigned<2>},
    {26, getSigned<2>},
};

Type mlir::relax::onnx::getElementType(MLIRContext *context, int32_t code) {
  for (const TypeCode &entry : kTypes)
    if (entry.code == code)
      return entry.get(context);
  return {};
}

int32_t mlir::relax::onnx::getTypeCode(Type elementType) {
  for (const TypeCode &entry : kTypes)
    if (entry.get(elementType.getContext()) == elementType)
      return entry.code;
  return 0;
}

std::string mlir::relax::onnx::getTypeName(int32_t code) {
  static constexpr StringLiteral names[] = {
      "undefined", "float",      "uint8",      "int8",         "uint16",         "int16",      "int32",
      "int64",     "string",     "bool",       "float16",      "double",         "uint32",     "uint64",
      "complex64", "complex128", "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",     "int4",       "float4e2m1", "float8e8m0",   "uint2",          "int2"};
  if (code >= 0 && code < static_cast<int32_t>(std::size(names)))
    return names[code].str();
  return "type " + std::to_string(code);
}

int64_t mlir::relax::onnx::getElementBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

std::optional<int64_t> mlir::relax::onnx::getBoundedSize(ArrayRef<int64_t> extents) {
  // Leaves room for the size of an element and for sums of two sizes.
  constexpr int64_t kMaxElements = int64_t(1) << 56;
  int64_t size = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent) || extent == 0)
      continue;
    std::optional<int64_t> next = llvm::checkedMul(size, extent);
    if (extent < 0 || !next || *next > kMaxElements)
      return std::nullopt;
    size = *next;
  }
  return size;
}

RankedTensorType mlir::relax::onnx::getStoredType(MLIRContext *context, const TensorProto &tensor, std::string &error) {
  Type elementType = getElementType(context, tensor.data_type());
  if (!elementType) {
    error = "unsupported element type " + getTypeName(tensor.data_type());
    return {};
  }
  if (tensor.dims_size() > static_cast<int>(kMaxRank)) {
    error = "has " + std::to_string(tensor.dims_size()) + " dimensions, at most " + std::to_string(kMaxRank) +
            " are supported";
    return {};
  }
  SmallVector<int64_t> extents(tensor.dims().begin(), tensor.dims().end());
  for (auto [index, extent] : llvm::enumerate(extents)) {
    if (extent < 0) {
      error = "dimension " + std::to_string(index) + " is negative: " + std::to_string(extent);
      return {};
    }
  }
  if (!getBoundedSize(extents)) {
    error = "has too many elements to be addressed";
    return {};
  }
  return RankedTensorType::get(extents, elementType);
}

/// Reads key `name` of the external data as a non-negative number; nullopt when it is no such number.
static std::optional<int64_t> getExternalNumber(const TensorProto &tensor, StringRef name, int64_t absent) {
  for (const relax_onnx_wire::StringStringEntryProto &entry : tensor.external_data()) {
    if (StringRef(entry.key()) != name)
      continue;
    int64_t value = 0;
    if (StringRef(entry.value()).getAsInteger(10, value) || value < 0)
      return std::nullopt;
    return value;
  }
  return absent;
}

namespace {
/// Where the bytes of a tensor lie.
struct Place {
  std::string location; // empty: in the model
  int64_t offset = 0;
  StringRef bytes;
};
} // namespace

static bool getExternalPlace(ModelFile &file, const TensorProto &tensor, int64_t expected, Place &place,
                             std::string &error) {
  for (const relax_onnx_wire::StringStringEntryProto &entry : tensor.external_data())
    if (entry.key() == "location")
      place.location = entry.value();
  if (place.location.empty()) {
    error = "its external data names no location";
    return false;
  }
  std::string reason;
  const llvm::MemoryBuffer *data = file.getData(place.location, reason);
  if (!data) {
    error = "cannot use its external data '" + printable(place.location) + "': " + reason;
    return false;
  }
  std::optional<int64_t> offset = getExternalNumber(tensor, "offset", 0);
  std::optional<int64_t> length = getExternalNumber(tensor, "length", expected);
  if (!offset || !length) {
    error = "offset and length of its external data must be non-negative numbers";
    return false;
  }
  int64_t size = data->getBufferSize();
  if (*offset > size || *length > size - *offset) {
    error = "its external data is bytes " + std::to_string(*offset) + " to " + std::to_string(*offset) + " + " +
            std::to_string(*length) + ", '" + printable(place.location) + "' has " + std::to_string(size) + " bytes";
    return false;
  }
  place.offset = *offset;
  place.bytes = data->getBuffer().substr(*offset, *length);
  return true;
}

/// A dense attribute from raw little-endian bytes.
static DenseElementsAttr getDense(RankedTensorType type, StringRef bytes) {
  if (type.getNumElements() == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(bytes.data(), bytes.size()));
  SmallVector<bool> values;
  for (char byte : bytes)
    values.push_back(byte != 0);
  return DenseElementsAttr::get(type, values);
}

/// Several elements share a byte, the first in the low bits.
static bool isPacked(Type elementType) {
  unsigned bits = elementType.getIntOrFloatBitWidth();
  return bits < 8 && bits != 1;
}

/// A byte for each element of a packed tensor.
static std::string unpack(RankedTensorType type, StringRef bytes) {
  unsigned bits = type.getElementType().getIntOrFloatBitWidth(), perByte = 8 / bits;
  std::string unpacked;
  for (int64_t index = 0, count = type.getNumElements(); index < count; ++index) {
    auto byte = static_cast<uint8_t>(bytes[index / perByte]);
    unpacked += static_cast<char>((byte >> (index % perByte * bits)) & ((1U << bits) - 1));
  }
  return unpacked;
}

/// Raw bytes of the typed data fields, which hold small types widened.
template <typename Stored, typename Field> static std::string packField(const Field &field) {
  std::string bytes;
  for (auto value : field) {
    Stored stored = static_cast<Stored>(value);
    bytes.append(reinterpret_cast<const char *>(&stored), sizeof(stored));
  }
  return bytes;
}

static std::string packTypedData(const TensorProto &tensor) {
  switch (tensor.data_type()) {
  case Float:
    return packField<float>(tensor.float_data());
  case Double:
    return packField<double>(tensor.double_data());
  case Int64:
    return packField<int64_t>(tensor.int64_data());
  case Int32:
    return packField<int32_t>(tensor.int32_data());
  case Int16:
  case Uint16:
  case Float16:
  case Bfloat16:
    return packField<uint16_t>(tensor.int32_data());
  case Uint32:
    return packField<uint32_t>(tensor.uint64_data());
  case Uint64:
    return packField<uint64_t>(tensor.uint64_data());
  default: // a byte each, or less
    return packField<uint8_t>(tensor.int32_data());
  }
}

/// The packed field that stays in the file is that of the tensor's type, and all that it holds.
static bool isOnlyPackedField(const TensorProto &tensor) {
  constexpr int kFloatData = 4, kDoubleData = 10;
  int expected = tensor.data_type() == Float ? kFloatData : tensor.data_type() == Double ? kDoubleData : 0;
  return tensor.packed_field() == expected && tensor.float_data_size() == 0 && tensor.double_data_size() == 0;
}

static Attribute readValue(ModelFile &file, const TensorProto &tensor, RankedTensorType type, std::string &error,
                           int64_t maxInline) {
  bool packed = isPacked(type.getElementType());
  int64_t expected = type.getNumElements() * getElementBytes(type.getElementType());
  if (packed)
    expected = llvm::divideCeil(type.getNumElements() * type.getElementTypeBitWidth(), 8);
  auto makeDense = [&](StringRef bytes) { return getDense(type, packed ? StringRef(unpack(type, bytes)) : bytes); };
  auto checkSize = [&](int64_t size) {
    if (size == expected)
      return true;
    llvm::raw_string_ostream(error) << "holds " << size << " bytes, its type " << type << " needs " << expected;
    return false;
  };
  Place place;
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    if (!getExternalPlace(file, tensor, expected, place, error))
      return {};
  } else if (tensor.has_raw_offset()) {
    if (tensor.has_packed_field() && !isOnlyPackedField(tensor)) {
      error = "holds data in fields of another type, or in several pieces";
      return {};
    }
    place.offset = tensor.raw_offset();
    place.bytes = file.getData("", error)->getBuffer().substr(tensor.raw_offset(), tensor.raw_size());
  } else {
    std::string bytes = packTypedData(tensor);
    return checkSize(bytes.size()) ? makeDense(bytes) : Attribute();
  }
  if (!checkSize(place.bytes.size()))
    return {};
  if (packed || type.getNumElements() <= maxInline)
    return makeDense(place.bytes);
  std::optional<uint32_t> digest = file.getDigest(place.location, place.offset, expected, error);
  if (!digest)
    return {};
  std::string digestText;
  llvm::raw_string_ostream(digestText) << llvm::format("%08x", *digest);
  MLIRContext *context = type.getContext();
  return graph::WeightBlobAttr::get(context, StringAttr::get(context, file.getDataPath(place.location)), place.offset,
                                    expected, StringAttr::get(context, digestText));
}

Attribute mlir::relax::onnx::getStoredValue(ModelFile &file, const TensorProto &tensor, RankedTensorType type,
                                            std::string &error) {
  return readValue(file, tensor, type, error, kMaxInlineElements);
}

DenseElementsAttr mlir::relax::onnx::getDenseValue(ModelFile &file, const TensorProto &tensor, RankedTensorType type,
                                                   std::string &error) {
  Attribute value = readValue(file, tensor, type, error, std::numeric_limits<int64_t>::max());
  return dyn_cast_if_present<DenseElementsAttr>(value);
}
