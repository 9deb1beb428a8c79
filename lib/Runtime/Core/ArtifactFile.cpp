//===- ArtifactFile.cpp - Checked access to an artifact file --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ArtifactFile.h"

#include "Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace relax_rt;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the header is read as it lies in the file");

namespace {

const char *sectionName(uint32_t kind) {
  switch (static_cast<SectionKind>(kind)) {
  case SectionKind::Checksums:
    return "checksums";
  case SectionKind::Metadata:
    return "metadata";
  case SectionKind::Code:
    return "code";
  case SectionKind::Weights:
    return "weights";
  case SectionKind::Devices:
    return "devices";
  case SectionKind::Levels:
    return "levels";
  }
  return nullptr;
}

/// A huge page, and what is copied to such pages: with less the pages' tables stay in the processor.
constexpr uint64_t kHugePage = uint64_t(2) << 20, kLeastCopied = uint64_t(8) << 20;

uint64_t numBlocks(uint64_t size) { return size / kChecksumBlock + (size % kChecksumBlock != 0); }

} // namespace

//===----------------------------------------------------------------------===//
// Mapping
//===----------------------------------------------------------------------===//

Mapping::Mapping(Mapping &&other) noexcept { *this = std::move(other); }

Mapping &Mapping::operator=(Mapping &&other) noexcept {
  std::swap(base, other.base);
  std::swap(length, other.length);
  std::swap(bytes, other.bytes);
  return *this;
}

Mapping::~Mapping() {
  if (base)
    munmap(base, length);
}

bool Mapping::map(int file, uint64_t offset, uint64_t size) {
  // Sections are aligned to the format's page size; the system's may be larger.
  uint64_t systemPage = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t skip = offset % systemPage;
  void *mapped = mmap(nullptr, size + skip, PROT_READ, MAP_PRIVATE, file, static_cast<off_t>(offset - skip));
  if (mapped == MAP_FAILED)
    return false;
  *this = Mapping();
  base = mapped;
  length = size + skip;
  bytes = static_cast<const uint8_t *>(mapped) + skip;
  return true;
}

uint8_t *Mapping::allocate(uint64_t size) {
  if (size > UINT64_MAX - 2 * kHugePage)
    return nullptr;
  // Memory between two multiples of a huge page; what is around it is never touched.
  uint64_t whole = (size + kHugePage - 1) / kHugePage * kHugePage + kHugePage;
  void *mapped = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  *this = Mapping();
  base = mapped;
  length = whole;
  uintptr_t first = (reinterpret_cast<uintptr_t>(mapped) + kHugePage - 1) / kHugePage * kHugePage;
  auto *begin = reinterpret_cast<uint8_t *>(first);
  bytes = begin;
#ifdef MADV_HUGEPAGE
  (void)madvise(begin, whole - kHugePage, MADV_HUGEPAGE); // only a wish
#endif
  return begin;
}

bool Mapping::contains(const void *pointer) const {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer), begin = reinterpret_cast<uintptr_t>(base);
  return base && address >= begin && address - begin < length;
}

bool Mapping::protect() { return mprotect(base, length, PROT_READ) == 0; }

//===----------------------------------------------------------------------===//
// ArtifactFile
//===----------------------------------------------------------------------===//

ArtifactFile::~ArtifactFile() {
  if (file >= 0)
    close(file);
}

relax_rt_status ArtifactFile::invalid(const std::string &what) const {
  return fail(RELAX_RT_INVALID_ARTIFACT, path + ": " + what);
}

relax_rt_status ArtifactFile::ioError(const std::string &what) const {
  return fail(RELAX_RT_IO_ERROR, path + ": " + what + ": " + std::strerror(errno));
}

relax_rt_status ArtifactFile::open(const char *name) {
  path = name;
  // Non-blocking: opening a pipe must not wait for a writer.
  file = ::open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return ioError("cannot open");
  return openDescriptor();
}

relax_rt_status ArtifactFile::open(const void *bytes, size_t size) {
  path = "<bytes>";
  // A file without a name: sections are mapped and read as from any other.
  file = memfd_create("relax-artifact", MFD_CLOEXEC);
  if (file < 0)
    return ioError("cannot make a file in memory");
  const char *from = static_cast<const char *>(bytes);
  while (size) {
    ssize_t written = ::write(file, from, std::min<size_t>(size, size_t(1) << 30));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return ioError("cannot write");
    from += written;
    size -= static_cast<size_t>(written);
  }
  return openDescriptor();
}

relax_rt_status ArtifactFile::openDescriptor() {
  struct stat info;
  if (fstat(file, &info) != 0)
    return ioError("cannot stat");
  if (!S_ISREG(info.st_mode))
    return fail(RELAX_RT_IO_ERROR, path + ": not a regular file");
  fileSize = static_cast<uint64_t>(info.st_size);

  std::vector<uint8_t> page(static_cast<size_t>(std::min(fileSize, kPageSize)));
  if (relax_rt_status status = readAt(0, page.size(), page.data()))
    return status;
  if (relax_rt_status status = checkHeader(page))
    return status;
  if (relax_rt_status status = checkSections())
    return status;
  return checkPadding();
}

relax_rt_status ArtifactFile::readAt(uint64_t offset, uint64_t size, uint8_t *out) const {
  while (size) {
    // The kernel transfers at most 2 GiB per call.
    size_t chunk = static_cast<size_t>(std::min<uint64_t>(size, uint64_t(1) << 30));
    ssize_t got = pread(file, out, chunk, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return ioError("cannot read");
    if (got == 0)
      return invalid("truncated while it was read");
    out += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<uint64_t>(got);
  }
  return RELAX_RT_OK;
}

/// Versions come before the checksum: another version may keep its checksum elsewhere.
relax_rt_status ArtifactFile::checkHeader(const std::vector<uint8_t> &page) {
  if (page.size() < sizeof(kMagic) || std::memcmp(page.data(), kMagic, sizeof(kMagic)) != 0)
    return invalid("not a Relax artifact");
  if (page.size() < kPageSize)
    return invalid("truncated: the file has " + std::to_string(fileSize) + " bytes, a header has " +
                   std::to_string(kPageSize));
  std::memcpy(&header, page.data(), sizeof(Header));
  if (header.formatVersion != kFormatVersion)
    return invalid("artifact format version " + std::to_string(header.formatVersion) + ", expected " +
                   std::to_string(kFormatVersion));
  // Later versions only added what version 3 does not call.
  if (header.abiVersion < 3 || header.abiVersion > RELAX_RT_ABI_VERSION)
    return invalid("made for ABI version " + std::to_string(header.abiVersion) + ", this runtime has " +
                   std::to_string(RELAX_RT_ABI_VERSION));
  if (header.fileSize != fileSize)
    return invalid((fileSize < header.fileSize ? "truncated: the file has " : "corrupt: the file has ") +
                   std::to_string(fileSize) + " bytes, its header says " + std::to_string(header.fileSize));
  std::vector<uint8_t> copy = page;
  std::memset(copy.data() + offsetof(Header, headerCrc), 0, sizeof(header.headerCrc));
  if (crc32(copy.data(), copy.size()) != header.headerCrc)
    return invalid("corrupt header: the checksum does not match");
  if (header.numSections > kMaxSections)
    return invalid("corrupt header: " + std::to_string(header.numSections) + " sections, at most " +
                   std::to_string(kMaxSections) + " are possible");
  if (header.reserved != 0)
    return invalid("corrupt header: a reserved field is not zero");
  return RELAX_RT_OK;
}

relax_rt_status ArtifactFile::checkSections() {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < header.numSections; ++i) {
    const Section &section = header.sections[i];
    const char *name = sectionName(section.kind);
    if (!name)
      return invalid("section of unknown kind " + std::to_string(section.kind));
    std::string prefix = std::string(name) + " section: ";
    if (seen & (1u << section.kind))
      return invalid(prefix + "present twice");
    seen |= 1u << section.kind;
    if (section.flags != 0)
      return invalid(prefix + "unknown flags");
    if (section.offset % kPageSize != 0)
      return invalid(prefix + "not aligned to a page");
    if (section.offset < kPageSize || section.offset > fileSize || section.size > fileSize - section.offset)
      return invalid(prefix + "outside of the file");
  }
  for (SectionKind kind : {SectionKind::Checksums, SectionKind::Metadata, SectionKind::Code})
    if (!(seen & (1u << static_cast<uint32_t>(kind))))
      return invalid(std::string(sectionName(static_cast<uint32_t>(kind))) + " section: missing");

  const Section *table = find(SectionKind::Checksums);
  checksums.resize(static_cast<size_t>(table->size));
  if (relax_rt_status status = readAt(table->offset, table->size, checksums.data()))
    return status;
  if (crc32(checksums.data(), checksums.size()) != header.checksumsCrc)
    return invalid("checksums section: corrupt, its checksum does not match");
  uint64_t entries = table->size / 4;
  for (uint32_t i = 0; i < header.numSections; ++i) {
    const Section &section = header.sections[i];
    if (&section == table)
      continue;
    if (section.checksumIndex > entries || numBlocks(section.size) > entries - section.checksumIndex)
      return invalid(std::string(sectionName(section.kind)) + " section: has no checksums");
  }
  return RELAX_RT_OK;
}

/// Sections must not overlap, and bytes that belong to none must be zero: no byte of the file escapes the checks.
relax_rt_status ArtifactFile::checkPadding() const {
  std::vector<const Section *> order;
  order.reserve(header.numSections);
  for (uint32_t i = 0; i < header.numSections; ++i)
    order.push_back(&header.sections[i]);
  std::sort(order.begin(), order.end(), [](const Section *a, const Section *b) {
    return std::make_pair(a->offset, a->size) < std::make_pair(b->offset, b->size);
  });
  uint64_t end = kPageSize;
  for (const Section *section : order) {
    if (section->offset < end)
      return invalid(std::string(sectionName(section->kind)) + " section: overlaps another section");
    if (relax_rt_status status = checkZero(end, section->offset))
      return status;
    end = section->offset + section->size;
  }
  return checkZero(end, fileSize);
}

relax_rt_status ArtifactFile::checkZero(uint64_t begin, uint64_t end) const {
  uint8_t buffer[kPageSize];
  while (begin < end) {
    uint64_t chunk = std::min<uint64_t>(end - begin, sizeof(buffer));
    if (relax_rt_status status = readAt(begin, chunk, buffer))
      return status;
    if (std::any_of(buffer, buffer + chunk, [](uint8_t byte) { return byte != 0; }))
      return invalid("corrupt: bytes between sections are not zero");
    begin += chunk;
  }
  return RELAX_RT_OK;
}

const Section *ArtifactFile::find(SectionKind kind) const {
  for (uint32_t i = 0; i < header.numSections; ++i)
    if (header.sections[i].kind == static_cast<uint32_t>(kind))
      return &header.sections[i];
  return nullptr;
}

relax_rt_status ArtifactFile::checkBlocks(const Section &section, const uint8_t *data) const {
  for (uint64_t block = 0; block < numBlocks(section.size); ++block) {
    uint64_t begin = block * kChecksumBlock;
    uint64_t size = std::min(section.size - begin, kChecksumBlock);
    uint32_t expected;
    std::memcpy(&expected, checksums.data() + 4 * (section.checksumIndex + block), 4);
    if (crc32(data + begin, size) != expected)
      return invalid(std::string(sectionName(section.kind)) + " section: corrupt, the checksum of MiB " +
                     std::to_string(block) + " does not match");
  }
  return RELAX_RT_OK;
}

relax_rt_status ArtifactFile::read(SectionKind kind, std::vector<uint8_t> &bytes) const {
  bytes.clear();
  const Section *section = find(kind);
  if (!section)
    return RELAX_RT_OK;
  bytes.resize(static_cast<size_t>(section->size));
  if (relax_rt_status status = readAt(section->offset, section->size, bytes.data()))
    return status;
  return checkBlocks(*section, bytes.data());
}

relax_rt_status ArtifactFile::map(SectionKind kind, Mapping &mapping) const {
  const Section *section = find(kind);
  if (!section || section->size == 0)
    return RELAX_RT_OK;
  if (uint8_t *copy = section->size >= kLeastCopied ? mapping.allocate(section->size) : nullptr) {
    if (relax_rt_status status = readAt(section->offset, section->size, copy))
      return status;
    if (!mapping.protect())
      return ioError(std::string("cannot protect the ") + sectionName(section->kind) + " section");
    return checkBlocks(*section, mapping.data());
  }
  if (!mapping.map(file, section->offset, section->size))
    return ioError(std::string("cannot map the ") + sectionName(section->kind) + " section");
  return checkBlocks(*section, mapping.data());
}
