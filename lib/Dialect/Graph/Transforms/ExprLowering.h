//===- ExprLowering.h - Expressions as index arithmetic --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_EXPRLOWERING_H
#define RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_EXPRLOWERING_H

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::relax::graph {

/// Writes the arithmetic of expressions at the builder's place. Symbolic divisors are asserted to be positive.
class ExprLowering {
public:
  /// `value` gives the index value of a symbol.
  ExprLowering(OpBuilder &builder, Location loc, function_ref<Value(StringRef)> value)
      : builder(builder), loc(loc), value(value) {}

  Value lower(sym::SymExpr expr) {
    Value sum;
    for (const sym::SymTerm &term : sym::getTerms(expr)) {
      Value product = lowerTerm(term);
      sum = sum ? arith::AddIOp::create(builder, loc, sum, product).getResult() : product;
    }
    return sum ? sum : constant(0);
  }

private:
  Value constant(int64_t number) { return arith::ConstantIndexOp::create(builder, loc, number); }

  Value lowerTerm(const sym::SymTerm &term) {
    Value product;
    if (term.coefficient != 1 || term.factors.empty())
      product = constant(term.coefficient);
    for (const auto &[atom, power] : term.factors) {
      Value factor = lowerAtom(*atom);
      for (unsigned i = 0; i < power; ++i)
        product = product ? arith::MulIOp::create(builder, loc, product, factor).getResult() : factor;
    }
    return product;
  }

  Value lowerAtom(const sym::SymAtom &atom) {
    if (atom.kind == sym::SymAtom::Kind::Symbol)
      return value(atom.name);
    SmallVector<Value> operands;
    for (sym::SymExpr operand : atom.operands)
      operands.push_back(lower(operand));
    if (atom.kind == sym::SymAtom::Kind::Max) {
      Value result = operands.front();
      for (Value operand : ArrayRef<Value>(operands).drop_front())
        result = arith::MaxSIOp::create(builder, loc, result, operand);
      return result;
    }
    if (!atom.operands[1].getConstant()) {
      Value positive = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, operands[1], constant(0));
      cf::AssertOp::create(builder, loc, positive, "the divisor " + atom.operands[1].str() + " must be positive");
    }
    return arith::FloorDivSIOp::create(builder, loc, operands[0], operands[1]);
  }

  OpBuilder &builder;
  Location loc;
  function_ref<Value(StringRef)> value;
};

} // namespace mlir::relax::graph

#endif // RELAXDIALECT_LIB_DIALECT_GRAPH_TRANSFORMS_EXPRLOWERING_H
