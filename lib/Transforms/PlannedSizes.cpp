//===- PlannedSizes.cpp - Proofs about offsets and sizes ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "PlannedSizes.h"
#include "MemoryUtils.h"
#include "SymbolBounds.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using sym::Verdict;

PlannedSizes::PlannedSizes(func::FuncOp function)
    : prover(function.getContext(), sym::getScope(function)),
      entryProver(function.getContext(), SymbolBounds(function).getEntryFacts()) {
  // A fact and a match_cast may say the same.
  llvm::SmallDenseSet<std::pair<SymExpr, SymExpr>> seen;
  forEachUpperBound(function, [&](SymExpr symbol, SymExpr bound) {
    if (seen.insert({symbol, bound}).second)
      bounds.push_back({symbol, bound});
  });
  findExamples(sym::getScope(function));
}

//===----------------------------------------------------------------------===//
// Quantities
//===----------------------------------------------------------------------===//

PlannedSizes::Quantity PlannedSizes::makeNode(Node::Kind kind, SymExpr expr, Quantity a, Quantity b) {
  auto [it, isNew] = numbers.try_emplace({static_cast<unsigned>(kind), expr, a, b}, nodes.size());
  if (isNew)
    nodes.push_back({kind, expr, a, b});
  return it->second;
}

/// `rest + c * max(..)` with c > 0: the sums whose maximum it is. Canonicalization makes one expression of a maximum.
static SmallVector<SymExpr> splitMaximum(SymExpr expr) {
  for (const sym::SymTerm &term : sym::getTerms(expr)) {
    if (term.coefficient <= 0 || term.factors.size() != 1 || term.factors.front().second != 1 ||
        term.factors.front().first->kind != sym::SymAtom::Kind::Max)
      continue;
    ArrayRef<SymExpr> operands = term.factors.front().first->operands;
    SymExpr whole = SymExpr::max(operands) * term.coefficient, rest = whole ? expr - whole : SymExpr();
    SmallVector<SymExpr> sums;
    for (SymExpr operand : operands) {
      SymExpr scaled = operand * term.coefficient, sum = rest && scaled ? rest + scaled : SymExpr();
      if (!sum)
        return {};
      sums.push_back(sum);
    }
    return sums;
  }
  return {};
}

PlannedSizes::Quantity PlannedSizes::get(SymExpr expr) {
  SmallVector<SymExpr> sums = splitMaximum(expr);
  if (sums.empty())
    return makeNode(Node::Kind::Expr, expr, 0, 0);
  Quantity result = get(sums.front());
  for (SymExpr sum : ArrayRef(sums).drop_front()) {
    Quantity other = get(sum);
    result = makeNode(Node::Kind::Max, {}, std::min(result, other), std::max(result, other));
  }
  return result;
}

std::pair<std::optional<PlannedSizes::Quantity>, SymExpr> PlannedSizes::splitConstant(Quantity quantity) const {
  auto isConstant = [&](Quantity q) { return nodes[q].kind == Node::Kind::Expr && nodes[q].expr.getConstant(); };
  const Node &node = nodes[quantity];
  if (isConstant(quantity))
    return {std::nullopt, node.expr};
  if (node.kind == Node::Kind::Sum)
    for (auto [term, rest] : {std::pair(node.a, node.b), {node.b, node.a}})
      if (isConstant(term))
        return {rest, nodes[term].expr};
  return {quantity, SymExpr()};
}

/// Canonicalization moves constants between sums: here they are one term, the last one to be added.
PlannedSizes::Quantity PlannedSizes::add(Quantity a, Quantity b) {
  auto [restA, constantA] = splitConstant(a);
  auto [restB, constantB] = splitConstant(b);
  auto makeSum = [&](Quantity x, Quantity y) { return makeNode(Node::Kind::Sum, {}, std::min(x, y), std::max(x, y)); };
  SymExpr constant = constantA && constantB ? constantA + constantB : constantA ? constantA : constantB;
  if (constantA && constantB && !constant) // does not fit
    return makeSum(a, b);
  if (!restA && !restB)
    return get(constant);
  Quantity rest = restA && restB ? makeSum(*restA, *restB) : restA ? *restA : *restB;
  return !constant || constant.getConstant() == 0 ? rest : makeSum(rest, get(constant));
}

bool PlannedSizes::advance() {
  // What values are depends on the case, what is proved about quantities does not.
  values.clear();
  return choices.advance();
}

std::optional<PlannedSizes::Quantity> PlannedSizes::get(Value index) {
  index = choices.resolve(index);
  if (auto it = values.find(index); it != values.end())
    return it->second;
  std::optional<Quantity> result;
  if (IntegerAttr constant; matchPattern(index, m_Constant(&constant))) {
    result = get(SymExpr::constant(index.getContext(), constant.getInt()));
  } else if (auto eval = index.getDefiningOp<graph::EvalExprOp>()) {
    result = get(eval.getExpr().getValue());
  } else if (Operation *op = index.getDefiningOp(); isa_and_nonnull<arith::AddIOp, arith::MaxSIOp>(op)) {
    std::optional<Quantity> a = get(op->getOperand(0)), b = get(op->getOperand(1));
    auto sum = dyn_cast<arith::AddIOp>(op);
    if (a && b && !sum)
      result = makeNode(Node::Kind::Max, {}, std::min(*a, *b), std::max(*a, *b));
    else if (a && b && bitEnumContainsAll(sum.getOverflowFlags(), arith::IntegerOverflowFlags::nsw))
      result = add(*a, *b);
  }
  return values[index] = result;
}

/// What a quantity is the maximum of: sums as one expression each. Empty when they are many.
SmallVector<SymExpr> PlannedSizes::getCases(Quantity quantity) {
  constexpr size_t kMaxCases = 16;
  Node node = nodes[quantity];
  if (node.kind == Node::Kind::Expr)
    return {node.expr};
  // Offsets are sums of sums: each is looked at once.
  if (auto it = cases.find(quantity); it != cases.end())
    return it->second;
  SmallVector<SymExpr> a = getCases(node.a), b = getCases(node.b);
  llvm::SmallSetVector<SymExpr, 8> found;
  if (node.kind == Node::Kind::Max) {
    found.insert_range(a);
    found.insert_range(b);
  } else {
    for (SymExpr x : a)
      for (SymExpr y : b)
        found.insert(x + y);
  }
  bool isKnown = !a.empty() && !b.empty() && found.size() <= kMaxCases && !found.contains(SymExpr());
  return cases[quantity] = isKnown ? SmallVector<SymExpr>(found.getArrayRef()) : SmallVector<SymExpr>();
}

bool PlannedSizes::isAtMostInEachCase(Quantity a, Quantity b) {
  SmallVector<SymExpr> small = getCases(a), large = getCases(b);
  return !small.empty() && llvm::all_of(small, [&](SymExpr x) {
    return llvm::any_of(large, [&](SymExpr y) { return isExprAtMost(x, y, Effort::Prover); });
  });
}

SymExpr PlannedSizes::flatten(Quantity quantity) {
  constexpr size_t kMaxTerms = 48;
  Node node = nodes[quantity];
  if (node.kind == Node::Kind::Expr)
    return node.expr;
  // Offsets are sums of sums: each is looked at once.
  if (auto it = flattened.find(quantity); it != flattened.end())
    return it->second;
  SymExpr a = flatten(node.a), b = a ? flatten(node.b) : SymExpr(), result;
  if (b && sym::getTerms(a).size() + sym::getTerms(b).size() <= kMaxTerms)
    result = node.kind == Node::Kind::Sum ? a + b : SymExpr::max({a, b});
  return flattened[quantity] = result;
}

std::string PlannedSizes::str(Quantity quantity) {
  SymExpr expr = flatten(quantity);
  return expr ? expr.str() : "a sum";
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

bool PlannedSizes::isRoundedUp(SymExpr expr, SymExpr bytes) const {
  for (int64_t alignment : {64, 256})
    if (SymExpr rounded = roundUp(bytes, alignment); rounded && rounded == expr)
      return true;
  return false;
}

bool PlannedSizes::isNonNegative(Quantity quantity) {
  if (auto it = signs.find(quantity); it != signs.end())
    return it->second;
  Node node = nodes[quantity];
  bool result = false;
  switch (node.kind) {
  case Node::Kind::Sum:
    result = isNonNegative(node.a) && isNonNegative(node.b);
    break;
  case Node::Kind::Max:
    result = isNonNegative(node.a) || isNonNegative(node.b);
    break;
  case Node::Kind::Expr:
    result =
        llvm::any_of(nonNegative, [&](SymExpr bytes) { return node.expr == bytes || isRoundedUp(node.expr, bytes); }) ||
        entryProver.isLessEqual(SymExpr::constant(node.expr.getContext(), 0), node.expr) == Verdict::True;
    break;
  }
  return signs[quantity] = result;
}

bool PlannedSizes::isAtMost(Quantity a, Quantity b) { return proveAtMostInAllCases(a, b) || isAtMostByChoice(a, b); }

/// a <= x and y <= b, where x <= y was compared for the choice that is looked at.
bool PlannedSizes::isAtMostByChoice(Quantity a, Quantity b) {
  SmallVector<std::pair<Value, Value>> compared;
  choices.forEachFact([&](Value x, Value y) { compared.push_back({x, y}); });
  return llvm::any_of(compared, [&](auto pair) {
    std::optional<Quantity> x = get(pair.first), y = get(pair.second);
    return x && y && proveAtMostInAllCases(*y, b) && proveAtMostInAllCases(a, *x);
  });
}

bool PlannedSizes::proveAtMostInAllCases(Quantity a, Quantity b) {
  if (isAtMost(a, b, Effort::Structure) || isAtMost(a, b, Effort::Prover) || isAtMostInEachCase(a, b))
    return true;
  SymExpr x = flatten(a), y = flatten(b);
  return x && y && isExprAtMost(x, y, Effort::Prover);
}

bool PlannedSizes::isAtMost(Quantity a, Quantity b, Effort effort) {
  if (a == b)
    return true;
  std::tuple<Quantity, Quantity, unsigned> key = {a, b, static_cast<unsigned>(effort)};
  if (auto it = answers.find(key); it != answers.end())
    return it->second;
  bool answer = proveAtMost(a, b, effort);
  answers[key] = answer;
  return answer;
}

bool PlannedSizes::proveAtMost(Quantity a, Quantity b, Effort effort) {
  Node small = nodes[a], large = nodes[b];
  if (small.kind == Node::Kind::Expr && large.kind == Node::Kind::Expr)
    return isExprAtMost(small.expr, large.expr, effort);
  auto atMost = [&](Quantity x, Quantity y) { return isAtMost(x, y, effort); };
  if (large.kind == Node::Kind::Max && (atMost(a, large.a) || atMost(a, large.b)))
    return true;
  if (large.kind == Node::Kind::Sum) {
    // x + y is at least x + z for z <= y, and at least x.
    if (small.kind == Node::Kind::Sum)
      for (auto [x, rest] : {std::pair(small.a, small.b), {small.b, small.a}})
        for (auto [y, other] : {std::pair(large.a, large.b), {large.b, large.a}})
          if (x == y && atMost(rest, other))
            return true;
    if ((isNonNegative(large.b) && atMost(a, large.a)) || (isNonNegative(large.a) && atMost(a, large.b)))
      return true;
    if (small.kind == Node::Kind::Sum && ((atMost(small.a, large.a) && atMost(small.b, large.b)) ||
                                          (atMost(small.a, large.b) && atMost(small.b, large.a))))
      return true;
  }
  return small.kind == Node::Kind::Max && atMost(small.a, b) && atMost(small.b, b);
}

bool PlannedSizes::isExprAtMost(SymExpr a, SymExpr b, Effort effort) {
  if (a == b || isRoundedUp(b, a))
    return true;
  if (a.getConstant() && b.getConstant())
    return *a.getConstant() <= *b.getConstant();
  if (effort == Effort::Structure)
    return false;
  if (auto it = exprAnswers.find({a, b}); it != exprAnswers.end())
    return it->second;
  bool answer = proveWithBounds(a, b, 4);
  exprAnswers[{a, b}] = answer;
  return answer;
}

/// The value that a symbol has in an example which does not mention it.
static int64_t getFreeValue(StringRef symbol, int64_t base) {
  return base + static_cast<int64_t>(llvm::xxh3_64bits(symbol) % 3);
}

void PlannedSizes::findExamples(sym::ScopeAttr scope) {
  ArrayRef<sym::Fact> facts = scope ? scope.getFacts() : ArrayRef<sym::Fact>();
  SmallVector<StringRef> symbols;
  auto collect = [&](SymExpr expr) { llvm::append_range(symbols, expr.getSymbols()); };
  for (const sym::Fact &fact : facts) {
    collect(fact.lhs);
    collect(fact.rhs);
  }
  for (auto [symbol, bound] : bounds) {
    collect(symbol);
    collect(bound);
  }
  for (int64_t base : {0, 1, 5, 64, 1000}) {
    llvm::StringMap<int64_t> values;
    for (StringRef symbol : symbols)
      values.try_emplace(symbol, getFreeValue(symbol, base));
    auto read = [&](StringRef name) { return std::optional(values.lookup(name)); };
    // What is bounded is as large as may be; bounds of bounds take a few rounds.
    bool isStable = false;
    for (unsigned round = 0; round < 8 && !isStable; ++round) {
      llvm::StringMap<int64_t> next = values;
      for (auto [symbol, bound] : bounds)
        next[*symbol.getSymbol()] = std::numeric_limits<int64_t>::max();
      for (auto [symbol, bound] : bounds)
        if (std::optional<int64_t> value = bound.evaluate(read))
          next[*symbol.getSymbol()] = std::min(next[*symbol.getSymbol()], std::max<int64_t>(*value, 0));
      isStable = llvm::all_of(next, [&](const auto &entry) { return values.lookup(entry.first()) == entry.second; });
      values = std::move(next);
    }
    bool holds =
        isStable && llvm::all_of(facts, [&](const sym::Fact &fact) { return fact.evaluate(read).value_or(false); });
    holds = holds && llvm::all_of(bounds, [&](const auto &pair) {
              std::optional<int64_t> bound = pair.second.evaluate(read);
              return bound && values.lookup(*pair.first.getSymbol()) <= *bound;
            });
    if (holds)
      examples.push_back(std::move(values));
  }
}

bool PlannedSizes::isRefuted(SymExpr a, SymExpr b) const {
  for (const llvm::StringMap<int64_t> &values : examples) {
    auto read = [&](StringRef name) {
      auto known = values.find(name);
      return std::optional(known == values.end() ? getFreeValue(name, 5) : known->second);
    };
    std::optional<int64_t> x = a.evaluate(read), y = b.evaluate(read);
    if (x && y && *x > *y)
      return true;
  }
  return false;
}

/// a <= b, if need be after replacing symbols with which `a` grows by what they do not exceed.
bool PlannedSizes::proveWithBounds(SymExpr a, SymExpr b, unsigned depth) {
  if (!a || !b || isRefuted(a, b))
    return false;
  auto [failure, isNew] = failures.try_emplace({a, b}, depth);
  if (!isNew && failure->second >= depth)
    return false;
  failure->second = depth;
  bool isProved = searchProof(a, b, depth, isNew);
  if (isProved)
    failures.erase({a, b});
  return isProved;
}

bool PlannedSizes::searchProof(SymExpr a, SymExpr b, unsigned depth, bool isNew) {
  if (isNew && (a == b || isRoundedUp(b, a) || prover.isLessEqual(a, b) == Verdict::True))
    return true;
  // b is what something large takes, rounded up: 64 * q - c is as good as 64 * q.
  if (SymExpr rounded = isNew ? roundUp(a, 64) : SymExpr();
      rounded && rounded != a && prover.isLessEqual(rounded, b) == Verdict::True)
    return true;
  SymExpr zero = SymExpr::constant(a.getContext(), 0);
  for (auto [symbol, bound] : depth ? ArrayRef(bounds) : ArrayRef<std::pair<SymExpr, SymExpr>>()) {
    StringRef name = *symbol.getSymbol();
    if (!a.usesSymbol(name))
      continue;
    auto replace = [&](SymExpr by) {
      return a.substitute([&](StringRef other) { return other == name ? by : SymExpr(); });
    };
    bool grows = growsWith(a, name);
    if (!grows) {
      SymExpr next = replace(symbol + 1);
      std::optional<int64_t> step = next ? prover.lowerBound(next - a) : std::nullopt;
      grows = step && *step >= 0;
    }
    if (!grows)
      continue;
    // The symbol is not below 0, so the bound isn't either.
    SymExpr replaced = replace(bound), clamped = replace(SymExpr::max({bound, zero}));
    if (proveWithBounds(replaced, b, depth - 1) || (clamped != replaced && proveWithBounds(clamped, b, depth - 1)))
      return true;
  }
  return false;
}
