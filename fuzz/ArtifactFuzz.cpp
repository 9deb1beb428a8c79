//===- ArtifactFuzz.cpp - The loader on arbitrary bytes -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Everything of relax_rt_module_load but the code section, whose contents are
// trusted once their checksum is right. The first byte of the input chooses:
//   0: metadata
//   1: a file, as it is
//   2: a file; magic, versions, size and checksums are made right first, so that
//      the checks behind them are reached
//
//===----------------------------------------------------------------------===//
#include "ArtifactFile.h"
#include "Module.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace relax_rt;

namespace {

void check(bool condition) {
  if (!condition)
    std::abort();
}

void fuzzMetadata(const uint8_t *data, size_t size) {
  Metadata metadata;
  std::string error;
  if (!decodeMetadata(data, size, metadata, error)) {
    check(!error.empty());
    return;
  }
  // Each value has one encoding.
  std::string bytes = encodeMetadata(metadata);
  check(bytes.size() == size && std::memcmp(bytes.data(), data, size) == 0);
  checkMetadata(metadata);
  hostCanRun(metadata.targetTriple, metadata.cpuFeatures, error);
}

uint32_t crcOf(const std::vector<uint8_t> &image, uint64_t offset, uint64_t size) {
  return crc32(image.data() + offset, size);
}

/// Makes the checksums of sections that lie in the file right.
void repair(std::vector<uint8_t> &image) {
  if (image.size() < kPageSize)
    return;
  Header header;
  std::memcpy(&header, image.data(), sizeof(header));
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.formatVersion = kFormatVersion;
  header.abiVersion = RELAX_RT_ABI_VERSION;
  header.fileSize = image.size();
  header.headerCrc = 0;
  header.reserved = 0;
  uint32_t count = std::min(header.numSections, kMaxSections);
  auto inFile = [&](const Section &section) {
    return section.offset >= kPageSize && section.offset <= image.size() &&
           section.size <= image.size() - section.offset;
  };
  const Section *table = nullptr;
  for (uint32_t i = 0; i < count; ++i)
    if (header.sections[i].kind == static_cast<uint32_t>(SectionKind::Checksums) && inFile(header.sections[i]))
      table = &header.sections[i];
  for (uint32_t i = 0; table && i < count; ++i) {
    const Section &section = header.sections[i];
    if (&section == table || !inFile(section))
      continue;
    for (uint64_t at = 0, k = section.checksumIndex; at < section.size && k < table->size / 4;
         at += kChecksumBlock, ++k) {
      uint32_t crc = crcOf(image, section.offset + at, std::min(kChecksumBlock, section.size - at));
      std::memcpy(image.data() + table->offset + 4 * k, &crc, 4);
    }
  }
  if (table)
    header.checksumsCrc = crcOf(image, table->offset, table->size);
  std::memcpy(image.data(), &header, sizeof(header));
  header.headerCrc = crcOf(image, 0, kPageSize);
  std::memcpy(image.data(), &header, sizeof(header));
}

void fuzzFile(const std::vector<uint8_t> &image) {
  int file = memfd_create("fuzz", MFD_CLOEXEC);
  check(file >= 0);
  check(write(file, image.data(), image.size()) == static_cast<ssize_t>(image.size()));
  std::string path = "/proc/self/fd/" + std::to_string(file);
  {
    ArtifactFile artifact;
    std::vector<uint8_t> metadata, code;
    Mapping weights;
    if (artifact.open(path.c_str()) == RELAX_RT_OK && artifact.read(SectionKind::Metadata, metadata) == RELAX_RT_OK &&
        artifact.read(SectionKind::Code, code) == RELAX_RT_OK &&
        artifact.map(SectionKind::Weights, weights) == RELAX_RT_OK)
      fuzzMetadata(metadata.data(), metadata.size());
    else
      check(*relax_rt_last_error());
  }
  close(file);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::vector<uint8_t> image(data + 1, data + size);
  switch (data[0] % 3) {
  case 0:
    fuzzMetadata(data + 1, size - 1);
    break;
  case 1:
    fuzzFile(image);
    break;
  default:
    repair(image);
    fuzzFile(image);
  }
  return 0;
}
