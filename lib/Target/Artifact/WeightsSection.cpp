//===- WeightsSection.cpp - Weight bytes of a module ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "WeightsSection.h"

#include "RelaxDialect/Conversion/ModuleTables.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/Support/CRC.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::relax;

/// Bytes of one element in memory: an i1 takes one.
static std::optional<uint64_t> getNumBytes(RankedTensorType type) {
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  uint64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes) || bytes > (uint64_t(1) << 60))
      return std::nullopt;
  return bytes;
}

FailureOr<SmallVector<WeightEntry>> relax::getWeights(ModuleOp module) {
  SmallVector<WeightEntry> weights;
  auto table = module->getAttrOfType<ArrayAttr>(kWeightsAttrName);
  uint64_t end = 0;
  for (Attribute attribute : table ? table.getValue() : ArrayRef<Attribute>()) {
    auto entry = dyn_cast<DictionaryAttr>(attribute);
    auto name = entry ? entry.getAs<StringAttr>("name") : StringAttr();
    auto type = entry ? entry.getAs<TypeAttr>("type") : TypeAttr();
    auto offset = entry ? entry.getAs<IntegerAttr>("offset") : IntegerAttr();
    Attribute value = entry ? entry.get("value") : Attribute();
    if (!name || !type || !offset || !value || !isa<ElementsAttr, graph::WeightBlobAttr>(value))
      return emitError(module.getLoc(), "malformed entry in the table '") << kWeightsAttrName << "'";
    WeightEntry weight{name.getValue(), dyn_cast<RankedTensorType>(type.getValue()), value,
                       static_cast<uint64_t>(offset.getInt()), 0};
    std::optional<uint64_t> bytes = getNumBytes(weight.type);
    if (!bytes)
      return emitError(module.getLoc(), "weight '")
             << weight.name << "' has type " << type.getValue() << ", expected a static tensor below 2^60 bytes";
    weight.bytes = *bytes;
    if (weight.offset < end || weight.offset > (uint64_t(1) << 62))
      return emitError(module.getLoc(), "weight '") << weight.name << "' overlaps another weight";
    end = weight.offset + weight.bytes;
    weights.push_back(weight);
  }
  return weights;
}

static LogicalResult readBlob(ModuleOp module, const WeightEntry &weight, graph::WeightBlobAttr blob,
                              StringRef blobDirectory, function_ref<void(ArrayRef<char>)> append) {
  SmallString<128> path(blob.getFile().getValue());
  if (!llvm::sys::path::is_absolute(path) && !blobDirectory.empty()) {
    path = blobDirectory;
    llvm::sys::path::append(path, blob.getFile().getValue());
  }
  auto fail = [&](const Twine &reason) {
    return emitError(module.getLoc(), "weight '") << weight.name << "': file '" << path << "': " << reason;
  };
  if (static_cast<uint64_t>(blob.getBytes()) != weight.bytes)
    return fail("the blob has " + Twine(blob.getBytes()) + " bytes, expected " + Twine(weight.bytes));
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return fail(llvm::toString(file.takeError()));
  llvm::sys::fs::file_t handle = *file;

  std::vector<char> buffer(uint64_t(1) << 20);
  uint64_t offset = blob.getOffset(), left = weight.bytes;
  uint32_t crc = 0;
  LogicalResult result = success();
  while (left > 0) {
    MutableArrayRef<char> piece(buffer.data(), std::min<uint64_t>(left, buffer.size()));
    llvm::Expected<size_t> got = llvm::sys::fs::readNativeFileSlice(handle, piece, offset);
    if (!got) {
      result = fail(llvm::toString(got.takeError()));
      break;
    }
    if (*got == 0) {
      result = fail("ends " + Twine(left) + " bytes before the weight does");
      break;
    }
    piece = piece.take_front(*got);
    crc = llvm::crc32(crc, ArrayRef(reinterpret_cast<const uint8_t *>(piece.data()), piece.size()));
    append(piece);
    offset += *got;
    left -= *got;
  }
  (void)llvm::sys::fs::closeFile(handle); // it was only read
  if (failed(result))
    return failure();
  std::string digest;
  llvm::raw_string_ostream(digest) << llvm::format_hex_no_prefix(crc, 8);
  if (digest != blob.getDigest().getValue())
    return fail("has changed: the digest of the weight is " + digest + ", expected " + blob.getDigest().getValue());
  return success();
}

static void appendDense(ElementsAttr elements, uint64_t bytes, function_ref<void(ArrayRef<char>)> append) {
  // What is stored as it lies in memory is handed on whole; splats are repeated.
  if (auto dense = dyn_cast<DenseElementsAttr>(elements); dense && !dense.getElementType().isInteger(1)) {
    ArrayRef<char> raw = dense.getRawData();
    if (!dense.isSplat())
      return append(raw);
    std::vector<char> repeated;
    for (uint64_t left = bytes; left > 0;) {
      uint64_t chunk = std::min<uint64_t>(left, (uint64_t(1) << 16) * raw.size());
      while (repeated.size() < chunk)
        repeated.insert(repeated.end(), raw.begin(), raw.end());
      append(ArrayRef<char>(repeated).take_front(chunk));
      left -= chunk;
    }
    return;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return append(blob->getData().take_front(bytes));
  std::vector<char> values;
  for (bool value : elements.getValues<bool>())
    values.push_back(value);
  append(values);
}

LogicalResult relax::readWeight(ModuleOp module, const WeightEntry &weight, StringRef blobDirectory,
                                function_ref<void(ArrayRef<char>)> append) {
  if (auto blob = dyn_cast<graph::WeightBlobAttr>(weight.value))
    return readBlob(module, weight, blob, blobDirectory, append);
  auto elements = cast<ElementsAttr>(weight.value);
  uint64_t written = 0;
  auto count = [&](ArrayRef<char> piece) {
    written += piece.size();
    append(piece);
  };
  bool plain = isa<DenseElementsAttr>(elements) || isa<DenseResourceElementsAttr>(elements);
  if (plain && weight.bytes > 0)
    appendDense(elements, weight.bytes, count);
  if (!plain || written != weight.bytes)
    return emitError(module.getLoc(), "weight '")
           << weight.name << "' has a value of another kind or size than its type " << weight.type;
  return success();
}
