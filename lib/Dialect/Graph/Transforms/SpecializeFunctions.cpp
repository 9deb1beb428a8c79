//===- SpecializeFunctions.cpp - relax-specialize-functions ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace mlir::relax::graph {
#define GEN_PASS_DEF_SPECIALIZEFUNCTIONSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
/// Symbols of the callee that a call fixes, by name.
using Constants = std::map<std::string, int64_t>;

class Specializer {
public:
  Specializer(ModuleOp module, unsigned maxCopies) : symbols(module), maxCopies(maxCopies) {
    module.walk([&](CallOp call) { pending.push_back(call); });
  }

  LogicalResult run() {
    // Copies bring calls of their own; each function has a bounded number of them.
    while (!pending.empty())
      if (failed(specialize(pending.pop_back_val())))
        return failure();
    return success();
  }

private:
  LogicalResult specialize(CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || !callee.isPrivate() || callee.isExternal())
      return success();
    sym::Prover prover(call.getContext(), sym::getScope(call));
    FailureOr<CallUnification> unification = unifyCall(call, cast<FunctionOpInterface>(callee.getOperation()), prover);
    if (failed(unification))
      return failure();
    Constants constants;
    for (const auto &entry : unification->mapping)
      if (std::optional<int64_t> value = entry.second ? entry.second.getConstant() : std::nullopt; value && *value >= 0)
        constants[entry.first().str()] = *value;
    if (constants.empty())
      return success();
    FailureOr<func::FuncOp> copy = getCopy(callee, constants);
    if (failed(copy))
      return call.emitOpError("cannot be specialized: an expression of '") << call.getCallee() << "' overflows";
    if (!*copy)
      return success(); // enough of them
    call.setCalleeAttr(FlatSymbolRefAttr::get(copy->getSymNameAttr()));
    NamedAttrList mapping;
    for (const auto &entry : unification->mapping)
      if (!constants.count(entry.first().str()) && call.getMapped(entry.first()))
        mapping.set(entry.first(), sym::ExprAttr::get(entry.second));
    if (mapping.empty())
      call.removeMappingAttr();
    else
      call.setMappingAttr(mapping.getDictionary(call.getContext()));
    return success();
  }

  /// The copy with these constants; null when there are too many.
  FailureOr<func::FuncOp> getCopy(func::FuncOp callee, const Constants &constants) {
    auto [found, isNew] = copies.try_emplace({callee, constants});
    if (!isNew)
      return found->second;
    // What a copy of a copy replaces counts for the first one.
    auto *origin = origins.lookup(callee);
    Operation *root = origin ? origin : callee.getOperation();
    if (numCopies[root] == maxCopies)
      return found->second;
    ++numCopies[root];
    func::FuncOp copy = callee.clone();
    std::string name = callee.getName().str();
    for (const auto &[symbol, value] : constants)
      name += "_" + symbol + "_" + std::to_string(value);
    copy.setName(name);
    symbols.insert(copy, Block::iterator(callee->getNextNode()));
    origins[copy] = root;
    MLIRContext *context = callee.getContext();
    if (failed(substituteSymbols(copy, [&](StringRef symbol) {
          auto constant = constants.find(symbol.str());
          return constant == constants.end() ? SymExpr() : SymExpr::constant(context, constant->second);
        })))
      return failure();
    copy.walk([&](CallOp call) { pending.push_back(call); });
    copies[{callee, constants}] = copy;
    return copy;
  }

  SymbolTable symbols;
  unsigned maxCopies;
  SmallVector<CallOp> pending;
  std::map<std::pair<Operation *, Constants>, func::FuncOp> copies;
  DenseMap<Operation *, Operation *> origins;
  DenseMap<Operation *, unsigned> numCopies;
};

struct SpecializeFunctionsPass final : mlir::relax::graph::impl::SpecializeFunctionsPassBase<SpecializeFunctionsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(Specializer(getOperation(), maxCopies).run()))
      signalPassFailure();
  }
};
} // namespace
