//===- OpTable.cpp - Which operators are understood -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpTable.h"
#include "ContribOps.h"
#include "LearningOps.h"
#include "PoolOps.h"

using namespace mlir;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

using Table = llvm::StringMap<const OpEntry *>;

static Table makeTable(ArrayRef<ArrayRef<OpEntry>> families) {
  Table entries;
  for (ArrayRef<OpEntry> family : families)
    for (const OpEntry &entry : family)
      entries[entry.type] = &entry;
  return entries;
}

static const OpEntry *findOp(StringRef domain, StringRef type) {
  static const Table standard = makeTable(
      {getElementwiseOps(), getActivationOps(),   getReductionOps(),       getLinearAlgebraOps(), getNormalizationOps(),
       getShapeOps(),       getManipulationOps(), getSliceOps(),           getIndexOps(),         getPositionOps(),
       getAttentionOps(),   getLossOps(),         getControlFlowOps(),     getComposedOps(),      getEinsumOps(),
       getSignalOps(),      getGridOps(),         getCacheOps(),           getPoolOps(),          getSearchOps(),
       getScatterOps(),     getPadOps(),          getRecurrentOps(),       getQuantizationOps(),  getResizeOps(),
       getRandomOps(),      getDetectionOps(),    getLinearAttentionOps(), getDeformConvOps(),    getDeterminantOps()});
  static const Table contrib = makeTable({getContribOps(), getContribAttentionOps(), getContribQuantizationOps()});
  static const Table learning = makeTable({getLearningOps()}), preview = makeTable({getPreviewOps()});
  // onnxruntime's exporters write this one into the standard domain.
  if (domain == "com.microsoft" || type == "SimplifiedLayerNormalization")
    return contrib.lookup(type);
  if (domain == "ai.onnx.ml")
    return learning.lookup(type);
  if (domain == "ai.onnx.preview")
    return preview.lookup(type);
  return domain.empty() || domain == "ai.onnx" ? standard.lookup(type) : nullptr;
}

/// Checks the counts of inputs and outputs, and that each named input is defined.
static bool checkSignature(NodeEmitter &e, const OpEntry &entry) {
  unsigned count = e.getNumInputs();
  if (count < entry.minInputs || count > entry.maxInputs) {
    e.fail("has " + Twine(count) + " inputs, expected " +
           (entry.maxInputs >= kVariadicOptional ? "at least " + Twine(entry.minInputs)
            : entry.minInputs == entry.maxInputs ? Twine(entry.minInputs)
                                                 : Twine(entry.minInputs) + " to " + Twine(entry.maxInputs)));
    return false;
  }
  for (unsigned index = 0; index < count; ++index) {
    if (e.has(index))
      e.getType(index);
    else if (index < entry.minInputs || entry.maxInputs == kVariadic)
      e.fail("required input " + Twine(index) + " is missing");
  }
  for (unsigned index = entry.maxOutputs, end = e.getNode().output_size(); index < end; ++index)
    if (e.wants(index))
      e.fail("output " + Twine(index) + " is not supported");
  return !e.failed();
}

/// The tensor can be made from the elements alone when it is needed: constants, or shape entries, which are never
/// negative.
static bool isComplete(NodeEmitter &e, const KnownElements &known) {
  // Extents are never negative, whether that is proved or not.
  if (e.getOpType() == "Shape")
    return llvm::all_of(known.elements, [](SymExpr element) { return !!element; });
  return llvm::all_of(known.elements, [&](SymExpr element) {
    return element && (element.getConstant() || e.getProver().lowerBound(element).value_or(-1) >= 0);
  });
}

void mlir::relax::onnx::emitNode(NodeEmitter &e) {
  StringRef domain = e.getNode().domain();
  const OpEntry *entry = findOp(domain, e.getOpType());
  if (!entry)
    return e.fail("unsupported operator");
  if (e.getOpset() < entry->since)
    return e.fail("the operator does not exist before opset " + Twine(entry->since));
  if (!checkSignature(e, *entry))
    return;
  // Says which buffers may be reused.
  if (e.getOpset() < 6 && (domain.empty() || domain == "ai.onnx"))
    e.ignoreAttr("consumed_inputs");
  SmallVector<std::optional<KnownElements>> known;
  bool isStandard = domain.empty() || domain == "ai.onnx";
  if (isStandard)
    known = followElements(e);
  bool complete = !known.empty() && llvm::all_of(known, [&](const std::optional<KnownElements> &result) {
    return result && isComplete(e, *result);
  });
  if (!complete)
    entry->emit(e);
  for (auto [index, result] : llvm::enumerate(known)) {
    if (complete)
      e.setElements(index, result->elements, result->type);
    else if (result && llvm::any_of(result->elements, [](SymExpr element) { return !!element; }))
      e.addElements(index, result->elements);
  }
  if (!e.failed() && isStandard)
    if (std::optional<sym::Fact> fact = followFact(e))
      if (GraphValue *value = e.wants(0) ? e.getImporter().lookUp(e.getNode().output(0)) : nullptr)
        value->fact = fact;
  if (!e.failed())
    e.checkAttrs();
  for (int index = 0, end = e.getNode().output_size(); !e.failed() && index < end; ++index)
    if (e.wants(index) && !e.getImporter().lookUp(e.getNode().output(index)))
      e.fail("output " + Twine(index) + " is not supported");
}
