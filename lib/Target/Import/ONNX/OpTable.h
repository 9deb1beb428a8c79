//===- OpTable.h - Which operators are understood --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_OPTABLE_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_OPTABLE_H

#include "NodeEmitter.h"

namespace mlir::relax::onnx {

/// Opsets of the standard domain that are understood.
inline constexpr int64_t kMinOpset = 1, kMaxOpset = 28;
/// Any number of inputs.
inline constexpr unsigned kVariadic = ~0u;
/// The same where inputs may be missing.
inline constexpr unsigned kVariadicOptional = kVariadic - 1;

/// One operator of the standard domain. `emit` is called with the required inputs there.
struct OpEntry {
  StringLiteral type;
  int64_t since; // first opset that has the operator
  unsigned minInputs, maxInputs, maxOutputs;
  void (*emit)(NodeEmitter &);
};

/// The families, each in its file.
ArrayRef<OpEntry> getElementwiseOps();
ArrayRef<OpEntry> getActivationOps();
ArrayRef<OpEntry> getReductionOps();
ArrayRef<OpEntry> getLinearAlgebraOps();
ArrayRef<OpEntry> getNormalizationOps();
ArrayRef<OpEntry> getShapeOps();
ArrayRef<OpEntry> getManipulationOps();
ArrayRef<OpEntry> getSliceOps();
ArrayRef<OpEntry> getIndexOps();
ArrayRef<OpEntry> getPositionOps();
ArrayRef<OpEntry> getAttentionOps();
ArrayRef<OpEntry> getLossOps();
ArrayRef<OpEntry> getControlFlowOps();
ArrayRef<OpEntry> getComposedOps();
ArrayRef<OpEntry> getEinsumOps();
ArrayRef<OpEntry> getSignalOps();
ArrayRef<OpEntry> getGridOps();
ArrayRef<OpEntry> getCacheOps();
ArrayRef<OpEntry> getSearchOps();
ArrayRef<OpEntry> getScatterOps();
ArrayRef<OpEntry> getPadOps();
ArrayRef<OpEntry> getRecurrentOps();
ArrayRef<OpEntry> getQuantizationOps();
ArrayRef<OpEntry> getResizeOps();
ArrayRef<OpEntry> getRandomOps();
ArrayRef<OpEntry> getDetectionOps();
ArrayRef<OpEntry> getLinearAttentionOps();

/// Imports one node; failures are reported by the emitter.
void emitNode(NodeEmitter &emitter);

/// What is known of the elements of a node's integer results, one per output; nullopt where nothing is.
struct KnownElements {
  RankedTensorType type;
  Elements elements;
};
SmallVector<std::optional<KnownElements>> followElements(NodeEmitter &emitter);
/// What the result of a comparison of two elements says about extents.
std::optional<sym::Fact> followFact(NodeEmitter &emitter);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_OPTABLE_H
