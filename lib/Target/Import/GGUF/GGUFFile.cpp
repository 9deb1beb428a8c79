//===- GGUFFile.cpp - A GGUF file in memory -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "GGUFFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir::relax::gguf;

std::string mlir::relax::gguf::printable(StringRef text) {
  constexpr size_t kMost = 80;
  std::string result = text.take_front(kMost).str();
  for (char &c : result)
    if (!isPrint(c))
      c = '?';
  return text.size() > kMost ? result + "..." : result;
}

const TensorFormat *TensorFormat::get(uint32_t number) {
  static constexpr std::pair<uint32_t, TensorFormat> formats[] = {
      {0, {"f32", 1, 4}},       {1, {"f16", 1, 2}},       {2, {"q4_0", 32, 18}},    {3, {"q4_1", 32, 20}},
      {6, {"q5_0", 32, 22}},    {7, {"q5_1", 32, 24}},    {8, {"q8_0", 32, 34}},    {10, {"q2_k", 256, 84}},
      {11, {"q3_k", 256, 110}}, {12, {"q4_k", 256, 144}}, {13, {"q5_k", 256, 176}}, {14, {"q6_k", 256, 210}},
      {24, {"i8", 1, 1}},       {25, {"i16", 1, 2}},      {26, {"i32", 1, 4}},      {27, {"i64", 1, 8}},
      {28, {"f64", 1, 8}},      {30, {"bf16", 1, 2}},
  };
  for (const auto &[known, format] : formats)
    if (known == number)
      return &format;
  return nullptr;
}

/// Bytes of a value; 0 for strings, arrays and types that do not exist.
static uint64_t getFixedBytes(ValueType type) {
  switch (type) {
  case ValueType::UInt8:
  case ValueType::Int8:
  case ValueType::Bool:
    return 1;
  case ValueType::UInt16:
  case ValueType::Int16:
    return 2;
  case ValueType::UInt32:
  case ValueType::Int32:
  case ValueType::Float32:
    return 4;
  case ValueType::UInt64:
  case ValueType::Int64:
  case ValueType::Float64:
    return 8;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace mlir::relax::gguf {
/// Walks through the file once. After the first error every read gives zero.
class GGUFReader {
public:
  GGUFReader(GGUFFile &file, std::string &error) : file(file), data(file.buffer->getBuffer()), error(error) {}

  bool run();

private:
  bool fail(const Twine &message) {
    if (error.empty())
      error = message.str();
    return false;
  }
  bool hasFailed() const { return !error.empty(); }

  uint64_t left() const { return data.size() - at; }
  /// Passes `bytes` bytes; false when there are fewer.
  bool skip(uint64_t bytes, const Twine &what) {
    if (hasFailed())
      return false;
    if (bytes > left())
      return fail("ends in " + what + ": " + Twine(bytes) + " bytes needed at " + Twine(at) + ", " + Twine(left()) +
                  " are there");
    at += bytes;
    return true;
  }
  template <typename T> T readNumber(const Twine &what) {
    uint64_t start = at;
    return skip(sizeof(T), what) ? support::endian::read<T, endianness::little>(data.data() + start) : T(0);
  }
  StringRef readString(const Twine &what) {
    auto length = readNumber<uint64_t>(what);
    uint64_t start = at;
    return skip(length, what) ? data.substr(start, length) : StringRef();
  }

  bool readMetadata();
  bool readValue(MetadataValue &value, const Twine &what);
  bool readTensor();
  bool placeTensors();

  GGUFFile &file;
  StringRef data;
  std::string &error;
  uint64_t at = 0;
};
} // namespace mlir::relax::gguf

bool GGUFReader::run() {
  if (!data.starts_with("GGUF"))
    return fail("is no GGUF file: it does not begin with 'GGUF'");
  at = 4;
  auto version = readNumber<uint32_t>("the header");
  if (!hasFailed() && (version & 0xffff) == 0)
    return fail("is written for big-endian machines, which is not supported");
  if (!hasFailed() && version != 2 && version != 3)
    return fail("has GGUF version " + Twine(version) + ", expected 2 or 3");
  auto tensorCount = readNumber<uint64_t>("the header"), valueCount = readNumber<uint64_t>("the header");
  // Counts are not to be trusted, but each step takes bytes of the file.
  for (uint64_t i = 0; i < valueCount && !hasFailed(); ++i)
    readMetadata();
  for (uint64_t i = 0; i < tensorCount && !hasFailed(); ++i)
    readTensor();
  return !hasFailed() && placeTensors();
}

bool GGUFReader::readMetadata() {
  StringRef key = readString("a metadata key");
  if (hasFailed())
    return false;
  if (key.empty())
    return fail("has a metadata key without characters");
  MetadataValue value;
  std::string what = "metadata '" + printable(key) + "'";
  if (!readValue(value, what))
    return false;
  if (!file.metadata.try_emplace(key, value).second)
    return fail("has " + what + " twice");
  return true;
}

bool GGUFReader::readValue(MetadataValue &value, const Twine &what) {
  auto type = readNumber<uint32_t>(what);
  if (!hasFailed() && type > static_cast<uint32_t>(ValueType::Float64))
    return fail(what + " has type " + Twine(type) + ", which does not exist");
  value.type = static_cast<ValueType>(type);
  if (value.type == ValueType::String) {
    value.count = readNumber<uint64_t>(what);
    value.offset = at;
    return skip(value.count, what);
  }
  if (value.type != ValueType::Array) {
    value.offset = at;
    return skip(getFixedBytes(value.type), what);
  }
  auto elementType = readNumber<uint32_t>(what);
  value.elementType = static_cast<ValueType>(elementType);
  value.count = readNumber<uint64_t>(what);
  value.offset = at;
  if (hasFailed())
    return false;
  if (value.elementType == ValueType::String) {
    for (uint64_t i = 0; i < value.count && !hasFailed(); ++i)
      readString(what);
    return !hasFailed();
  }
  uint64_t bytes = elementType > static_cast<uint32_t>(ValueType::Float64) ? 0 : getFixedBytes(value.elementType);
  if (bytes == 0)
    return fail(what + " is an array of type " + Twine(elementType) + ", expected numbers, bools or strings");
  if (value.count > left() / bytes)
    return fail("ends in " + what + ": an array of " + Twine(value.count) + " elements at " + Twine(at) + ", " +
                Twine(left()) + " bytes are there");
  return skip(value.count * bytes, what);
}

bool GGUFReader::readTensor() {
  constexpr uint32_t kMaxDims = 4;
  StoredTensor tensor;
  tensor.name = readString("the name of a tensor");
  std::string what = "tensor '" + printable(tensor.name) + "'";
  auto rank = readNumber<uint32_t>(what);
  if (!hasFailed() && rank > kMaxDims)
    return fail(what + " has " + Twine(rank) + " dimensions, at most " + Twine(kMaxDims) + " are possible");
  uint64_t numbers = 1;
  for (uint32_t dim = 0; dim < rank && !hasFailed(); ++dim) {
    auto extent = readNumber<uint64_t>(what);
    tensor.dims.push_back(static_cast<int64_t>(extent));
    // Leaves room for the bytes of a number, also when another dimension is 0.
    constexpr uint64_t kMost = uint64_t(1) << 56;
    uint64_t factor = std::max<uint64_t>(extent, 1);
    bool fits = factor <= kMost / numbers;
    numbers *= fits ? factor : 1;
    if (!fits)
      return fail(what + " has too many elements to be addressed");
  }
  auto type = readNumber<uint32_t>(what);
  tensor.offset = readNumber<uint64_t>(what);
  if (hasFailed())
    return false;
  if (llvm::is_contained(tensor.dims, 0))
    numbers = 0;
  tensor.format = TensorFormat::get(type);
  if (!tensor.format)
    return fail(what + " has type " + Twine(type) + ", which is not supported");
  uint64_t row = tensor.dims.empty() ? 1 : tensor.dims.front();
  if (row % tensor.format->numbers != 0)
    return fail(what + " has rows of " + Twine(row) + " numbers, expected a multiple of " +
                Twine(tensor.format->numbers) + " for type " + tensor.format->name);
  tensor.bytes = numbers / tensor.format->numbers * tensor.format->bytes;
  if (!file.tensorIndices.try_emplace(tensor.name, file.tensors.size()).second)
    return fail("has " + what + " twice");
  file.tensors.push_back(std::move(tensor));
  return true;
}

/// Offsets count from the end of the descriptions, rounded up.
bool GGUFReader::placeTensors() {
  uint64_t alignment = 32;
  if (file.lookUp("general.alignment")) {
    std::optional<uint64_t> stored = file.getInteger("general.alignment");
    if (!stored || !isPowerOf2_64(*stored) || *stored > (uint64_t(1) << 30))
      return fail("metadata 'general.alignment' is expected to be a power of 2 up to 2^30");
    alignment = *stored;
  }
  uint64_t start = alignTo(at, alignment);
  std::vector<const StoredTensor *> order;
  for (StoredTensor &tensor : file.tensors) {
    std::string what = "tensor '" + printable(tensor.name) + "'";
    if (tensor.offset % alignment != 0)
      return fail(what + " is at offset " + Twine(tensor.offset) + ", expected a multiple of " + Twine(alignment));
    if (start > data.size() || tensor.offset > data.size() - start ||
        tensor.bytes > data.size() - start - tensor.offset)
      return fail("ends in " + what + ", which has " + Twine(tensor.bytes) + " bytes at offset " +
                  Twine(tensor.offset) + " of " + Twine(data.size() - std::min<uint64_t>(start, data.size())));
    tensor.offset += start;
    if (tensor.bytes != 0)
      order.push_back(&tensor);
  }
  llvm::sort(order, [](const StoredTensor *a, const StoredTensor *b) { return a->offset < b->offset; });
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i]->offset < order[i - 1]->offset + order[i - 1]->bytes)
      return fail("has tensors '" + printable(order[i - 1]->name) + "' and '" + printable(order[i]->name) +
                  "' that overlap");
  return true;
}

std::unique_ptr<GGUFFile> GGUFFile::open(StringRef path, std::string &error) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = "cannot be read: " + buffer.getError().message();
    return nullptr;
  }
  return read(std::move(*buffer), error);
}

std::unique_ptr<GGUFFile> GGUFFile::read(std::unique_ptr<MemoryBuffer> buffer, std::string &error) {
  error.clear();
  std::unique_ptr<GGUFFile> file(new GGUFFile(std::move(buffer)));
  return GGUFReader(*file, error).run() ? std::move(file) : nullptr;
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

const MetadataValue *GGUFFile::lookUp(StringRef key) const {
  auto found = metadata.find(key);
  return found == metadata.end() ? nullptr : &found->second;
}

std::optional<uint64_t> GGUFFile::readInteger(ValueType type, uint64_t offset) const {
  const char *at = buffer->getBufferStart() + offset;
  auto natural = [](int64_t value) { return value < 0 ? std::nullopt : std::optional<uint64_t>(value); };
  using namespace support;
  switch (type) {
  case ValueType::UInt8:
    return static_cast<uint8_t>(*at);
  case ValueType::Int8:
    return natural(static_cast<int8_t>(*at));
  case ValueType::UInt16:
    return endian::read16le(at);
  case ValueType::Int16:
    return natural(static_cast<int16_t>(endian::read16le(at)));
  case ValueType::UInt32:
    return endian::read32le(at);
  case ValueType::Int32:
    return natural(static_cast<int32_t>(endian::read32le(at)));
  case ValueType::UInt64:
    return endian::read64le(at);
  case ValueType::Int64:
    return natural(static_cast<int64_t>(endian::read64le(at)));
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> GGUFFile::getInteger(StringRef key) const {
  const MetadataValue *value = lookUp(key);
  return value ? readInteger(value->type, value->offset) : std::nullopt;
}

std::optional<double> GGUFFile::getFloat(StringRef key) const {
  const MetadataValue *value = lookUp(key);
  if (!value)
    return std::nullopt;
  const char *at = buffer->getBufferStart() + value->offset;
  if (value->type == ValueType::Float32)
    return bit_cast<float>(support::endian::read32le(at));
  if (value->type == ValueType::Float64)
    return bit_cast<double>(support::endian::read64le(at));
  std::optional<uint64_t> integer = readInteger(value->type, value->offset);
  return integer ? std::optional<double>(static_cast<double>(*integer)) : std::nullopt;
}

std::optional<bool> GGUFFile::getBool(StringRef key) const {
  const MetadataValue *value = lookUp(key);
  if (!value || value->type != ValueType::Bool)
    return std::nullopt;
  return buffer->getBuffer()[value->offset] != 0;
}

std::optional<StringRef> GGUFFile::getString(StringRef key) const {
  const MetadataValue *value = lookUp(key);
  if (!value || value->type != ValueType::String)
    return std::nullopt;
  return buffer->getBuffer().substr(value->offset, value->count);
}

std::optional<uint64_t> GGUFFile::getElement(StringRef key, uint64_t index) const {
  const MetadataValue *value = lookUp(key);
  if (!value || value->type != ValueType::Array || index >= value->count)
    return std::nullopt;
  return readInteger(value->elementType, value->offset + index * getFixedBytes(value->elementType));
}

const StoredTensor *GGUFFile::findTensor(StringRef name) const {
  auto found = tensorIndices.find(name);
  return found == tensorIndices.end() ? nullptr : &tensors[found->second];
}
