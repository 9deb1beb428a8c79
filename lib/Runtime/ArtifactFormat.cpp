//===- ArtifactFormat.cpp - Metadata of an artifact as bytes --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Compiled into the runtime and into the compiler; depends on the C++ standard
// library only.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/ArtifactFormat.h"

#include <array>
#include <utility>

using namespace relax_rt;

namespace {

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

class Writer {
public:
  void u32(uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<char>((value >> shift) & 0xff));
  }

  void count(size_t value) { u32(static_cast<uint32_t>(value)); }

  void string(const std::string &value) {
    count(value.size());
    bytes += value;
  }

  void tensors(const std::vector<TensorInfo> &tensors) {
    count(tensors.size());
    for (const TensorInfo &tensor : tensors) {
      string(tensor.name);
      u32(tensor.typeCode);
      u32(tensor.typeBits);
      count(tensor.dims.size());
      for (const std::string &dim : tensor.dims)
        string(dim);
    }
  }

  std::string bytes;
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads until the first malformed field; afterwards every read yields a zero value and `ok()` is false.
class Reader {
public:
  Reader(const uint8_t *data, uint64_t size, std::string &error) : data(data), size(size), error(error) {}

  bool ok() const { return !failed; }
  bool atEnd() const { return position == size; }
  uint64_t remaining() const { return size - position; }

  void fail(const char *what) {
    if (!failed)
      error = "metadata: " + std::string(what) + " at byte " + std::to_string(position);
    failed = true;
  }

  uint32_t u32() {
    if (failed || remaining() < 4) {
      fail("truncated");
      return 0;
    }
    uint32_t value = 0;
    for (uint32_t i = 0; i < 4; ++i)
      value |= static_cast<uint32_t>(data[position + i]) << (8 * i);
    position += 4;
    return value;
  }

  /// A number of elements of at least `minBytes` each: one that cannot fit is refused before anything is allocated.
  uint32_t count(uint64_t minBytes) {
    uint32_t value = u32();
    if (ok() && value > remaining() / minBytes) {
      fail("count exceeds the section");
      return 0;
    }
    return ok() ? value : 0;
  }

  std::string string() {
    uint32_t length = count(1);
    if (!ok())
      return std::string();
    std::string value(reinterpret_cast<const char *>(data) + position, length);
    // The C API hands out these strings, a zero byte would cut them silently.
    if (value.find('\0') != std::string::npos) {
      fail("string with a zero byte");
      return std::string();
    }
    position += length;
    return value;
  }

  void tensors(std::vector<TensorInfo> &tensors) {
    tensors.resize(count(16));
    for (TensorInfo &tensor : tensors) {
      tensor.name = string();
      tensor.typeCode = u32();
      tensor.typeBits = u32();
      tensor.dims.resize(count(4));
      for (std::string &dim : tensor.dims)
        dim = string();
      if (!ok())
        return;
    }
  }

private:
  const uint8_t *data;
  uint64_t size;
  uint64_t position = 0;
  bool failed = false;
  std::string &error;
};

//===----------------------------------------------------------------------===//
// CRC-32
//===----------------------------------------------------------------------===//

using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

/// Eight tables, so that the loop below consumes eight bytes per step ("slicing"): weights are gigabytes.
constexpr CrcTables makeCrcTables() {
  CrcTables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ ((value & 1) ? 0xEDB88320u : 0u);
    tables[0][i] = value;
  }
  for (size_t slice = 1; slice < 8; ++slice)
    for (size_t i = 0; i < 256; ++i)
      tables[slice][i] = (tables[slice - 1][i] >> 8) ^ tables[0][tables[slice - 1][i] & 0xff];
  return tables;
}

constexpr CrcTables kCrcTables = makeCrcTables();

} // namespace

std::string relax_rt::encodeMetadata(const Metadata &metadata) {
  Writer writer;
  writer.string(metadata.producer);
  writer.string(metadata.targetTriple);
  writer.string(metadata.cpuFeatures);
  writer.count(metadata.functions.size());
  for (const FunctionInfo &function : metadata.functions) {
    writer.string(function.name);
    writer.string(function.symbol);
    writer.tensors(function.inputs);
    writer.tensors(function.outputs);
  }
  writer.count(metadata.sites.size());
  for (const GuardSite &site : metadata.sites) {
    writer.u32(site.status);
    writer.string(site.message);
  }
  writer.count(metadata.kernels.size());
  for (const KernelInfo &kernel : metadata.kernels) {
    writer.string(kernel.name);
    writer.string(kernel.symbol);
    writer.string(kernel.referenceSymbol);
    writer.string(kernel.partsSymbol);
  }
  writer.count(metadata.externs.size());
  for (const ExternInfo &function : metadata.externs) {
    writer.string(function.symbol);
    writer.string(function.adapter);
    writer.count(function.sonames.size());
    for (const std::string &soname : function.sonames)
      writer.string(soname);
    writer.u32(function.flags);
  }
  writer.string(metadata.memoryReport);
  return std::move(writer.bytes);
}

bool relax_rt::decodeMetadata(const uint8_t *data, uint64_t size, Metadata &metadata, std::string &error) {
  Reader reader(data, size, error);
  metadata = Metadata();
  metadata.producer = reader.string();
  metadata.targetTriple = reader.string();
  metadata.cpuFeatures = reader.string();
  metadata.functions.resize(reader.count(16));
  for (FunctionInfo &function : metadata.functions) {
    function.name = reader.string();
    function.symbol = reader.string();
    reader.tensors(function.inputs);
    reader.tensors(function.outputs);
    if (!reader.ok())
      return false;
  }
  metadata.sites.resize(reader.count(8));
  for (GuardSite &site : metadata.sites) {
    site.status = reader.u32();
    site.message = reader.string();
  }
  metadata.kernels.resize(reader.count(16));
  for (KernelInfo &kernel : metadata.kernels) {
    kernel.name = reader.string();
    kernel.symbol = reader.string();
    kernel.referenceSymbol = reader.string();
    kernel.partsSymbol = reader.string();
  }
  metadata.externs.resize(reader.count(16));
  for (ExternInfo &function : metadata.externs) {
    function.symbol = reader.string();
    function.adapter = reader.string();
    function.sonames.resize(reader.count(4));
    for (std::string &soname : function.sonames)
      soname = reader.string();
    function.flags = reader.u32();
    if (!reader.ok())
      return false;
  }
  metadata.memoryReport = reader.string();
  if (reader.ok() && !reader.atEnd())
    reader.fail("trailing bytes");
  return reader.ok();
}

uint32_t relax_rt::crc32(const uint8_t *data, uint64_t size) {
  uint32_t crc = 0xFFFFFFFFu;
  for (; size >= 8; data += 8, size -= 8) {
    uint32_t low = crc ^ (static_cast<uint32_t>(data[0]) | static_cast<uint32_t>(data[1]) << 8 |
                          static_cast<uint32_t>(data[2]) << 16 | static_cast<uint32_t>(data[3]) << 24);
    crc = kCrcTables[7][low & 0xff] ^ kCrcTables[6][(low >> 8) & 0xff] ^ kCrcTables[5][(low >> 16) & 0xff] ^
          kCrcTables[4][low >> 24] ^ kCrcTables[3][data[4]] ^ kCrcTables[2][data[5]] ^ kCrcTables[1][data[6]] ^
          kCrcTables[0][data[7]];
  }
  for (; size; ++data, --size)
    crc = (crc >> 8) ^ kCrcTables[0][(crc ^ *data) & 0xff];
  return ~crc;
}
