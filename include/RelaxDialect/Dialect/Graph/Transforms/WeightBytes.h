//===- WeightBytes.h - Values of weights at compile time -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_WEIGHTBYTES_H
#define RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_WEIGHTBYTES_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::relax::graph {

/// The bytes of a blob. A relative name belongs to `directory`. Emits an error on `op` when the file does not hold
/// them.
FailureOr<std::unique_ptr<llvm::MemoryBuffer>> readBlob(Operation *op, WeightBlobAttr blob, StringRef directory);

/// Elements of a static tensor whose elements are whole bytes, row-major as in memory.
struct WeightBytes {
  ArrayRef<char> data;
  bool isSplat = false; // `data` is one element
  /// Keeps `data` alive where no attribute does.
  std::unique_ptr<llvm::MemoryBuffer> file;
};

/// The value of a weight or constant: a dense attribute or a blob. Emits an error on `op` when it cannot be read; gives
/// no data for attributes of another kind.
FailureOr<WeightBytes> readWeightBytes(Operation *op, RankedTensorType type, Attribute value, StringRef directory);

/// An attribute with these elements. What is large is no part of the context, which would compare and keep it for ever.
ElementsAttr createElements(RankedTensorType type, StringRef name, function_ref<void(MutableArrayRef<char>)> write);

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_DIALECT_GRAPH_TRANSFORMS_WEIGHTBYTES_H
