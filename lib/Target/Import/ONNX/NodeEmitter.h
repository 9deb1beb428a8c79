//===- NodeEmitter.h - What a node's import works with ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Errors stick: the first one is reported with the node's name, after it every
// value is null, every attribute its default, and every function here accepts
// that. An op's import is therefore straight code without checks between steps.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_NODEEMITTER_H
#define RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_NODEEMITTER_H

#include "GraphImporter.h"

namespace mlir::relax::onnx {

class NodeEmitter {
public:
  NodeEmitter(GraphImporter &importer, const relax_onnx_wire::NodeProto &node, int64_t opset);

  //===- Errors -------------------------------------------------------------===//

  bool failed() const { return hasFailed; }
  /// Reports "node 'name' (Type, domain, opset N): message" once; further messages are dropped.
  void fail(const Twine &message);
  /// An error was reported elsewhere.
  void markFailed() { hasFailed = true; }

  //===- The node -----------------------------------------------------------===//

  int64_t getOpset() const { return opset; }
  StringRef getOpType() const { return node.op_type(); }
  Location getLoc() const { return loc; }
  MLIRContext *getContext() const { return importer.getContext(); }
  GraphImporter &getImporter() { return importer; }
  sym::Prover &getProver() { return importer.getProver(); }
  const relax_onnx_wire::NodeProto &getNode() const { return node; }

  unsigned getNumInputs() const { return node.input_size(); }
  /// Input `index` is there: optional inputs are missing or have an empty name.
  bool has(unsigned index) const { return index < getNumInputs() && !node.input(index).empty(); }
  /// Output `index` is there.
  bool wants(unsigned index) const {
    return index < static_cast<unsigned>(node.output_size()) && !node.output(index).empty();
  }
  RankedTensorType getType(unsigned index);
  SmallVector<sym::SymExpr> getDims(unsigned index) { return sym::getSymbolicDims(getType(index)); }
  int64_t getRank(unsigned index) { return getType(index).getRank(); }
  /// The input as a tensor.
  Value getTensor(unsigned index);
  /// Elements of an integer input of rank 0 or 1 with a static, small length; null entries where unknown.
  std::optional<Elements> getElements(unsigned index);
  /// All elements of an integer input when they are constants.
  std::optional<SmallVector<int64_t>> getIntegers(unsigned index);
  /// Like getIntegers; anything else is an error that calls the input `what`.
  SmallVector<int64_t> requireIntegers(unsigned index, StringRef what);

  /// The same for bounds of a slice: the lowest integer, whose negative does not fit, counts as the next one.
  std::optional<Elements> getBounds(unsigned index);
  std::optional<SmallVector<int64_t>> getConstantBounds(unsigned index);
  sym::SymExpr makeBound(int64_t value);
  /// Elements of a 1-D integer input that are extents: what is unknown becomes a new symbol with the run-time value,
  /// which must not be negative.
  Elements requireExtents(unsigned index, StringRef what);
  /// The same for an integer scalar or a vector of one element.
  sym::SymExpr requireExtent(unsigned index, StringRef what);
  /// What a bool input of one element says about extents, if anything.
  std::optional<sym::Fact> getFact(unsigned index);
  /// The value of a constant input, null when it is none or a large one.
  DenseElementsAttr getDense(unsigned index);

  //===- Attributes ---------------------------------------------------------===//
  // Reading an attribute marks it as understood; one that stays unread is an error.

  bool hasAttr(StringRef name);
  int64_t getInt(StringRef name, int64_t absent);
  float getFloat(StringRef name, float absent);
  std::string getString(StringRef name, StringRef absent);
  SmallVector<int64_t> getInts(StringRef name);
  SmallVector<float> getFloats(StringRef name);
  SmallVector<std::string> getStrings(StringRef name);
  const relax_onnx_wire::TensorProto *getTensorAttr(StringRef name);
  const relax_onnx_wire::GraphProto *getGraph(StringRef name);
  /// The attribute holds nothing that matters here.
  void ignoreAttr(StringRef name) { findAttr(name); }
  /// Reports the first attribute that was not read.
  void checkAttrs();

  //===- Results ------------------------------------------------------------===//

  void setResult(unsigned index, Value value);
  /// The result is known element by element; a tensor is made from them when one is needed.
  void setElements(unsigned index, Elements elements, RankedTensorType type);
  /// Adds what is known of the elements to a result that has a tensor.
  void addElements(unsigned index, Elements elements);
  /// The result is a constant.
  void setConstant(unsigned index, Attribute value, RankedTensorType type);

  //===- Building -----------------------------------------------------------===//
  // Null operands give null.

  NamedAttribute attr(StringRef name, Attribute value);
  NamedAttribute attr(StringRef name, int64_t value);
  NamedAttribute attr(StringRef name, ArrayRef<int64_t> values);
  Type getI1() { return IntegerType::get(getContext(), 1); }
  Type getI64() { return IntegerType::get(getContext(), 64); }
  Type getF32() { return Float32Type::get(getContext()); }

  /// Makes an op of one result whose type is inferred; an error of its inference or verifier is the node's error.
  template <typename OpTy> Value create(ValueRange operands, ArrayRef<NamedAttribute> attributes = {}) {
    if (failed() || llvm::is_contained(operands, Value()))
      return {};
    OperationState state(loc, OpTy::getOperationName());
    state.addOperands(operands);
    state.addAttributes(attributes);
    return finish(state, [&](DictionaryAttr dictionary, SmallVectorImpl<Type> &types) {
      auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
      auto emitError = [&] { return mlir::emitError(loc); };
      if (mlir::failed(OpTy::setPropertiesFromAttr(properties, dictionary, emitError)))
        return failure();
      return OpTy::inferReturnTypes(getContext(), loc, operands, dictionary, state.getRawProperties(), {}, types);
    });
  }

  /// A constant of rank 0 and `type`'s element type.
  Value makeScalar(double value, Type elementType);
  Value makeScalarLike(double value, Value like);
  Value makeConstant(DenseElementsAttr value);
  Value makeIntegers(ArrayRef<int64_t> values);
  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value divide(Value a, Value b);
  Value cast(Value value, Type elementType);
  Value select(Value condition, Value a, Value b);
  Value reduceSum(Value value, ArrayRef<int64_t> axes, bool keepdims);
  Value reduceProd(Value value, ArrayRef<int64_t> axes, bool keepdims);
  Value reduceMax(Value value, ArrayRef<int64_t> axes, bool keepdims);
  Value reduceMin(Value value, ArrayRef<int64_t> axes, bool keepdims);
  Value reduceMean(Value value, ArrayRef<int64_t> axes, bool keepdims);
  Value expandDims(Value value, ArrayRef<int64_t> axes);
  Value squeeze(Value value, ArrayRef<int64_t> axes);
  Value permute(Value value, ArrayRef<int64_t> permutation);
  /// No op when the extents are the same expressions.
  Value reshape(Value value, ArrayRef<sym::SymExpr> dims);
  Value broadcastTo(Value value, ArrayRef<sym::SymExpr> dims);
  Value concat(ArrayRef<Value> values, int64_t axis);
  /// A part along one axis: bounds are clamped, see relax.slice.
  struct Range {
    int64_t axis;
    sym::SymExpr start, end;
    int64_t stride = 1;
  };
  Value slice(Value value, ArrayRef<Range> ranges);
  Value full(ArrayRef<sym::SymExpr> dims, TypedAttr value);
  /// i64: the index along `axis`.
  Value iota(ArrayRef<sym::SymExpr> dims, int64_t axis);

  Value makeShape(ArrayRef<sym::SymExpr> dims);
  /// Never null: the lowest integer, which is no expression, is an error.
  sym::SymExpr constant(int64_t value);
  sym::SymExpr product(ArrayRef<sym::SymExpr> dims);
  /// The smaller and the larger of two, by proof where possible. Null gives null.
  sym::SymExpr minimum(sym::SymExpr a, sym::SymExpr b);
  sym::SymExpr maximum(sym::SymExpr a, sym::SymExpr b);

  /// dim / divisor without rest: proved, or assumed of the inputs and checked at entry; else an error.
  sym::SymExpr divideExactly(sym::SymExpr dim, int64_t divisor);
  /// An extent as a scalar.
  Value dimScalar(sym::SymExpr dim, Type elementType);
  /// The extents as a 1-D i64 tensor.
  Value makeDimsTensor(ArrayRef<sym::SymExpr> dims);

  /// A possibly negative axis of a tensor of that rank, made non-negative; out of range is an error.
  int64_t normalizeAxis(int64_t axis, int64_t rank);
  /// The same for several, which must differ.
  SmallVector<int64_t> normalizeAxes(ArrayRef<int64_t> axes, int64_t rank);

  /// Name for symbols that this node binds.
  StringRef getSymbolStem() const;

private:
  const relax_onnx_wire::AttributeProto *findAttr(StringRef name);
  const relax_onnx_wire::AttributeProto *findAttr(StringRef name, relax_onnx_wire::AttributeProto::AttributeType type);
  GraphValue *getInput(unsigned index);
  GraphValue *defineOutput(unsigned index);
  Value finish(OperationState &state,
               llvm::function_ref<LogicalResult(DictionaryAttr, SmallVectorImpl<Type> &)> inferTypes);

  GraphImporter &importer;
  const relax_onnx_wire::NodeProto &node;
  int64_t opset;
  Location loc;
  bool hasFailed = false;
  SmallVector<bool> attrRead;
};

} // namespace mlir::relax::onnx

#endif // RELAXDIALECT_LIB_TARGET_IMPORT_ONNX_NODEEMITTER_H
