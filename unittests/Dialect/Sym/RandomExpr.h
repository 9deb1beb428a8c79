//===- RandomExpr.h - Random expressions with an own meaning ---*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Trees that know their text and their value without the library under test.
//
//===----------------------------------------------------------------------===//
#ifndef RELAXDIALECT_UNITTESTS_DIALECT_SYM_RANDOMEXPR_H
#define RELAXDIALECT_UNITTESTS_DIALECT_SYM_RANDOMEXPR_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace relaxtest {

/// Where choices come from: a seed, or the bytes of a fuzzer (0 when they are used up).
class Choices {
public:
  explicit Choices(uint64_t seed) : state(seed * 2654435761u + 88172645463325252ull) {}
  Choices(const uint8_t *data, size_t size) : data(data), size(size) {}

  unsigned below(unsigned bound) {
    if (data)
      return position < size ? data[position++] % bound : 0;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<unsigned>((state >> 20) % bound);
  }

private:
  uint64_t state = 0;
  const uint8_t *data = nullptr;
  size_t size = 0, position = 0;
};

using Values = std::vector<int64_t>; // of the symbols a, b, c, d
inline const char *symbolName(unsigned index) {
  static const char *const names[] = {"a", "b", "c", "d"};
  return names[index];
}

struct Tree {
  enum Kind { Constant, Symbol, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max } kind;
  int64_t value = 0; // constant, or index of the symbol
  std::unique_ptr<Tree> left, right;

  std::string text() const {
    switch (kind) {
    case Constant:
      return std::to_string(value);
    case Symbol:
      return symbolName(value);
    case Add:
      return "(" + left->text() + " + " + right->text() + ")";
    case Sub:
      return "(" + left->text() + " - " + right->text() + ")";
    case Mul:
      return "(" + left->text() + " * " + right->text() + ")";
    case FloorDiv:
      return "(" + left->text() + " floordiv " + right->text() + ")";
    case CeilDiv:
      return "ceildiv(" + left->text() + ", " + right->text() + ")";
    case Mod:
      return "(" + left->text() + " mod " + right->text() + ")";
    case Min:
      return "min(" + left->text() + ", " + right->text() + ")";
    case Max:
      return "max(" + left->text() + ", " + right->text() + ")";
    }
    return "";
  }

  /// nullopt when a divisor is not positive.
  std::optional<__int128> evaluate(const Values &values) const {
    if (kind == Constant)
      return value;
    if (kind == Symbol)
      return values[value];
    std::optional<__int128> x = left->evaluate(values), y = right->evaluate(values);
    if (!x || !y)
      return std::nullopt;
    switch (kind) {
    case Add:
      return *x + *y;
    case Sub:
      return *x - *y;
    case Mul:
      return *x * *y;
    case Min:
      return *x < *y ? *x : *y;
    case Max:
      return *x > *y ? *x : *y;
    default:
      break;
    }
    if (*y <= 0)
      return std::nullopt;
    __int128 rest = ((*x % *y) + *y) % *y;
    if (kind == Mod)
      return rest;
    __int128 quotient = (*x - rest) / *y;
    return kind == FloorDiv ? quotient : quotient + (rest != 0);
  }
};

struct Limits {
  unsigned symbols = 3;
  bool symbolicDivisors = true;
};

inline std::unique_ptr<Tree> randomTree(Choices &choices, unsigned depth, const Limits &limits) {
  auto tree = std::make_unique<Tree>();
  if (depth == 0 || choices.below(8) == 0) {
    if (choices.below(3) == 0) {
      static const int64_t constants[] = {0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 7, 10};
      tree->kind = Tree::Constant;
      tree->value = constants[choices.below(12)];
    } else {
      tree->kind = Tree::Symbol;
      tree->value = choices.below(limits.symbols);
    }
    return tree;
  }
  static const Tree::Kind kinds[] = {Tree::Add,      Tree::Add,     Tree::Sub, Tree::Sub, Tree::Mul, Tree::Mul,
                                     Tree::FloorDiv, Tree::CeilDiv, Tree::Mod, Tree::Min, Tree::Max, Tree::FloorDiv};
  tree->kind = kinds[choices.below(12)];
  tree->left = randomTree(choices, depth - 1, limits);
  bool divides = tree->kind == Tree::FloorDiv || tree->kind == Tree::CeilDiv || tree->kind == Tree::Mod;
  // Mostly constant multipliers and divisors, as in real shapes.
  if ((divides && (!limits.symbolicDivisors || choices.below(5) != 0)) ||
      (tree->kind == Tree::Mul && choices.below(2) == 0)) {
    static const int64_t constants[] = {2, 3, 4, 5, 6, 8, 12, 1, 7, 16};
    tree->right = std::make_unique<Tree>();
    tree->right->kind = Tree::Constant;
    tree->right->value = constants[choices.below(10)];
    return tree;
  }
  tree->right = randomTree(choices, depth - 1, limits);
  return tree;
}

/// Calls `visit` for small values of every symbol and some larger ones.
inline void forEachValues(unsigned symbols, const std::function<void(const Values &)> &visit, unsigned small = 7) {
  static const std::vector<Values> large = {{8, 8, 8, 8},    {16, 3, 5, 2},  {31, 32, 33, 4}, {100, 7, 1, 9},
                                            {12, 24, 36, 6}, {97, 1, 64, 3}, {5, 50, 500, 2}, {1000, 999, 1001, 7}};
  Values values(symbols, 0);
  while (true) {
    visit(values);
    unsigned i = 0;
    while (i < symbols && ++values[i] == small)
      values[i++] = 0;
    if (i == symbols)
      break;
  }
  for (const Values &row : large)
    visit(Values(row.begin(), row.begin() + symbols));
}

} // namespace relaxtest

#endif // RELAXDIALECT_UNITTESTS_DIALECT_SYM_RANDOMEXPR_H
