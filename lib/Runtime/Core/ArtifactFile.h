//===- ArtifactFile.h - Checked access to an artifact file ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_ARTIFACTFILE_H
#define RELAX_RUNTIME_CORE_ARTIFACTFILE_H

#include "RelaxDialect/Runtime/ArtifactFormat.h"
#include "RelaxDialect/Runtime/Runtime.h"

#include <string>
#include <vector>

namespace relax_rt {

/// A read-only mapping of a part of a file, or of memory that holds a copy of it.
class Mapping {
public:
  Mapping() = default;
  Mapping(Mapping &&other) noexcept;
  Mapping &operator=(Mapping &&other) noexcept;
  ~Mapping();

  /// Maps [offset, offset + size); false with errno on failure. `size` is not 0.
  bool map(int file, uint64_t offset, uint64_t size);
  /// Maps `size` bytes of memory, on huge pages where the system has them, and gives them for writing; NULL when there
  /// is not enough.
  uint8_t *allocate(uint64_t size);
  /// Ends writing.
  bool protect();
  /// NULL when nothing is mapped.
  const uint8_t *data() const { return bytes; }
  bool contains(const void *pointer) const;

private:
  void *base = nullptr;
  uint64_t length = 0;
  const uint8_t *bytes = nullptr;
};

/// Trusts nothing: every offset and size is checked before it is used, every byte is covered by a checksum or must be
/// zero. Sections other than the weights are copied, so that what was checked is what is used.
class ArtifactFile {
public:
  ArtifactFile() = default;
  ArtifactFile(const ArtifactFile &) = delete;
  ArtifactFile &operator=(const ArtifactFile &) = delete;
  ~ArtifactFile();

  /// Opens the file, checks header and section table and reads the checksums.
  relax_rt_status open(const char *path);
  /// The same with a copy of the bytes.
  relax_rt_status open(const void *bytes, size_t size);
  /// Copies a section into `bytes` and checks it; without the section `bytes` stays empty.
  relax_rt_status read(SectionKind kind, std::vector<uint8_t> &bytes) const;
  /// Maps a section and checks it; nothing is mapped when it is absent or empty. A large one is copied to huge pages:
  /// kernels read it at twice the speed.
  relax_rt_status map(SectionKind kind, Mapping &mapping) const;
  const std::string &name() const { return path; }
  uint32_t abiVersion() const { return header.abiVersion; }
  /// Fails with RELAX_RT_INVALID_ARTIFACT and "PATH: what".
  relax_rt_status invalid(const std::string &what) const;

private:
  relax_rt_status openDescriptor();
  relax_rt_status ioError(const std::string &what) const;
  relax_rt_status readAt(uint64_t offset, uint64_t size, uint8_t *out) const;
  relax_rt_status checkHeader(const std::vector<uint8_t> &page);
  relax_rt_status checkSections();
  relax_rt_status checkPadding() const;
  relax_rt_status checkBlocks(const Section &section, const uint8_t *data) const;
  relax_rt_status checkZero(uint64_t begin, uint64_t end) const;
  const Section *find(SectionKind kind) const;

  std::string path;
  int file = -1;
  uint64_t fileSize = 0;
  Header header = {};
  std::vector<uint8_t> checksums;
};

} // namespace relax_rt

#endif // RELAX_RUNTIME_CORE_ARTIFACTFILE_H
