//===- ModelWeights.cpp - Tensors of a GGUF file as weights ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ModelBuilder.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphAttrs.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphBlockOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::gguf;

/// Values of at most so many bytes are written into the module.
static constexpr uint64_t kMaxInlineBytes = 256;

Attribute ModelBuilder::getValue(const StoredTensor &tensor, uint64_t start, uint64_t size, RankedTensorType type) {
  StringRef bytes = file.getBytes(tensor).substr(start, size);
  if (bytes.empty())
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());
  if (bytes.size() <= kMaxInlineBytes)
    return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(bytes.data(), bytes.size()));
  uint32_t digest = llvm::crc32(ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format_hex_no_prefix(digest, 8);
  return graph::WeightBlobAttr::get(context, builder.getStringAttr(file.getPath()),
                                    static_cast<int64_t>(tensor.offset + start), static_cast<int64_t>(size),
                                    builder.getStringAttr(text));
}

Value ModelBuilder::getWeight(const Twine &name, std::optional<Rows> rows) {
  std::string text = name.str();
  const StoredTensor &tensor = *file.findTensor(text);
  // The file has the dimension of neighbours first.
  SmallVector<int64_t> dims(llvm::reverse(tensor.dims));
  uint64_t start = 0, size = tensor.bytes;
  if (rows) {
    // Rows follow each other, each is a number of whole blocks.
    uint64_t rowBytes = tensor.bytes / static_cast<uint64_t>(llvm::product_of(ArrayRef(dims).drop_back()));
    start = rowBytes * static_cast<uint64_t>(rows->first);
    size = rowBytes * static_cast<uint64_t>(rows->count);
    dims = {rows->count, dims.back()};
    text += "." + std::to_string(rows->first);
  }
  Type element = builder.getF32Type();
  if (std::optional<graph::BlockFormat> format = graph::BlockFormat::parse(tensor.format->name)) {
    dims.back() /= format->numbers;
    dims.push_back(format->bytes);
    element = builder.getI8Type();
  }
  auto type = RankedTensorType::get(dims, element);
  if (!module->lookupSymbol(text)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(function);
    graph::WeightDataOp::create(builder, loc, text, type, getValue(tensor, start, size, type));
  }
  return make<graph::WeightOp>(type, FlatSymbolRefAttr::get(context, text));
}

Value ModelBuilder::createLinear(Value x, const Twine &name, std::optional<Rows> rows) {
  std::string text = name.str();
  Value weight = getWeight(text + ".weight", rows);
  StringRef format = file.findTensor(text + ".weight")->format->name;
  Value result = format == "f32" ? make<graph::MatmulOp>(x, permute(weight, {1, 0}))
                                 : make<graph::BlockMatmulOp>(x, weight, builder.getStringAttr(format));
  return !rows && has(text + ".bias") ? make<graph::AddOp>(result, getWeight(text + ".bias")) : result;
}

Value ModelBuilder::createNorm(Value x, const Twine &name) {
  int64_t last = cast<RankedTensorType>(x.getType()).getRank() - 1;
  return make<graph::RMSNormOp>(x, getWeight(name), builder.getDenseI64ArrayAttr(last),
                                builder.getF64FloatAttr(config.epsilon));
}
