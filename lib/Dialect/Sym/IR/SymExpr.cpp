//===- SymExpr.cpp - Unique symbolic expressions ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Sym/IR/SymExpr.h"
#include "RelaxDialect/Dialect/Sym/IR/SymDialect.h"
#include "SymExprDetail.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::sym;
using namespace mlir::relax::sym::detail;

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

llvm::hash_code SymAtomStorage::hashKey(const KeyTy &key) {
  return llvm::hash_combine(static_cast<int>(key.kind), key.name,
                            llvm::hash_combine_range(key.operands.begin(), key.operands.end()));
}

SymAtomStorage *SymAtomStorage::construct(StorageUniquer::StorageAllocator &allocator, const KeyTy &key) {
  auto *storage = new (allocator.allocate<SymAtomStorage>()) SymAtomStorage();
  storage->context = key.context;
  storage->kind = key.kind;
  storage->name = allocator.copyInto(key.name);
  storage->operands.assign(key.operands.begin(), key.operands.end());
  for (SymExpr operand : key.operands)
    storage->depth = std::max(storage->depth, operand.getImpl()->depth + 1);
  storage->range = computeRange(storage);
  return storage;
}

bool SymExprStorage::operator==(const KeyTy &key) const {
  return terms.size() == key.terms.size() && llvm::all_of(llvm::zip(terms, key.terms), [](auto pair) {
           auto &[a, b] = pair;
           return a.coefficient == b.coefficient && a.factors == b.factors;
         });
}

llvm::hash_code SymExprStorage::hashKey(const KeyTy &key) {
  llvm::hash_code hash = llvm::hash_value(key.terms.size());
  for (const SymTerm &term : key.terms) {
    hash = llvm::hash_combine(hash, term.coefficient);
    for (auto [atom, power] : term.factors)
      hash = llvm::hash_combine(hash, atom, power);
  }
  return hash;
}

SymExprStorage *SymExprStorage::construct(StorageUniquer::StorageAllocator &allocator, const KeyTy &key) {
  auto *storage = new (allocator.allocate<SymExprStorage>()) SymExprStorage();
  storage->context = key.context;
  storage->terms.assign(key.terms.begin(), key.terms.end());
  for (const SymTerm &term : key.terms)
    for (auto &factor : term.factors)
      storage->depth = std::max(storage->depth, getStorage(factor.first).depth);
  storage->range = rangeOf(storage->terms);
  return storage;
}

void sym::detail::registerStorage(MLIRContext *context) {
  StorageUniquer &uniquer = context->getAffineUniquer();
  uniquer.registerParametricStorageType<SymAtomStorage>();
  uniquer.registerParametricStorageType<SymExprStorage>();
}

const SymAtom *sym::detail::getAtom(MLIRContext *context, SymAtom::Kind kind, StringRef name,
                                    ArrayRef<SymExpr> operands) {
  SymAtomStorage::KeyTy key{context, kind, name, operands};
  return context->getAffineUniquer().get<SymAtomStorage>([](SymAtomStorage *) {}, TypeID::get<SymAtomStorage>(), key);
}

SymExpr sym::detail::getExpr(MLIRContext *context, const OptPoly &poly) {
  if (!poly || poly->size() > kMaxTerms)
    return {};
  for (const SymTerm &term : *poly)
    for (auto &factor : term.factors)
      if (getStorage(factor.first).depth > kMaxDepth)
        return {};
  SymExprStorage::KeyTy key{context, *poly};
  return SymExpr(
      context->getAffineUniquer().get<SymExprStorage>([](SymExprStorage *) {}, TypeID::get<SymExprStorage>(), key));
}

//===----------------------------------------------------------------------===//
// SymExpr
//===----------------------------------------------------------------------===//

SymExpr SymExpr::constant(MLIRContext *context, int64_t value) {
  context->getOrLoadDialect<RelaxSymDialect>(); // registers the storage
  if (value == std::numeric_limits<int64_t>::min())
    return {};
  return getExpr(context, constantPoly(value));
}

SymExpr SymExpr::symbol(MLIRContext *context, StringRef name) {
  context->getOrLoadDialect<RelaxSymDialect>();
  return getExpr(context, atomPoly(getAtom(context, SymAtom::Kind::Symbol, name, {})));
}

MLIRContext *SymExpr::getContext() const { return storage->context; }

namespace mlir::relax::sym {
SymExpr operator+(SymExpr a, SymExpr b) {
  return a && b ? getExpr(a.getContext(), add(getPoly(a), getPoly(b))) : SymExpr();
}
SymExpr operator-(SymExpr a, SymExpr b) {
  return a && b ? getExpr(a.getContext(), add(getPoly(a), getPoly(b), -1)) : SymExpr();
}
SymExpr operator*(SymExpr a, SymExpr b) {
  return a && b ? getExpr(a.getContext(), multiply(getPoly(a), getPoly(b))) : SymExpr();
}
} // namespace mlir::relax::sym

SymExpr SymExpr::operator-() const { return *this * -1; }
SymExpr SymExpr::operator+(int64_t value) const { return storage ? *this + constant(getContext(), value) : SymExpr(); }
SymExpr SymExpr::operator-(int64_t value) const { return storage ? *this - constant(getContext(), value) : SymExpr(); }
SymExpr SymExpr::operator*(int64_t value) const { return storage ? *this * constant(getContext(), value) : SymExpr(); }

SymExpr SymExpr::floordiv(SymExpr a, SymExpr b) {
  if (!a || !b)
    return {};
  return getExpr(a.getContext(), makeFloorDiv(a.getContext(), getPoly(a), getPoly(b)));
}
SymExpr SymExpr::ceildiv(SymExpr a, SymExpr b) { return -floordiv(-a, b); }
SymExpr SymExpr::mod(SymExpr a, SymExpr b) { return a - b * floordiv(a, b); }

SymExpr SymExpr::max(ArrayRef<SymExpr> operands) {
  if (operands.empty() || llvm::is_contained(operands, SymExpr()))
    return {};
  SmallVector<Poly> polys;
  for (SymExpr operand : operands)
    polys.push_back(getPoly(operand));
  MLIRContext *context = operands.front().getContext();
  return getExpr(context, makeMax(context, std::move(polys)));
}
SymExpr SymExpr::min(ArrayRef<SymExpr> operands) {
  SmallVector<SymExpr> negated;
  for (SymExpr operand : operands)
    negated.push_back(-operand);
  return -max(negated);
}

std::optional<int64_t> SymExpr::getConstant() const {
  if (!storage || !isConstant(storage->terms))
    return std::nullopt;
  return constantTerm(storage->terms);
}

std::optional<StringRef> SymExpr::getSymbol() const {
  if (!storage || storage->terms.size() != 1)
    return std::nullopt;
  const SymTerm &term = storage->terms.front();
  if (term.coefficient != 1 || term.factors.size() != 1 || term.factors[0].second != 1 ||
      term.factors[0].first->kind != SymAtom::Kind::Symbol)
    return std::nullopt;
  return term.factors[0].first->name;
}

/// Calls `visit` once for each symbol atom below `expr`.
static void visitSymbols(SymExpr expr, llvm::DenseSet<const SymAtom *> &seen,
                         llvm::function_ref<void(const SymAtom *)> visit) {
  if (!expr)
    return;
  for (const SymTerm &term : getPoly(expr)) {
    for (auto &factor : term.factors) {
      if (!seen.insert(factor.first).second)
        continue;
      if (factor.first->kind == SymAtom::Kind::Symbol)
        visit(factor.first);
      for (SymExpr operand : factor.first->operands)
        visitSymbols(operand, seen, visit);
    }
  }
}

SmallVector<StringRef> SymExpr::getSymbols() const {
  SmallVector<StringRef> names;
  llvm::DenseSet<const SymAtom *> seen;
  visitSymbols(*this, seen, [&](const SymAtom *atom) { names.push_back(atom->name); });
  llvm::sort(names);
  return names;
}

bool SymExpr::usesSymbol(StringRef name) const {
  bool found = false;
  llvm::DenseSet<const SymAtom *> seen;
  visitSymbols(*this, seen, [&](const SymAtom *atom) { found |= atom->name == name; });
  return found;
}

//===----------------------------------------------------------------------===//
// Substitution and evaluation. Both remember atoms: shared parts are visited once.
//===----------------------------------------------------------------------===//

namespace {
struct Substitution {
  explicit Substitution(llvm::function_ref<SymExpr(const SymAtom *)> map) : map(map) {}
  llvm::function_ref<SymExpr(const SymAtom *)> map;
  DenseMap<const SymAtom *, SymExpr> done;

  SymExpr atom(const SymAtom *atom, MLIRContext *context) {
    auto known = done.find(atom);
    if (known != done.end())
      return known->second;
    SymExpr result = map(atom);
    if (!result && atom->kind == SymAtom::Kind::Symbol) {
      result = getExpr(context, atomPoly(atom));
    } else if (!result) {
      SmallVector<SymExpr> operands;
      for (SymExpr operand : atom->operands)
        operands.push_back(expr(operand));
      result = atom->kind == SymAtom::Kind::Max ? SymExpr::max(operands) : SymExpr::floordiv(operands[0], operands[1]);
    }
    done[atom] = result;
    return result;
  }

  SymExpr expr(SymExpr expr) {
    if (!expr)
      return {};
    MLIRContext *context = expr.getContext();
    bool changed = false;
    for (const SymTerm &term : getPoly(expr))
      for (auto &factor : term.factors)
        changed |= atom(factor.first, context) != getExpr(context, atomPoly(factor.first));
    if (!changed)
      return expr;
    SymExpr sum = getExpr(context, Poly());
    for (const SymTerm &term : getPoly(expr)) {
      SymExpr product = getExpr(context, constantPoly(term.coefficient));
      for (auto [factor, power] : term.factors)
        for (unsigned i = 0; i < power; ++i)
          product = product * atom(factor, context);
      sum = sum + product;
    }
    return sum;
  }
};

struct Evaluation {
  explicit Evaluation(llvm::function_ref<std::optional<int64_t>(StringRef)> value) : value(value) {}
  llvm::function_ref<std::optional<int64_t>(StringRef)> value;
  DenseMap<const SymAtom *, std::optional<int64_t>> done;

  std::optional<int64_t> compute(const SymAtom *atom) {
    if (atom->kind == SymAtom::Kind::Symbol)
      return value(atom->name);
    SmallVector<int64_t> operands;
    for (SymExpr operand : atom->operands) {
      std::optional<int64_t> result = expr(operand);
      if (!result)
        return std::nullopt;
      operands.push_back(*result);
    }
    if (atom->kind == SymAtom::Kind::Max)
      return *llvm::max_element(operands);
    if (operands[1] <= 0)
      return std::nullopt;
    return floorDiv(operands[0], operands[1]);
  }

  std::optional<int64_t> atom(const SymAtom *atom) {
    auto known = done.find(atom);
    if (known != done.end())
      return known->second;
    std::optional<int64_t> result = compute(atom);
    done[atom] = result;
    return result;
  }

  /// Sums in 128 bits, so that only the value itself has to fit.
  std::optional<int64_t> expr(SymExpr expr) {
    __int128 sum = 0;
    for (const SymTerm &term : getPoly(expr)) {
      __int128 product = term.coefficient;
      for (auto [factor, power] : term.factors) {
        std::optional<int64_t> base = atom(factor);
        if (!base)
          return std::nullopt;
        for (unsigned i = 0; i < power; ++i)
          if (__builtin_mul_overflow(product, (__int128)*base, &product))
            return std::nullopt;
      }
      if (__builtin_add_overflow(sum, product, &sum))
        return std::nullopt;
    }
    if (sum < INT64_MIN || sum > INT64_MAX)
      return std::nullopt;
    return static_cast<int64_t>(sum);
  }
};
} // namespace

SymExpr sym::detail::substituteAtoms(SymExpr expr, llvm::function_ref<SymExpr(const SymAtom *)> map) {
  return Substitution(map).expr(expr);
}

SymExpr SymExpr::substitute(llvm::function_ref<SymExpr(StringRef)> map) const {
  return substituteAtoms(
      *this, [&](const SymAtom *atom) { return atom->kind == SymAtom::Kind::Symbol ? map(atom->name) : SymExpr(); });
}

std::optional<int64_t> SymExpr::evaluate(llvm::function_ref<std::optional<int64_t>(StringRef)> value) const {
  if (!storage)
    return std::nullopt;
  return Evaluation(value).expr(*this);
}

ArrayRef<SymTerm> mlir::relax::sym::getTerms(SymExpr expr) { return getPoly(expr); }

//===----------------------------------------------------------------------===//
// Fact
//===----------------------------------------------------------------------===//

std::optional<bool> Fact::evaluate(llvm::function_ref<std::optional<int64_t>(StringRef)> value) const {
  std::optional<int64_t> left = lhs.evaluate(value), right = rhs.evaluate(value);
  if (!left || !right)
    return std::nullopt;
  switch (op) {
  case Op::Equal:
    return *left == *right;
  case Op::LessEqual:
    return *left <= *right;
  case Op::GreaterEqual:
    return *left >= *right;
  case Op::Less:
    return *left < *right;
  case Op::Greater:
    return *left > *right;
  }
  return std::nullopt;
}

Fact Fact::substitute(llvm::function_ref<SymExpr(StringRef)> map) const {
  return {lhs.substitute(map), op, rhs.substitute(map)};
}
