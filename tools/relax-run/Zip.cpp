//===- Zip.cpp - Members of a zip file ------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Zip.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <utility>
#include <zlib.h>

using namespace relax_run;

namespace {

constexpr uint32_t kLocalSignature = 0x04034b50, kCentralSignature = 0x02014b50, kEndSignature = 0x06054b50,
                   kEnd64Signature = 0x06064b50, kLocator64Signature = 0x07064b50;
constexpr uint64_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;
constexpr uint32_t kMax32 = 0xFFFFFFFF;
constexpr uint16_t kMax16 = 0xFFFF, kExtra64 = 1;

uint64_t load(const uint8_t *bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i)
    value = value << 8 | bytes[i];
  return value;
}
uint16_t load16(const uint8_t *bytes) { return static_cast<uint16_t>(load(bytes, 2)); }
uint32_t load32(const uint8_t *bytes) { return static_cast<uint32_t>(load(bytes, 4)); }
uint64_t load64(const uint8_t *bytes) { return load(bytes, 8); }

void store(std::string &out, uint64_t value, int count) {
  for (int i = 0; i < count; ++i, value >>= 8)
    out.push_back(static_cast<char>(value & 0xff));
}

/// zlib counts in 32 bits: large buffers go in pieces.
uint32_t crcOf(uint32_t crc, const uint8_t *data, uint64_t size) {
  while (size) {
    uInt piece = static_cast<uInt>(std::min<uint64_t>(size, uint64_t(1) << 30));
    crc = static_cast<uint32_t>(crc32(crc, data, piece));
    data += piece;
    size -= piece;
  }
  return crc;
}

bool fail(std::string &error, const std::string &what) {
  error = what;
  return false;
}

/// Sizes and offset of a directory entry that do not fit 32 bits are in an extra field, in this order.
bool read64BitFields(ZipMember &member, const uint8_t *extra, uint64_t extraSize) {
  bool wantSize = member.size == kMax32, wantStored = member.storedSize == kMax32,
       wantOffset = member.headerOffset == kMax32;
  if (!wantSize && !wantStored && !wantOffset)
    return true;
  while (extraSize >= 4) {
    uint16_t id = load16(extra);
    uint64_t size = load16(extra + 2);
    if (size > extraSize - 4)
      return false;
    if (id != kExtra64) {
      extra += 4 + size;
      extraSize -= 4 + size;
      continue;
    }
    const uint8_t *field = extra + 4;
    for (auto [want, target] : {std::make_pair(wantSize, &member.size), std::make_pair(wantStored, &member.storedSize),
                                std::make_pair(wantOffset, &member.headerOffset)}) {
      if (!want)
        continue;
      if (size < 8)
        return false;
      *target = load64(field);
      field += 8;
      size -= 8;
    }
    return true;
  }
  // No such field: the values are meant as they are.
  return true;
}

} // namespace

//===----------------------------------------------------------------------===//
// ZipReader
//===----------------------------------------------------------------------===//

ZipReader::~ZipReader() {
  if (file)
    std::fclose(file);
}

bool ZipReader::open(const std::string &path, std::string &error) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return fail(error, std::string("cannot open: ") + std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return fail(error, "not a regular file");
  file = std::fopen(path.c_str(), "rb");
  if (!file)
    return fail(error, std::string("cannot open: ") + std::strerror(errno));
  fileSize = static_cast<uint64_t>(info.st_size);
  return readDirectory(error);
}

bool ZipReader::readAt(uint64_t offset, uint64_t size, uint8_t *out) {
  if (offset > fileSize || size > fileSize - offset)
    return false;
  return fseeko(file, static_cast<off_t>(offset), SEEK_SET) == 0 &&
         std::fread(out, 1, static_cast<size_t>(size), file) == size;
}

/// The directory is found from the end of the file, where a record is followed by a comment of up to 64 KiB.
bool ZipReader::findDirectory(uint64_t &offset, uint64_t &size, uint64_t &count, std::string &error) {
  uint64_t tailSize = std::min<uint64_t>(fileSize, kEndSize + kMax16);
  std::vector<uint8_t> tail(static_cast<size_t>(tailSize));
  if (!readAt(fileSize - tailSize, tailSize, tail.data()))
    return fail(error, "cannot read");
  uint64_t at = tailSize;
  for (uint64_t candidate = tailSize < kEndSize ? 0 : tailSize - kEndSize + 1; candidate-- > 0;) {
    if (load32(&tail[candidate]) == kEndSignature && load16(&tail[candidate + 20]) == tailSize - candidate - kEndSize) {
      at = candidate;
      break;
    }
  }
  if (at == tailSize)
    return fail(error, "not a zip file, or truncated");
  const uint8_t *end = &tail[at];
  uint64_t endOffset = fileSize - tailSize + at;
  if (load16(end + 4) != 0 || load16(end + 6) != 0 || load16(end + 8) != load16(end + 10))
    return fail(error, "split over several disks");
  count = load16(end + 10);
  size = load32(end + 12);
  offset = load32(end + 16);

  uint8_t locator[kLocator64Size];
  if (endOffset >= kLocator64Size && readAt(endOffset - kLocator64Size, kLocator64Size, locator) &&
      load32(locator) == kLocator64Signature) {
    uint8_t end64[kEnd64Size];
    if (!readAt(load64(locator + 8), kEnd64Size, end64) || load32(end64) != kEnd64Signature)
      return fail(error, "corrupt: the 64-bit end record is missing");
    if (load64(end64 + 24) != load64(end64 + 32))
      return fail(error, "split over several disks");
    count = load64(end64 + 32);
    size = load64(end64 + 40);
    offset = load64(end64 + 48);
  }
  if (offset > endOffset || size > endOffset - offset || count > size / kCentralSize)
    return fail(error, "corrupt: the directory lies outside of the file");
  return true;
}

bool ZipReader::readDirectory(std::string &error) {
  uint64_t offset, size, count;
  if (!findDirectory(offset, size, count, error))
    return false;
  std::vector<uint8_t> directory(static_cast<size_t>(size));
  if (!readAt(offset, size, directory.data()))
    return fail(error, "cannot read the directory");
  const uint8_t *entry = directory.data();
  for (uint64_t i = 0; i < count; ++i) {
    if (size < kCentralSize || load32(entry) != kCentralSignature)
      return fail(error, "corrupt directory");
    uint64_t nameSize = load16(entry + 28), extraSize = load16(entry + 30), commentSize = load16(entry + 32);
    uint64_t entrySize = kCentralSize + nameSize + extraSize + commentSize;
    if (entrySize > size)
      return fail(error, "corrupt directory");
    ZipMember member;
    member.name.assign(reinterpret_cast<const char *>(entry) + kCentralSize, nameSize);
    member.method = load16(entry + 10);
    member.crc = load32(entry + 16);
    member.storedSize = load32(entry + 20);
    member.size = load32(entry + 24);
    member.headerOffset = load32(entry + 42);
    if (load16(entry + 8) & 1)
      return fail(error, "member '" + member.name + "' is encrypted");
    if (member.method != 0 && member.method != 8)
      return fail(error, "member '" + member.name + "' has the unsupported compression method " +
                             std::to_string(member.method));
    if (!read64BitFields(member, entry + kCentralSize + nameSize, extraSize))
      return fail(error, "corrupt directory");
    list.push_back(std::move(member));
    entry += entrySize;
    size -= entrySize;
  }
  return true;
}

bool ZipReader::isPlausible(const ZipMember &member) const {
  if (member.storedSize > fileSize)
    return false;
  // Deflate reaches at most 1032 : 1.
  return member.method == 0 ? member.size == member.storedSize : member.size / 1033 <= member.storedSize;
}

bool ZipReader::read(const ZipMember &member, uint8_t *out, std::string &error) {
  uint8_t local[kLocalSize];
  if (!readAt(member.headerOffset, kLocalSize, local) || load32(local) != kLocalSignature)
    return fail(error, "corrupt: its header is missing");
  uint64_t offset = member.headerOffset + kLocalSize + load16(local + 26) + load16(local + 28);
  if (!isPlausible(member))
    return fail(error, "corrupt: its sizes do not agree");
  if (offset > fileSize || member.storedSize > fileSize - offset)
    return fail(error, "truncated");
  if (member.method == 0 ? !readAt(offset, member.size, out) : !inflateMember(member, offset, out, error))
    return error.empty() ? fail(error, "cannot read") : false;
  if (crcOf(0, out, member.size) != member.crc)
    return fail(error, "corrupt: its checksum does not match");
  return true;
}

bool ZipReader::inflateMember(const ZipMember &member, uint64_t offset, uint8_t *out, std::string &error) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return fail(error, "cannot start decompression");
  std::vector<uint8_t> buffer(1 << 16);
  uint64_t restIn = member.storedSize, restOut = member.size;
  uint8_t extra; // where a byte too many would go
  int result = Z_OK;
  while (result == Z_OK) {
    if (stream.avail_in == 0 && restIn) {
      uint64_t piece = std::min<uint64_t>(restIn, buffer.size());
      if (!readAt(offset, piece, buffer.data()))
        break;
      stream.next_in = buffer.data();
      stream.avail_in = static_cast<uInt>(piece);
      offset += piece;
      restIn -= piece;
    }
    uint64_t room = std::min<uint64_t>(restOut, uint64_t(1) << 30);
    stream.next_out = restOut ? out : &extra;
    stream.avail_out = restOut ? static_cast<uInt>(room) : 1;
    uint64_t before = stream.avail_out;
    result = inflate(&stream, Z_NO_FLUSH);
    uint64_t made = before - stream.avail_out;
    if (made > restOut)
      break; // more than was announced
    out += made;
    restOut -= made;
  }
  bool consumed = stream.avail_in == 0 && restIn == 0;
  inflateEnd(&stream);
  if (result != Z_STREAM_END || restOut || !consumed)
    return fail(error, "corrupt: cannot be decompressed");
  return true;
}

//===----------------------------------------------------------------------===//
// ZipWriter
//===----------------------------------------------------------------------===//

ZipWriter::~ZipWriter() {
  if (file)
    std::fclose(file);
}

bool ZipWriter::open(const std::string &path, std::string &error) {
  file = std::fopen(path.c_str(), "wb");
  return file ? true : fail(error, std::string("cannot write: ") + std::strerror(errno));
}

bool ZipWriter::write(const void *data, uint64_t size, std::string &error) {
  if (size && std::fwrite(data, 1, static_cast<size_t>(size), file) != size)
    return fail(error, std::string("cannot write: ") + std::strerror(errno));
  position += size;
  return true;
}

bool ZipWriter::add(const std::string &name, const std::string &head, const uint8_t *data, uint64_t size,
                    std::string &error) {
  if (name.size() > kMax16)
    return fail(error, "the name of an array is longer than 65535 bytes");
  ZipMember member;
  member.name = name;
  member.headerOffset = position;
  member.size = member.storedSize = head.size() + size;
  member.crc = crcOf(crcOf(0, reinterpret_cast<const uint8_t *>(head.data()), head.size()), data, size);
  bool large = member.size >= kMax32;

  std::string header;
  store(header, kLocalSignature, 4);
  store(header, large ? 45 : 20, 2); // version needed
  store(header, 0x800, 2);           // names are UTF-8
  store(header, 0, 2);               // stored
  store(header, 0x00210000, 4);      // 1 January 1980: equal outputs make equal files
  store(header, member.crc, 4);
  store(header, large ? kMax32 : member.size, 4);
  store(header, large ? kMax32 : member.size, 4);
  store(header, name.size(), 2);
  store(header, large ? 20 : 0, 2);
  header += name;
  if (large) {
    store(header, kExtra64, 2);
    store(header, 16, 2);
    store(header, member.size, 8);
    store(header, member.size, 8);
  }
  list.push_back(std::move(member));
  return write(header.data(), header.size(), error) && write(head.data(), head.size(), error) &&
         write(data, size, error);
}

bool ZipWriter::finish(std::string &error) {
  uint64_t begin = position;
  for (const ZipMember &member : list) {
    bool large = member.size >= kMax32, far = member.headerOffset >= kMax32;
    std::string extra;
    if (large || far) {
      store(extra, kExtra64, 2);
      store(extra, (large ? 16 : 0) + (far ? 8 : 0), 2);
      if (large) {
        store(extra, member.size, 8);
        store(extra, member.size, 8);
      }
      if (far)
        store(extra, member.headerOffset, 8);
    }
    std::string entry;
    store(entry, kCentralSignature, 4);
    store(entry, extra.empty() ? 20 : 45, 2); // made by
    store(entry, extra.empty() ? 20 : 45, 2); // version needed
    store(entry, 0x800, 2);
    store(entry, 0, 2);
    store(entry, 0x00210000, 4);
    store(entry, member.crc, 4);
    store(entry, large ? kMax32 : member.size, 4);
    store(entry, large ? kMax32 : member.size, 4);
    store(entry, member.name.size(), 2);
    store(entry, extra.size(), 2);
    store(entry, 0, 2 + 2 + 2 + 4); // comment, disk, attributes
    store(entry, far ? kMax32 : member.headerOffset, 4);
    entry += member.name + extra;
    if (!write(entry.data(), entry.size(), error))
      return false;
  }
  uint64_t size = position - begin;
  std::string end;
  bool large = list.size() >= kMax16 || begin >= kMax32 || size >= kMax32;
  if (large) {
    store(end, kEnd64Signature, 4);
    store(end, kEnd64Size - 12, 8);
    store(end, 45, 2);
    store(end, 45, 2);
    store(end, 0, 4 + 4);
    store(end, list.size(), 8);
    store(end, list.size(), 8);
    store(end, size, 8);
    store(end, begin, 8);
    store(end, kLocator64Signature, 4);
    store(end, 0, 4);
    store(end, position, 8);
    store(end, 1, 4);
  }
  store(end, kEndSignature, 4);
  store(end, 0, 2 + 2);
  store(end, large ? kMax16 : list.size(), 2);
  store(end, large ? kMax16 : list.size(), 2);
  store(end, large ? kMax32 : size, 4);
  store(end, large ? kMax32 : begin, 4);
  store(end, 0, 2);
  if (!write(end.data(), end.size(), error))
    return false;
  bool closed = std::fclose(file) == 0;
  file = nullptr;
  return closed ? true : fail(error, std::string("cannot write: ") + std::strerror(errno));
}
