//===- WeightsSection.h - Weight bytes of a module -------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_WEIGHTSSECTION_H
#define RELAXDIALECT_LIB_TARGET_WEIGHTSSECTION_H

#include "RelaxDialect/Dialect/Graph/IR/GraphAttrs.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::relax {

/// One weight and its place in the section.
struct WeightEntry {
  StringRef name;
  RankedTensorType type;
  Attribute value; // dense elements or a blob
  uint64_t offset = 0, bytes = 0;
};

/// The table `relax.weights`, in order of offset; entries neither overlap nor run past 2^62.
FailureOr<SmallVector<WeightEntry>> getWeights(ModuleOp module);

/// Hands the bytes of one weight to `append`, piece by piece. A blob is streamed from its file; a file that is missing
/// or does not match its digest is an error.
LogicalResult readWeight(ModuleOp module, const WeightEntry &weight, StringRef blobDirectory,
                         function_ref<void(ArrayRef<char>)> append);

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TARGET_WEIGHTSSECTION_H
