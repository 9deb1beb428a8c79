//===- ProverLinear.cpp - Constraints as linear systems --------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Every monomial becomes a variable. Operators bring their definitions along:
// q = floordiv(a, b) means 0 <= a - b*q <= b - 1. What is known about products
// comes from multiplying constraints with each other.
//
//===----------------------------------------------------------------------===//

#include "ProverImpl.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

static unsigned degreeOf(const Factors &factors) {
  unsigned sum = 0;
  for (auto &factor : factors)
    sum += factor.second;
  return sum;
}

static bool isAffine(const Poly &poly) { return poly.empty() || degreeOf(poly.front().factors) <= 1; }

LinearModel::LinearModel(const RangeMap &ranges, Budget &budget, ArrayRef<Constraint> constraints)
    : ranges(ranges), budget(budget) {
  for (const Constraint &constraint : constraints)
    add(getPoly(constraint.expr), constraint.isEquality, constraint.origin);
}

void LinearModel::add(Poly poly, bool isEquality, uint64_t origin) {
  addMonomials(poly);
  inequalities.push_back({std::move(poly), isEquality, origin});
}

void LinearModel::addMonomials(const Poly &poly) {
  for (const SymTerm &term : poly) {
    if (term.factors.empty())
      continue;
    bool isAtom = degreeOf(term.factors) == 1;
    if (isAtom ? atomIndex.contains(term.factors[0].first) : llvm::is_contained(variables, term.factors))
      continue;
    unsigned index = variables.size();
    variables.push_back(term.factors);
    if (isAtom)
      atomIndex[term.factors[0].first] = index;
    else
      nonlinear.push_back(index);
    // Bounds of a monomial, as far as intervals tell.
    Poly self;
    self.push_back({1, term.factors});
    Bounds bounds = narrow(ranges.intervalOf(self));
    auto addBound = [&](int64_t sign, std::optional<int64_t> bound) {
      if (!bound || *bound == INT64_MIN)
        return;
      OptPoly row = multiply(self, sign);
      row = row ? sym::detail::add(*row, constantPoly(*bound), -sign) : std::nullopt;
      if (row)
        inequalities.push_back({*row, false, kFromDefinition});
    };
    addBound(1, bounds.lo);
    addBound(-1, bounds.hi);
    // Copies: `variables` grows below.
    Factors factors = term.factors;
    for (auto &factor : factors) {
      if (!isAtom) {
        addMonomials(atomPoly(factor.first));
        continue;
      }
      define(factor.first);
    }
  }
}

void LinearModel::define(const SymAtom *atom) {
  if (atom->kind == SymAtom::Kind::Symbol)
    return; // its bounds are rows already
  Poly self = atomPoly(atom);
  if (atom->kind == SymAtom::Kind::Max) {
    for (SymExpr operand : atom->operands)
      if (OptPoly row = sym::detail::add(self, getPoly(operand), -1))
        add(std::move(*row), false, kFromDefinition);
    return;
  }
  const Poly &dividend = getPoly(atom->operands[0]), &divisor = getPoly(atom->operands[1]);
  OptPoly product = multiply(divisor, self);
  OptPoly rest = product ? sym::detail::add(dividend, *product, -1) : std::nullopt;
  if (!rest)
    return;
  OptPoly room = sym::detail::add(divisor, *rest, -1);
  room = room ? sym::detail::add(*room, constantPoly(-1)) : std::nullopt;
  add(std::move(*rest), false, kFromDefinition);
  if (room)
    add(std::move(*room), false, kFromDefinition);
}

SmallVector<std::pair<unsigned, int64_t>> LinearModel::toTerms(const Poly &poly) {
  SmallVector<std::pair<unsigned, int64_t>> terms;
  for (const SymTerm &term : poly) {
    if (term.factors.empty())
      continue;
    unsigned index = degreeOf(term.factors) == 1 ? atomIndex.lookup(term.factors[0].first)
                                                 : llvm::find(variables, term.factors) - variables.begin();
    terms.push_back({index, term.coefficient});
  }
  return terms;
}

LinearSystem LinearModel::makeSystem() {
  LinearSystem system;
  for (unsigned i = 0; i < variables.size(); ++i)
    system.addVariable();
  for (const Inequality &inequality : inequalities)
    system.addRow(toTerms(inequality.poly), constantTerm(inequality.poly), inequality.isEquality, inequality.origin);
  return system;
}

std::optional<Wide> LinearModel::maximize(const Poly &objective, bool &isEmpty, Assignment *candidate) {
  // The greatest z with objective - z >= 0.
  LinearSystem system = makeSystem();
  SmallVector<std::pair<unsigned, int64_t>> terms = toTerms(objective);
  unsigned z = system.addVariable();
  terms.push_back({z, -1});
  system.addRow(terms, constantTerm(objective), false, kFromClaim);
  SmallVector<Wide> values;
  std::optional<Wide> bound = system.maximize(z, budget, isEmpty, candidate ? &values : nullptr);
  takeSolution(values, candidate);
  return bound;
}

void LinearModel::takeSolution(ArrayRef<Wide> values, Assignment *candidate) const {
  if (!candidate || values.empty())
    return;
  for (auto [atom, index] : atomIndex)
    if (atom->kind == SymAtom::Kind::Symbol)
      (*candidate)[atom] = values[index];
}

LinearSystem::Result LinearModel::checkPresburger(bool integers, Assignment *candidate) {
  SmallVector<Wide> values;
  LinearSystem::Result result = makeSystem().checkPresburger(budget, integers, candidate ? &values : nullptr);
  takeSolution(values, candidate);
  return result;
}

LinearSystem::Result LinearModel::check(uint64_t *origins, Assignment *candidate) {
  LinearSystem system = makeSystem();
  if (!budget.spend(system.getNumRows()))
    return LinearSystem::Result::Unknown;
  SmallVector<Wide> values;
  LinearSystem::Result result = system.check(budget, origins, candidate ? &values : nullptr);
  takeSolution(values, candidate);
  return result;
}

bool LinearModel::addProducts(const Poly *objective) {
  constexpr unsigned kMaxProducts = 48, kMaxNew = 2, kMaxDegree = 4;
  if (nonlinear.empty() || variables.size() > 40)
    return false;
  SmallVector<Factors> wanted;
  for (unsigned index : nonlinear)
    wanted.push_back(variables[index]);

  // Products whose monomials are known come first; a few new monomials may be needed to connect them.
  struct Product {
    unsigned numNew;
    size_t position;
    Inequality inequality;
  };
  SmallVector<Product, 0> products;
  auto offer = [&](const Inequality &a, const Inequality &b) {
    if (a.poly.size() * b.poly.size() > 24 || a.poly.empty() || b.poly.empty() ||
        degreeOf(a.poly.front().factors) + degreeOf(b.poly.front().factors) > kMaxDegree)
      return;
    OptPoly product = multiply(a.poly, b.poly);
    if (!product)
      return;
    bool useful = false;
    unsigned numNew = 0;
    for (const SymTerm &term : *product) {
      if (degreeOf(term.factors) < 2)
        continue;
      if (llvm::is_contained(wanted, term.factors))
        useful = true;
      else
        ++numNew;
    }
    if (useful && numNew <= kMaxNew &&
        llvm::none_of(inequalities, [&](const Inequality &other) { return comparePolys(other.poly, *product) == 0; }))
      products.push_back(
          {numNew, products.size(), {std::move(*product), a.isEquality || b.isEquality, a.origin | b.origin}});
  };
  size_t count = std::min<size_t>(inequalities.size(), 40);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = i; j < count; ++j) {
      if (!budget.spend())
        return false;
      // Of two equalities, and of squares of inequalities, nothing new comes.
      const Inequality &a = inequalities[i], &b = inequalities[j];
      if ((i == j && a.isEquality) || (!isAffine(a.poly) && !isAffine(b.poly)))
        continue;
      // An inequality times an equality keeps the equality; its sign does not matter.
      offer(a, b);
    }
  }
  // A symbol with a greater lower bound is >= 0 as well: x*(c - x - y) >= 0 has its highest point where x*y has it.
  for (const SymAtom *symbol : getSymbolsInProducts()) {
    Interval range = ranges.ofSymbol(symbol);
    for (size_t i = 0; i < count && range.lo && *range.lo > 0 && budget.spend(); ++i)
      if (isAffine(inequalities[i].poly))
        offer({atomPoly(symbol), false, kFromDefinition}, inequalities[i]);
  }
  // (x - y)^2 >= 0 for the products x*y.
  for (const Factors &monomial : wanted) {
    if (monomial.size() != 2 || degreeOf(monomial) != 2)
      continue;
    OptPoly difference = sym::detail::add(atomPoly(monomial[0].first), atomPoly(monomial[1].first), -1);
    OptPoly square = difference ? multiply(*difference, *difference) : std::nullopt;
    if (square)
      products.push_back({2, products.size(), {std::move(*square), false, kFromDefinition}});
  }
  size_t numBefore = inequalities.size();
  llvm::sort(products, [](const Product &a, const Product &b) {
    return std::tie(a.numNew, a.position) < std::tie(b.numNew, b.position);
  });
  if (products.size() > kMaxProducts)
    products.truncate(kMaxProducts);
  for (Product &product : products)
    add(std::move(product.inequality.poly), product.inequality.isEquality, product.inequality.origin);
  addSquares(objective);
  return inequalities.size() != numBefore;
}

/// Integers only: (x - c)*(x - c - 1) >= 0 for each c. Of use are those near the lowest point of some p*x*x + q*x.
void LinearModel::addSquares(const Poly *objective) {
  SmallVector<Poly> rows;
  auto cut = [&](const SymAtom *atom, int64_t c, int64_t width = 1) {
    OptPoly left = sym::detail::add(atomPoly(atom), constantPoly(c), -1);
    OptPoly right = left ? sym::detail::add(*left, constantPoly(width), -1) : std::nullopt;
    OptPoly row = right ? multiply(*left, *right) : std::nullopt;
    if (row && rows.size() < 24)
      rows.push_back(std::move(*row));
  };
  auto coefficientOf = [](const Poly &poly, const Factors &factors) {
    auto it = llvm::find_if(poly, [&](const SymTerm &term) { return term.factors == factors; });
    return it == poly.end() ? 0 : it->coefficient;
  };
  for (unsigned i = 0; i < nonlinear.size(); ++i) {
    Factors square = variables[nonlinear[i]];
    if (square.size() != 1 || square[0].second != 2)
      continue;
    const SymAtom *atom = square[0].first;
    SmallVector<int64_t> points = {-1, 0};
    auto offer = [&](const Poly &poly) {
      int64_t p = coefficientOf(poly, square), q = coefficientOf(poly, {{atom, 1u}});
      constexpr int64_t kLarge = int64_t(1) << 30;
      if (p == 0 || q == 0 || std::abs(p) > kLarge || std::abs(q) > kLarge)
        return;
      int64_t lowest = floorDiv(p > 0 ? -q : q, 2 * std::abs(p));
      if (q % (2 * p) == 0 && points.size() < 4) // the sum of both cuts
        cut(atom, lowest, 0);
      for (int64_t c : {lowest - 1, lowest})
        if (!llvm::is_contained(points, c) && points.size() < 10)
          points.push_back(c);
    };
    if (objective)
      offer(*objective);
    // Short rows first: x*(c - x - y) >= 0 tells more than what longer products do.
    for (size_t size : {3, 2, 4})
      for (const Inequality &inequality : inequalities)
        if (inequality.poly.size() == size)
          offer(inequality.poly);
    for (const Inequality &inequality : inequalities)
      if (inequality.poly.size() > 4)
        offer(inequality.poly);
    for (int64_t c : points)
      cut(atom, c);
  }
  for (Poly &row : rows)
    add(std::move(row), false, kFromDefinition);
}

/// Cuts off a solution of the rows whose squares are too small: (x - c)*(x - c - 1) >= 0 where x is about c.
bool LinearModel::addCuts(const Assignment &solution) {
  constexpr int64_t kLarge = int64_t(1) << 24;
  SmallVector<Poly> rows;
  for (unsigned index : nonlinear) {
    const Factors &monomial = variables[index];
    if (monomial.size() != 1 || monomial[0].second != 2)
      continue;
    auto it = solution.find(monomial[0].first);
    if (it == solution.end() || it->second > kLarge || it->second < -kLarge || rows.size() >= 6)
      continue;
    int64_t c = static_cast<int64_t>(it->second);
    for (int64_t point : {c - 1, c}) {
      OptPoly left = sym::detail::add(atomPoly(monomial[0].first), constantPoly(point), -1);
      OptPoly right = left ? sym::detail::add(*left, constantPoly(1), -1) : std::nullopt;
      OptPoly row = right ? multiply(*left, *right) : std::nullopt;
      if (row &&
          llvm::none_of(inequalities, [&](const Inequality &other) { return comparePolys(other.poly, *row) == 0; }))
        rows.push_back(std::move(*row));
    }
  }
  for (Poly &row : rows)
    add(std::move(row), false, kFromDefinition);
  return !rows.empty();
}

SmallVector<const SymAtom *> LinearModel::getSymbolsInProducts() const {
  SmallVector<const SymAtom *> symbols;
  for (unsigned index : nonlinear)
    for (auto &factor : variables[index])
      if (factor.first->kind == SymAtom::Kind::Symbol && !llvm::is_contained(symbols, factor.first))
        symbols.push_back(factor.first);
  return symbols;
}
