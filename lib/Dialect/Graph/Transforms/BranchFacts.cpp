//===- BranchFacts.cpp - What holds inside of control flow ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/Transforms/BranchFacts.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relax;
using sym::Fact;
using sym::SymExpr;

/// Conditions nest as deep as a program writes them; what is deeper says nothing.
static constexpr unsigned kMaxDepth = 32;

static bool isNotNegative(SymExpr expr) {
  std::optional<int64_t> least = sym::Prover(expr.getContext()).lowerBound(expr);
  return least && *least >= 0;
}

static SymExpr getValue(Value value, unsigned depth);

/// Division and remainder by a positive constant, where truncation is rounding down.
static SymExpr getQuotient(Operation *op, unsigned depth) {
  SymExpr dividend = getValue(op->getOperand(0), depth), divisor = getValue(op->getOperand(1), depth);
  std::optional<int64_t> constant = divisor ? divisor.getConstant() : std::nullopt;
  if (!dividend || !constant || *constant <= 0)
    return {};
  if (isa<arith::FloorDivSIOp>(op))
    return SymExpr::floordiv(dividend, divisor);
  if (isa<arith::CeilDivSIOp>(op))
    return SymExpr::ceildiv(dividend, divisor);
  if (!isNotNegative(dividend))
    return {};
  if (isa<arith::CeilDivUIOp>(op))
    return SymExpr::ceildiv(dividend, divisor);
  return isa<arith::RemSIOp, arith::RemUIOp>(op) ? SymExpr::mod(dividend, divisor)
                                                 : SymExpr::floordiv(dividend, divisor);
}

static SymExpr getValue(Value value, unsigned depth) {
  if (IntegerAttr constant; matchPattern(value, m_Constant(&constant)) && !value.getType().isInteger(1))
    return SymExpr::constant(value.getContext(), constant.getInt());
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return {};
  if (auto eval = dyn_cast<graph::EvalExprOp>(op))
    return eval.getExpr().getValue();
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    SmallVector<SymExpr> dims = sym::getSymbolicDims(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    return index && *index >= 0 && *index < static_cast<int64_t>(dims.size()) ? dims[*index] : SymExpr();
  }
  // The same width: nothing is cut off.
  if (isa<arith::IndexCastOp>(op) && (op->getOperand(0).getType().isInteger(64) || value.getType().isInteger(64)))
    return getValue(op->getOperand(0), depth - 1);
  if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp>(op))
    return getQuotient(op, depth - 1);
  if (isa<arith::MaxSIOp, arith::MinSIOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    SymExpr a = getValue(op->getOperand(0), depth - 1), b = getValue(op->getOperand(1), depth - 1);
    if (!a || !b)
      return {};
    if (isa<arith::MaxSIOp>(op))
      return SymExpr::max({a, b});
    if (isa<arith::MinSIOp>(op))
      return SymExpr::min({a, b});
    // Sums and products may wrap, unless somebody promised that they do not.
    auto flags = cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    if (!flags.hasNoSignedWrap())
      return {};
    return isa<arith::AddIOp>(op) ? a + b : isa<arith::SubIOp>(op) ? a - b : a * b;
  }
  return {};
}

SymExpr graph::getSymbolicValue(Value value) {
  if (!value.getType().isIndex() && !value.getType().isInteger(64))
    return {};
  return getValue(value, kMaxDepth);
}

static void addComparison(arith::CmpIOp compare, bool value, SmallVectorImpl<Fact> &facts) {
  SymExpr lhs = graph::getSymbolicValue(compare.getLhs()), rhs = graph::getSymbolicValue(compare.getRhs());
  if (!lhs || !rhs)
    return;
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!value)
    predicate = arith::invertPredicate(predicate);
  bool isUnsigned = predicate == arith::CmpIPredicate::ult || predicate == arith::CmpIPredicate::ule ||
                    predicate == arith::CmpIPredicate::ugt || predicate == arith::CmpIPredicate::uge;
  if (isUnsigned && (!isNotNegative(lhs) || !isNotNegative(rhs)))
    return;
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    facts.push_back({lhs, Fact::Op::Equal, rhs});
    return;
  case arith::CmpIPredicate::ne: // no fact says this
    return;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    facts.push_back({lhs, Fact::Op::Less, rhs});
    return;
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    facts.push_back({lhs, Fact::Op::LessEqual, rhs});
    return;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    facts.push_back({lhs, Fact::Op::Greater, rhs});
    return;
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    facts.push_back({lhs, Fact::Op::GreaterEqual, rhs});
    return;
  }
}

static void collect(Value condition, bool value, SmallVectorImpl<Fact> &facts, unsigned depth) {
  Operation *op = condition.getDefiningOp();
  if (!op || depth == 0 || !condition.getType().isInteger(1))
    return;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    addComparison(compare, value, facts);
  } else if ((isa<arith::AndIOp>(op) && value) || (isa<arith::OrIOp>(op) && !value)) {
    for (Value operand : op->getOperands())
      collect(operand, value, facts, depth - 1);
  } else if (isa<arith::XOrIOp>(op) && matchPattern(op->getOperand(1), m_One())) {
    collect(op->getOperand(0), !value, facts, depth - 1);
  }
}

void graph::collectConditionFacts(Value condition, bool value, SmallVectorImpl<Fact> &facts) {
  collect(condition, value, facts, kMaxDepth);
}

void graph::collectRegionFacts(Region &region, SmallVectorImpl<Fact> &facts) {
  Operation *op = region.getParentOp();
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    collectConditionFacts(ifOp.getCondition(), &region == &ifOp.getThenRegion(), facts);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (&region == &loop.getAfter())
      collectConditionFacts(loop.getConditionOp().getCondition(), true, facts);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    SymExpr lower = getSymbolicValue(loop.getLowerBound()), upper = getSymbolicValue(loop.getUpperBound());
    if (lower && upper)
      facts.push_back({lower, Fact::Op::Less, upper});
  }
}
