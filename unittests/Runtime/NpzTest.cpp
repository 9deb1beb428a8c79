//===- NpzTest.cpp - Reading and writing arrays ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Npz.h"
#include "Npy.h"
#include "TestArtifact.h"
#include "Zip.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <zlib.h>

using namespace relax_run;

namespace {

constexpr relax_rt_dtype kInt16 = {RELAX_RT_INT, 16, 1};

/// An .npy image with this dictionary.
std::string npy(const std::string &dict, const std::string &data, char version = 1) {
  std::string image = "\x93NUMPY";
  image += version;
  image += '\0';
  for (size_t i = 0; i < (version == 1 ? 2 : 4); ++i)
    image += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  return image + dict + data;
}

std::string dictOf(const std::string &type, const std::string &shape, bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
}

bool parse(const std::string &image, NpyHeader &header, std::string &error) {
  return parseNpyHeader(reinterpret_cast<const uint8_t *>(image.data()), image.size(), header, error);
}

void append(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8)
    out += static_cast<char>(value & 0xff);
}

/// A zip file with one member, written independently of ZipWriter: deflated, and with 64-bit fields when `zip64`.
std::string zipOf(const std::string &name, const std::string &data, bool deflated, bool zip64 = false) {
  std::string body = data;
  if (deflated) {
    z_stream stream = {};
    EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY), Z_OK);
    body.resize(deflateBound(&stream, data.size()));
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef *>(&body[0]);
    stream.avail_out = static_cast<uInt>(body.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    body.resize(stream.total_out);
    deflateEnd(&stream);
  }
  uint64_t crc = ::crc32(0, reinterpret_cast<const Bytef *>(data.data()), static_cast<uInt>(data.size()));
  auto common = [&](std::string &out) {
    append(out, 20, 2);
    append(out, 0, 2);
    append(out, deflated ? 8 : 0, 2);
    append(out, 0, 4);
    append(out, crc, 4);
    append(out, zip64 ? 0xffffffff : body.size(), 4);
    append(out, zip64 ? 0xffffffff : data.size(), 4);
    append(out, name.size(), 2);
  };
  std::string image;
  append(image, 0x04034b50, 4);
  common(image);
  append(image, 0, 2);
  image += name + body;
  uint64_t directory = image.size();
  append(image, 0x02014b50, 4);
  append(image, 20, 2);
  common(image);
  append(image, zip64 ? 28 : 0, 2);
  append(image, 0, 6);
  append(image, 0, 4);
  append(image, zip64 ? 0xffffffff : 0, 4);
  image += name;
  if (zip64) {
    append(image, 1, 2);
    append(image, 24, 2);
    append(image, data.size(), 8);
    append(image, body.size(), 8);
    append(image, 0, 8);
  }
  uint64_t size = image.size() - directory, end64 = image.size();
  if (zip64) {
    append(image, 0x06064b50, 4);
    append(image, 44, 8);
    append(image, 45, 2);
    append(image, 45, 2);
    append(image, 0, 8);
    append(image, 1, 8);
    append(image, 1, 8);
    append(image, size, 8);
    append(image, directory, 8);
    append(image, 0x07064b50, 4);
    append(image, 0, 4);
    append(image, end64, 8);
    append(image, 1, 4);
  }
  append(image, 0x06054b50, 4);
  append(image, 0, 4);
  append(image, zip64 ? 0xffff : 1, 2);
  append(image, zip64 ? 0xffff : 1, 2);
  append(image, zip64 ? 0xffffffff : size, 4);
  append(image, zip64 ? 0xffffffff : directory, 4);
  append(image, 0, 2);
  return image;
}

void expectSixShorts(const std::string &image) {
  TemporaryFile file(image);
  std::vector<Array> arrays;
  std::string error;
  ASSERT_TRUE(readNpz(file.path(), arrays, error)) << error;
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0].name, "x");
  EXPECT_EQ(arrays[0].dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(arrays[0].dtype.bits, 16);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arrays[0].data.get()) % 64, 0u);
  for (int16_t i = 0; i < 6; ++i)
    EXPECT_EQ(reinterpret_cast<int16_t *>(arrays[0].data.get())[i], i);
}

std::string sixShorts() {
  int16_t values[6] = {0, 1, 2, 3, 4, 5};
  return npy(dictOf("<i2", "(2, 3)"), std::string(reinterpret_cast<char *>(values), sizeof(values)));
}

void expectError(const std::string &image, const std::string &text) {
  TemporaryFile file(image);
  std::vector<Array> arrays;
  std::string error;
  EXPECT_FALSE(readNpz(file.path(), arrays, error));
  EXPECT_NE(error.find(text), std::string::npos) << error;
}

} // namespace

//===----------------------------------------------------------------------===//
// .npy
//===----------------------------------------------------------------------===//

TEST(Npy, Types) {
  const std::pair<const char *, relax_rt_dtype> types[] = {
      {"<f2", {RELAX_RT_FLOAT, 16, 1}},  {"<f4", {RELAX_RT_FLOAT, 32, 1}},  {"<f8", {RELAX_RT_FLOAT, 64, 1}},
      {"|b1", {RELAX_RT_BOOL, 8, 1}},    {"|i1", {RELAX_RT_INT, 8, 1}},     {"<i2", {RELAX_RT_INT, 16, 1}},
      {"<i4", {RELAX_RT_INT, 32, 1}},    {"<i8", {RELAX_RT_INT, 64, 1}},    {"|u1", {RELAX_RT_UINT, 8, 1}},
      {"<u2", {RELAX_RT_UINT, 16, 1}},   {"<u4", {RELAX_RT_UINT, 32, 1}},   {"=u8", {RELAX_RT_UINT, 64, 1}},
      {"<V2", {RELAX_RT_BFLOAT, 16, 1}}, {"|V2", {RELAX_RT_BFLOAT, 16, 1}}, {"<V1", {kBytes, 8, 1}},
      {"|V1", {kBytes, 8, 1}},
  };
  for (const auto &[text, dtype] : types) {
    NpyHeader header;
    std::string error, written;
    ASSERT_TRUE(parse(npy(dictOf(text, "(5,)"), ""), header, error)) << text << ": " << error;
    EXPECT_EQ(header.dtype.code, dtype.code) << text;
    EXPECT_EQ(header.dtype.bits, dtype.bits) << text;
    EXPECT_EQ(header.dataSize, 5u * dtype.bits / 8);
    ASSERT_TRUE(makeNpyHeader(dtype, header.dims.data(), 1, written, error));
    EXPECT_EQ(written.size() % 64, 0u);
    ASSERT_TRUE(parse(written, header, error)) << written;
    EXPECT_EQ(header.dtype.code, dtype.code) << text;
    EXPECT_EQ(header.headerSize, written.size());
  }
}

// What numpy has no name for is written as bytes, also elements of fewer than 8 bits.
TEST(Npy, SmallTypes) {
  const relax_rt_dtype types[] = {{RELAX_RT_FLOAT8_E4M3FN, 8, 1},
                                  {RELAX_RT_FLOAT8_E8M0FNU, 8, 1},
                                  {RELAX_RT_FLOAT4_E2M1FN, 4, 1},
                                  {RELAX_RT_INT, 4, 1},
                                  {RELAX_RT_UINT, 2, 1}};
  for (relax_rt_dtype dtype : types) {
    NpyHeader header;
    std::string error, written;
    const int64_t dims[] = {5};
    ASSERT_TRUE(makeNpyHeader(dtype, dims, 1, written, error)) << error;
    ASSERT_TRUE(parse(written, header, error)) << error;
    EXPECT_EQ(header.dtype.code, kBytes);
    EXPECT_EQ(header.dataSize, 5u);
  }
}

TEST(Npy, Versions) {
  for (char version : {1, 2, 3}) {
    NpyHeader header;
    std::string error;
    ASSERT_TRUE(parse(npy(dictOf("<f4", "(2, 3)"), "", version), header, error)) << error;
    EXPECT_EQ(header.dataSize, 24u);
  }
  NpyHeader header;
  std::string error;
  EXPECT_FALSE(parse(npy(dictOf("<f4", "()"), "", 4), header, error));
  EXPECT_EQ(error, "unknown version of the array format");
}

TEST(Npy, Shapes) {
  const std::pair<const char *, std::vector<int64_t>> shapes[] = {
      {"()", {}}, {"(7,)", {7}}, {"(0, 3)", {0, 3}}, {"( 1 ,2, 3 )", {1, 2, 3}}, {"(4)", {4}}};
  for (const auto &[text, dims] : shapes) {
    NpyHeader header;
    std::string error;
    ASSERT_TRUE(parse(npy(dictOf("<f4", text), ""), header, error)) << text << ": " << error;
    EXPECT_EQ(header.dims, dims);
  }
  // Empty, however large the other extents are.
  NpyHeader header;
  std::string error;
  ASSERT_TRUE(parse(npy(dictOf("<f4", "(9223372036854775807, 0, 9223372036854775807)"), ""), header, error)) << error;
  EXPECT_EQ(header.dataSize, 0u);
}

TEST(Npy, Errors) {
  const std::pair<std::string, const char *> cases[] = {
      {npy(dictOf(">f4", "(2,)"), ""), "big-endian element type '>f4' is not supported"},
      {npy(dictOf("<c8", "(2,)"), ""), "element type '<c8' is not supported"},
      {npy(dictOf("|S3", "(2,)"), ""), "element type '|S3' is not supported"},
      {npy(dictOf("|O", "(2,)"), ""), "element type '|O' is not supported"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", ""), "structured element types"},
      {npy(dictOf("<f4", "(-1,)"), ""), "expected an extent"},
      {npy(dictOf("<f4", "(99999999999999999999,)"), ""), "does not fit 64 bits"},
      {npy(dictOf("<f4", "(9223372036854775807, 2)"), ""), "does not fit 64 bits"},
      {npy("{'descr': '<f4', 'shape': (2,)}", ""), "a key is missing"},
      {npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", ""), "appears twice"},
      {npy("{'x': 1}", ""), "unknown key 'x'"},
      {npy("{'descr': '<f4", ""), "unterminated string"},
      {npy("{", ""), "expected a string"},
      {npy("", ""), "expected '{'"},
      {npy("{'fortran_order': 1}", ""), "neither True nor False"},
      {npy(dictOf("<f4", "(2,)") + "x", ""), "text after the dictionary"},
      {npy("{'descr': '<f4' 'shape': (2,)}", ""), "expected ',' or '}'"},
      {npy(dictOf("<f4", "(1 2)"), ""), "expected ',' or ')'"},
      {"\x93NUMPZ\x01", "not a numpy array"},
      {"", "not a numpy array"},
  };
  for (const auto &[image, text] : cases) {
    NpyHeader header;
    std::string error;
    EXPECT_FALSE(parse(image, header, error)) << image;
    EXPECT_NE(error.find(text), std::string::npos) << error;
  }
  std::string many = "(";
  for (int i = 0; i < 65; ++i)
    many += "1, ";
  NpyHeader header;
  std::string error;
  EXPECT_FALSE(parse(npy(dictOf("<f4", many + ")"), ""), header, error));
  EXPECT_NE(error.find("more than 64 dimensions"), std::string::npos) << error;
  EXPECT_FALSE(makeNpyHeader({RELAX_RT_BFLOAT, 24, 1}, nullptr, 0, many, error));
  EXPECT_EQ(error, "numpy has no such element type");
}

TEST(Npy, EveryTruncationIsRefused) {
  std::string image = npy(dictOf("<f4", "(2,)"), "");
  for (size_t length = 0; length < image.size(); ++length) {
    NpyHeader header;
    std::string error;
    EXPECT_FALSE(parse(image.substr(0, length), header, error)) << length;
  }
}

//===----------------------------------------------------------------------===//
// .npz
//===----------------------------------------------------------------------===//

TEST(Npz, Containers) {
  for (bool deflated : {false, true})
    for (bool zip64 : {false, true})
      expectSixShorts(zipOf("x.npy", sixShorts(), deflated, zip64));
}

TEST(Npz, FortranOrder) {
  int16_t columns[6] = {0, 3, 1, 4, 2, 5};
  expectSixShorts(
      zipOf("x.npy", npy(dictOf("<i2", "(2, 3)", true), std::string(reinterpret_cast<char *>(columns), 12)), false));
  // Three dimensions, by the definition: element (i, j, k) is at i + 2 j + 6 k.
  std::vector<int64_t> dims = {2, 3, 4};
  std::vector<uint8_t> from(24), to(24);
  std::iota(from.begin(), from.end(), uint8_t(0));
  fortranToRowMajor(from.data(), to.data(), dims, 1);
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 4; ++k)
        EXPECT_EQ(to[(i * 3 + j) * 4 + k], i + 2 * j + 6 * k);
}

TEST(Npz, BooleansAreNormalized) {
  TemporaryFile file(zipOf("b.npy", npy(dictOf("|b1", "(4,)"), std::string("\x00\x01\x02\xff", 4)), false));
  std::vector<Array> arrays;
  std::string error;
  ASSERT_TRUE(readNpz(file.path(), arrays, error)) << error;
  EXPECT_EQ(std::memcmp(arrays[0].data.get(), "\x00\x01\x01\x01", 4), 0);
}

TEST(Npz, RoundTrip) {
  int16_t values[6] = {0, 1, 2, 3, 4, 5};
  int64_t dims[2] = {2, 3}, empty[2] = {0, 3};
  TemporaryFile file;
  std::string error;
  ASSERT_TRUE(writeNpz(file.path(),
                       {{"x", {values, dims, 2, kInt16}},
                        {"scalar", {values + 5, nullptr, 0, kInt16}},
                        {"empty", {values, empty, 2, kInt16}},
                        {"a/b:0", {values, dims + 1, 1, kInt16}}},
                       error))
      << error;
  std::vector<Array> arrays;
  ASSERT_TRUE(readNpz(file.path(), arrays, error)) << error;
  ASSERT_EQ(arrays.size(), 4u);
  EXPECT_EQ(arrays[0].dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::memcmp(arrays[0].data.get(), values, sizeof(values)), 0);
  EXPECT_EQ(arrays[1].name, "scalar");
  EXPECT_TRUE(arrays[1].dims.empty());
  EXPECT_EQ(*reinterpret_cast<int16_t *>(arrays[1].data.get()), 5);
  EXPECT_EQ(arrays[2].dims, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(arrays[3].name, "a/b:0");
  // No array at all is a valid file.
  ASSERT_TRUE(writeNpz(file.path(), {}, error)) << error;
  ASSERT_TRUE(readNpz(file.path(), arrays, error)) << error;
  EXPECT_TRUE(arrays.empty());
}

TEST(Npz, Errors) {
  expectError("", "not a zip file, or truncated");
  expectError("this is text, and quite a bit longer than the end of a zip file", "not a zip file");
  expectError(zipOf("x.npy", "no array", false), "array 'x': not a numpy array");
  expectError(zipOf("x.npy", sixShorts() + "x", false), "announces 12 bytes of data, it has 13");
  expectError(zipOf("x.npy", sixShorts().substr(0, 80), true), "announces 12 bytes of data, it has");
  std::string changed = zipOf("x.npy", sixShorts(), false);
  changed[changed.find("NUMPY")] = 'M';
  expectError(changed, "array 'x': corrupt: its checksum does not match");
  // A claim of 4 GiB in a file of 200 bytes is refused before memory is asked for.
  std::string bomb = zipOf("x.npy", sixShorts(), true);
  size_t entry = bomb.find("PK\x01\x02");
  for (size_t i = 24; i < 28; ++i)
    bomb[entry + i] = '\xfe';
  expectError(bomb, "its sizes do not agree");
  bomb = zipOf("x.npy", sixShorts(), false);
  entry = bomb.find("PK\x01\x02");
  for (size_t i = 20; i < 28; ++i)
    bomb[entry + i] = '\xfe';
  expectError(bomb, "its sizes do not agree");
  std::string method = zipOf("x.npy", sixShorts(), false);
  method[method.find("PK\x01\x02") + 10] = 12;
  expectError(method, "unsupported compression method 12");
  std::string encrypted = zipOf("x.npy", sixShorts(), false);
  encrypted[encrypted.find("PK\x01\x02") + 8] = 1;
  expectError(encrypted, "is encrypted");
  std::vector<Array> arrays;
  std::string error;
  EXPECT_FALSE(readNpz("/nonexistent/file.npz", arrays, error));
  EXPECT_NE(error.find("cannot open"), std::string::npos);
  EXPECT_FALSE(readNpz("/", arrays, error));
  EXPECT_FALSE(writeNpz("/nonexistent/file.npz", {}, error));
  EXPECT_NE(error.find("cannot write"), std::string::npos);

  TemporaryFile file;
  int64_t one[1] = {1};
  NamedView twice = {"x", {one, one, 1, {RELAX_RT_INT, 64, 1}}};
  ASSERT_TRUE(writeNpz(file.path(), {twice, twice}, error));
  EXPECT_FALSE(readNpz(file.path(), arrays, error));
  EXPECT_NE(error.find("array 'x' appears twice"), std::string::npos) << error;
}

TEST(Npz, EveryTruncationIsRefused) {
  for (bool zip64 : {false, true}) {
    std::string image = zipOf("x.npy", sixShorts(), true, zip64);
    for (size_t length = 0; length < image.size(); ++length)
      expectError(image.substr(0, length), "");
  }
}

TEST(Npz, ChangedBytesNeverCrash) {
  for (int variant = 0; variant < 4; ++variant) {
    std::string image = zipOf("x.npy", sixShorts(), variant & 1, variant & 2);
    TemporaryFile file;
    for (size_t i = 0; i < image.size(); ++i)
      for (int change : {0x01, 0x80, 0xff}) {
        std::string changed = image;
        changed[i] = static_cast<char>(changed[i] ^ change);
        file.write(changed);
        std::vector<Array> arrays;
        std::string error;
        bool ok = readNpz(file.path(), arrays, error);
        EXPECT_EQ(ok, error.empty()) << error;
        // Whatever is accepted is complete: the data is covered by a checksum.
        if (ok && !arrays.empty())
          EXPECT_EQ(arrays[0].dims, (std::vector<int64_t>{2, 3}));
      }
  }
}
