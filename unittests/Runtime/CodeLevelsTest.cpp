//===- CodeLevelsTest.cpp - The levels section of an artifact -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/CodeLevels.h"

#include "gtest/gtest.h"

using namespace relax_rt;

namespace {

CodeLevels makeLevels() {
  return {"low",
          {{"middle", "x86_64-pc-linux-gnu", "avx,avx2", std::string("\x7f\0ELF", 5)}, {"high", "", "", "code"}}};
}

std::string read(const std::string &bytes, CodeLevels &levels) {
  std::string error;
  bool ok = decodeCodeLevels(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), levels, error);
  EXPECT_EQ(ok, error.empty());
  return error;
}

} // namespace

TEST(CodeLevelsTest, WhatIsWrittenIsRead) {
  CodeLevels levels;
  std::string bytes = encodeCodeLevels(makeLevels());
  ASSERT_EQ(read(bytes, levels), "");
  ASSERT_EQ(levels.higher.size(), 2u);
  EXPECT_EQ(levels.first, "low");
  EXPECT_EQ(levels.higher[0].cpuFeatures, "avx,avx2");
  EXPECT_EQ(levels.higher[0].object.size(), 5u);
  EXPECT_EQ(encodeCodeLevels(levels), bytes);
}

TEST(CodeLevelsTest, EveryTruncationIsRefused) {
  CodeLevels levels;
  std::string bytes = encodeCodeLevels(makeLevels());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(read(bytes.substr(0, size), levels), "") << size;
  EXPECT_EQ(read(bytes + "x", levels), "trailing bytes at byte " + std::to_string(bytes.size()));
}

TEST(CodeLevelsTest, NamesAreUnique) {
  CodeLevels levels = makeLevels();
  levels.higher[1].name = "low";
  EXPECT_EQ(read(encodeCodeLevels(levels), levels).find("level 'low' appears twice"), 0u);
  levels = makeLevels();
  levels.first.clear();
  EXPECT_EQ(read(encodeCodeLevels(levels), levels).find("a level has no name"), 0u);
}
