//===- Npy.cpp - The header of a numpy array ------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Npy.h"

#include <cstring>

using namespace relax_run;

namespace {

constexpr uint64_t kMaxHeader = 1 << 20;
constexpr size_t kMaxRank = 64; // numpy's own limit

struct TypeName {
  const char *name;
  relax_rt_dtype dtype;
};

constexpr TypeName kTypes[] = {
    {"f2", {RELAX_RT_FLOAT, 16, 1}},
    {"f4", {RELAX_RT_FLOAT, 32, 1}},
    {"f8", {RELAX_RT_FLOAT, 64, 1}},
    {"b1", {RELAX_RT_BOOL, 8, 1}},
    {"i1", {RELAX_RT_INT, 8, 1}},
    {"i2", {RELAX_RT_INT, 16, 1}},
    {"i4", {RELAX_RT_INT, 32, 1}},
    {"i8", {RELAX_RT_INT, 64, 1}},
    {"u1", {RELAX_RT_UINT, 8, 1}},
    {"u2", {RELAX_RT_UINT, 16, 1}},
    {"u4", {RELAX_RT_UINT, 32, 1}},
    {"u8", {RELAX_RT_UINT, 64, 1}},
    // numpy has no bf16; this is how arrays of ml_dtypes.bfloat16 are saved.
    {"V2", {RELAX_RT_BFLOAT, 16, 1}},
    {"V1", {kBytes, 8, 1}},
    {"f1", {kBytes, 8, 1}}, // some floats of 8 bits
};

/// Parses the Python dictionary `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
class DictParser {
public:
  DictParser(const char *begin, const char *end, std::string &error) : at(begin), end(end), error(error) {}

  bool parse(NpyHeader &header) {
    bool seen[3] = {};
    if (!expect('{'))
      return false;
    while (!accept('}')) {
      std::string key;
      if (!string(key) || !expect(':'))
        return false;
      int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : 3;
      if (which == 3)
        return fail("unknown key '" + key + "'");
      if (seen[which])
        return fail("key '" + key + "' appears twice");
      seen[which] = true;
      if (which == 0 ? !descr(header) : which == 1 ? !boolean(header.fortranOrder) : !shape(header.dims))
        return false;
      if (!accept(',') && !peek('}'))
        return fail("expected ',' or '}'");
    }
    skipSpace();
    if (at != end)
      return fail("text after the dictionary");
    if (!seen[0] || !seen[1] || !seen[2])
      return fail("a key is missing");
    return true;
  }

private:
  bool fail(const std::string &what) {
    if (error.empty())
      error = "malformed header: " + what;
    return false;
  }

  void skipSpace() {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
      ++at;
  }

  bool peek(char c) {
    skipSpace();
    return at != end && *at == c;
  }

  bool accept(char c) {
    if (!peek(c))
      return false;
    ++at;
    return true;
  }

  bool expect(char c) { return accept(c) || fail(std::string("expected '") + c + "'"); }

  bool string(std::string &value) {
    if (!peek('\'') && !peek('"'))
      return fail("expected a string");
    char quote = *at++;
    const char *close = static_cast<const char *>(std::memchr(at, quote, static_cast<size_t>(end - at)));
    if (!close)
      return fail("unterminated string");
    value.assign(at, close);
    at = close + 1;
    return true;
  }

  bool word(const char *text) {
    skipSpace();
    size_t length = std::strlen(text);
    if (static_cast<size_t>(end - at) < length || std::memcmp(at, text, length) != 0)
      return false;
    at += length;
    return true;
  }

  bool boolean(bool &value) {
    value = word("True");
    return value || word("False") || fail("fortran_order is neither True nor False");
  }

  bool shape(std::vector<int64_t> &dims) {
    if (!expect('('))
      return false;
    while (!accept(')')) {
      skipSpace();
      const char *first = at;
      int64_t value = 0;
      for (; at != end && *at >= '0' && *at <= '9'; ++at)
        if (__builtin_mul_overflow(value, int64_t(10), &value) ||
            __builtin_add_overflow(value, int64_t(*at - '0'), &value))
          return fail("an extent does not fit 64 bits");
      if (at == first)
        return fail("expected an extent");
      if (dims.size() == kMaxRank)
        return fail("more than " + std::to_string(kMaxRank) + " dimensions");
      dims.push_back(value);
      if (!accept(',') && !peek(')'))
        return fail("expected ',' or ')'");
    }
    return true;
  }

  bool descr(NpyHeader &header) {
    if (!peek('\'') && !peek('"')) {
      error = "structured element types are not supported";
      return false;
    }
    std::string text;
    if (!string(text))
      return false;
    // "<f4": byte order, kind, bytes. The order of single bytes is "|", or anything.
    if (text.size() == 3)
      for (const TypeName &type : kTypes)
        if (text.compare(1, 2, type.name) == 0) {
          bool anyOrder = type.dtype.bits == 8 || type.name[0] == 'V';
          if (text[0] == '>' && !anyOrder) {
            error = "big-endian element type '" + text + "' is not supported";
            return false;
          }
          if (text[0] == '<' || text[0] == '=' || (anyOrder && (text[0] == '|' || text[0] == '>'))) {
            header.dtype = type.dtype;
            return true;
          }
        }
    error = "element type '" + text + "' is not supported";
    return false;
  }

  const char *at;
  const char *end;
  std::string &error;
};

bool fail(std::string &error, const char *what) {
  error = what;
  return false;
}

} // namespace

bool relax_run::parseNpyHeader(const uint8_t *bytes, uint64_t size, NpyHeader &header, std::string &error) {
  header = NpyHeader();
  error.clear();
  if (size < 10 || std::memcmp(bytes, "\x93NUMPY", 6) != 0)
    return fail(error, "not a numpy array");
  uint8_t version = bytes[6];
  if (version < 1 || version > 3)
    return fail(error, "unknown version of the array format");
  uint64_t prefix = version == 1 ? 10 : 12;
  if (size < prefix)
    return fail(error, "truncated");
  uint64_t length = bytes[8] | static_cast<uint64_t>(bytes[9]) << 8;
  if (version > 1)
    length |= static_cast<uint64_t>(bytes[10]) << 16 | static_cast<uint64_t>(bytes[11]) << 24;
  if (length > kMaxHeader)
    return fail(error, "malformed header: too long");
  if (length > size - prefix)
    return fail(error, "truncated");

  const char *text = reinterpret_cast<const char *>(bytes) + prefix;
  if (!DictParser(text, text + length, error).parse(header))
    return false;
  header.headerSize = prefix + length;

  bool empty = false;
  for (int64_t dim : header.dims)
    empty |= dim == 0;
  int64_t product = header.dtype.bits / 8;
  for (int64_t dim : header.dims)
    if (!empty && __builtin_mul_overflow(product, dim, &product))
      return fail(error, "malformed header: the size does not fit 64 bits");
  header.dataSize = empty ? 0 : static_cast<uint64_t>(product);
  return true;
}

bool relax_run::makeNpyHeader(relax_rt_dtype dtype, const int64_t *dims, int64_t rank, std::string &header,
                              std::string &error) {
  bool isSmall = dtype.bits < 8 || (dtype.code >= RELAX_RT_FLOAT8_E4M3FN && dtype.code <= RELAX_RT_FLOAT8_E8M0FNU);
  if (isSmall)
    dtype = {kBytes, 8, 1};
  const char *name = nullptr;
  for (const TypeName &type : kTypes)
    if (!name && type.dtype.code == dtype.code && type.dtype.bits == dtype.bits)
      name = type.name;
  if (!name)
    return fail(error, "numpy has no such element type");
  std::string dict =
      std::string("{'descr': '") + (dtype.bits == 8 ? "|" : "<") + name + "', 'fortran_order': False, 'shape': (";
  for (int64_t i = 0; i < rank; ++i)
    dict += (i ? ", " : "") + std::to_string(dims[i]);
  dict += rank == 1 ? ",), }" : "), }";
  // The data starts at a multiple of 64 bytes; the dictionary ends with a line feed.
  while ((10 + dict.size() + 1) % 64 != 0)
    dict += ' ';
  dict += '\n';
  if (dict.size() > UINT16_MAX)
    return fail(error, "too many dimensions");
  header.assign("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  header += dict;
  return true;
}

void relax_run::fortranToRowMajor(const uint8_t *from, uint8_t *to, const std::vector<int64_t> &dims,
                                  uint64_t elementBytes) {
  size_t rank = dims.size();
  std::vector<uint64_t> strides(rank), index(rank);
  uint64_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    strides[i] = count * elementBytes;
    count *= static_cast<uint64_t>(dims[i]);
  }
  uint64_t source = 0;
  for (uint64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * elementBytes, from + source, elementBytes);
    // The next index in row-major order; `source` follows it.
    for (size_t d = rank; d-- > 0;) {
      source += strides[d];
      if (++index[d] < static_cast<uint64_t>(dims[d]))
        break;
      source -= strides[d] * static_cast<uint64_t>(dims[d]);
      index[d] = 0;
    }
  }
}
