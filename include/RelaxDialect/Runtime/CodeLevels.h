//===- CodeLevels.h - Code for several CPUs in an artifact ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The levels section of an artifact, as a value. Shared by the compiler
// (writer) and the runtime (reader); depends on neither.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_RUNTIME_CODELEVELS_H
#define RELAXDIALECT_RUNTIME_CODELEVELS_H

#include <cstdint>
#include <string>
#include <vector>

namespace relax_rt {

/// The whole code of an artifact for one level of CPU: another form of the code section, for the same metadata, weights
/// and devices.
struct CodeLevel {
  std::string name;        // "x86-64-v4"
  std::string triple;      // as in the metadata
  std::string cpuFeatures; // as in the metadata
  std::string object;      // an ELF shared object
};

/// From the lowest to the highest level. The first is the code section: its triple and features are in the metadata and
/// it has no object here.
struct CodeLevels {
  std::string first; // name
  std::vector<CodeLevel> higher;
};

std::string encodeCodeLevels(const CodeLevels &levels);
/// Reads untrusted bytes; false (and `error`) on anything malformed.
bool decodeCodeLevels(const uint8_t *data, uint64_t size, CodeLevels &levels, std::string &error);

} // namespace relax_rt

#endif // RELAXDIALECT_RUNTIME_CODELEVELS_H
