//===- PreviewOps.cpp - Operators of ai.onnx.preview ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Attention.h"
#include "Builders.h"
#include "LearningOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphNNOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "Scopes.h"
#include "TensorData.h"
#include <cmath>

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;
using relax_onnx_wire::GraphProto;

/// The only output of a subgraph whose only input is `x`; it has the shape and type of `x`. Without one `x` itself.
static Value modify(NodeEmitter &e, StringRef name, Value x) {
  const GraphProto *graph = e.getGraph(name);
  if (!graph || !x || e.failed())
    return x;
  if (graph->input_size() != 1 || graph->output_size() != 1) {
    e.fail("attribute '" + name + "' has " + Twine(graph->input_size()) + " inputs and " + Twine(graph->output_size()) +
           " outputs, expected one each");
    return {};
  }
  GraphImporter &importer = e.getImporter();
  GraphProto own = instantiate(*graph, importer.makePrefix(e.getSymbolStem()));
  GraphValue input;
  input.tensor = importer.nameExtents(x, e.getSymbolStem(), e.getLoc());
  input.type = cast<RankedTensorType>(input.tensor.getType());
  if (failed(importer.importSubgraph(own, input, e.getLoc()))) {
    e.markFailed();
    return {};
  }
  GraphValue *output = importer.lookUp(own.output(0).name());
  Value result = output ? importer.getTensor(*output, e.getLoc()) : Value();
  if (!result || cast<RankedTensorType>(result.getType()).getRank() != input.type.getRank()) {
    e.fail("the output of attribute '" + name + "' is not defined, or not of rank " + Twine(input.type.getRank()));
    return {};
  }
  return e.cast(checkDims(e, result, sym::getSymbolicDims(input.type)), input.type.getElementType());
}

/// Attention with subgraphs that change the scores and the probabilities.
static void emitFlexAttention(NodeEmitter &e) {
  for (unsigned index : {0, 1, 2})
    if (e.getRank(index) != 4)
      return e.fail("input " + Twine(index) + " has rank " + Twine(e.getRank(index)) + ", expected 4");
  SmallVector<SymExpr> query = e.getDims(0), key = e.getDims(1), value = e.getDims(2);
  Type type = e.getType(0).getElementType();
  if (e.failed() || !isa<FloatType>(type))
    return e.fail("the inputs are no floats");
  Type computed = type.getIntOrFloatBitWidth() < 32 ? e.getF32() : type;
  if (int32_t code = e.getInt("softmax_precision", 0)) {
    computed = getElementType(e.getContext(), code);
    if (!isa_and_present<FloatType>(computed))
      return e.fail("attribute 'softmax_precision' is " + getTypeName(code) + ", expected a floating-point type");
  }
  // Keys and values have one batch, heads and length; queries and keys one batch and size.
  Value keys = checkDims(e, e.getTensor(1), {query[0], key[1], key[2], query[3]});
  Value values = checkDims(e, e.getTensor(2), {query[0], key[1], key[2], value[3]});
  SymExpr repeats = e.constant(1);
  if (query[1] != key[1] && e.getProver().isEqual(query[1], key[1]) != sym::Verdict::True) {
    std::optional<int64_t> heads = key[1].getConstant();
    if (!heads)
      e.getImporter().assume(sym::Fact{e.constant(1), sym::Fact::Op::LessEqual, key[1]});
    repeats = heads && *heads > 0 ? e.divideExactly(query[1], *heads) : SymExpr::floordiv(query[1], key[1]);
    if (!repeats)
      return e.fail("an extent does not fit 64 bits");
  }
  // Each operand takes the root of the scale.
  Value root;
  if (e.hasAttr("scale"))
    root = e.makeScalar(std::sqrt(e.getFloat("scale", 1)), type);
  else
    root = e.cast(e.create<graph::RsqrtOp>(e.create<graph::SqrtOp>(e.dimScalar(query[3], e.getF32()))), type);
  SmallVector<SymExpr> scoreDims = {query[0], query[1], query[2], key[2]};
  Value scores = multiplyGrouped(e, e.multiply(e.getTensor(0), root), e.permute(e.multiply(keys, root), {0, 1, 3, 2}),
                                 repeats, scoreDims);
  scores = modify(e, "score_mod", e.cast(scores, computed));
  Value weights = modify(e, "prob_mod", e.create<graph::SoftmaxOp>(scores, e.attr("axis", int64_t(3))));
  SmallVector<SymExpr> resultDims = {query[0], query[1], query[2], value[3]};
  Value result = multiplyGrouped(e, weights, e.cast(values, computed), repeats, resultDims);
  e.setResult(0, e.cast(result, e.getType(2).getElementType()));
}

ArrayRef<OpEntry> mlir::relax::onnx::getPreviewOps() {
  static constexpr OpEntry entries[] = {{"FlexAttention", 1, 3, 3, 1, emitFlexAttention}};
  return entries;
}
