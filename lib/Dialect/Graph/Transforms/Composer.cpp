//===- Composer.cpp - Writing ops in terms of simpler ones ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

Value Composer::scalar(double value, Type type) {
  auto tensor = RankedTensorType::get({}, type);
  TypedAttr element = isa<FloatType>(type) ? TypedAttr(rewriter.getFloatAttr(type, value))
                                           : TypedAttr(rewriter.getIntegerAttr(type, static_cast<int64_t>(value)));
  return make<ConstantOp>(DenseElementsAttr::get(tensor, Attribute(element)));
}

Value Composer::cast(Value value, Type elementType) {
  if (getElementTypeOrSelf(value.getType()) == elementType)
    return value;
  return make<AsTypeOp>(value, elementType);
}

Value Composer::widen(Value value) {
  return getElementTypeOrSelf(value.getType()).isF16() ? cast(value, rewriter.getF32Type()) : value;
}

Value Composer::softplus(Value x) {
  // max(x, 0) + log(1 + exp(-|x|)) does not overflow.
  Value small = make<ExpOp>(make<NegateOp>(make<AbsOp>(x)));
  return add(make<ReluOp>(x), make<LogOp>(add(small, 1)));
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

Value Composer::shape(ArrayRef<SymExpr> dims, ValueRange sources) {
  SmallVector<Value> shapes;
  bool isConstant = llvm::all_of(dims, [](SymExpr dim) { return dim && dim.getConstant(); });
  if (!isConstant)
    for (Value source : sources)
      shapes.push_back(isa<ShapeType>(source.getType()) ? source : make<ShapeOfOp>(source));
  return MakeShapeOp::create(rewriter, getLoc(), ShapeType::get(getContext(), dims), shapes);
}

Value Composer::reshape(Value value, ArrayRef<SymExpr> dims) { return make<ReshapeOp>(value, shape(dims, value)); }

Value Composer::along(Value vector, int64_t axis, int64_t rank) {
  return expandDims(vector, llvm::to_vector(llvm::seq<int64_t>(1, rank - axis)));
}

void Composer::finish(Value value) {
  rewriter.replaceOp(op, castToType(rewriter, getLoc(), value, op->getResult(0).getType(), prover));
}
