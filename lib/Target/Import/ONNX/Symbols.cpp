//===- Symbols.cpp - Dimension names of a model ---------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Symbols.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

/// Texts that can be shown as they are; others get a made-up symbol.
static bool isPresentable(StringRef text) {
  return text.size() <= 200 && llvm::all_of(text, [](char c) { return llvm::isPrint(c) && c != '"' && c != '\\'; });
}

/// Adds the parts of `expr` to `count`, at most up to the limit.
static void countParts(SymExpr expr, unsigned limit, unsigned &count) {
  for (const sym::SymTerm &term : sym::getTerms(expr)) {
    count += 1 + term.factors.size();
    if (count > limit)
      return;
    for (auto [atom, power] : term.factors)
      for (SymExpr operand : atom->operands)
        if (count <= limit)
          countParts(operand, limit, count);
  }
}

bool mlir::relax::onnx::isTooComplex(SymExpr expr) {
  constexpr unsigned kMaxParts = 400;
  unsigned count = 0;
  if (expr)
    countParts(expr, kMaxParts, count);
  return count > kMaxParts;
}

void Symbols::declare(StringRef text) {
  auto renamed = renames.find(text.str());
  StringRef name = renamed == renames.end() ? text : StringRef(renamed->second);
  // A made-up name comes later, when all given ones are known.
  declared[text] = isPresentable(name) ? name.str() : "";
  used.insert(name);
}

SymExpr Symbols::parse(StringRef text) {
  if (!isPresentable(text))
    return {};
  std::string error;
  SymExpr expr = SymExpr::parse(context, text, error);
  if (!expr || expr.getConstant() || !llvm::all_of(expr.getSymbols(), [&](StringRef name) {
        auto known = declared.find(name);
        return known != declared.end() && !known->second.empty();
      }))
    return {};
  return expr.substitute([&](StringRef name) { return resolve(name); });
}

SymExpr Symbols::resolve(StringRef name) const {
  auto constant = fixed.find(name.str());
  if (constant != fixed.end())
    return SymExpr::constant(context, constant->second);
  return SymExpr::symbol(context, declared.find(name)->second);
}

SymExpr Symbols::getDeclared(StringRef text) {
  if (SymExpr expr = parse(text))
    return expr;
  std::string &name = declared[text];
  if (name.empty())
    name = makeFresh("dim").getSymbol()->str();
  return resolve(text);
}

SymExpr Symbols::lookUp(StringRef text) {
  auto known = defined.find(text);
  if (known != defined.end())
    return known->second;
  if (declared.contains(text))
    return getDeclared(text);
  return parse(text);
}

SymExpr Symbols::makeFresh(StringRef base) {
  std::string stem;
  for (char c : base.take_front(60))
    stem += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (stem.empty() || llvm::isDigit(stem.front()))
    stem.insert(0, "d");
  std::string name = stem;
  for (unsigned suffix = 1; declared.contains(name) || !used.insert(name).second; ++suffix)
    name = stem + "_" + std::to_string(suffix);
  return SymExpr::symbol(context, name);
}
