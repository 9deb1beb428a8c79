//===- ArtifactFormat.cpp - Metadata of an artifact as bytes --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Compiled into the runtime and into the compiler; depends on the C++ standard
// library only.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/ArtifactFormat.h"
#include "SectionBytes.h"

#include <array>
#include <utility>

using namespace relax_rt;

namespace {

void writeTensors(SectionWriter &writer, const std::vector<TensorInfo> &tensors) {
  writer.u32(tensors.size());
  for (const TensorInfo &tensor : tensors) {
    writer.string(tensor.name);
    writer.u32(tensor.typeCode | (tensor.isDonated ? TensorInfo::kDonated : 0));
    writer.u32(tensor.typeBits);
    writer.u32(tensor.dims.size());
    for (const std::string &dim : tensor.dims)
      writer.string(dim);
  }
}

void readTensors(SectionReader &reader, std::vector<TensorInfo> &tensors) {
  tensors.resize(reader.count(16));
  for (TensorInfo &tensor : tensors) {
    tensor.name = reader.string();
    tensor.typeCode = reader.u32();
    tensor.isDonated = tensor.typeCode & TensorInfo::kDonated;
    tensor.typeCode &= ~TensorInfo::kDonated;
    tensor.typeBits = reader.u32();
    tensor.dims.resize(reader.count(4));
    for (std::string &dim : tensor.dims)
      dim = reader.string();
    if (!reader.ok())
      return;
  }
}

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
  SectionWriter writer;
  writer.string(metadata.producer);
  writer.string(metadata.targetTriple);
  writer.string(metadata.cpuFeatures);
  writer.u32(metadata.functions.size());
  for (const FunctionInfo &function : metadata.functions) {
    writer.string(function.name);
    writer.string(function.symbol);
    writeTensors(writer, function.inputs);
    writeTensors(writer, function.outputs);
  }
  writer.u32(metadata.sites.size());
  for (const GuardSite &site : metadata.sites) {
    writer.u32(site.status);
    writer.string(site.message);
  }
  writer.u32(metadata.kernels.size());
  for (const KernelInfo &kernel : metadata.kernels) {
    writer.string(kernel.name);
    writer.string(kernel.symbol);
    writer.string(kernel.referenceSymbol);
    writer.string(kernel.partsSymbol);
  }
  writer.u32(metadata.externs.size());
  for (const ExternInfo &function : metadata.externs) {
    writer.string(function.symbol);
    writer.string(function.adapter);
    writer.u32(function.sonames.size());
    for (const std::string &soname : function.sonames)
      writer.string(soname);
    writer.u32(function.flags);
  }
  writer.string(metadata.memoryReport);
  return std::move(writer.bytes);
}

bool relax_rt::decodeMetadata(const uint8_t *data, uint64_t size, Metadata &metadata, std::string &error) {
  SectionReader reader(data, size, error, "metadata: ");
  metadata = Metadata();
  metadata.producer = reader.string();
  metadata.targetTriple = reader.string();
  metadata.cpuFeatures = reader.string();
  metadata.functions.resize(reader.count(16));
  for (FunctionInfo &function : metadata.functions) {
    function.name = reader.string();
    function.symbol = reader.string();
    readTensors(reader, function.inputs);
    readTensors(reader, function.outputs);
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
  reader.expectEnd();
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
