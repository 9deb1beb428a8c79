//===- SymExprDetail.h - Storage and polynomials of expressions -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Private to the library: how expressions are stored, and arithmetic on
// polynomials that are not (yet) unique.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_SYM_IR_SYMEXPRDETAIL_H
#define RELAXDIALECT_LIB_DIALECT_SYM_IR_SYMEXPRDETAIL_H

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/StorageUniquer.h"

namespace mlir::relax::sym::detail {

/// Limits that keep every construction cheap; beyond them an expression is null, as on overflow.
inline constexpr size_t kMaxTerms = 512;
inline constexpr unsigned kMaxDegree = 64;
inline constexpr unsigned kMaxDepth = 48;
inline constexpr size_t kMaxOperands = 24;

/// Values that an expression can take as far as construction knows: symbols are >= 0, divisors > 0.
struct Bounds {
  std::optional<int64_t> lo, hi;
  bool isNonNegative() const { return lo && *lo >= 0; }
};

using Factors = SmallVector<std::pair<const SymAtom *, unsigned>>;

/// Sorted terms with distinct monomials. nullopt stands for overflow.
using Poly = SmallVector<SymTerm, 3>; // most shapes have few terms
using OptPoly = std::optional<Poly>;

struct SymAtomStorage : StorageUniquer::BaseStorage, SymAtom {
  struct KeyTy {
    MLIRContext *context;
    SymAtom::Kind kind;
    StringRef name;
    ArrayRef<SymExpr> operands;
  };
  bool operator==(const KeyTy &key) const {
    return kind == key.kind && name == key.name && ArrayRef<SymExpr>(operands) == key.operands;
  }
  static llvm::hash_code hashKey(const KeyTy &key);
  static SymAtomStorage *construct(StorageUniquer::StorageAllocator &allocator, const KeyTy &key);

  MLIRContext *context = nullptr;
  Bounds range;
  unsigned depth = 0; // nesting of floordiv and max
};

struct SymExprStorage : StorageUniquer::BaseStorage {
  struct KeyTy {
    MLIRContext *context;
    ArrayRef<SymTerm> terms;
  };
  bool operator==(const KeyTy &key) const;
  static llvm::hash_code hashKey(const KeyTy &key);
  static SymExprStorage *construct(StorageUniquer::StorageAllocator &allocator, const KeyTy &key);

  MLIRContext *context = nullptr;
  Poly terms;
  Bounds range;
  unsigned depth = 0;
};

inline const SymAtomStorage &getStorage(const SymAtom *atom) { return *static_cast<const SymAtomStorage *>(atom); }

/// Makes sure that the storage types are known to the context.
void registerStorage(MLIRContext *context);
const SymAtom *getAtom(MLIRContext *context, SymAtom::Kind kind, StringRef name, ArrayRef<SymExpr> operands);
/// The unique expression of a polynomial; null when `poly` is nullopt or a limit is exceeded.
SymExpr getExpr(MLIRContext *context, const OptPoly &poly);
inline const Poly &getPoly(SymExpr expr) { return expr.getImpl()->terms; }

//===----------------------------------------------------------------------===//
// Order: structural, so that it does not depend on addresses or on history.
//===----------------------------------------------------------------------===//

/// Negative when `a` comes first.
int compareAtoms(const SymAtom *a, const SymAtom *b);
/// Graded lexicographic order, greatest monomial first: admissible, so division has a unique rest.
int compareFactors(const Factors &a, const Factors &b);
int compareExprs(SymExpr a, SymExpr b);
int comparePolys(const Poly &a, const Poly &b);

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OptPoly add(const Poly &a, const Poly &b, int64_t scaleB = 1);
OptPoly multiply(const Poly &a, const Poly &b);
OptPoly multiply(const Poly &a, int64_t coefficient, const Factors &factors = {});
Poly constantPoly(int64_t value);
Poly atomPoly(const SymAtom *atom);
inline bool isConstant(const Poly &poly) { return poly.empty() || (poly.size() == 1 && poly[0].factors.empty()); }
inline int64_t constantTerm(const Poly &poly) {
  return poly.empty() || !poly.back().factors.empty() ? 0 : poly.back().coefficient;
}
/// Product of two monomials; nullopt beyond the degree limit.
std::optional<Factors> multiplyFactors(const Factors &a, const Factors &b);
/// a / b when b divides a.
std::optional<Factors> divideFactors(const Factors &a, const Factors &b);
int64_t floorDiv(int64_t a, int64_t b);

/// a = quotient * b + rest, unique for a given b: coefficients of multiples of b's leading monomial lie in (-c/2, c/2],
/// the constant term in [0, c) for a constant b. False on overflow.
bool divide(const Poly &a, const Poly &b, Poly &quotient, Poly &rest);

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

/// Bounds in wide arithmetic, for products and sums on the way.
struct Interval {
  std::optional<__int128> lo, hi;
  bool isNonNegative() const { return lo && *lo >= 0; }
};
using AtomInterval = llvm::function_ref<Interval(const SymAtom *)>;

Interval intersect(Interval a, Interval b);
Interval intervalOf(const Poly &poly, AtomInterval ofAtom);
/// Interval of a floordiv or max from those of its operands.
Interval intervalOfOperator(const SymAtom *atom, llvm::function_ref<Interval(SymExpr)> ofExpr);
Bounds narrow(Interval interval);

/// What holds without facts.
Bounds rangeOf(const Poly &poly);
Bounds rangeOf(const SymAtom *atom);
Bounds computeRange(const SymAtom *atom);

/// Replaces atoms, outermost first; a null result of `map` looks inside the atom. Null on overflow.
SymExpr substituteAtoms(SymExpr expr, llvm::function_ref<SymExpr(const SymAtom *)> map);

/// Simplifying constructors; see SymExprBuild.cpp.
OptPoly makeFloorDiv(MLIRContext *context, Poly dividend, Poly divisor);
OptPoly makeMax(MLIRContext *context, SmallVector<Poly> operands);

} // namespace mlir::relax::sym::detail

#endif // RELAXDIALECT_LIB_DIALECT_SYM_IR_SYMEXPRDETAIL_H
