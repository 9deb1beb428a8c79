//===- ModelFile.cpp - An ONNX file in memory -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ModelFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

// The system's protobuf headers are not written for our warning set.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#endif
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#ifdef __clang__
#pragma clang diagnostic pop
#endif

using namespace mlir;
using namespace mlir::relax::onnx;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

namespace {

/// The messages that are rewritten, and how each of their fields is.
enum class Message { Model, Function, Graph, Node, Attribute, Tensor, Sparse };

/// PackedBytes: little-endian numbers of a fixed width, which are raw bytes too.
enum class Action { Drop, Copy, Descend, RawBytes, PackedBytes };

struct FieldRule {
  Action action = Action::Drop;
  Message child = Message::Model;
};

/// Field numbers of TensorProto that stand for raw_data after the rewriting; see ONNXSubset.proto.
constexpr unsigned kRawOffsetField = 1000, kRawSizeField = 1001, kPackedFieldField = 1002;
/// Shorter packed fields are left to protobuf.
constexpr int kMinPackedBytes = 4096;

/// What is not listed is dropped: doc strings, and fields that a file has no right to use.
FieldRule getRule(Message message, int field) {
  auto copyIf = [&](ArrayRef<int> fields) {
    return FieldRule{llvm::is_contained(fields, field) ? Action::Copy : Action::Drop};
  };
  switch (message) {
  case Message::Model:
    if (field == 7)
      return {Action::Descend, Message::Graph};
    if (field == 25)
      return {Action::Descend, Message::Function};
    return copyIf({1, 8});
  case Message::Function:
    if (field == 7)
      return {Action::Descend, Message::Node};
    if (field == 11)
      return {Action::Descend, Message::Attribute};
    return copyIf({1, 4, 5, 9, 10});
  case Message::Graph:
    if (field == 1)
      return {Action::Descend, Message::Node};
    if (field == 5)
      return {Action::Descend, Message::Tensor};
    if (field == 15)
      return {Action::Descend, Message::Sparse};
    return copyIf({2, 11, 12, 13});
  case Message::Node:
    if (field == 5)
      return {Action::Descend, Message::Attribute};
    return copyIf({1, 2, 3, 4, 7});
  case Message::Attribute:
    if (field == 5)
      return {Action::Descend, Message::Tensor};
    if (field == 6)
      return {Action::Descend, Message::Graph};
    return copyIf({1, 2, 3, 4, 7, 8, 9, 20, 21});
  case Message::Tensor:
    if (field == 9)
      return {Action::RawBytes};
    if (field == 4 || field == 10)
      return {Action::PackedBytes};
    return copyIf({1, 2, 5, 7, 8, 11, 13, 14});
  case Message::Sparse:
    return {};
  }
  return {};
}

void appendVarint(std::string &out, uint64_t value) {
  uint8_t bytes[10];
  uint8_t *end = CodedOutputStream::WriteVarint64ToArray(value, bytes);
  out.append(reinterpret_cast<const char *>(bytes), end - bytes);
}

void appendTag(std::string &out, unsigned field, WireFormatLite::WireType type) {
  appendVarint(out, WireFormatLite::MakeTag(field, type));
}

/// Messages within messages, where only subgraphs of nodes repeat: less than what protobuf's own parser allows.
constexpr unsigned kMaxNesting = 60;

/// Rewrites one message, up to the limit of `in`, to `out`. `file` is where `in` reads. `nesting` bounds the recursion.
bool rewriteMessage(Message message, StringRef file, CodedInputStream &in, std::string &out, unsigned nesting = 0) {
  if (nesting > kMaxNesting)
    return false;
  while (true) {
    int start = in.CurrentPosition();
    uint32_t tag = in.ReadTag();
    if (tag == 0)
      return in.ConsumedEntireMessage();
    int field = WireFormatLite::GetTagFieldNumber(tag);
    FieldRule rule = getRule(message, field);
    bool delimited = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    bool isPacked = rule.action == Action::PackedBytes;
    if (rule.action == Action::Copy || rule.action == Action::Drop || !delimited) {
      if (!WireFormatLite::SkipField(&in, tag))
        return false;
      if (rule.action == Action::Copy || isPacked)
        out.append(file.data() + start, in.CurrentPosition() - start);
      continue;
    }
    int size = 0;
    if (!in.ReadVarintSizeAsInt(&size) || size > static_cast<int>(file.size()) - in.CurrentPosition())
      return false;
    if (isPacked && size < kMinPackedBytes) {
      if (!in.Skip(size))
        return false;
      out.append(file.data() + start, in.CurrentPosition() - start);
      continue;
    }
    if (rule.action == Action::RawBytes || isPacked) {
      if (isPacked) {
        appendTag(out, kPackedFieldField, WireFormatLite::WIRETYPE_VARINT);
        appendVarint(out, field);
      }
      appendTag(out, kRawOffsetField, WireFormatLite::WIRETYPE_VARINT);
      appendVarint(out, in.CurrentPosition());
      appendTag(out, kRawSizeField, WireFormatLite::WIRETYPE_VARINT);
      appendVarint(out, size);
      if (!in.Skip(size))
        return false;
      continue;
    }
    std::string child;
    CodedInputStream::Limit limit = in.PushLimit(size);
    if (!rewriteMessage(rule.child, file, in, child, nesting + 1))
      return false;
    in.PopLimit(limit);
    appendTag(out, field, WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
    appendVarint(out, child.size());
    out += child;
  }
}

/// Opens an existing regular file without copying it.
std::unique_ptr<llvm::MemoryBuffer> mapFile(StringRef path, std::string &error) {
  llvm::sys::fs::file_status status;
  std::error_code code = llvm::sys::fs::status(path, status);
  if (!code && status.type() != llvm::sys::fs::file_type::regular_file) {
    error = "not a regular file";
    return nullptr;
  }
  if (!code) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (buffer)
      return std::move(*buffer);
    code = buffer.getError();
  }
  error = code.message();
  return nullptr;
}

/// Folder of `path`, "." when it has none.
std::string getFolder(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder.str();
}

/// The real file lies in `folder` or below.
bool isInside(StringRef file, StringRef folder) {
  SmallString<256> real;
  if (llvm::sys::fs::real_path(folder, real))
    return false;
  return file.consume_front(real) && (file.empty() || file.starts_with("/") || real.ends_with("/"));
}

} // namespace

std::string mlir::relax::onnx::printable(StringRef text) {
  constexpr size_t kMaxLength = 200;
  std::string result;
  for (char c : text.take_front(kMaxLength))
    result += llvm::isPrint(c) ? c : '?';
  if (text.size() > kMaxLength)
    result += "...";
  return result;
}

std::unique_ptr<ModelFile> ModelFile::open(StringRef path, std::string &error) {
  auto file = std::make_unique<ModelFile>();
  file->path = path.str();
  file->buffer = mapFile(path, error);
  if (!file->buffer) {
    error = "cannot read the model: " + error;
    return nullptr;
  }
  StringRef bytes = file->buffer->getBuffer();
  if (bytes.size() > INT32_MAX) {
    error = ("the file has " + Twine(bytes.size()) +
             " bytes: a protobuf message has less than 2 GiB, more weights belong into external data")
                .str();
    return nullptr;
  }
  CodedInputStream in(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  std::string slim;
  if (!rewriteMessage(Message::Model, bytes, in, slim)) {
    error = ("not an ONNX model: truncated or malformed near byte " + Twine(in.CurrentPosition()) + " of " +
             Twine(bytes.size()))
                .str();
    return nullptr;
  }
  if (!file->model.ParseFromString(slim)) {
    error = "not an ONNX model: a field does not decode";
    return nullptr;
  }
  if (!file->model.has_graph()) {
    error = "not an ONNX model: the file has no graph";
    return nullptr;
  }
  return file;
}

std::string ModelFile::getDataPath(StringRef location) const {
  if (location.empty())
    return path;
  StringRef folder = llvm::sys::path::parent_path(path);
  SmallString<256> joined(folder);
  llvm::sys::path::append(joined, location);
  return std::string(joined);
}

const llvm::MemoryBuffer *ModelFile::getData(StringRef location, std::string &error) {
  if (location.empty())
    return buffer.get();
  auto known = external.find(location);
  if (known != external.end())
    return known->second.get();
  // A location is a relative path below the model's folder; links may not lead out of it either. A model that is itself
  // a link (a download cache) may have its data beside the file that it points to.
  bool confined = location.find('\0') == StringRef::npos && !llvm::sys::path::is_absolute(location);
  for (StringRef part : llvm::make_range(llvm::sys::path::begin(location), llvm::sys::path::end(location)))
    confined &= part != "..";
  if (!confined) {
    error = "the location must be a relative path inside the model's folder";
    return nullptr;
  }
  std::string full = getDataPath(location);
  SmallString<256> realFile, realModel;
  if (std::error_code code = llvm::sys::fs::real_path(full, realFile)) {
    error = code.message();
    return nullptr;
  }
  if (llvm::sys::fs::real_path(path, realModel) ||
      (!isInside(realFile, getFolder(path)) && !isInside(realFile, getFolder(realModel)))) {
    error = "the location leads out of the model's folder";
    return nullptr;
  }
  std::unique_ptr<llvm::MemoryBuffer> data = mapFile(full, error);
  if (!data)
    return nullptr;
  return (external[location] = std::move(data)).get();
}

std::optional<uint32_t> ModelFile::getDigest(StringRef location, int64_t offset, int64_t size,
                                             std::string &error) const {
  constexpr int64_t kPiece = int64_t(16) << 20;
  uint32_t digest = 0;
  for (int64_t end = offset + size; offset < end; offset += kPiece) {
    auto piece = llvm::MemoryBuffer::getFileSlice(getDataPath(location), std::min(kPiece, end - offset), offset);
    if (!piece) {
      error = "cannot be read: " + piece.getError().message();
      return std::nullopt;
    }
    StringRef bytes = (*piece)->getBuffer();
    digest = llvm::crc32(digest, ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  }
  return digest;
}
