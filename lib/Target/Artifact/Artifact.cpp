//===- Artifact.cpp - Writing an artifact file ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Target/Artifact.h"

#include "DevicesSection.h"
#include "Metadata.h"
#include "RelaxDialect/Conversion/DeviceTables.h"
#include "RelaxDialect/Conversion/ModuleTables.h"
#include "RelaxDialect/Runtime/CodeLevels.h"
#include "RelaxDialect/Runtime/Runtime.h"
#include "WeightsSection.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include <cstring>
#include <tuple>

using namespace mlir;
using namespace mlir::relax;

namespace {

/// Writes sections one after the other and the header at the end.
class ArtifactWriter {
public:
  explicit ArtifactWriter(llvm::raw_pwrite_stream &stream) : stream(stream) { padTo(relax_rt::kPageSize); }

  void beginSection(relax_rt::SectionKind kind) {
    padTo(llvm::alignTo(position, relax_rt::kPageSize));
    relax_rt::Section &section = header.sections[header.numSections++];
    section.kind = static_cast<uint32_t>(kind);
    section.offset = position;
    section.checksumIndex = checksums.size();
  }

  void append(ArrayRef<char> bytes) {
    write(bytes);
    current().size += bytes.size();
    while (!bytes.empty()) {
      size_t take = std::min<size_t>(bytes.size(), relax_rt::kChecksumBlock - block.size());
      block.insert(block.end(), bytes.begin(), bytes.begin() + take);
      bytes = bytes.drop_front(take);
      if (block.size() == relax_rt::kChecksumBlock)
        finishBlock();
    }
  }

  /// Zeros up to `offset` in the section.
  void padSectionTo(uint64_t offset) {
    static constexpr char kZeros[64] = {};
    while (current().size < offset)
      append(ArrayRef<char>(kZeros, std::min<uint64_t>(sizeof(kZeros), offset - current().size)));
  }

  void endSection() {
    if (!block.empty())
      finishBlock();
  }

  void finish() {
    std::vector<uint32_t> table;
    table.swap(checksums);
    beginSection(relax_rt::SectionKind::Checksums);
    ArrayRef<char> bytes(reinterpret_cast<const char *>(table.data()), table.size() * sizeof(uint32_t));
    write(bytes);
    current().size = bytes.size();
    header.checksumsCrc = relax_rt::crc32(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());

    std::memcpy(header.magic, relax_rt::kMagic, sizeof(header.magic));
    header.formatVersion = relax_rt::kFormatVersion;
    header.abiVersion = RELAX_RT_ABI_VERSION;
    header.fileSize = position;
    std::vector<uint8_t> page(relax_rt::kPageSize);
    std::memcpy(page.data(), &header, sizeof(header));
    header.headerCrc = relax_rt::crc32(page.data(), page.size());
    std::memcpy(page.data(), &header, sizeof(header));
    stream.pwrite(reinterpret_cast<const char *>(page.data()), page.size(), 0);
  }

private:
  relax_rt::Section &current() { return header.sections[header.numSections - 1]; }
  void write(ArrayRef<char> bytes) {
    stream.write(bytes.data(), bytes.size());
    position += bytes.size();
  }
  void padTo(uint64_t offset) {
    stream.write_zeros(offset - position);
    position = offset;
  }
  void finishBlock() {
    checksums.push_back(relax_rt::crc32(reinterpret_cast<const uint8_t *>(block.data()), block.size()));
    block.clear();
  }

  llvm::raw_pwrite_stream &stream;
  relax_rt::Header header = {};
  uint64_t position = 0;
  std::vector<uint32_t> checksums;
  std::vector<char> block;
};

/// Code of the module, without the tables that translation does not know.
LogicalResult compileCode(ModuleOp module, const CodeTarget &target, SmallVectorImpl<char> &shared) {
  SmallVector<LibraryObject> objectFiles = getObjectFiles(module);
  for (StringRef table : {kSitesAttrName, kKernelsAttrName, kExternsAttrName, kFunctionsAttrName, kWeightsAttrName,
                          kMemoryReportAttrName, kDeviceCodeAttrName})
    module->removeAttr(table);
  std::vector<SmallVector<char, 0>> objects;
  return success(succeeded(compileObjects(module, target, objects)) &&
                 succeeded(linkSharedObject(module, target, objects, objectFiles, shared)));
}

/// A file beside the result that takes its name at the end, so that no reader ever sees half of an artifact.
class PendingFile {
public:
  LogicalResult create(ModuleOp module, StringRef path) {
    // Renaming would put a plain file in the place of a device.
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(path, status) && status.type() != llvm::sys::fs::file_type::regular_file)
      return emitError(module.getLoc(), "cannot write '") << path << "': not a regular file";
    int descriptor;
    if (std::error_code code =
            llvm::sys::fs::createUniqueFile(path + ".%%%%%%.tmp", descriptor, temporary, llvm::sys::fs::OF_None,
                                            llvm::sys::fs::all_read | llvm::sys::fs::all_write))
      return emitError(module.getLoc(), "cannot write '") << path << "': " << code.message();
    llvm::sys::RemoveFileOnSignal(temporary);
    stream.emplace(descriptor, /*shouldClose=*/true);
    return success();
  }
  LogicalResult commit(ModuleOp module, StringRef path) {
    stream->close();
    std::error_code code = stream->error();
    stream->clear_error();
    if (!code)
      code = llvm::sys::fs::rename(temporary, path);
    if (code)
      return emitError(module.getLoc(), "cannot write '") << path << "': " << code.message();
    llvm::sys::DontRemoveFileOnSignal(temporary);
    temporary.clear();
    return success();
  }
  ~PendingFile() {
    if (stream)
      stream->clear_error();
    stream.reset();
    if (temporary.empty())
      return;
    std::ignore = llvm::sys::fs::remove(temporary);
    llvm::sys::DontRemoveFileOnSignal(temporary);
  }
  llvm::raw_fd_ostream &getStream() { return *stream; }

private:
  SmallString<128> temporary;
  std::optional<llvm::raw_fd_ostream> stream;
};

/// Everything of an artifact but what comes from weight files.
struct Contents {
  relax_rt::Metadata metadata;
  SmallVector<WeightEntry> weights;
  SmallVector<char> shared;
  std::string devices; // empty: the CPU only
  std::string levels;  // empty: one level of CPU only
};

} // namespace

/// Compiles what is not the code section. Every level has the interface of the first.
static LogicalResult makeLevels(ModuleOp module, const relax_rt::Metadata &metadata, const ArtifactOptions &options,
                                std::string &bytes) {
  if (options.higher.empty())
    return success();
  relax_rt::CodeLevels levels;
  levels.first = options.target.name;
  const std::string interface = relax_rt::encodeMetadata(metadata);
  for (const CodeVariant &variant : options.higher) {
    FailureOr<relax_rt::Metadata> own = buildMetadata(variant.module, options.target);
    if (failed(own))
      return failure();
    if (relax_rt::encodeMetadata(*own) != interface ||
        variant.module->getAttr(kWeightsAttrName) != module->getAttr(kWeightsAttrName))
      return emitError(module.getLoc(), "levels '")
             << options.target.name << "' and '" << variant.target.name << "' have different interfaces";
    SmallVector<char> shared;
    if (failed(compileCode(variant.module, variant.target, shared)))
      return failure();
    levels.higher.push_back({variant.target.name, variant.target.triple, variant.target.requiredFeatures,
                             std::string(shared.begin(), shared.end())});
  }
  bytes = relax_rt::encodeCodeLevels(levels);
  return success();
}

static LogicalResult makeContents(ModuleOp module, const ArtifactOptions &options, Contents &contents) {
  FailureOr<relax_rt::Metadata> metadata = buildMetadata(module, options.target);
  FailureOr<SmallVector<WeightEntry>> weights = getWeights(module);
  if (failed(metadata) || failed(weights) || failed(encodeDevices(module, contents.devices)) ||
      failed(makeLevels(module, *metadata, options, contents.levels)) ||
      failed(compileCode(module, options.target, contents.shared)))
    return failure();
  contents.metadata = std::move(*metadata);
  contents.weights = std::move(*weights);
  return success();
}

static LogicalResult writeContents(ModuleOp module, const ArtifactOptions &options, const Contents &contents,
                                   llvm::raw_pwrite_stream &stream) {
  ArtifactWriter writer(stream);
  std::string encoded = relax_rt::encodeMetadata(contents.metadata);
  writer.beginSection(relax_rt::SectionKind::Metadata);
  writer.append(ArrayRef<char>(encoded.data(), encoded.size()));
  writer.endSection();
  writer.beginSection(relax_rt::SectionKind::Code);
  writer.append(contents.shared);
  writer.endSection();
  if (!contents.devices.empty()) {
    writer.beginSection(relax_rt::SectionKind::Devices);
    writer.append(ArrayRef<char>(contents.devices.data(), contents.devices.size()));
    writer.endSection();
  }
  if (!contents.levels.empty()) {
    writer.beginSection(relax_rt::SectionKind::Levels);
    writer.append(ArrayRef<char>(contents.levels.data(), contents.levels.size()));
    writer.endSection();
  }
  if (!contents.weights.empty()) {
    writer.beginSection(relax_rt::SectionKind::Weights);
    for (const WeightEntry &weight : contents.weights) {
      writer.padSectionTo(weight.offset);
      if (failed(
              readWeight(module, weight, options.blobDirectory, [&](ArrayRef<char> bytes) { writer.append(bytes); })))
        return failure();
    }
    writer.endSection();
  }
  writer.finish();
  return success();
}

LogicalResult relax::writeArtifact(ModuleOp module, const ArtifactOptions &options, llvm::raw_pwrite_stream &stream) {
  Contents contents;
  return success(succeeded(makeContents(module, options, contents)) &&
                 succeeded(writeContents(module, options, contents, stream)));
}

LogicalResult relax::writeArtifact(ModuleOp module, const ArtifactOptions &options, StringRef path) {
  Contents contents;
  PendingFile file;
  if (failed(makeContents(module, options, contents)) || failed(file.create(module, path)) ||
      failed(writeContents(module, options, contents, file.getStream())))
    return failure();
  return file.commit(module, path);
}
