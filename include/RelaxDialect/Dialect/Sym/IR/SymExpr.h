//===- SymExpr.h - Symbolic integer expressions --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A SymExpr is a pointer to an expression that the context keeps unique in
// normal form (Spec.md section 1.2): equal pointers mean equal expressions for
// every valuation in which divisors are positive. Different pointers mean
// nothing; ask the Prover. A null SymExpr is "unknown" or "does not fit int64";
// every operation on a null gives a null, so a chain is checked once at its end.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_DIALECT_SYM_IR_SYMEXPR_H
#define RELAXDIALECT_DIALECT_SYM_IR_SYMEXPR_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace mlir {
class AsmParser;
class MLIRContext;
} // namespace mlir

namespace mlir::relax::sym {
namespace detail {
struct SymExprStorage;
} // namespace detail

/// Handle of a unique expression. Cheap to copy; lives as long as its context.
class SymExpr {
public:
  using Storage = detail::SymExprStorage;

  SymExpr() = default;
  explicit SymExpr(const Storage *storage) : storage(storage) {}

  static SymExpr constant(MLIRContext *context, int64_t value);
  static SymExpr symbol(MLIRContext *context, StringRef name);

  /// Identity. There is no other public comparison and no order.
  bool operator==(SymExpr other) const { return storage == other.storage; }
  bool operator!=(SymExpr other) const { return storage != other.storage; }
  explicit operator bool() const { return storage != nullptr; }

  /// Null on overflow of a coefficient or when an operand is null.
  friend SymExpr operator+(SymExpr a, SymExpr b);
  friend SymExpr operator-(SymExpr a, SymExpr b);
  friend SymExpr operator*(SymExpr a, SymExpr b);
  SymExpr operator-() const;
  SymExpr operator+(int64_t value) const;
  SymExpr operator-(int64_t value) const;
  SymExpr operator*(int64_t value) const;
  /// Null also when the divisor is a constant <= 0.
  static SymExpr floordiv(SymExpr a, SymExpr b);
  static SymExpr ceildiv(SymExpr a, SymExpr b);
  static SymExpr mod(SymExpr a, SymExpr b);
  static SymExpr max(ArrayRef<SymExpr> operands);
  static SymExpr min(ArrayRef<SymExpr> operands);

  MLIRContext *getContext() const;
  /// The value of a constant expression.
  std::optional<int64_t> getConstant() const;
  /// The name when the expression is one symbol.
  std::optional<StringRef> getSymbol() const;
  /// Names of all symbols, sorted, each once.
  SmallVector<StringRef> getSymbols() const;
  bool usesSymbol(StringRef name) const;

  /// Replaces symbols; null results of `map` leave the symbol as it is. Null on overflow.
  SymExpr substitute(llvm::function_ref<SymExpr(StringRef)> map) const;
  /// Value under a valuation; nullopt when a symbol has no value, a divisor is <= 0 or a value leaves int64.
  std::optional<int64_t> evaluate(llvm::function_ref<std::optional<int64_t>(StringRef)> value) const;

  /// Text in the grammar of Spec.md 1.1, parsable again.
  void print(raw_ostream &os) const;
  std::string str() const;

  /// Parses text outside of IR, where `//`, `%` and `**` are allowed too. On failure gives the reason.
  static SymExpr parse(MLIRContext *context, StringRef text, std::string &error);

  const Storage *getImpl() const { return storage; }
  friend llvm::hash_code hash_value(SymExpr expr) { return llvm::hash_value(expr.storage); }

private:
  const Storage *storage = nullptr;
};

inline raw_ostream &operator<<(raw_ostream &os, SymExpr expr) {
  expr.print(os);
  return os;
}

/// Parses one expression inside IR.
FailureOr<SymExpr> parseSymExpr(AsmParser &parser);
/// Parses `[e, ?, e]`; `?` gives a null expression.
ParseResult parseSymExprList(AsmParser &parser, SmallVectorImpl<SymExpr> &dims);
void printSymExprList(raw_ostream &os, ArrayRef<SymExpr> dims);
/// Writes a symbol's name, quoted when it is not an identifier.
void printSymbolName(raw_ostream &os, StringRef name);

/// How an expression is built, for visitors that lower or evaluate it (host code, bytecode). The sum of terms.
struct SymAtom;
struct SymTerm {
  int64_t coefficient;                                       // nonzero
  SmallVector<std::pair<const SymAtom *, unsigned>> factors; // atom and power >= 1; empty for the constant term
};
struct SymAtom {
  enum class Kind { Symbol, FloorDiv, Max } kind;
  StringRef name;                // Symbol
  SmallVector<SymExpr> operands; // FloorDiv: dividend, divisor; Max: at least two
};
/// The terms of a normal form, in stored order.
ArrayRef<SymTerm> getTerms(SymExpr expr);

/// A fact: `lhs op rhs`, kept as written.
struct Fact {
  enum class Op { Equal, LessEqual, GreaterEqual, Less, Greater };
  SymExpr lhs;
  Op op = Op::Equal;
  SymExpr rhs;

  bool operator==(const Fact &other) const { return lhs == other.lhs && op == other.op && rhs == other.rhs; }
  friend llvm::hash_code hash_value(const Fact &fact) {
    return llvm::hash_combine(fact.lhs, static_cast<int>(fact.op), fact.rhs);
  }
  void print(raw_ostream &os) const;
  /// Parses `n mod 4 == 0`; gives the reason on failure.
  static FailureOr<Fact> parse(MLIRContext *context, StringRef text, std::string &error);
  std::optional<bool> evaluate(llvm::function_ref<std::optional<int64_t>(StringRef)> value) const;
  Fact substitute(llvm::function_ref<SymExpr(StringRef)> map) const;
};

} // namespace mlir::relax::sym

namespace llvm {
template <> struct DenseMapInfo<mlir::relax::sym::SymExpr> {
  using Expr = mlir::relax::sym::SymExpr;
  static Expr getEmptyKey() { return Expr(DenseMapInfo<const Expr::Storage *>::getEmptyKey()); }
  static Expr getTombstoneKey() { return Expr(DenseMapInfo<const Expr::Storage *>::getTombstoneKey()); }
  static unsigned getHashValue(Expr expr) { return DenseMapInfo<const Expr::Storage *>::getHashValue(expr.getImpl()); }
  static bool isEqual(Expr a, Expr b) { return a == b; }
};
} // namespace llvm

#endif // RELAXDIALECT_DIALECT_SYM_IR_SYMEXPR_H
