//===- TestArtifact.h - Hand-made artifacts -------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_UNITTESTS_RUNTIME_TESTARTIFACT_H
#define RELAX_UNITTESTS_RUNTIME_TESTARTIFACT_H

#include "RelaxDialect/Runtime/ArtifactFormat.h"

#include <string>
#include <vector>

/// The contents of an artifact before they are laid out. The writer here is independent of the compiler's, so that
/// the two check each other, and can make malformed files.
struct TestArtifact {
  relax_rt::Metadata metadata;
  std::string code;
  std::string weights;
  std::string rawMetadata; // instead of `metadata` when not empty

  /// The image of a file. Sections come in the order metadata, code, weights, checksums.
  std::string build() const;
};

/// An artifact whose code is TestCode.c. Its first weight is the float 2.
TestArtifact makeTestArtifact(bool withLibrary = false);

/// Recomputes the checksum of page 0, after a test has changed it.
void fixHeaderChecksum(std::string &image);
relax_rt::Header getHeader(const std::string &image);
void setHeader(std::string &image, const relax_rt::Header &header);
const relax_rt::Section &getSection(const relax_rt::Header &header, relax_rt::SectionKind kind);

std::string readFile(const std::string &path);
/// A file below the test's temporary folder, removed with this object.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &contents = std::string());
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();

  void write(const std::string &contents) const;
  const std::string &path() const { return name; }

private:
  std::string name;
};

#endif // RELAX_UNITTESTS_RUNTIME_TESTARTIFACT_H
