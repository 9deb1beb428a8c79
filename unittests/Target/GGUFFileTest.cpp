//===- GGUFFileTest.cpp - Reading GGUF files ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "GGUFFile.h"

#include "llvm/ADT/Twine.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace mlir::relax::gguf;
using llvm::StringRef;

namespace {
/// Puts a file together.
struct Bytes {
  std::string data;

  template <typename T> Bytes &number(T value) {
    data.append(reinterpret_cast<const char *>(&value), sizeof(T));
    return *this;
  }
  Bytes &text(StringRef value) {
    number<uint64_t>(value.size());
    data += value.str();
    return *this;
  }
  Bytes &key(StringRef name, ValueType type) { return text(name).number(static_cast<uint32_t>(type)); }
  Bytes &tensor(StringRef name, std::initializer_list<uint64_t> dims, uint32_t type, uint64_t offset) {
    text(name).number(static_cast<uint32_t>(dims.size()));
    for (uint64_t dim : dims)
      number(dim);
    return number(type).number(offset);
  }
  Bytes &pad(size_t alignment, size_t more) {
    data.resize((data.size() + alignment - 1) / alignment * alignment + more);
    return *this;
  }
};

Bytes header(uint64_t tensors, uint64_t values, uint32_t version = 3) {
  Bytes bytes;
  bytes.data = "GGUF";
  return bytes.number(version).number(tensors).number(values);
}

std::unique_ptr<GGUFFile> read(StringRef data, std::string &error) {
  // A copy of exactly this length, so that a sanitizer sees every step beyond it.
  return GGUFFile::read(llvm::MemoryBuffer::getMemBufferCopy(data, "test.gguf"), error);
}

/// The reason why it is refused.
std::string refuse(const Bytes &bytes) {
  std::string error;
  EXPECT_EQ(read(bytes.data, error), nullptr);
  EXPECT_FALSE(error.empty());
  return error;
}

Bytes makeExample() {
  Bytes bytes = header(2, 6);
  bytes.key("general.architecture", ValueType::String).text("llama");
  bytes.key("a.layers", ValueType::UInt32).number<uint32_t>(7);
  bytes.key("a.epsilon", ValueType::Float32).number<float>(0.5F);
  bytes.key("a.flag", ValueType::Bool).number<uint8_t>(1);
  bytes.key("a.list", ValueType::Array).number<uint32_t>(5).number<uint64_t>(2).number<int32_t>(3).number<int32_t>(-4);
  bytes.key("a.words", ValueType::Array).number<uint32_t>(8).number<uint64_t>(2).text("one").text("");
  bytes.tensor("x", {32, 2}, /*q8_0*/ 8, 0).tensor("y", {3}, /*f32*/ 0, 96);
  return bytes.pad(32, 96 + 12);
}
} // namespace

TEST(GGUFFileTest, Example) {
  std::string error;
  std::unique_ptr<GGUFFile> file = read(makeExample().data, error);
  ASSERT_NE(file, nullptr) << error;
  EXPECT_EQ(file->getString("general.architecture"), StringRef("llama"));
  EXPECT_EQ(file->getInteger("a.layers"), 7U);
  EXPECT_EQ(file->getFloat("a.epsilon"), 0.5);
  EXPECT_EQ(file->getFloat("a.layers"), 7.0);
  EXPECT_EQ(file->getBool("a.flag"), true);
  EXPECT_EQ(file->getElement("a.list", 0), 3U);
  EXPECT_EQ(file->getElement("a.list", 1), std::nullopt); // negative
  EXPECT_EQ(file->getElement("a.list", 2), std::nullopt);
  EXPECT_EQ(file->getElement("a.words", 0), std::nullopt);
  EXPECT_EQ(file->getInteger("a.flag"), std::nullopt);
  EXPECT_EQ(file->getInteger("a.list"), std::nullopt);
  EXPECT_EQ(file->getString("missing"), std::nullopt);
  ASSERT_EQ(file->getTensors().size(), 2U);
  const StoredTensor *x = file->findTensor("x");
  ASSERT_NE(x, nullptr);
  EXPECT_EQ(x->bytes, 68U);
  EXPECT_EQ(file->getBytes(*x).size(), 68U);
  EXPECT_EQ(file->findTensor("z"), nullptr);
}

TEST(GGUFFileTest, EveryTruncationIsRefused) {
  std::string data = makeExample().data;
  for (size_t length = 0; length < data.size(); ++length) {
    std::string error;
    EXPECT_EQ(read(StringRef(data).take_front(length), error), nullptr) << length;
    EXPECT_FALSE(error.empty()) << length;
  }
}

TEST(GGUFFileTest, AnyByteMayBeWrong) {
  std::string data = makeExample().data;
  for (size_t at = 0; at < data.size(); ++at)
    for (unsigned char flip : {0x01, 0x80, 0xff}) {
      std::string damaged = data, error;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      std::unique_ptr<GGUFFile> file = read(damaged, error);
      if (!file)
        continue;
      for (const StoredTensor &tensor : file->getTensors())
        EXPECT_LE(tensor.offset + tensor.bytes, data.size());
    }
}

TEST(GGUFFileTest, Header) {
  Bytes empty;
  EXPECT_EQ(refuse(empty), "is no GGUF file: it does not begin with 'GGUF'");
  EXPECT_EQ(refuse(header(0, 0, 1)), "has GGUF version 1, expected 2 or 3");
  EXPECT_EQ(refuse(header(0, 0, 3U << 24)), "is written for big-endian machines, which is not supported");
}

TEST(GGUFFileTest, HugeCounts) {
  constexpr uint64_t kHuge = ~uint64_t(0);
  EXPECT_EQ(refuse(header(0, kHuge)), "ends in a metadata key: 8 bytes needed at 24, 0 are there");
  EXPECT_EQ(refuse(header(kHuge, 0)), "ends in the name of a tensor: 8 bytes needed at 24, 0 are there");
  Bytes name = header(0, 1);
  name.number(kHuge);
  EXPECT_EQ(refuse(name), "ends in a metadata key: 18446744073709551615 bytes needed at 32, 0 are there");
  for (uint32_t type : {4U, 8U, 10U}) {
    Bytes array = header(0, 1);
    array.key("a", ValueType::Array).number(type).number(kHuge);
    EXPECT_NE(refuse(array).find("ends in metadata 'a'"), std::string::npos);
  }
}

TEST(GGUFFileTest, Metadata) {
  EXPECT_EQ(refuse(header(0, 1).key("", ValueType::Bool).number<uint8_t>(0)), "has a metadata key without characters");
  EXPECT_EQ(refuse(header(0, 1).text("a").number<uint32_t>(13)), "metadata 'a' has type 13, which does not exist");
  EXPECT_EQ(refuse(header(0, 1).key("a", ValueType::Array).number<uint32_t>(9).number<uint64_t>(0)),
            "metadata 'a' is an array of type 9, expected numbers, bools or strings");
  Bytes twice = header(0, 2);
  for (int i = 0; i < 2; ++i)
    twice.key("a", ValueType::Bool).number<uint8_t>(0);
  EXPECT_EQ(refuse(twice), "has metadata 'a' twice");
  for (uint32_t alignment : {0U, 3U, 1U << 31})
    EXPECT_EQ(refuse(header(0, 1).key("general.alignment", ValueType::UInt32).number(alignment)),
              "metadata 'general.alignment' is expected to be a power of 2 up to 2^30");
}

TEST(GGUFFileTest, Tensors) {
  auto one = [](std::initializer_list<uint64_t> dims, uint32_t type, uint64_t offset) {
    return header(1, 0).tensor("x", dims, type, offset).pad(32, 64);
  };
  EXPECT_EQ(refuse(one({1, 1, 1, 1, 1}, 0, 0)), "tensor 'x' has 5 dimensions, at most 4 are possible");
  EXPECT_EQ(refuse(one({uint64_t(1) << 40, uint64_t(1) << 40}, 0, 0)),
            "tensor 'x' has too many elements to be addressed");
  EXPECT_EQ(refuse(one({~uint64_t(0)}, 0, 0)), "tensor 'x' has too many elements to be addressed");
  EXPECT_EQ(refuse(one({1}, 31, 0)), "tensor 'x' has type 31, which is not supported");
  EXPECT_EQ(refuse(one({33}, 8, 0)), "tensor 'x' has rows of 33 numbers, expected a multiple of 32 for type q8_0");
  EXPECT_EQ(refuse(one({1}, 0, 4)), "tensor 'x' is at offset 4, expected a multiple of 32");
  EXPECT_EQ(refuse(one({17}, 0, 0)), "ends in tensor 'x', which has 68 bytes at offset 0 of 64");
  EXPECT_EQ(refuse(one({1}, 0, ~uint64_t(31))),
            "ends in tensor 'x', which has 4 bytes at offset 18446744073709551584 of 64");
  EXPECT_EQ(refuse(header(2, 0).tensor("x", {1}, 0, 0).tensor("x", {1}, 0, 32).pad(32, 64)), "has tensor 'x' twice");
  EXPECT_EQ(refuse(header(2, 0).tensor("x", {1}, 0, 32).tensor("y", {9}, 0, 0).pad(32, 64)),
            "has tensors 'y' and 'x' that overlap");
  std::string error;
  EXPECT_NE(read(one({0, 5}, 0, 0).data, error), nullptr) << error;
}
