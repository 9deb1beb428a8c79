//===- IndexEvaluator.cpp - Index arithmetic as expressions ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "IndexEvaluator.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;

/// Narrower integers wrap where sizes do not.
static bool isSizeType(Type type) { return type.isIndex() || type.isInteger(64); }

SmallVector<SymExpr> IndexEvaluator::getDims(Value shaped) {
  if (auto known = shapes.find(shaped); known != shapes.end())
    return known->second;
  SmallVector<SymExpr> dims;
  if (auto type = dyn_cast<ShapedType>(shaped.getType()); type && type.hasRank())
    for (int64_t size : type.getShape())
      dims.push_back(ShapedType::isDynamic(size) ? SymExpr() : constant(size));
  return dims;
}

SymExpr IndexEvaluator::getIndex(OpFoldResult value) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(value)))
    return constant(number.getInt());
  auto ssa = dyn_cast<Value>(value);
  return ssa ? getIndex(ssa) : SymExpr();
}

SymExpr IndexEvaluator::getIndex(Value value) {
  if (auto known = indices.find(value); known != indices.end())
    return known->second;
  if (!isSizeType(value.getType()))
    return {};
  APInt number;
  SymExpr expr;
  if (matchPattern(value, m_ConstantInt(&number)))
    expr = number.isSignedIntN(64) ? constant(number.getSExtValue()) : SymExpr();
  else if (auto result = dyn_cast<OpResult>(value))
    expr = evaluateResult(result);
  indices[value] = expr;
  return expr;
}

void IndexEvaluator::forget(Operation *op) {
  for (Value result : op->getResults()) {
    indices.erase(result);
    shapes.erase(result);
  }
}

SymExpr IndexEvaluator::makeSymbol() {
  std::string name;
  do
    name = "s" + std::to_string(nextSymbol++);
  while (order.contains(name));
  reserveSymbol(name);
  return SymExpr::symbol(context, name);
}

//===- Facts --------------------------------------------------------------===//

Prover &IndexEvaluator::getProver() {
  if (!prover)
    prover = std::make_unique<Prover>(context, facts);
  return *prover;
}

void IndexEvaluator::addFact(const Fact &fact) {
  if (!fact.lhs || !fact.rhs || llvm::is_contained(facts, fact) || getProver().holds(fact) == Verdict::True)
    return;
  facts.push_back(fact);
  prover.reset();
}

void IndexEvaluator::truncateFacts(size_t size) {
  if (facts.size() == size)
    return;
  facts.truncate(size);
  prover.reset();
}

SymExpr IndexEvaluator::simplify(SymExpr expr) {
  // The symbol of an equation that may be replaced: the younger of two, or one that the other side does not use.
  auto getReplaced = [&](const Fact &fact) -> std::pair<StringRef, SymExpr> {
    std::optional<StringRef> lhs = fact.lhs.getSymbol(), rhs = fact.rhs.getSymbol();
    if (lhs && rhs)
      return order.lookup(*lhs) > order.lookup(*rhs) ? std::pair(*lhs, fact.rhs) : std::pair(*rhs, fact.lhs);
    if (lhs && !fact.rhs.usesSymbol(*lhs))
      return {*lhs, fact.rhs};
    if (rhs && !fact.lhs.usesSymbol(*rhs))
      return {*rhs, fact.lhs};
    return {};
  };
  constexpr unsigned kMaxRounds = 8; // equations may lead in a circle
  for (unsigned round = 0; round < kMaxRounds; ++round) {
    SymExpr before = expr;
    for (const Fact &fact : facts) {
      std::pair<StringRef, SymExpr> replaced = getReplaced(fact);
      if (fact.op != Fact::Op::Equal || !replaced.second || !expr.usesSymbol(replaced.first))
        continue;
      SymExpr next =
          expr.substitute([&](StringRef name) { return name == replaced.first ? replaced.second : SymExpr(); });
      if (next)
        expr = next;
    }
    if (expr == before)
      break;
  }
  return getProver().simplify(expr);
}

bool IndexEvaluator::isNonNegative(SymExpr expr) {
  return expr && getProver().isLessEqual(constant(0), expr) == Verdict::True;
}

bool IndexEvaluator::isPositive(SymExpr expr) {
  return expr && getProver().isLessEqual(constant(1), expr) == Verdict::True;
}

//===- Conditions ---------------------------------------------------------===//

namespace {
/// A comparison; `never` is the fact that holds when it is false, without one for "not equal".
struct Comparison {
  std::optional<Fact> whenTrue, whenFalse;
};
} // namespace

static Comparison getComparison(arith::CmpIPredicate predicate, SymExpr lhs, SymExpr rhs) {
  using Predicate = arith::CmpIPredicate;
  auto fact = [&](Fact::Op op) { return Fact{lhs, op, rhs}; };
  switch (predicate) {
  case Predicate::eq:
    return {fact(Fact::Op::Equal), std::nullopt};
  case Predicate::ne:
    return {std::nullopt, fact(Fact::Op::Equal)};
  case Predicate::slt:
  case Predicate::ult:
    return {fact(Fact::Op::Less), fact(Fact::Op::GreaterEqual)};
  case Predicate::sle:
  case Predicate::ule:
    return {fact(Fact::Op::LessEqual), fact(Fact::Op::Greater)};
  case Predicate::sgt:
  case Predicate::ugt:
    return {fact(Fact::Op::Greater), fact(Fact::Op::LessEqual)};
  case Predicate::sge:
  case Predicate::uge:
    return {fact(Fact::Op::GreaterEqual), fact(Fact::Op::Less)};
  }
  llvm_unreachable("all predicates are covered");
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  return predicate == Predicate::ult || predicate == Predicate::ule || predicate == Predicate::ugt ||
         predicate == Predicate::uge;
}

Verdict IndexEvaluator::getVerdict(Value condition) {
  APInt number;
  if (matchPattern(condition, m_ConstantInt(&number)))
    return number.isZero() ? Verdict::False : Verdict::True;
  auto negate = [](Verdict verdict) {
    return verdict == Verdict::Depends ? verdict : verdict == Verdict::True ? Verdict::False : Verdict::True;
  };
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    Verdict decisive = isa<arith::AndIOp>(op) ? Verdict::False : Verdict::True;
    Verdict a = getVerdict(op->getOperand(0)), b = getVerdict(op->getOperand(1));
    if (a == decisive || b == decisive)
      return decisive;
    return a == b ? a : Verdict::Depends;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return Verdict::Depends;
  SymExpr lhs = getIndex(compare.getLhs()), rhs = getIndex(compare.getRhs());
  if (!lhs || !rhs || (isUnsigned(compare.getPredicate()) && !(isNonNegative(lhs) && isNonNegative(rhs))))
    return Verdict::Depends;
  Comparison comparison = getComparison(compare.getPredicate(), lhs, rhs);
  if (comparison.whenTrue)
    return getProver().holds(*comparison.whenTrue);
  return negate(getProver().holds(*comparison.whenFalse));
}

void IndexEvaluator::addFacts(Value condition, bool truth, Facts &added) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    // Both parts of a conjunction that holds, and of a disjunction that does not.
    if (isa<arith::AndIOp>(op) == truth)
      for (Value part : op->getOperands())
        addFacts(part, truth, added);
    return;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return;
  SymExpr lhs = getIndex(compare.getLhs()), rhs = getIndex(compare.getRhs());
  if (!lhs || !rhs || (isUnsigned(compare.getPredicate()) && !(isNonNegative(lhs) && isNonNegative(rhs))))
    return;
  Comparison comparison = getComparison(compare.getPredicate(), lhs, rhs);
  if (const std::optional<Fact> &fact = truth ? comparison.whenTrue : comparison.whenFalse)
    added.push_back(*fact);
}

//===- Arithmetic ---------------------------------------------------------===//

SymExpr IndexEvaluator::evaluate(AffineExpr expr, ArrayRef<SymExpr> dims, ArrayRef<SymExpr> symbols) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() < dims.size() ? dims[dim.getPosition()] : SymExpr();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbol.getPosition() < symbols.size() ? symbols[symbol.getPosition()] : SymExpr();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  SymExpr lhs = evaluate(binary.getLHS(), dims, symbols), rhs = evaluate(binary.getRHS(), dims, symbols);
  if (!lhs || !rhs)
    return {};
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  default:
    break;
  }
  if (!isPositive(rhs))
    return {};
  if (binary.getKind() == AffineExprKind::Mod)
    return SymExpr::mod(lhs, rhs);
  return binary.getKind() == AffineExprKind::FloorDiv ? SymExpr::floordiv(lhs, rhs) : SymExpr::ceildiv(lhs, rhs);
}

SymExpr IndexEvaluator::evaluateArith(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Verdict verdict = getVerdict(select.getCondition());
    SymExpr a = getIndex(select.getTrueValue()), b = getIndex(select.getFalseValue());
    if (verdict != Verdict::Depends)
      return verdict == Verdict::True ? a : b;
    return a == b ? a : SymExpr();
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return isSizeType(op->getOperand(0).getType()) ? getIndex(op->getOperand(0)) : SymExpr();
  if (op->getNumOperands() != 2 || !isSizeType(op->getOperand(0).getType()))
    return {};
  SymExpr a = getIndex(op->getOperand(0)), b = getIndex(op->getOperand(1));
  if (!a || !b)
    return {};
  auto areSizes = [&] { return isNonNegative(a) && isNonNegative(b); };
  auto isDivision = [&] { return isNonNegative(a) && isPositive(b); };
  return TypeSwitch<Operation *, SymExpr>(op)
      .Case([&](arith::AddIOp) { return a + b; })
      .Case([&](arith::SubIOp) { return a - b; })
      .Case([&](arith::MulIOp) { return a * b; })
      .Case([&](arith::MaxSIOp) { return SymExpr::max({a, b}); })
      .Case([&](arith::MinSIOp) { return SymExpr::min({a, b}); })
      .Case([&](arith::MaxUIOp) { return areSizes() ? SymExpr::max({a, b}) : SymExpr(); })
      .Case([&](arith::MinUIOp) { return areSizes() ? SymExpr::min({a, b}) : SymExpr(); })
      .Case([&](arith::FloorDivSIOp) { return isPositive(b) ? SymExpr::floordiv(a, b) : SymExpr(); })
      .Case([&](arith::CeilDivSIOp) { return isPositive(b) ? SymExpr::ceildiv(a, b) : SymExpr(); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return isDivision() ? SymExpr::floordiv(a, b) : SymExpr(); })
      .Case([&](arith::CeilDivUIOp) { return isDivision() ? SymExpr::ceildiv(a, b) : SymExpr(); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return isDivision() ? SymExpr::mod(a, b) : SymExpr(); })
      .Default([](Operation *) { return SymExpr(); });
}

SymExpr IndexEvaluator::evaluateResult(OpResult result) {
  Operation *op = result.getOwner();
  if (auto dim = dyn_cast<ShapedDimOpInterface>(op)) {
    SymExpr position = getIndex(dim.getDimension());
    std::optional<int64_t> index = position ? position.getConstant() : std::nullopt;
    SmallVector<SymExpr> dims = getDims(dim.getShapedValue());
    return index && *index >= 0 && *index < static_cast<int64_t>(dims.size()) ? dims[*index] : SymExpr();
  }
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op)) {
    AffineMap map = cast<AffineMapAttr>(op->getAttr("map")).getValue();
    SmallVector<SymExpr> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getIndex(operand));
    SmallVector<SymExpr> values;
    for (AffineExpr expr : map.getResults()) {
      values.push_back(evaluate(expr, ArrayRef(operands).take_front(map.getNumDims()),
                                ArrayRef(operands).drop_front(map.getNumDims())));
      if (!values.back())
        return {};
    }
    return isa<affine::AffineMaxOp>(op) ? SymExpr::max(values) : SymExpr::min(values);
  }
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ? evaluateArith(op) : SymExpr();
}
