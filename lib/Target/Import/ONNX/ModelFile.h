//===- ModelFile.h - An ONNX file in memory --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The file is mapped, never copied. Before protobuf sees it, the raw bytes of
// its tensors are replaced by where they lie in the file, so that a model of
// gigabytes parses in kilobytes and weights can be referred to in place.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_MODELFILE_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_MODELFILE_H

#include "ONNXSubset.pb.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>

namespace mlir::relax::onnx {

/// Shortens `text` from the file and replaces bytes that do not print, for messages.
std::string printable(StringRef text);

class ModelFile {
public:
  /// Maps and parses `path`. On failure `error` says why.
  static std::unique_ptr<ModelFile> open(StringRef path, std::string &error);

  const relax_onnx_wire::ModelProto &getModel() const { return model; }
  StringRef getPath() const { return path; }

  /// Bytes of a file. Those of the model itself when `file` is empty, else of an external data file, whose `location`
  /// must stay inside the model's folder. Null with `error` set when it cannot be read.
  const llvm::MemoryBuffer *getData(StringRef location, std::string &error);
  /// CRC-32 of bytes that lie in such a file; nullopt with `error` set when they cannot be read. They are mapped a
  /// piece at a time, so that memory in use does not grow with the weights.
  std::optional<uint32_t> getDigest(StringRef location, int64_t offset, int64_t size, std::string &error) const;
  /// Name under which weights refer to that file.
  std::string getDataPath(StringRef location) const;

private:
  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  relax_onnx_wire::ModelProto model;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> external;
};

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_MODELFILE_H
