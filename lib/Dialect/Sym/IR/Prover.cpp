//===- Prover.cpp - Three-valued answers about shapes ----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "SymExprDetail.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

StringRef sym::stringifyVerdict(Verdict verdict) {
  return verdict == Verdict::True ? "true" : verdict == Verdict::False ? "false" : "depends";
}

struct Prover::Impl {
  explicit Impl(MLIRContext *context, ArrayRef<Fact> facts) : context(context), facts(facts) {}

  MLIRContext *context;
  SmallVector<Fact> facts;
  unsigned steps = 0;
};

Prover::Prover(MLIRContext *context, ArrayRef<Fact> facts) : impl(std::make_unique<Impl>(context, facts)) {}
Prover::Prover(MLIRContext *context, ScopeAttr scope)
    : Prover(context, scope ? scope.getFacts() : ArrayRef<Fact>()) {}
Prover::~Prover() = default;

bool Prover::isContradictory(std::string *) { return false; }
unsigned Prover::getSteps() const { return impl->steps; }

static sym::detail::Bounds boundsOf(SymExpr expr) { return expr ? expr.getImpl()->range : sym::detail::Bounds(); }

Verdict Prover::isEqual(SymExpr a, SymExpr b, Explanation *) {
  if (!a || !b)
    return Verdict::Depends;
  if (a == b)
    return Verdict::True;
  sym::detail::Bounds bounds = boundsOf(a - b);
  if ((bounds.lo && *bounds.lo > 0) || (bounds.hi && *bounds.hi < 0))
    return Verdict::False;
  return Verdict::Depends;
}

Verdict Prover::isLessEqual(SymExpr a, SymExpr b, Explanation *) {
  sym::detail::Bounds bounds = boundsOf(b - a);
  if (bounds.lo && *bounds.lo >= 0)
    return Verdict::True;
  if (bounds.hi && *bounds.hi < 0)
    return Verdict::False;
  return Verdict::Depends;
}

Verdict Prover::isDivisible(SymExpr a, SymExpr divisor, Explanation *why) {
  if (!a || !divisor || isLessEqual(SymExpr::constant(impl->context, 1), divisor) != Verdict::True)
    return Verdict::Depends;
  return isEqual(SymExpr::mod(a, divisor), SymExpr::constant(impl->context, 0), why);
}

Verdict Prover::holds(const Fact &fact, Explanation *why) {
  switch (fact.op) {
  case Fact::Op::Equal:
    return isEqual(fact.lhs, fact.rhs, why);
  case Fact::Op::LessEqual:
    return isLessEqual(fact.lhs, fact.rhs, why);
  case Fact::Op::GreaterEqual:
    return isLessEqual(fact.rhs, fact.lhs, why);
  case Fact::Op::Less:
    return isLessEqual(fact.lhs + 1, fact.rhs, why);
  case Fact::Op::Greater:
    return isLessEqual(fact.rhs + 1, fact.lhs, why);
  }
  return Verdict::Depends;
}

Verdict Prover::sameNumElements(ArrayRef<SymExpr> from, ArrayRef<SymExpr> to, Explanation *why) {
  SymExpr a = SymExpr::constant(impl->context, 1), b = a;
  for (SymExpr dim : from)
    a = a * dim;
  for (SymExpr dim : to)
    b = b * dim;
  return isEqual(a, b, why);
}

std::optional<int64_t> Prover::lowerBound(SymExpr expr, bool *exact) {
  if (exact)
    *exact = false;
  return boundsOf(expr).lo;
}
std::optional<int64_t> Prover::upperBound(SymExpr expr, bool *exact) {
  if (exact)
    *exact = false;
  return boundsOf(expr).hi;
}

Verdict Prover::fitsInteger(SymExpr expr, unsigned bits) {
  sym::detail::Bounds bounds = boundsOf(expr);
  int64_t max = llvm::maxIntN(bits), min = llvm::minIntN(bits);
  if (bounds.lo && bounds.hi && *bounds.lo >= min && *bounds.hi <= max)
    return Verdict::True;
  return Verdict::Depends;
}

SymExpr Prover::simplify(SymExpr expr) { return expr; }

BroadcastResult Prover::broadcast(SymExpr a, SymExpr b) {
  if (!a || !b)
    return {};
  SymExpr one = SymExpr::constant(impl->context, 1);
  if (isEqual(a, b) == Verdict::True)
    return {Verdict::True, a};
  if (isEqual(a, one) == Verdict::True)
    return {Verdict::True, b};
  if (isEqual(b, one) == Verdict::True)
    return {Verdict::True, a};
  bool differ = isEqual(a, b) == Verdict::False, aNotOne = isEqual(a, one) == Verdict::False,
       bNotOne = isEqual(b, one) == Verdict::False;
  if (differ && aNotOne && bNotOne)
    return {Verdict::False, {}};
  // A legal pair with a != 1 gives a: either b is 1 or they are equal.
  return {Verdict::Depends, aNotOne ? a : bNotOne ? b : SymExpr()};
}
