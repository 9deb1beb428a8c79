//===- WeightBytes.cpp - Values of weights at compile time ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "RelaxDialect/Dialect/Graph/Transforms/WeightBytes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::relax;

/// Bytes up to which elements are an ordinary attribute, which prints in place.
constexpr int64_t kInlineBytes = 1 << 16;

FailureOr<std::unique_ptr<llvm::MemoryBuffer>> graph::readBlob(Operation *op, WeightBlobAttr blob,
                                                               StringRef directory) {
  SmallString<128> path(blob.getFile().getValue());
  if (!llvm::sys::path::is_absolute(path) && !directory.empty()) {
    path = directory;
    llvm::sys::path::append(path, blob.getFile().getValue());
  }
  auto fail = [&](const Twine &reason) { return op->emitOpError("cannot read '") << path << "': " << reason; };
  uint64_t size = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, size))
    return fail(error.message());
  if (static_cast<uint64_t>(blob.getOffset()) > size ||
      static_cast<uint64_t>(blob.getBytes()) > size - blob.getOffset())
    return fail("it ends before the weight does");
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileSlice(path, blob.getBytes(), blob.getOffset());
  if (!buffer)
    return fail(buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  std::string digest;
  uint32_t crc = llvm::crc32(0, ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  llvm::raw_string_ostream(digest) << llvm::format_hex_no_prefix(crc, 8);
  if (digest != blob.getDigest().getValue())
    return fail("it has digest " + digest + ", expected " + blob.getDigest().getValue());
  return std::move(*buffer);
}

FailureOr<graph::WeightBytes> graph::readWeightBytes(Operation *op, RankedTensorType type, Attribute value,
                                                     StringRef directory) {
  WeightBytes bytes;
  size_t size = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (auto blob = dyn_cast<WeightBlobAttr>(value)) {
    FailureOr<std::unique_ptr<llvm::MemoryBuffer>> file = readBlob(op, blob, directory);
    if (failed(file))
      return failure();
    bytes.file = std::move(*file);
    bytes.data = ArrayRef<char>(bytes.file->getBufferStart(), bytes.file->getBufferSize());
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    bytes.data = dense.getRawData();
    bytes.isSplat = dense.isSplat();
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes.data = blob->getData().take_front(size);
  }
  if (!bytes.isSplat && bytes.data.size() != size)
    bytes.data = {};
  return bytes;
}

ElementsAttr graph::createElements(RankedTensorType type, StringRef name,
                                   function_ref<void(MutableArrayRef<char>)> write) {
  int64_t bytes = type.getNumElements() * (type.getElementTypeBitWidth() / 8);
  if (bytes <= kInlineBytes) {
    std::vector<char> raw(bytes);
    write(raw);
    return DenseElementsAttr::getFromRawBuffer(type, raw);
  }
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(bytes, /*align=*/64);
  write(blob.getMutableData());
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}
