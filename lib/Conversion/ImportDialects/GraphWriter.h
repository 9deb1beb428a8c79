//===- GraphWriter.h - Writing graph functions of foreign ones -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Errors stick: the first one is reported at the foreign op, after it every
// value is null and every function here accepts that. What writes an op is
// therefore straight code without checks between steps.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_IMPORTDIALECTS_GRAPHWRITER_H
#define RELAX_LIB_CONVERSION_IMPORTDIALECTS_GRAPHWRITER_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/TypeUtilities.h"
#include <memory>

namespace mlir::relax {

using Dims = SmallVector<sym::SymExpr>;

/// Pads as foreign ops have them, before and behind of one axis after the other, in the order of graph ops: all before,
/// then all behind.
SmallVector<int64_t> splitPads(ArrayRef<int64_t> pairs);

class GraphWriter {
public:
  explicit GraphWriter(MLIRContext *context) : builder(context) {}

  OpBuilder builder;

  //===- Errors -------------------------------------------------------------===//

  bool failed() const { return hasFailed; }
  /// Reports "'stablehlo.add' op message" at the current op, once.
  void fail(const Twine &message);
  /// Stops without a message.
  void stop() { hasFailed = true; }
  /// The foreign op that is written, and where errors are.
  void setOp(Operation *op) { current = op; }
  Operation *getOp() const { return current; }
  Location getLoc() const { return current->getLoc(); }
  MLIRContext *getContext() const { return builder.getContext(); }

  //===- Symbols ------------------------------------------------------------===//

  sym::Prover &getProver();
  /// What holds for the arguments; checked at entry.
  void addFact(const sym::Fact &fact);
  ArrayRef<sym::Fact> getFacts() const { return facts; }
  /// A name that no symbol of the function has.
  std::string makeSymbol(StringRef stem);
  /// A tensor or shape from which the symbols of its type are known, where `block` reaches.
  void addProvider(Value value) { providers.push_back(value); }
  size_t getNumProviders() const { return providers.size(); }
  void dropProviders(size_t count) { providers.truncate(count); }

  //===- Building -----------------------------------------------------------===//
  // Null operands give null.

  NamedAttribute attr(StringRef name, Attribute value) { return NamedAttribute(name, value); }
  NamedAttribute attr(StringRef name, int64_t value) { return {name, builder.getI64IntegerAttr(value)}; }
  NamedAttribute attr(StringRef name, ArrayRef<int64_t> values) { return {name, builder.getDenseI64ArrayAttr(values)}; }
  NamedAttribute flag(StringRef name) { return {name, builder.getUnitAttr()}; }
  NamedAttribute exprs(StringRef name, ArrayRef<sym::SymExpr> values);

  /// Makes an op whose types are inferred; an error of its inference or verifier is the foreign op's error.
  template <typename OpTy> Value create(ValueRange operands, ArrayRef<NamedAttribute> attributes = {}) {
    SmallVector<Value> results = createAll<OpTy>(1, operands, attributes);
    return results[0];
  }
  template <typename OpTy>
  SmallVector<Value> createAll(unsigned count, ValueRange operands, ArrayRef<NamedAttribute> attributes = {}) {
    if (failed() || llvm::is_contained(operands, Value()))
      return SmallVector<Value>(count);
    OperationState state(getLoc(), OpTy::getOperationName());
    state.addOperands(operands);
    state.addAttributes(attributes);
    return finish(state, count, [&](DictionaryAttr dictionary, SmallVectorImpl<Type> &types) {
      auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
      auto emitError = [&] { return mlir::emitError(getLoc()); };
      if (mlir::failed(OpTy::setPropertiesFromAttr(properties, dictionary, emitError)))
        return failure();
      return OpTy::inferReturnTypes(getContext(), getLoc(), operands, dictionary, state.getRawProperties(), {}, types);
    });
  }

  static Dims dims(Value value) { return value ? sym::getSymbolicDims(value.getType()) : Dims(); }
  static int64_t rank(Value value) { return value ? cast<RankedTensorType>(value.getType()).getRank() : 0; }
  static Type elementType(Value value) { return getElementTypeOrSelf(value.getType()); }
  sym::SymExpr expr(int64_t value);
  sym::SymExpr product(ArrayRef<sym::SymExpr> dims);

  Value constant(DenseElementsAttr value);
  /// Of rank 0 and the element type.
  Value scalar(double value, Type elementType);
  Value scalarLike(double value, Value like) { return like ? scalar(value, elementType(like)) : Value(); }
  Value add(Value a, Value b) { return create<graph::AddOp>({a, b}); }
  Value sub(Value a, Value b) { return create<graph::SubtractOp>({a, b}); }
  Value mul(Value a, Value b) { return create<graph::MultiplyOp>({a, b}); }
  Value select(Value condition, Value a, Value b) { return create<graph::WhereOp>({condition, a, b}); }
  Value astype(Value value, Type elementType);
  Value permute(Value value, ArrayRef<int64_t> permutation);
  Value expandDims(Value value, ArrayRef<int64_t> axes);
  Value squeeze(Value value, ArrayRef<int64_t> axes);
  Value reshape(Value value, ArrayRef<sym::SymExpr> dims);
  Value broadcast(Value value, ArrayRef<sym::SymExpr> dims);
  /// i64 unless said otherwise: the index along `axis`.
  Value iota(ArrayRef<sym::SymExpr> dims, int64_t axis, Type type = {});
  template <typename OpTy> Value reduce(Value value, ArrayRef<int64_t> axes) {
    return create<OpTy>(value, attr("axes", axes));
  }
  /// Elements start, start + stride, .. below end along each dimension.
  Value slice(Value value, ArrayRef<sym::SymExpr> starts, ArrayRef<sym::SymExpr> ends, ArrayRef<int64_t> strides);
  /// `fill` is a scalar; without one zeros.
  Value pad(Value value, Value fill, ArrayRef<sym::SymExpr> low, ArrayRef<sym::SymExpr> high);
  Value makeShape(ArrayRef<sym::SymExpr> dims);
  /// i64, one element per extent.
  Value dimsTensor(ArrayRef<sym::SymExpr> dims);
  /// An extent as a scalar.
  Value dimScalar(sym::SymExpr dim, Type elementType);
  /// The tensor with these extents, checked at run time where they are not proved; null ones stay.
  Value withDims(Value value, ArrayRef<sym::SymExpr> dims);
  /// New symbols for extents that are unknown.
  Value nameExtents(Value value);

private:
  SmallVector<Value> finish(OperationState &state, unsigned count,
                            function_ref<LogicalResult(DictionaryAttr, SmallVectorImpl<Type> &)> inferTypes);
  /// A shape value for the symbols of `exprs` that `value` does not show; null when it shows all.
  Value showSymbols(Value value, ArrayRef<sym::SymExpr> exprs);

  Operation *current = nullptr;
  bool hasFailed = false;
  SmallVector<sym::Fact> facts;
  std::unique_ptr<sym::Prover> prover;
  llvm::StringMap<char> symbols;
  SmallVector<Value> providers;
};

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_IMPORTDIALECTS_GRAPHWRITER_H
