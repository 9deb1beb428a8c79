//===- SectionBytes.h - Fields of an artifact's sections -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Little-endian u32, strings and lists with their length in front. Compiled
// into the runtime and into the compiler; depends on the C++ standard library
// only.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_SECTIONBYTES_H
#define RELAX_RUNTIME_SECTIONBYTES_H

#include <cstdint>
#include <string>
#include <vector>

namespace relax_rt {

class SectionWriter {
public:
  void u32(uint64_t value) {
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(static_cast<char>((value >> shift) & 0xff));
  }
  void string(const std::string &text) {
    u32(text.size());
    bytes += text;
  }
  void numbers(const std::vector<uint32_t> &list) {
    u32(list.size());
    for (uint32_t number : list)
      u32(number);
  }

  std::string bytes;
};

/// Reads until the first malformed field; afterwards every read yields a zero value and `ok()` is false. `error` then
/// says what is wrong where, after `prefix`.
class SectionReader {
public:
  SectionReader(const uint8_t *data, uint64_t size, std::string &error, std::string prefix = "")
      : data(data), size(size), error(error), prefix(std::move(prefix)) {}

  bool ok() const { return !failed; }

  void fail(const std::string &what) {
    if (ok())
      error = prefix + what + " at byte " + std::to_string(position);
    failed = true;
  }

  /// After the last field.
  void expectEnd() {
    if (ok() && position != size)
      fail("trailing bytes");
  }

  uint32_t u32() {
    if (!ok() || size - position < 4) {
      fail("truncated");
      return 0;
    }
    uint32_t value = 0;
    for (uint32_t i = 0; i < 4; ++i)
      value |= static_cast<uint32_t>(data[position + i]) << (8 * i);
    position += 4;
    return value;
  }

  /// A number of elements of at least `least` bytes each: one that cannot fit is refused before anything is allocated.
  uint32_t count(uint64_t least) {
    uint32_t value = u32();
    if (ok() && value > (size - position) / least)
      fail("a count of " + std::to_string(value) + " exceeds the section");
    return ok() ? value : 0;
  }

  std::string bytes() {
    uint32_t length = count(1);
    std::string value(reinterpret_cast<const char *>(data) + position, length);
    position += length;
    return value;
  }

  /// The C API hands out these strings, a zero byte would cut them silently.
  std::string string() {
    std::string value = bytes();
    if (value.find('\0') == std::string::npos)
      return value;
    fail("a string with a zero byte");
    return std::string();
  }

  std::vector<uint32_t> numbers() {
    std::vector<uint32_t> list(count(4));
    for (uint32_t &number : list)
      number = u32();
    return list;
  }

private:
  const uint8_t *data;
  uint64_t size, position = 0;
  bool failed = false;
  std::string &error;
  std::string prefix;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_SECTIONBYTES_H
