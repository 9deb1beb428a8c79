//===- WeightOps.cpp - Meaning of weights and constants -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;

static FailureOr<Tensor> readBlob(Frame &frame, RankedTensorType type, WeightBlobAttr blob) {
  SmallString<128> path(blob.getFile().getValue());
  if (!llvm::sys::path::is_absolute(path) && !frame.interpreter.getOptions().blobDirectory.empty()) {
    path = frame.interpreter.getOptions().blobDirectory;
    llvm::sys::path::append(path, blob.getFile().getValue());
  }
  FailureOr<Tensor> result = frame.makeTensor(type.getElementType(), type.getShape());
  if (failed(result) || blob.getBytes() == 0)
    return result;
  auto file = llvm::MemoryBuffer::getFileSlice(path, blob.getBytes(), blob.getOffset());
  if (!file)
    return frame.fail("file '" + path + "': " + file.getError().message());
  if (static_cast<int64_t>((*file)->getBufferSize()) != blob.getBytes())
    return frame.fail("file '" + path + "' ends before the weight does");
  auto *bytes = reinterpret_cast<const uint8_t *>((*file)->getBufferStart());
  std::string digest;
  llvm::raw_string_ostream(digest) << llvm::format_hex_no_prefix(llvm::crc32(ArrayRef<uint8_t>(bytes, blob.getBytes())),
                                                                 8);
  if (digest != blob.getDigest().getValue())
    return frame.fail("file '" + path + "' has changed: the digest of the weight is " + digest + ", expected " +
                      blob.getDigest().getValue());
  readBytes(bytes, *result);
  return result;
}

static FailureOr<Tensor> interpretWeight(Frame &frame, WeightOp op) {
  auto data = dyn_cast_or_null<WeightDataOp>(frame.interpreter.lookup(op.getName()));
  if (!data)
    return frame.fail("'" + op.getName() + "' is not a 'relax.weight_data'");
  if (auto blob = dyn_cast<WeightBlobAttr>(data.getValue()))
    return readBlob(frame, data.getTensorType(), blob);
  FailureOr<Tensor> value = readElements(cast<ElementsAttr>(data.getValue()));
  if (failed(value))
    return frame.fail("the value of '" + op.getName() + "' cannot be read");
  return value;
}

static FailureOr<Tensor> interpretConstant(Frame &frame, ConstantOp op) {
  FailureOr<Tensor> value = readElements(op.getValue());
  if (failed(value))
    return frame.fail("the value cannot be read");
  return value;
}

void interp::registerWeightOps(OpTable &table) {
  table.add(interpretWeight);
  table.add(interpretConstant);
}
