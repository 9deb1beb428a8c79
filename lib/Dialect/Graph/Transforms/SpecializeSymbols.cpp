//===- SpecializeSymbols.cpp - relax-specialize-symbols -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-specialize-symbols"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_SPECIALIZESYMBOLSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static SmallVector<StringRef> getArgumentSymbols(func::FuncOp function) {
  SmallVector<StringRef> symbols;
  for (Type type : function.getArgumentTypes())
    sym::collectSymbols(type, symbols);
  return symbols;
}

/// Adds the symbols that have one value under the facts.
static void addDeterminedSymbols(func::FuncOp function, ArrayRef<sym::Fact> facts, sym::SymbolMap &values) {
  sym::Prover prover(function.getContext(), facts);
  for (StringRef symbol : getArgumentSymbols(function)) {
    if (values.contains(symbol))
      continue;
    SymExpr expr = SymExpr::symbol(function.getContext(), symbol);
    std::optional<int64_t> least = prover.lowerBound(expr), greatest = prover.upperBound(expr);
    if (least && least == greatest)
      values[symbol] = SymExpr::constant(function.getContext(), *least);
  }
}

/// The facts with values in place of symbols, without what always holds.
static FailureOr<SmallVector<sym::Fact>> substituteFacts(func::FuncOp function, const sym::SymbolMap &values) {
  SmallVector<sym::Fact> facts;
  sym::ScopeAttr scope = sym::getScope(function);
  if (!scope)
    return facts;
  sym::Prover prover(function.getContext());
  for (const sym::Fact &fact : scope.getFacts()) {
    sym::Fact known = fact.substitute([&](StringRef symbol) { return values.lookup(symbol); });
    if (!known.lhs || !known.rhs)
      return function.emitError("fact '") << formatFact(fact) << "' does not fit 64 bits when its symbols get values";
    sym::Verdict verdict = prover.holds(known);
    if (verdict == sym::Verdict::False)
      return function.emitError("fact '")
             << formatFact(fact) << "' becomes '" << formatFact(known) << "', which never holds";
    if (verdict == sym::Verdict::Depends)
      facts.push_back(known);
  }
  std::string reason;
  if (sym::Prover(function.getContext(), facts).isContradictory(&reason))
    return function.emitError("no extents satisfy the facts when symbols get values: ") << reason;
  return facts;
}

/// Calls were checked, and mapped, for the symbol.
static void updateCalls(func::FuncOp function, ModuleOp module, const sym::SymbolMap &values) {
  module.walk([&](CallOp call) {
    if (call.getCallee() != function.getName())
      return;
    call->removeAttr(kAssuredAttrName);
    if (!call.getMappingAttr())
      return;
    NamedAttrList mapping;
    for (NamedAttribute entry : call.getMappingAttr())
      if (!values.contains(entry.getName()))
        mapping.push_back(entry);
    if (mapping.empty())
      call.removeMappingAttr();
    else
      call.setMappingAttr(mapping.getDictionary(call.getContext()));
  });
}

/// `main_n128_m4`
static std::string getVariantName(StringRef base, ArrayRef<std::pair<std::string, int64_t>> values) {
  std::string name = base.str();
  for (const auto &[symbol, value] : values)
    name += "_" + symbol + std::to_string(value);
  return name;
}

namespace {
struct SpecializeSymbolsPass final : mlir::relax::graph::impl::SpecializeSymbolsPassBase<SpecializeSymbolsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<std::pair<std::string, int64_t>> fixed;
    if (failed(parseSymbols(fixed)))
      return signalPassFailure();

    SmallVector<func::FuncOp> functions;
    for (auto candidate : module.getOps<func::FuncOp>())
      if (candidate.isPublic() && !candidate.isExternal() && (function.empty() || candidate.getName() == function))
        functions.push_back(candidate);
    if (functions.empty() && !function.empty()) {
      emitError(module.getLoc(), "no public function '") << function << "' with a body";
      return signalPassFailure();
    }
    for (const auto &[symbol, value] : fixed) {
      auto shows = [&, name = StringRef(symbol)](func::FuncOp candidate) {
        return llvm::is_contained(getArgumentSymbols(candidate), name);
      };
      if (llvm::any_of(functions, shows))
        continue;
      emitError(module.getLoc(), "no arguments of ")
          << (function.empty() ? "a public function" : "'" + function + "'") << " show symbol '" << symbol << "'";
      return signalPassFailure();
    }
    SymbolTable symbols(module);
    for (func::FuncOp candidate : functions)
      if (failed(specialize(candidate, fixed, symbols)))
        return signalPassFailure();
  }

private:
  /// The option's text.
  LogicalResult parseSymbols(SmallVectorImpl<std::pair<std::string, int64_t>> &fixed) {
    Location loc = getOperation().getLoc();
    if (symbols.empty())
      return emitError(loc, "expected the option 'symbols', such as symbols=n=128");
    for (StringRef text : symbols) {
      auto [name, number] = text.rsplit('=');
      int64_t value;
      if (name.empty() || number.getAsInteger(10, value) || value < 0)
        return emitError(loc, "expected a symbol and a number >= 0, such as n=128, got '") << text << "'";
      for (const auto &[other, otherValue] : fixed)
        if (other == name)
          return emitError(loc, "symbol '") << name << "' has two values: " << otherValue << " and " << value;
      fixed.emplace_back(name.str(), value);
    }
    return success();
  }

  LogicalResult specialize(func::FuncOp candidate, ArrayRef<std::pair<std::string, int64_t>> fixed,
                           SymbolTable &table) {
    MLIRContext *context = &getContext();
    sym::SymbolMap values;
    SmallVector<std::pair<std::string, int64_t>> used;
    SmallVector<StringRef> shown = getArgumentSymbols(candidate);
    for (const auto &[symbol, value] : fixed)
      if (llvm::is_contained(shown, StringRef(symbol))) {
        values[symbol] = SymExpr::constant(context, value);
        used.emplace_back(symbol, value);
      }
    if (values.empty())
      return success();
    FailureOr<SmallVector<sym::Fact>> facts = substituteFacts(candidate, values);
    for (size_t known = 0; succeeded(facts) && known != values.size();) {
      known = values.size();
      addDeterminedSymbols(candidate, *facts, values);
      facts = substituteFacts(candidate, values);
    }
    if (failed(facts))
      return failure();

    func::FuncOp target = candidate;
    if (variant) {
      std::string name = getVariantName(candidate.getName(), used);
      if (table.lookup(name))
        return candidate.emitError("cannot have the variant '") << name << "': the name is taken";
      target = candidate.clone();
      target.setName(name);
      table.insert(target, std::next(candidate->getIterator()));
    }
    if (failed(substituteSymbols(target, [&](StringRef symbol) { return values.lookup(symbol); })))
      return candidate.emitError("an expression does not fit 64 bits when symbols get values");
    target->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(context, *facts));
    if (!variant)
      updateCalls(target, getOperation(), values);
    SmallVector<std::string> texts;
    for (const auto &entry : values)
      texts.push_back(entry.first().str() + " = " + entry.second.str());
    llvm::sort(texts); // the map has no order
    remark::passed(target.getLoc(), remark::RemarkOpts::name("Specialized").category(DEBUG_TYPE))
        << ("'" + target.getName() + "' is specialized for " + llvm::join(texts, ", ")).str();
    return success();
  }
};
} // namespace
