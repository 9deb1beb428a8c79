//===- FormatTest.cpp - Metadata as bytes ---------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/Runtime.h"
#include "TestArtifact.h"

#include <gtest/gtest.h>

using namespace relax_rt;

static const uint8_t *bytesOf(const std::string &text) { return reinterpret_cast<const uint8_t *>(text.data()); }

TEST(Format, Crc32MatchesZlib) {
  EXPECT_EQ(crc32(nullptr, 0), 0u);
  EXPECT_EQ(crc32(bytesOf("123456789"), 9), 0xCBF43926u);
  // Lengths on both sides of the eight-byte step.
  EXPECT_EQ(crc32(bytesOf("12345678"), 8), 0x9AE0DAAFu);
  EXPECT_EQ(crc32(bytesOf("The quick brown fox jumps over the lazy dog"), 43), 0x414FA339u);
}

TEST(Format, MetadataRoundTrip) {
  Metadata metadata = makeTestArtifact(true).metadata;
  metadata.cpuFeatures = "avx2,fma";
  metadata.targetTriple = "x86_64-unknown-linux-gnu";
  std::string bytes = encodeMetadata(metadata), error;
  Metadata decoded;
  ASSERT_TRUE(decodeMetadata(bytesOf(bytes), bytes.size(), decoded, error)) << error;
  EXPECT_EQ(decoded.producer, "test");
  EXPECT_EQ(decoded.cpuFeatures, "avx2,fma");
  EXPECT_EQ(decoded.targetTriple, "x86_64-unknown-linux-gnu");
  ASSERT_EQ(decoded.functions.size(), metadata.functions.size());
  EXPECT_EQ(decoded.functions[0].inputs[0].dims, (std::vector<std::string>{"n", "4"}));
  EXPECT_EQ(decoded.functions[1].outputs[0].typeBits, 64u);
  ASSERT_EQ(decoded.sites.size(), 3u);
  EXPECT_EQ(decoded.sites[1].message, metadata.sites[1].message);
  ASSERT_EQ(decoded.kernels.size(), 3u);
  EXPECT_EQ(decoded.kernels[1].referenceSymbol, "kernel_copy_bytes");
  EXPECT_EQ(decoded.kernels[0].partsSymbol, "parts_rows");
  ASSERT_EQ(decoded.externs.size(), 1u);
  EXPECT_EQ(decoded.memoryReport, "{}");
  EXPECT_EQ(encodeMetadata(decoded), bytes);
}

TEST(Format, EveryTruncationIsRefused) {
  std::string bytes = encodeMetadata(makeTestArtifact(true).metadata);
  for (size_t length = 0; length < bytes.size(); ++length) {
    Metadata decoded;
    std::string error, part = bytes.substr(0, length);
    EXPECT_FALSE(decodeMetadata(bytesOf(part), part.size(), decoded, error)) << length;
    EXPECT_FALSE(error.empty());
  }
}

TEST(Format, DonatedInputs) {
  Metadata metadata, decoded;
  TensorInfo plain = {"a", RELAX_RT_FLOAT, 32, {"n"}}, donated = {"b", RELAX_RT_FLOAT4_E2M1FN, 4, {}, true};
  metadata.functions = {{"f", "relax_entry_f", {plain, donated}, {}}};
  std::string bytes = encodeMetadata(metadata), error;
  ASSERT_TRUE(decodeMetadata(bytesOf(bytes), bytes.size(), decoded, error)) << error;
  const std::vector<TensorInfo> &inputs = decoded.functions[0].inputs;
  EXPECT_FALSE(inputs[0].isDonated);
  EXPECT_TRUE(inputs[1].isDonated);
  EXPECT_EQ(inputs[1].typeCode, static_cast<uint32_t>(RELAX_RT_FLOAT4_E2M1FN));
}

TEST(Format, TrailingBytesAreRefused) {
  std::string bytes = encodeMetadata(Metadata()) + '\0', error;
  Metadata decoded;
  EXPECT_FALSE(decodeMetadata(bytesOf(bytes), bytes.size(), decoded, error));
  EXPECT_NE(error.find("trailing bytes"), std::string::npos) << error;
}

TEST(Format, HugeCountsAreRefusedBeforeAllocating) {
  // Three empty strings, then the number of functions.
  std::string bytes = encodeMetadata(Metadata()), error;
  for (size_t i = 12; i < 16; ++i)
    bytes[i] = '\xff';
  Metadata decoded;
  EXPECT_FALSE(decodeMetadata(bytesOf(bytes), bytes.size(), decoded, error));
  EXPECT_NE(error.find("exceeds the section"), std::string::npos) << error;
}

TEST(Format, ZeroBytesInStringsAreRefused) {
  Metadata metadata;
  metadata.producer = std::string("a\0b", 3);
  std::string bytes = encodeMetadata(metadata), error;
  Metadata decoded;
  EXPECT_FALSE(decodeMetadata(bytesOf(bytes), bytes.size(), decoded, error));
  EXPECT_NE(error.find("zero byte"), std::string::npos) << error;
}

TEST(Format, ChangedBytesNeverCrash) {
  std::string bytes = encodeMetadata(makeTestArtifact(true).metadata);
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string changed = bytes, error;
      changed[i] = static_cast<char>(value);
      Metadata decoded;
      if (decodeMetadata(bytesOf(changed), changed.size(), decoded, error))
        EXPECT_EQ(encodeMetadata(decoded), changed);
    }
}
