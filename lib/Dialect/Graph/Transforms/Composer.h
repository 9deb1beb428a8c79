//===- Composer.h - Writing ops in terms of simpler ones -------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_COMPOSER_H
#define RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_COMPOSER_H

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::relax::graph {

/// Creates graph ops where the op stands that they replace. Result types are inferred.
class Composer {
public:
  Composer(PatternRewriter &rewriter, Operation *op)
      : rewriter(rewriter), op(op), prover(op->getContext(), sym::getScope(op)) {}

  MLIRContext *getContext() const { return op->getContext(); }
  Location getLoc() const { return op->getLoc(); }

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
  SmallVector<sym::SymExpr> dims(Value value) { return sym::getSymbolicDims(value.getType()); }
  /// `value` as a tensor with these extents, which shape rules have asked for; null ones stay.
  Value withDims(Value value, ArrayRef<sym::SymExpr> dims);
  Value expandDims(Value value, ArrayRef<int64_t> axes);
  Value permute(Value value, ArrayRef<int64_t> permutation);
  /// A shape value; `sources` mention its symbols.
  Value shape(ArrayRef<sym::SymExpr> dims, ValueRange sources);
  Value reshape(Value value, ArrayRef<sym::SymExpr> dims);
  /// A vector along dimension `axis` of a tensor of rank `rank`, ready to broadcast.
  Value along(Value vector, int64_t axis, int64_t rank);

  /// The op's result becomes `value`, in the type that was written.
  void finish(Value value);

  PatternRewriter &rewriter;
  Operation *op;
  sym::Prover prover;
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
