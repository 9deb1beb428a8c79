//===- Zip.h - Members of a zip file --------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The part of the format that .npz files use: stored and deflated members,
// 64-bit sizes, no encryption, one disk.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUN_ZIP_H
#define RELAX_RUN_ZIP_H

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace relax_run {

struct ZipMember {
  std::string name;
  uint16_t method = 0; // 0 stored, 8 deflated
  uint32_t crc = 0;
  uint64_t storedSize = 0;
  uint64_t size = 0;
  uint64_t headerOffset = 0;
};

/// Reads untrusted files. Functions return false and set `error`.
class ZipReader {
public:
  ZipReader() = default;
  ZipReader(const ZipReader &) = delete;
  ZipReader &operator=(const ZipReader &) = delete;
  ~ZipReader();

  bool open(const std::string &path, std::string &error);
  const std::vector<ZipMember> &members() const { return list; }
  /// The contents, checked against size and CRC. `out` has room for member.size bytes.
  bool read(const ZipMember &member, uint8_t *out, std::string &error);
  /// Whether a member can have the size it claims. Only then is memory asked for.
  bool isPlausible(const ZipMember &member) const;

private:
  bool readAt(uint64_t offset, uint64_t size, uint8_t *out);
  bool findDirectory(uint64_t &offset, uint64_t &size, uint64_t &count, std::string &error);
  bool readDirectory(std::string &error);
  bool inflateMember(const ZipMember &member, uint64_t offset, uint8_t *out, std::string &error);

  std::FILE *file = nullptr;
  uint64_t fileSize = 0;
  std::vector<ZipMember> list;
};

/// Writes stored members one after the other; 64-bit fields only where they are needed.
class ZipWriter {
public:
  ZipWriter() = default;
  ZipWriter(const ZipWriter &) = delete;
  ZipWriter &operator=(const ZipWriter &) = delete;
  ~ZipWriter();

  bool open(const std::string &path, std::string &error);
  /// One member; its contents are `head` followed by `data`.
  bool add(const std::string &name, const std::string &head, const uint8_t *data, uint64_t size, std::string &error);
  /// Writes the directory and closes the file; without it the file is not a zip file.
  bool finish(std::string &error);

private:
  bool write(const void *data, uint64_t size, std::string &error);

  std::FILE *file = nullptr;
  uint64_t position = 0;
  std::vector<ZipMember> list;
};

} // namespace relax_run

#endif // RELAX_RUN_ZIP_H
