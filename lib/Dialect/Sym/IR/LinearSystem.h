//===- LinearSystem.h - Integer constraints without solutions --*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Decides whether linear constraints over integers have a solution: equalities
// are eliminated exactly, inequalities by Fourier-Motzkin with coefficients
// divided by their gcd. "No solution" is always right; when elimination was not
// exact, MLIR's Presburger library decides small systems.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_IR_LINEARSYSTEM_H
#define RELAXDIALECT_LIB_DIALECT_SYM_IR_LINEARSYSTEM_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::relax::sym::detail {

/// Work that a query may still do. Every loop of the prover spends from it.
class Budget {
public:
  explicit Budget(unsigned limit) : limit(limit) {}
  /// False when nothing is left.
  bool spend(unsigned amount = 1) {
    used = std::min(limit, used + amount);
    return used < limit;
  }
  bool exhausted() const { return used >= limit; }
  unsigned getUsed() const { return used; }

private:
  unsigned limit, used = 0;
};

class LinearSystem {
public:
  using Wide = __int128;
  enum class Result { Empty, NonEmpty, Unknown };

  unsigned addVariable() { return numVariables++; }
  unsigned getNumVariables() const { return numVariables; }
  unsigned getNumRows() const { return rows.size(); }

  /// sum(coefficient * variable) + constant >= 0, or == 0. `origin` is a set of bits that tells where the row comes
  /// from.
  void addRow(ArrayRef<std::pair<unsigned, int64_t>> terms, Wide constant, bool isEquality, uint64_t origin);

  /// `origins` receives the union of the origins that a refutation used, `model` a solution when one is at hand.
  Result check(Budget &budget, uint64_t *origins = nullptr, SmallVectorImpl<Wide> *model = nullptr) const;

  /// The least upper bound of a variable that elimination finds; nullopt when there is none.
  std::optional<Wide> maximize(unsigned variable, Budget &budget, bool &isEmpty,
                               SmallVectorImpl<Wide> *model = nullptr) const;

  /// The same by MLIR's Presburger library: rational when `integers` is false. Only for small systems. `model` receives
  /// an integer solution.
  Result checkPresburger(Budget &budget, bool integers, SmallVectorImpl<Wide> *model = nullptr) const;

private:
  friend class Eliminator;
  struct Row {
    SmallVector<int64_t, 16> coefficients;
    Wide constant;
    bool isEquality;
    uint64_t origin;
  };

  unsigned numVariables = 0;
  SmallVector<Row> rows;
};

} // namespace mlir::relax::sym::detail

#endif // RELAXDIALECT_LIB_DIALECT_SYM_IR_LINEARSYSTEM_H
