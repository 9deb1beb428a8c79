//===- WeightsToConstants.cpp - Weights for other compilers ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_WEIGHTSTOCONSTANTSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

/// The elements of a blob. Emits an error when the file does not hold them.
static FailureOr<ElementsAttr> readBlob(graph::WeightDataOp data, graph::WeightBlobAttr blob, StringRef directory) {
  SmallString<128> path(blob.getFile().getValue());
  if (!llvm::sys::path::is_absolute(path) && !directory.empty()) {
    path = directory;
    llvm::sys::path::append(path, blob.getFile().getValue());
  }
  auto fail = [&](const Twine &reason) { return data.emitOpError("cannot read '") << path << "': " << reason; };
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

  RankedTensorType type = data.getTensorType();
  if (type.getElementType().isInteger(1)) {
    auto values = llvm::map_to_vector(bytes, [](char byte) { return byte != 0; });
    return cast<ElementsAttr>(DenseElementsAttr::get(type, values));
  }
  ArrayRef<char> raw(bytes.data(), bytes.size());
  bool splat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, raw, splat))
    return fail("it has " + Twine(raw.size()) + " bytes, which do not fit the type");
  return cast<ElementsAttr>(DenseElementsAttr::getFromRawBuffer(type, raw));
}

namespace {
struct WeightsToConstantsPass final : relax::impl::WeightsToConstantsPassBase<WeightsToConstantsPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::StringMap<ElementsAttr> values;
    SmallVector<graph::WeightDataOp> weights(getOperation().getOps<graph::WeightDataOp>());
    for (graph::WeightDataOp data : weights) {
      if (auto blob = dyn_cast<graph::WeightBlobAttr>(data.getValue())) {
        FailureOr<ElementsAttr> elements = readBlob(data, blob, blobDirectory);
        if (failed(elements))
          return signalPassFailure();
        values[data.getSymName()] = *elements;
      } else {
        values[data.getSymName()] = cast<ElementsAttr>(data.getValue());
      }
    }
    getOperation().walk([&](Operation *op) {
      ElementsAttr value;
      if (auto weight = dyn_cast<graph::WeightOp>(op))
        value = values.lookup(weight.getName());
      else if (auto constant = dyn_cast<graph::ConstantOp>(op))
        value = constant.getValue();
      if (!value)
        return;
      OpBuilder builder(op);
      op->replaceAllUsesWith(arith::ConstantOp::create(builder, op->getLoc(), value));
      op->erase();
    });
    for (graph::WeightDataOp data : weights)
      data.erase();
  }
};
} // namespace
