//===- CallExtents.cpp - Extents of calls that are fused ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "CallExtents.h"
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"

using namespace mlir;
using namespace mlir::relax;

static bool hasProvedDivisors(sym::SymExpr expr, sym::Prover &prover) {
  for (const sym::SymTerm &term : sym::getTerms(expr))
    for (auto [atom, power] : term.factors) {
      if (!llvm::all_of(atom->operands, [&](sym::SymExpr operand) { return hasProvedDivisors(operand, prover); }))
        return false;
      if (atom->kind != sym::SymAtom::Kind::FloorDiv)
        continue;
      sym::SymExpr divisor = atom->operands[1], one = sym::SymExpr::constant(expr.getContext(), 1);
      if (prover.isLessEqual(one, divisor) != sym::Verdict::True)
        return false;
    }
  return true;
}

bool relax::haveProvedDivisors(TypeRange types, sym::Prover &prover) {
  for (Type type : types)
    for (sym::SymExpr dim : sym::getSymbolicDims(type))
      if (dim && !hasProvedDivisors(dim, prover))
        return false;
  return true;
}
