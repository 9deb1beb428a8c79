//===- GGUFFile.h - A GGUF file in memory ----------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The file is mapped, never copied. Nothing in it is trusted: counts are only
// followed as far as there are bytes, and everything that is handed out lies
// inside of the file.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_GGUFFILE_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_GGUFFILE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::relax::gguf {

/// Shortens `text` from the file and replaces bytes that do not print, for messages.
std::string printable(llvm::StringRef text);

/// Types of metadata, by their numbers in the file.
enum class ValueType : uint32_t {
  UInt8,
  Int8,
  UInt16,
  Int16,
  UInt32,
  Int32,
  Float32,
  Bool,
  String,
  Array,
  UInt64,
  Int64,
  Float64
};

/// One entry of the metadata.
struct MetadataValue {
  ValueType type = ValueType::UInt8;
  ValueType elementType = ValueType::UInt8; // of an array
  uint64_t count = 0;                       // of an array
  uint64_t offset = 0;                      // of the value, the characters or the first element
};

/// How the numbers of a tensor are stored.
struct TensorFormat {
  llvm::StringRef name;    // of `relax.dequantize_block`, or of an element type
  uint64_t numbers, bytes; // of a block

  /// Null for numbers that stand for no known format.
  static const TensorFormat *get(uint32_t number);
};

struct StoredTensor {
  llvm::StringRef name;
  llvm::SmallVector<int64_t, 4> dims; // the first is the one in which elements are neighbours
  const TensorFormat *format = nullptr;
  uint64_t offset = 0, bytes = 0; // in the file
};

class GGUFFile {
public:
  /// Maps and reads `path`. On failure `error` says why.
  static std::unique_ptr<GGUFFile> open(llvm::StringRef path, std::string &error);
  /// Reads what is in memory already.
  static std::unique_ptr<GGUFFile> read(std::unique_ptr<llvm::MemoryBuffer> buffer, std::string &error);

  llvm::StringRef getPath() const { return buffer->getBufferIdentifier(); }

  //===- Metadata -----------------------------------------------------------===//
  // Nothing when the key is missing or its value is of another kind.

  const MetadataValue *lookUp(llvm::StringRef key) const;
  /// Any integer type that is not negative.
  std::optional<uint64_t> getInteger(llvm::StringRef key) const;
  /// Any integers, or floats.
  std::optional<double> getFloat(llvm::StringRef key) const;
  std::optional<bool> getBool(llvm::StringRef key) const;
  std::optional<llvm::StringRef> getString(llvm::StringRef key) const;
  /// Element `index` of an array of integers.
  std::optional<uint64_t> getElement(llvm::StringRef key, uint64_t index) const;

  //===- Tensors ------------------------------------------------------------===//

  const std::vector<StoredTensor> &getTensors() const { return tensors; }
  /// Null when there is none of that name.
  const StoredTensor *findTensor(llvm::StringRef name) const;
  llvm::StringRef getBytes(const StoredTensor &tensor) const {
    return buffer->getBuffer().substr(tensor.offset, tensor.bytes);
  }

private:
  explicit GGUFFile(std::unique_ptr<llvm::MemoryBuffer> buffer) : buffer(std::move(buffer)) {}
  friend class GGUFReader;

  std::optional<uint64_t> readInteger(ValueType type, uint64_t offset) const;

  std::unique_ptr<llvm::MemoryBuffer> buffer;
  llvm::StringMap<MetadataValue> metadata;
  std::vector<StoredTensor> tensors;
  llvm::StringMap<size_t> tensorIndices;
};

} // namespace mlir::relax::gguf

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_GGUF_GGUFFILE_H
