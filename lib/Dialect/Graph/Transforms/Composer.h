//===- Composer.h - Writing ops in terms of simpler ones -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_COMPOSER_H
#define RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_COMPOSER_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::relax::graph {

/// No operand has an unknown extent.
bool hasKnownOperands(Operation *op);

/// Creates graph ops where the op stands that they replace. Result types are inferred.
class Composer {
public:
  Composer(PatternRewriter &rewriter, Operation *op)
      : rewriter(rewriter), op(op), prover(op->getContext(), sym::getScope(op)) {}

  MLIRContext *getContext() const { return op->getContext(); }
  Location getLoc() const { return op->getLoc(); }
  Type getI64() const { return rewriter.getI64Type(); }
  sym::SymExpr expr(int64_t value) const { return sym::SymExpr::constant(getContext(), value); }
  static Type elementType(Value value) { return getElementTypeOrSelf(value.getType()); }

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(rewriter, op->getLoc(), std::forward<Args>(args)...)->getResult(0);
  }

  //===- Elementwise --------------------------------------------------------===//
  Value add(Value a, Value b) { return make<AddOp>(a, b); }
  Value sub(Value a, Value b) { return make<SubtractOp>(a, b); }
  Value mul(Value a, Value b) { return make<MultiplyOp>(a, b); }
  Value div(Value a, Value b) { return make<DivideOp>(a, b); }
  Value less(Value a, Value b) { return make<LessOp>(a, b); }
  Value select(Value condition, Value a, Value b) { return make<WhereOp>(condition, a, b); }
  /// A scalar of the element type of `like`.
  Value scalar(double value, Value like) { return scalar(value, getElementTypeOrSelf(like.getType())); }
  Value scalar(double value, Type type);
  /// An i64.
  Value integer(int64_t value) {
    auto type = RankedTensorType::get({}, getI64());
    return make<ConstantOp>(DenseElementsAttr::get(type, rewriter.getI64IntegerAttr(value).getValue()));
  }
  /// A vector of i64.
  Value integers(ArrayRef<int64_t> values) { return make<ConstantOp>(rewriter.getI64TensorAttr(values)); }
  /// An attribute as a number.
  static double number(const APFloat &value) { return value.convertToDouble(); }
  Value add(Value a, double b) { return add(a, scalar(b, a)); }
  Value mul(Value a, double b) { return mul(a, scalar(b, a)); }
  Value cast(Value value, Type elementType);
  /// The value in the type in which intermediate results are kept: f32 for f16.
  Value widen(Value value);
  Value softplus(Value x);

  //===- Along axes ---------------------------------------------------------===//
  Value mean(Value x, ArrayRef<int64_t> axes) { return reduce<MeanOp>(x, axes); }
  Value sum(Value x, ArrayRef<int64_t> axes) { return reduce<SumOp>(x, axes); }
  Value max(Value x, ArrayRef<int64_t> axes) { return reduce<MaxOp>(x, axes); }
  template <typename OpTy> Value reduce(Value x, ArrayRef<int64_t> axes) {
    return make<OpTy>(x, rewriter.getDenseI64ArrayAttr(axes), rewriter.getUnitAttr());
  }
  Value softmax(Value x, int64_t axis);
  Value logSoftmax(Value x, int64_t axis);
  /// (x - mean) / sqrt(variance + epsilon) over `axes`.
  Value normalize(Value x, ArrayRef<int64_t> axes, double epsilon);

  //===- Shapes -------------------------------------------------------------===//
  static SmallVector<sym::SymExpr> dims(Value value) { return sym::getSymbolicDims(value.getType()); }
  /// `value` as a tensor with these extents, which shape rules have asked for; null ones stay.
  Value withDims(Value value, ArrayRef<sym::SymExpr> dims);
  /// `value` in a type that is checked where it is not proved.
  Value castTo(Value value, Type type) { return castToType(rewriter, getLoc(), value, type, prover); }
  Value expandDims(Value value, ArrayRef<int64_t> axes);
  Value squeeze(Value value, ArrayRef<int64_t> axes);
  Value permute(Value value, ArrayRef<int64_t> permutation);
  /// A shape value. Its symbols are taken from `sources`, then from the operands of the op.
  Value shape(ArrayRef<sym::SymExpr> dims, ValueRange sources = {});
  /// Binds symbols to the values of an integer tensor.
  Value bindShape(Value tensor, ArrayAttr binds);
  Value reshape(Value value, ArrayRef<sym::SymExpr> dims, ValueRange sources = {});
  Value broadcast(Value value, ArrayRef<sym::SymExpr> dims, ValueRange sources = {});
  Value slice(Value value, int64_t axis, sym::SymExpr start, sym::SymExpr end, int64_t stride = 1,
              ValueRange sources = {});
  Value iota(ArrayRef<sym::SymExpr> dims, int64_t axis, Type type, ValueRange sources = {});
  Value full(ArrayRef<sym::SymExpr> dims, double value, Type type, ValueRange sources = {});
  /// A vector along dimension `axis` of a tensor of rank `rank`, ready to broadcast.
  Value along(Value vector, int64_t axis, int64_t rank);

  /// The op's results become `values`, in the types that were written.
  void finish(ValueRange values);

  PatternRewriter &rewriter;
  Operation *op;
  sym::Prover prover;
};

/// Replaces an op by what a function writes, a value for each result, once all extents of its operands are known.
template <typename OpTy> struct DecomposeWith final : OpRewritePattern<OpTy> {
  using Write = SmallVector<Value> (*)(OpTy, Composer &);

  DecomposeWith(MLIRContext *context, Write write) : OpRewritePattern<OpTy>(context), write(write) {}

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!hasKnownOperands(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    Composer c(rewriter, op);
    c.finish(write(op, c));
    return success();
  }

private:
  Write write;
};

/// Replaces an op of one tensor, and parameters, by what `write` makes of the tensor in the type of intermediate
/// results.
template <typename OpTy, Value (*write)(OpTy, Composer &, Value)> struct DecomposeUnary final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    Composer c(rewriter, op);
    Value result = write(op, c, c.widen(op.getOperand()));
    c.finish(c.cast(result, op.getType().getElementType()));
    return success();
  }
};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_COMPOSER_H
