//===- InferShapes.cpp - relax-infer-shapes -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "TypeRefinement.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_INFERSHAPESPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// Where an argument is static and named, the name is that constant from now on: the normalized type does not bind it.
static LogicalResult specializeStaticArguments(func::FuncOp function) {
  sym::SymbolMap constants;
  for (Type type : function.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto encoding = tensor ? dyn_cast_or_null<sym::SymbolicShapeAttrInterface>(tensor.getEncoding()) : nullptr;
    if (!encoding)
      continue;
    for (auto [size, expr] : llvm::zip_equal(tensor.getShape(), encoding.getSymbolicDims()))
      if (std::optional<StringRef> symbol = expr ? expr.getSymbol() : std::nullopt;
          symbol && !ShapedType::isDynamic(size))
        constants.try_emplace(*symbol, SymExpr::constant(function.getContext(), size));
  }
  if (constants.empty())
    return success();
  return substituteSymbols(function, [&](StringRef name) { return constants.lookup(name); });
}

/// A cast that binds a symbol to an extent which has a name already: that is the symbol's value everywhere.
static LogicalResult substituteKnownSymbols(func::FuncOp function) {
  SmallVector<MatchCastOp> casts;
  function.walk([&](MatchCastOp op) {
    if (!op.getBinds().empty())
      casts.push_back(op);
  });
  for (MatchCastOp op : casts) {
    sym::SymbolMap values;
    SmallVector<StringRef> unknown;
    SmallVector<SymExpr> from = sym::getSymbolicDims(op.getSource().getType()), to = sym::getSymbolicDims(op.getType());
    for (StringRef symbol : op.getBinds().getAsValueRange<StringAttr>()) {
      auto found = llvm::find(to, SymExpr::symbol(op.getContext(), symbol));
      SymExpr value = found == to.end() ? SymExpr() : from[found - to.begin()];
      if (value)
        values.try_emplace(symbol, value);
      else
        unknown.push_back(symbol);
    }
    if (values.empty())
      continue;
    op.setBindsAttr(OpBuilder(op).getStrArrayAttr(unknown));
    if (failed(substituteSymbols(function, [&](StringRef name) { return values.lookup(name); })))
      return failure();
  }
  return success();
}

/// Removes the symbolic expression beside a static dimension, everywhere at once so that types that were equal stay
/// equal.
static void normalizeTypes(func::FuncOp function) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](RankedTensorType type) -> std::optional<Type> {
    if (!isa_and_nonnull<sym::SymbolicShapeAttrInterface>(type.getEncoding()))
      return std::nullopt;
    return sym::getTensorType(sym::getSymbolicDims(type), type.getElementType());
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}

/// Extents that nobody forgets any more.
static void removeUnusedErasures(func::FuncOp function) {
  SmallVector<EraseShapeOp> erasures;
  function.walk([&](EraseShapeOp op) { erasures.push_back(op); });
  for (EraseShapeOp op : llvm::reverse(erasures))
    if (op->use_empty())
      op->erase();
}

/// What binders say about their symbols becomes known to every prover and to memory planning.
static void addDerivedFacts(func::FuncOp function) {
  auto scope = function->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName);
  if (!scope)
    return;
  SmallVector<sym::Fact> facts(scope.getFacts());
  function.walk([&](sym::SymbolBinderOpInterface binder) {
    for (const sym::Fact &fact : binder.getDerivedFacts())
      if (fact.lhs && fact.rhs && !llvm::is_contained(facts, fact))
        facts.push_back(fact);
  });
  if (facts.size() != scope.getFacts().size())
    function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(function.getContext(), facts));
}

namespace {
struct InferShapesPass final : mlir::relax::graph::impl::InferShapesPassBase<InferShapesPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      if (failed(specializeStaticArguments(function)) || failed(substituteKnownSymbols(function))) {
        function.emitError("an expression overflows when its symbols get their values");
        return signalPassFailure();
      }
      normalizeTypes(function);
    }
    // Each round fills an unknown extent or stores a mapping, so there is an end.
    SymbolTableCollection symbols;
    TypeRefinement refinement(symbols);
    bool changed = true;
    while (changed) {
      changed = false;
      for (func::FuncOp function : functions) {
        changed |= refinement.refineFunctionArguments(function);
        changed |= refinement.refineRegion(function.getBody());
        changed |= refinement.refineFunctionResults(function);
      }
    }
    for (func::FuncOp function : functions) {
      removeUnusedErasures(function);
      addDerivedFacts(function);
    }
  }
};
} // namespace
