//===- Composer.cpp - Writing ops in terms of simpler ones ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// The nearest element of the type, toward zero for an integer.
static TypedAttr getElement(Builder &builder, double value, Type type) {
  if (isa<FloatType>(type))
    return builder.getFloatAttr(type, value);
  return builder.getIntegerAttr(type, static_cast<int64_t>(value));
}

Value Composer::scalar(double value, Type type) {
  auto tensor = RankedTensorType::get({}, type);
  return make<ConstantOp>(DenseElementsAttr::get(tensor, Attribute(getElement(rewriter, value, type))));
}

Value Composer::cast(Value value, Type elementType) {
  if (getElementTypeOrSelf(value.getType()) == elementType)
    return value;
  return make<AsTypeOp>(value, elementType);
}

Value Composer::widen(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isF16() || type.isBF16() ? cast(value, rewriter.getF32Type()) : value;
}

Value Composer::softplus(Value x) {
  // max(x, 0) + log1p(exp(-|x|)) does not overflow.
  Value small = make<ExpOp>(make<NegateOp>(make<AbsOp>(x)));
  return add(make<ReluOp>(x), make<Log1pOp>(small));
}

Value Composer::softmax(Value x, int64_t axis) {
  Value e = make<ExpOp>(sub(x, max(x, axis)));
  return div(e, sum(e, axis));
}

Value Composer::logSoftmax(Value x, int64_t axis) {
  Value distance = sub(x, max(x, axis));
  return sub(distance, make<LogOp>(sum(make<ExpOp>(distance), axis)));
}

Value Composer::normalize(Value x, ArrayRef<int64_t> axes, double epsilon) {
  Value centered = sub(x, mean(x, axes));
  Value variance = mean(mul(centered, centered), axes);
  return div(centered, make<SqrtOp>(add(variance, epsilon)));
}

Value Composer::withDims(Value value, ArrayRef<SymExpr> wanted) {
  SmallVector<SymExpr> dims = this->dims(value);
  for (auto [dim, extent] : llvm::zip_equal(dims, wanted))
    if (extent)
      dim = extent;
  return castToType(rewriter, getLoc(), value, withSymbolicDims(value.getType(), dims), prover);
}

Value Composer::expandDims(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : make<ExpandDimsOp>(value, rewriter.getDenseI64ArrayAttr(axes));
}

Value Composer::permute(Value value, ArrayRef<int64_t> permutation) {
  return make<PermuteDimsOp>(value, rewriter.getDenseI64ArrayAttr(permutation));
}

Value Composer::squeeze(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : make<SqueezeOp>(value, rewriter.getDenseI64ArrayAttr(axes));
}

Value Composer::shape(ArrayRef<SymExpr> dims, ValueRange sources) {
  Type type = ShapeType::get(getContext(), dims);
  SmallVector<StringRef> missing;
  sym::collectSymbols(type, missing);
  SmallVector<Value> shapes;
  auto addSources = [&](ValueRange values) {
    for (Value value : values) {
      if (!sym::mentionsSymbol(value.getType()))
        continue;
      if (value.getType() == type)
        return value;
      SmallVector<StringRef> shown;
      sym::collectSymbols(value.getType(), shown);
      llvm::erase_if(missing, [&](StringRef name) { return llvm::is_contained(shown, name); });
      shapes.push_back(isa<ShapeType>(value.getType()) ? value : make<ShapeOfOp>(value));
    }
    return Value();
  };
  if (!missing.empty())
    if (Value same = addSources(sources))
      return same;
  if (!missing.empty())
    if (Value same = addSources(op->getOperands()))
      return same;
  return MakeShapeOp::create(rewriter, getLoc(), type, shapes);
}

Value Composer::bindShape(Value tensor, ArrayAttr binds) {
  SmallVector<SymExpr> entries;
  for (StringRef name : binds.getAsValueRange<StringAttr>())
    entries.push_back(SymExpr::symbol(getContext(), name));
  return TensorToShapeOp::create(rewriter, getLoc(), ShapeType::get(getContext(), entries), tensor, binds);
}

Value Composer::reshape(Value value, ArrayRef<SymExpr> wanted, ValueRange sources) {
  if (dims(value) == SmallVector<SymExpr>(wanted))
    return value;
  SmallVector<Value> all(sources);
  all.push_back(value);
  return make<ReshapeOp>(value, shape(wanted, all));
}

Value Composer::broadcast(Value value, ArrayRef<SymExpr> wanted, ValueRange sources) {
  if (dims(value) == SmallVector<SymExpr>(wanted))
    return value;
  return make<BroadcastToOp>(value, shape(wanted, sources));
}

Value Composer::slice(Value value, int64_t axis, SymExpr start, SymExpr end, int64_t stride, ValueRange sources) {
  SmallVector<StringRef> known;
  sym::collectSymbols(value.getType(), known);
  SmallVector<SymExpr> needed;
  for (SymExpr bound : {start, end})
    for (StringRef name : bound.getSymbols())
      if (SymExpr symbol = SymExpr::symbol(getContext(), name);
          !llvm::is_contained(known, name) && !llvm::is_contained(needed, symbol))
        needed.push_back(symbol);
  Value shown = needed.empty() ? Value() : shape(needed, sources);
  return make<SliceOp>(value, shown, ArrayRef<int64_t>(axis), ArrayRef<SymExpr>(start), ArrayRef<SymExpr>(end),
                       ArrayRef<int64_t>(stride));
}

Value Composer::iota(ArrayRef<SymExpr> wanted, int64_t axis, Type type, ValueRange sources) {
  return make<IotaOp>(shape(wanted, sources), axis, type);
}

Value Composer::full(ArrayRef<SymExpr> wanted, double value, Type type, ValueRange sources) {
  return make<FullOp>(shape(wanted, sources), getElement(rewriter, value, type));
}

Value Composer::along(Value vector, int64_t axis, int64_t rank) {
  return expandDims(vector, llvm::to_vector(llvm::seq<int64_t>(1, rank - axis)));
}

void Composer::finish(ValueRange values) {
  SmallVector<Value> typed;
  for (auto [value, result] : llvm::zip_equal(values, op->getResults()))
    typed.push_back(castTo(value, result.getType()));
  rewriter.replaceOp(op, typed);
}

bool graph::hasKnownOperands(Operation *op) {
  return llvm::none_of(op->getOperandTypes(),
                       [](Type type) { return llvm::is_contained(sym::getSymbolicDims(type), SymExpr()); });
}
