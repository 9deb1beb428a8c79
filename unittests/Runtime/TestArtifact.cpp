//===- TestArtifact.cpp - Hand-made artifacts -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"

#include "RelaxDialect/Runtime/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace relax_rt;

static uint32_t crcOf(const std::string &bytes, uint64_t offset, uint64_t size) {
  return crc32(reinterpret_cast<const uint8_t *>(bytes.data()) + offset, size);
}

static void padToPage(std::string &bytes) {
  while (bytes.size() % kPageSize)
    bytes.push_back('\0');
}

std::string TestArtifact::build() const {
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.formatVersion = kFormatVersion;
  header.abiVersion = RELAX_RT_ABI_VERSION;
  std::string image(kPageSize, '\0');
  std::string checksums;
  auto add = [&](SectionKind kind, const std::string &bytes) {
    padToPage(image);
    Section &section = header.sections[header.numSections++];
    section = {static_cast<uint32_t>(kind), 0, image.size(), bytes.size(), checksums.size() / 4};
    if (kind == SectionKind::Checksums)
      section.checksumIndex = 0;
    for (uint64_t at = 0; kind != SectionKind::Checksums && at < bytes.size(); at += kChecksumBlock) {
      uint32_t crc = crcOf(bytes, at, std::min<uint64_t>(kChecksumBlock, bytes.size() - at));
      checksums.append(reinterpret_cast<const char *>(&crc), 4);
    }
    image += bytes;
  };
  add(SectionKind::Metadata, rawMetadata.empty() ? encodeMetadata(metadata) : rawMetadata);
  add(SectionKind::Code, code);
  if (!weights.empty())
    add(SectionKind::Weights, weights);
  std::string table = checksums;
  add(SectionKind::Checksums, table);
  padToPage(image);
  header.checksumsCrc = crcOf(table, 0, table.size());
  header.fileSize = image.size();
  setHeader(image, header);
  return image;
}

void fixHeaderChecksum(std::string &image) {
  std::memset(&image[offsetof(Header, headerCrc)], 0, 4);
  uint32_t crc = crcOf(image, 0, kPageSize);
  std::memcpy(&image[offsetof(Header, headerCrc)], &crc, 4);
}

Header getHeader(const std::string &image) {
  Header header;
  std::memcpy(&header, image.data(), sizeof(header));
  return header;
}

void setHeader(std::string &image, const Header &header) {
  std::memcpy(&image[0], &header, sizeof(header));
  fixHeaderChecksum(image);
}

const Section &getSection(const Header &header, SectionKind kind) {
  for (const Section &section : header.sections)
    if (section.kind == static_cast<uint32_t>(kind))
      return section;
  ADD_FAILURE() << "no such section";
  return header.sections[0];
}

TestArtifact makeTestArtifact(bool withLibrary) {
  TensorInfo scalar = {"", RELAX_RT_INT, 64, {}};
  auto named = [](TensorInfo info, const char *name) {
    info.name = name;
    return info;
  };
  TensorInfo rows = {"x", RELAX_RT_FLOAT, 32, {"n", "4"}}, list = {"x", RELAX_RT_FLOAT, 32, {"n"}},
             cache = {"x", RELAX_RT_INT, 64, {"n"}};
  TestArtifact artifact;
  Metadata &metadata = artifact.metadata;
  metadata.producer = "test";
  metadata.memoryReport = "{}";
  metadata.functions = {
      {"main", "relax_entry_main", {rows}, {named(rows, "y")}},
      {"huge", "relax_entry_huge", {named(scalar, "a"), named(scalar, "b")}, {{"y", RELAX_RT_FLOAT, 64, {"a", "b"}}}},
      {"arena", "relax_entry_arena", {named(scalar, "n")}, {}},
      {"kernel_error", "relax_entry_kernel_error", {named(scalar, "word")}, {}},
      {"forever", "relax_entry_forever", {}, {}},
      {"append", "relax_entry_append", {cache}, {{"y", RELAX_RT_INT, 64, {"n + 1"}}}},
      {"extend", "relax_entry_extend", {cache, named(cache, "z")}, {{"y", RELAX_RT_INT, 64, {"n + 8"}}}},
      {"update", "relax_entry_update", {cache, named(cache, "z")}, {{"y", RELAX_RT_INT, 64, {"n"}}}},
      {"take", "relax_entry_take", {cache}, {{"y", RELAX_RT_INT, 64, {"2*n"}}, {"z", RELAX_RT_INT, 64, {"n"}}}},
      {"region", "relax_entry_region", {rows, named(scalar, "mode")}, {named(rows, "y")}},
      {"broken", "relax_entry_broken", {named(scalar, "mode")}, {{"y", RELAX_RT_INT, 32, {"2"}}}},
  };
  for (FunctionInfo &function : metadata.functions)
    if (function.name == "update" || function.name == "take")
      function.inputs[0].isDonated = true;
  metadata.sites = {
      {RELAX_RT_SHAPE_MISMATCH, "input 'x': dimension 1: expected 4, actual {0}"},
      {RELAX_RT_GUARD_FAILED, "{1} is odd after {0}, {2} {x} {} {"},
      {RELAX_RT_KERNEL_ERROR, "index out of range"},
  };
  metadata.kernels = {
      {"scale", "kernel_scale_rows", "", "parts_rows"},
      {"copy", "kernel_copy_bytes", "kernel_copy_bytes", ""},
      {"error", "kernel_sets_error", "", ""},
  };
  if (withLibrary) {
    metadata.functions.push_back(
        {"library", "relax_entry_library", {list}, {named(list, "y"), named(scalar, "count")}});
    metadata.externs = {{"test_add_one", "", {}, 0}};
  }
  artifact.code = readFile(RELAX_TEST_CODE);
  float two = 2.0f;
  artifact.weights.assign(reinterpret_cast<const char *>(&two), sizeof(two));
  return artifact;
}

std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TemporaryFile::TemporaryFile(const std::string &contents) {
  name = ::testing::TempDir() + "relax-test-XXXXXX";
  int file = mkstemp(&name[0]);
  EXPECT_GE(file, 0) << name;
  close(file);
  write(contents);
}

TemporaryFile::~TemporaryFile() { std::remove(name.c_str()); }

void TemporaryFile::write(const std::string &contents) const {
  // In place: truncating to nothing first makes some file systems flush to the disk, and tests write thousands of
  // files.
  int file = open(name.c_str(), O_WRONLY);
  EXPECT_GE(file, 0) << name;
  EXPECT_EQ(::write(file, contents.data(), contents.size()), static_cast<ssize_t>(contents.size())) << name;
  EXPECT_EQ(ftruncate(file, static_cast<off_t>(contents.size())), 0) << name;
  close(file);
}
