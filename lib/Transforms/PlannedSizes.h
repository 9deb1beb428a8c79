//===- PlannedSizes.h - Proofs about offsets and sizes ---------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// For relax-verify-planned; shares no code with relax-plan-memory. A quantity is
// read from the index values of the planned phase as it is computed: sums and
// maxima of expressions. Most questions are answered by that structure alone,
// whatever the expressions are; what is left is asked of the prover.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_TRANSFORMS_PLANNEDSIZES_H
#define RELAXDIALECT_LIB_TRANSFORMS_PLANNEDSIZES_H

#include "PlannedChoices.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relax {

class PlannedSizes {
public:
  /// Number of a quantity; equal ones have the same number.
  using Quantity = unsigned;

  explicit PlannedSizes(func::FuncOp function);

  /// nullopt when `index` is not made of constants, `relax.eval_expr`, sums without overflow, maxima and choices.
  std::optional<Quantity> get(Value index);
  Quantity get(sym::SymExpr expr);
  Quantity add(Quantity a, Quantity b);

  bool isAtMost(Quantity a, Quantity b);
  bool isNonNegative(Quantity quantity);
  /// A tensor of `bytes` has no extent below zero: nor is what it takes, rounded up to any multiple.
  void assumeNonNegative(sym::SymExpr bytes) { nonNegative.insert(bytes); }

  /// Which case of what is chosen at entry is looked at.
  PlannedChoices &getChoices() { return choices; }
  /// Goes on to the next case; false when there is none.
  bool advance();

  std::string str(Quantity quantity);
  sym::Prover &getProver() { return prover; }
  /// Knows only facts that are checked at entry.
  sym::Prover &getEntryProver() { return entryProver; }

private:
  struct Node {
    enum class Kind { Expr, Sum, Max } kind;
    sym::SymExpr expr;
    Quantity a = 0, b = 0;
  };
  /// What may be used in a proof.
  enum class Effort : unsigned { Structure, Prover };

  /// What a sum has beside its constant term, and that term; either may be absent.
  std::pair<std::optional<Quantity>, sym::SymExpr> splitConstant(Quantity quantity) const;
  Quantity makeNode(Node::Kind kind, sym::SymExpr expr, Quantity a, Quantity b);
  bool isAtMost(Quantity a, Quantity b, Effort effort);
  bool proveAtMost(Quantity a, Quantity b, Effort effort);
  bool isExprAtMost(sym::SymExpr a, sym::SymExpr b, Effort effort);
  bool proveWithBounds(sym::SymExpr a, sym::SymExpr b, unsigned depth);
  /// The same without memory; what needs no replacement is tried only for a new pair.
  bool searchProof(sym::SymExpr a, sym::SymExpr b, unsigned depth, bool isNew);
  /// Fills `examples`.
  void findExamples(sym::ScopeAttr scope);
  /// Some example says that a > b: then no proof of a <= b exists, and none is looked for.
  bool isRefuted(sym::SymExpr a, sym::SymExpr b) const;
  bool isRoundedUp(sym::SymExpr expr, sym::SymExpr bytes) const;
  /// One expression; null when it would be long.
  sym::SymExpr flatten(Quantity quantity);
  SmallVector<sym::SymExpr> getCases(Quantity quantity);
  bool isAtMostInEachCase(Quantity a, Quantity b);

  bool isAtMostByChoice(Quantity a, Quantity b);
  bool proveAtMostInAllCases(Quantity a, Quantity b);

  sym::Prover prover, entryProver;
  PlannedChoices choices;
  SmallVector<std::pair<sym::SymExpr, sym::SymExpr>> bounds; // a symbol and what it does not exceed
  /// Values of symbols at which all facts and bounds hold; symbols that none of them mentions have any value.
  SmallVector<llvm::StringMap<int64_t>> examples;
  SmallVector<Node> nodes;
  DenseMap<std::tuple<unsigned, sym::SymExpr, unsigned, unsigned>, Quantity> numbers;
  DenseMap<Value, std::optional<Quantity>> values;
  DenseMap<std::tuple<Quantity, Quantity, unsigned>, bool> answers;
  DenseMap<std::pair<sym::SymExpr, sym::SymExpr>, bool> exprAnswers;
  DenseMap<std::pair<sym::SymExpr, sym::SymExpr>, unsigned> failures; // with how many replacements
  DenseMap<Quantity, SmallVector<sym::SymExpr>> cases;
  DenseMap<Quantity, sym::SymExpr> flattened;
  DenseMap<Quantity, bool> signs;
  llvm::DenseSet<sym::SymExpr> nonNegative;
};

} // namespace mlir::relax

#endif // RELAXDIALECT_LIB_TRANSFORMS_PLANNEDSIZES_H
