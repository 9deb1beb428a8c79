//===- ArtifactFormat.h - Layout of an artifact file ----------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Shared by the compiler (writer) and the runtime (reader); depends on neither.
// Everything is little-endian.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_RUNTIME_ARTIFACTFORMAT_H
#define RELAXDIALECT_RUNTIME_ARTIFACTFORMAT_H

#include <cstdint>
#include <string>
#include <vector>

namespace relax_rt {

constexpr char kMagic[8] = {'R', 'E', 'L', 'A', 'X', 'A', 'R', 'T'};
constexpr uint32_t kFormatVersion = 3;
constexpr uint64_t kPageSize = 4096;
constexpr uint64_t kChecksumBlock = uint64_t(1) << 20;
constexpr uint32_t kMaxSections = 32;

// Each kind of section appears at most once; all but weights and devices must. Sections do not overlap, and bytes that
// belong to neither page 0 nor a section are zero.

enum class SectionKind : uint32_t { Checksums = 1, Metadata = 2, Code = 3, Weights = 4, Devices = 5, Levels = 6 };

/// One entry of the section table. `offset` is a multiple of kPageSize.
struct Section {
  uint32_t kind;
  uint32_t flags; // 0
  uint64_t offset;
  uint64_t size;          // bytes used; the rest of the last page is zero
  uint64_t checksumIndex; // first of ceil(size / kChecksumBlock) u32 in the checksums section (the checksums section
                          // itself is covered by Header::checksumsCrc)
};

/// Page 0. `headerCrc` is the CRC-32 of the whole page with this field zero.
struct Header {
  char magic[8];
  uint32_t formatVersion;
  uint32_t abiVersion; // RELAX_RT_ABI_VERSION of the producer
  uint64_t fileSize;
  uint32_t headerCrc;
  uint32_t numSections;
  uint32_t checksumsCrc; // CRC-32 of the checksums section
  uint32_t reserved;
  Section sections[kMaxSections];
};
static_assert(sizeof(Section) == 32 && sizeof(Header) <= kPageSize, "layout is the contract");

/// The metadata section, as a value. Encoded field by field in this order: u32 for counts and enums, i64, strings as
/// u32 length + bytes.
struct TensorInfo {
  std::string name;
  uint32_t typeCode = 0; // relax_rt_type_code
  uint32_t typeBits = 0;
  std::vector<std::string> dims;                // texts
  bool isDonated = false;                       // an input whose memory the function can use for results
  static constexpr uint32_t kDonated = 1u << 8; // beside the type code in the file, since ABI version 7
};
struct FunctionInfo {
  std::string name;   // as the user knows it
  std::string symbol; // relax_entry_<name>
  std::vector<TensorInfo> inputs, outputs;
};
struct GuardSite {
  uint32_t status = 0; // relax_rt_status to return: SHAPE_MISMATCH, GUARD_FAILED or KERNEL_ERROR
  std::string message; // {0}, {1}.. stand for the recorded values; the runtime puts "<function>: " in front
};
struct KernelInfo {
  std::string name;
  std::string symbol;
  std::string referenceSymbol; // empty: none
  std::string partsSymbol;     // counts the parts that may run at the same time; empty: the kernel is not divided
};
struct ExternInfo {
  enum Flags : uint32_t {
    kLinked = 1,   // the code section defines `symbol`
    kOptional = 2, // a generated kernel stands in where it is missing
  };
  std::string symbol;               // the name registered with the instance, or in one of the shared objects
  std::string adapter;              // code that calls it with arguments of its own; empty: the extern signature
  std::vector<std::string> sonames; // shared objects that may have it, tried in order
  uint32_t flags = 0;
};
struct Metadata {
  std::string producer;
  std::string targetTriple;
  /// Comma-separated names that the host must have, as /proc/cpuinfo spells them; empty: baseline.
  std::string cpuFeatures;
  std::vector<FunctionInfo> functions;
  std::vector<GuardSite> sites;
  std::vector<KernelInfo> kernels;
  std::vector<ExternInfo> externs;
  std::string memoryReport; // JSON
};

/// The bytes of the metadata section. Strings contain no zero bytes.
std::string encodeMetadata(const Metadata &metadata);
/// Reads untrusted bytes; false (and `error`) on anything malformed, including trailing bytes.
bool decodeMetadata(const uint8_t *data, uint64_t size, Metadata &metadata, std::string &error);

/// CRC-32 (IEEE, reflected), as zlib computes it.
uint32_t crc32(const uint8_t *data, uint64_t size);

} // namespace relax_rt

#endif // RELAXDIALECT_RUNTIME_ARTIFACTFORMAT_H
