//===- Symbols.cpp - Renaming symbols and casting types -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

std::string graph::formatFact(const sym::Fact &fact) {
  std::string text;
  llvm::raw_string_ostream os(text);
  fact.print(os);
  return text;
}

//===- FreshSymbols -------------------------------------------------------===//

FreshSymbols::FreshSymbols(Operation *function) {
  auto addExpr = [&](SymExpr expr) {
    if (expr)
      for (StringRef symbol : expr.getSymbols())
        used.insert(symbol);
  };
  auto addFact = [&](const sym::Fact &fact) {
    addExpr(fact.lhs);
    addExpr(fact.rhs);
  };
  AttrTypeWalker walker;
  walker.addWalk([&](sym::ExprAttr attr) { addExpr(attr.getValue()); });
  walker.addWalk([&](sym::ShapeAttr attr) { llvm::for_each(attr.getDims(), addExpr); });
  walker.addWalk([&](sym::ScopeAttr attr) { llvm::for_each(attr.getFacts(), addFact); });
  walker.addWalk([&](ShapeType type) { llvm::for_each(type.getDims(), addExpr); });
  function->walk([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          walker.walk(type);
    if (auto binder = dyn_cast<sym::SymbolBinderOpInterface>(op))
      for (StringRef symbol : binder.getBoundSymbols())
        used.insert(symbol);
    if (auto assertion = dyn_cast<AssertShapeOp>(op))
      if (FailureOr<sym::Fact> fact = assertion.getParsedFact(); succeeded(fact))
        addFact(*fact);
  });
}

std::string FreshSymbols::make(StringRef base) {
  std::string name = base.str();
  for (unsigned number = 1; !used.insert(name).second; ++number)
    name = base.str() + "_" + std::to_string(number);
  return name;
}

//===- Substitution -------------------------------------------------------===//

LogicalResult graph::substituteSymbols(Operation *root, function_ref<SymExpr(StringRef)> map) {
  bool overflow = false;
  auto substitute = [&](SymExpr expr) {
    SymExpr result = expr ? expr.substitute(map) : SymExpr();
    overflow |= expr && !result;
    return result ? result : expr;
  };
  auto substituteAll = [&](ArrayRef<SymExpr> exprs) { return llvm::map_to_vector(exprs, substitute); };
  auto substituteFact = [&](const sym::Fact &fact) {
    return sym::Fact{substitute(fact.lhs), fact.op, substitute(fact.rhs)};
  };

  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<std::pair<Type, WalkResult>> {
    if (!sym::mentionsSymbol(type))
      return std::nullopt;
    return std::make_pair(sym::getTensorType(substituteAll(sym::getSymbolicDims(type)), type.getElementType()),
                          WalkResult::skip());
  });
  replacer.addReplacement(
      [&](ShapeType type) -> Type { return ShapeType::get(type.getContext(), substituteAll(type.getDims())); });
  replacer.addReplacement(
      [&](sym::ExprAttr attr) -> Attribute { return sym::ExprAttr::get(substitute(attr.getValue())); });
  replacer.addReplacement([&](sym::ShapeAttr attr) -> Attribute {
    return sym::ShapeAttr::get(attr.getContext(), substituteAll(attr.getDims()), attr.getExtensions());
  });
  replacer.addReplacement([&](sym::ScopeAttr attr) -> Attribute {
    return sym::ScopeAttr::get(attr.getContext(), llvm::map_to_vector(attr.getFacts(), substituteFact));
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);

  root->walk([&](Operation *op) {
    if (auto binder = dyn_cast<sym::SymbolBinderOpInterface>(op))
      binder.renameBoundSymbols([&](StringRef symbol) {
        SymExpr value = map(symbol);
        std::optional<StringRef> name = value ? value.getSymbol() : std::nullopt;
        return (name ? *name : symbol).str();
      });
    if (auto assertion = dyn_cast<AssertShapeOp>(op))
      if (FailureOr<sym::Fact> fact = assertion.getParsedFact(); succeeded(fact))
        assertion.setFact(formatFact(substituteFact(*fact)));
  });
  return failure(overflow);
}

//===- Casts and checks ---------------------------------------------------===//

Value graph::castToType(OpBuilder &builder, Location loc, Value value, Type type, sym::Prover &prover) {
  if (value.getType() == type)
    return value;
  // First the known extents, then forget.
  SmallVector<SymExpr> from = sym::getSymbolicDims(value.getType()), to = sym::getSymbolicDims(type), kept(from);
  bool refines = false, checks = false;
  for (auto [actual, wanted, result] : llvm::zip_equal(from, to, kept)) {
    if (!wanted || actual == wanted)
      continue;
    result = wanted;
    (actual && prover.isEqual(actual, wanted) == sym::Verdict::True ? refines : checks) = true;
  }
  if (checks)
    return MatchCastOp::create(builder, loc, type, value, builder.getStrArrayAttr({}));
  if (refines)
    value = RefineOp::create(builder, loc, withSymbolicDims(type, kept), value);
  if (value.getType() != type)
    value = EraseShapeOp::create(builder, loc, type, value);
  return value;
}

Value graph::nameUnknownExtents(OpBuilder &builder, Location loc, Value value, FreshSymbols &names) {
  SmallVector<SymExpr> dims = sym::getSymbolicDims(value.getType());
  SmallVector<std::string> bound;
  for (SymExpr &dim : dims)
    if (!dim) {
      bound.push_back(names.make("d"));
      dim = SymExpr::symbol(builder.getContext(), bound.back());
    }
  if (bound.empty())
    return value;
  SmallVector<StringRef> binds(bound.begin(), bound.end());
  return MatchCastOp::create(builder, loc, withSymbolicDims(value.getType(), dims), value,
                             builder.getStrArrayAttr(binds));
}

/// The shape of a tensor, or the shape itself.
static Value getShapeOf(OpBuilder &builder, Location loc, Value value) {
  if (isa<ShapeType>(value.getType()))
    return value;
  Type type = ShapeType::get(builder.getContext(), sym::getSymbolicDims(value.getType()));
  return ShapeOfOp::create(builder, loc, type, value);
}

void graph::createShapeAssertion(OpBuilder &builder, Location loc, const sym::Fact &fact, ValueRange values,
                                 StringRef message) {
  SmallVector<StringRef> needed = fact.lhs.getSymbols();
  for (StringRef symbol : fact.rhs.getSymbols())
    if (!llvm::is_contained(needed, symbol))
      needed.push_back(symbol);
  // The fewest shapes, greedily.
  SmallVector<Value> shapes;
  SmallVector<StringRef> given;
  for (Value value : values) {
    SmallVector<StringRef> symbols;
    sym::collectSymbols(value.getType(), symbols);
    auto isNew = [&](StringRef symbol) {
      return llvm::is_contained(needed, symbol) && !llvm::is_contained(given, symbol);
    };
    if (!llvm::any_of(symbols, isNew))
      continue;
    given.append(symbols);
    shapes.push_back(getShapeOf(builder, loc, value));
  }
  Value shape = shapes.size() == 1 ? shapes.front() : Value();
  if (!shape) {
    auto entries =
        llvm::map_to_vector(needed, [&](StringRef name) { return SymExpr::symbol(builder.getContext(), name); });
    shape = MakeShapeOp::create(builder, loc, ShapeType::get(builder.getContext(), entries), shapes);
  }
  AssertShapeOp::create(builder, loc, shape, formatFact(fact), message);
}

std::string graph::formatBrokenRule(Operation *op, const ShapeRule &rule) {
  std::string text = op->getName().getStringRef().str();
  if (auto callee = op->getAttrOfType<FlatSymbolRefAttr>("callee"))
    text += " @" + callee.getValue().str();
  text += ": the extents";
  bool first = true;
  for (Type type : op->getOperandTypes()) {
    if (!isa<RankedTensorType, ShapeType>(type))
      continue;
    text += (first ? " " : ", ") + formatDims(sym::getSymbolicDims(type));
    first = false;
  }
  return text + " need " + rule.str();
}

static void addSymbols(const sym::Fact &fact, llvm::StringSet<> &symbols) {
  for (SymExpr expr : {fact.lhs, fact.rhs})
    if (expr)
      for (StringRef symbol : expr.getSymbols())
        symbols.insert(symbol);
}

/// A choice between equations, as one fact, has many maxima. A prover would take long to learn little from it.
static bool isChoice(const sym::Fact &fact) {
  constexpr size_t kMaxOperands = 3;
  auto hasWideMaximum = [](SymExpr expr) {
    return llvm::any_of(sym::getTerms(expr), [](const sym::SymTerm &term) {
      return llvm::any_of(term.factors, [](const auto &factor) {
        return factor.first->kind == sym::SymAtom::Kind::Max && factor.first->operands.size() > kMaxOperands;
      });
    });
  };
  return hasWideMaximum(fact.lhs) || hasWideMaximum(fact.rhs);
}

SmallVector<sym::Fact> graph::getRelevantFacts(ArrayRef<sym::Fact> facts, ArrayRef<sym::Fact> question) {
  constexpr size_t kMaxFacts = 32;
  llvm::StringSet<> known;
  for (const sym::Fact &fact : question)
    addSymbols(fact, known);
  llvm::SmallBitVector taken(facts.size());
  SmallVector<sym::Fact> relevant;
  for (bool changed = true; changed && relevant.size() < kMaxFacts;) {
    changed = false;
    llvm::StringSet<> next;
    for (auto [index, fact] : llvm::enumerate(facts)) {
      llvm::StringSet<> own;
      addSymbols(fact, own);
      bool shares = llvm::any_of(own, [&](const auto &entry) { return known.contains(entry.first()); });
      if (taken[index] || !shares || isChoice(fact) || relevant.size() == kMaxFacts)
        continue;
      taken.set(index);
      relevant.push_back(fact);
      addSymbols(fact, next);
      changed = true;
    }
    for (const auto &entry : next)
      known.insert(entry.first());
  }
  return relevant;
}

void graph::ensureScope(Operation *function) {
  if (!function->hasAttr(sym::kScopeAttrName))
    function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(function->getContext(), {}));
}
