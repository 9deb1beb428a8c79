//===- IndexEvaluator.h - Index arithmetic as expressions ------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_TRANSFORMS_INDEXEVALUATOR_H
#define RELAXDIALECT_LIB_DIALECT_SYM_TRANSFORMS_INDEXEVALUATOR_H

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax::sym {

/// A decided or undecided condition, as facts that hold when it does.
using Facts = SmallVector<Fact>;

/// Expressions of `index` and `i64` values and of extents. Null is "not known"; arithmetic is taken not to wrap.
class IndexEvaluator {
public:
  explicit IndexEvaluator(MLIRContext *context) : context(context) {}

  /// Extents of a tensor or memref; static ones are constants.
  SmallVector<SymExpr> getDims(Value shaped);
  void setDims(Value shaped, ArrayRef<SymExpr> dims) { shapes[shaped].assign(dims.begin(), dims.end()); }
  bool hasDims(Value shaped) const { return shapes.contains(shaped); }

  SymExpr getIndex(Value value);
  SymExpr getIndex(OpFoldResult value);
  void setIndex(Value value, SymExpr expr) { indices[value] = expr; }
  /// Forgets what is known about the results of an op that is about to be erased.
  void forget(Operation *op);

  /// Truth of an `i1` value.
  Verdict getVerdict(Value condition);
  /// Adds what is known when `condition` is `truth`.
  void addFacts(Value condition, bool truth, Facts &facts);

  /// A symbol that nothing else has.
  SymExpr makeSymbol();
  /// A name that the function uses; earlier ones are preferred in results.
  void reserveSymbol(StringRef name) { order.try_emplace(name, order.size()); }

  /// What holds at the place that is being looked at.
  Prover &getProver();
  const Facts &getFacts() const { return facts; }
  void addFact(const Fact &fact);
  void truncateFacts(size_t size);
  /// The same value under the facts: equal symbols become the oldest one.
  SymExpr simplify(SymExpr expr);

  /// An affine expression over values; null when a divisor may not be positive.
  SymExpr evaluate(AffineExpr expr, ArrayRef<SymExpr> dims, ArrayRef<SymExpr> symbols);

private:
  SymExpr evaluateResult(OpResult result);
  SymExpr evaluateArith(Operation *op);
  SymExpr constant(int64_t value) { return SymExpr::constant(context, value); }
  bool isNonNegative(SymExpr expr);
  bool isPositive(SymExpr expr);

  MLIRContext *context;
  DenseMap<Value, SmallVector<SymExpr>> shapes;
  DenseMap<Value, SymExpr> indices;
  /// Every symbol and its age.
  llvm::StringMap<unsigned> order;
  unsigned nextSymbol = 0;
  Facts facts;
  std::unique_ptr<Prover> prover;
};

} // namespace mlir::relax::sym

#endif // RELAXDIALECT_LIB_DIALECT_SYM_TRANSFORMS_INDEXEVALUATOR_H
