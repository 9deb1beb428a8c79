//===- Builders.h - Ops with several results or optional operands -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What NodeEmitter::create does not: ops with several results, with optional
// operands, and ops that find extents while they run. As there, nothing is made
// after an error.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_BUILDERS_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_BUILDERS_H

#include "NodeEmitter.h"

namespace mlir::relax::onnx {

NamedAttribute unitAttr(NodeEmitter &e, StringRef name);
NamedAttribute stringAttr(NodeEmitter &e, StringRef name, StringRef value);
NamedAttribute doubleAttr(NodeEmitter &e, StringRef name, double value);
NamedAttribute exprsAttr(NodeEmitter &e, StringRef name, ArrayRef<sym::SymExpr> exprs);
/// One new symbol for each of `count` extents that an op finds.
NamedAttribute bindsAttr(NodeEmitter &e, unsigned count);
/// The symbols of a `binds` attribute as expressions.
SmallVector<sym::SymExpr> getBound(NodeEmitter &e, NamedAttribute binds);

/// All results of an op; `count` null values after an error.
template <typename OpTy>
SmallVector<Value> createAll(NodeEmitter &e, unsigned count, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes = {}) {
  Value first = e.create<OpTy>(operands, attributes);
  if (!first)
    return SmallVector<Value>(count);
  return llvm::to_vector_of<Value>(first.getDefiningOp()->getResults());
}

/// Results of an op whose operands are each there or not (null).
template <typename OpTy>
SmallVector<Value> createSegmented(NodeEmitter &e, unsigned count, ArrayRef<Value> operands,
                                   SmallVector<NamedAttribute> attributes = {}) {
  if (e.failed())
    return SmallVector<Value>(count);
  SmallVector<Value> present;
  SmallVector<int32_t> sizes;
  for (Value operand : operands) {
    sizes.push_back(operand ? 1 : 0);
    if (operand)
      present.push_back(operand);
  }
  attributes.push_back(e.attr("operandSegmentSizes", DenseI32ArrayAttr::get(e.getContext(), sizes)));
  return createAll<OpTy>(e, count, present, attributes);
}

/// An op that binds the extents it finds; later shapes may use them.
template <typename OpTy>
Value createBinder(NodeEmitter &e, unsigned count, ValueRange operands, SmallVector<NamedAttribute> attributes = {}) {
  attributes.push_back(bindsAttr(e, count));
  Value result = e.create<OpTy>(operands, attributes);
  if (result)
    e.getImporter().addProviders(result);
  return result;
}

/// A shape value for the symbols of `exprs` that the type of `x` does not show; null when it shows all of them.
Value showSymbols(NodeEmitter &e, Value x, ArrayRef<sym::SymExpr> exprs);

/// Indices counted from the end where they are negative. `extents` has one entry, or one per entry of the last
/// dimension.
Value wrapIndices(NodeEmitter &e, Value indices, ArrayRef<sym::SymExpr> extents);

/// The same tensor with other extents, which run time checks unless they are proved.
Value checkDims(NodeEmitter &e, Value x, ArrayRef<sym::SymExpr> dims);

/// Run time checks the fact, unless it is proved, and gives `message` with the values of its symbols. Nothing happens
/// after an error; a fact that is never true is one.
void assertFact(NodeEmitter &e, const sym::Fact &fact, const Twine &message);

/// A tensor of floats with the fraction of every number cut down to what `type` holds, still in the type it has.
Value roundTo(NodeEmitter &e, Value x, Type type);

/// Entry `index` of a vector as a scalar.
Value pickEntry(NodeEmitter &e, Value vector, int64_t index);

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_BUILDERS_H
