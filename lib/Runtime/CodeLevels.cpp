//===- CodeLevels.cpp - Code for several CPUs as bytes --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Compiled into the runtime and into the compiler; depends on the C++ standard
// library only. Little-endian u32, strings with their length in front.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Runtime/CodeLevels.h"

using namespace relax_rt;

namespace {

void appendNumber(std::string &bytes, uint64_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<char>((value >> shift) & 0xff));
}

void appendString(std::string &bytes, const std::string &text) {
  appendNumber(bytes, text.size());
  bytes += text;
}

/// After the first malformed field every read gives nothing.
class Reader {
public:
  Reader(const uint8_t *data, uint64_t size, std::string &error) : data(data), size(size), error(error) {}

  bool ok() const { return error.empty(); }
  bool atEnd() const { return position == size; }
  void fail(const std::string &what) {
    if (ok())
      error = what + " at byte " + std::to_string(position);
  }
  /// A number of entries, each of at least `least` bytes.
  uint32_t count(uint64_t least) {
    if (!ok() || size - position < 4) {
      fail("truncated");
      return 0;
    }
    uint32_t value = 0;
    for (uint32_t i = 0; i < 4; ++i)
      value |= static_cast<uint32_t>(data[position + i]) << (8 * i);
    position += 4;
    if (value > (size - position) / least) {
      fail("a count of " + std::to_string(value) + " exceeds the section");
      return 0;
    }
    return value;
  }
  std::string bytes() {
    uint32_t length = count(1);
    if (!ok())
      return std::string();
    std::string text(reinterpret_cast<const char *>(data) + position, length);
    position += length;
    return text;
  }
  std::string text() {
    std::string text = bytes();
    if (text.find('\0') != std::string::npos)
      fail("a name has a zero byte");
    return text;
  }

private:
  const uint8_t *data;
  uint64_t size, position = 0;
  std::string &error;
};

} // namespace

std::string relax_rt::encodeCodeLevels(const CodeLevels &levels) {
  std::string bytes;
  appendString(bytes, levels.first);
  appendNumber(bytes, levels.higher.size());
  for (const CodeLevel &level : levels.higher) {
    appendString(bytes, level.name);
    appendString(bytes, level.triple);
    appendString(bytes, level.cpuFeatures);
    appendString(bytes, level.object);
  }
  return bytes;
}

bool relax_rt::decodeCodeLevels(const uint8_t *data, uint64_t size, CodeLevels &levels, std::string &error) {
  error.clear();
  levels = CodeLevels();
  Reader reader(data, size, error);
  std::vector<std::string> names = {reader.text()};
  levels.higher.resize(reader.count(16));
  for (CodeLevel &level : levels.higher) {
    level.name = reader.text();
    level.triple = reader.text();
    level.cpuFeatures = reader.text();
    level.object = reader.bytes();
    names.push_back(level.name);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      reader.fail("a level has no name");
    for (size_t j = 0; j < i; ++j)
      if (names[i] == names[j])
        reader.fail("level '" + names[i] + "' appears twice");
  }
  levels.first = names.front();
  if (reader.ok() && !reader.atEnd())
    reader.fail("trailing bytes");
  return reader.ok();
}
