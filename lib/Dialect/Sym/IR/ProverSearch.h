//===- ProverSearch.h - Finding valuations ----------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERSEARCH_H
#define RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERSEARCH_H

#include "ProverImpl.h"

namespace mlir::relax::sym::detail {

/// Enumerates valuations of the free symbols that satisfy the facts.
class Sampler {
public:
  Sampler(const FactBase &base, ArrayRef<SymExpr> exprs);

  /// Calls `visit` with up to `count` valuations, likely ones first, until it returns false.
  void sample(unsigned count, Budget &budget, llvm::function_ref<bool(const Assignment &)> visit);
  /// Visits every valuation. False when there are too many or some symbol is unbounded.
  bool enumerate(uint64_t limit, Budget &budget, llvm::function_ref<bool(const Assignment &)> visit);
  /// Steps from `best` to valuations of greater `value`, with one symbol or two opposite ones, as long as that
  /// succeeds.
  void climb(Assignment best, Budget &budget, llvm::function_ref<std::optional<Wide>(const Assignment &)> value);
  void addInteresting(int64_t value) { interesting.push_back(value); }
  ArrayRef<int64_t> getInteresting() const { return interesting; }
  /// Completes the free symbols of `free` to a valuation that satisfies the relevant facts.
  std::optional<Assignment> complete(const Assignment &free);

private:
  const FactBase &base;
  SmallVector<const SymAtom *> free;      // enumerated
  SmallVector<const SymAtom *> dependent; // given by the substitution
  SmallVector<Fact> facts;                // to be checked
  SmallVector<int64_t> interesting;       // constants of facts and expressions
};

/// Searches for a valuation that satisfies facts and claims where trying does not find one: cases of max, then values
/// for symbols in products until the rest is linear, then an integer point of that.
class ModelFinder {
public:
  using Accept = llvm::function_ref<bool(const Assignment &)>;
  ModelFinder(const FactBase &base, Sampler &sampler, Budget &budget, Accept accept)
      : base(base), sampler(sampler), budget(budget), accept(accept) {}

  /// True when `accept` took a valuation of the facts. `exprs` tell which facts matter; claims and they are rewritten.
  bool find(ArrayRef<Constraint> claims, ArrayRef<SymExpr> exprs);

private:
  bool search(ArrayRef<Constraint> constraints, const Assignment &given, unsigned depth);
  bool offer(const Assignment &given, const Assignment &solution);
  SmallVector<int64_t> valuesFor(const SymAtom *symbol, const RangeMap &ranges) const;

  const FactBase &base;
  Sampler &sampler;
  Budget &budget;
  Accept accept;
};

} // namespace mlir::relax::sym::detail

#endif // RELAXDIALECT_LIB_DIALECT_SYM_IR_PROVERSEARCH_H
