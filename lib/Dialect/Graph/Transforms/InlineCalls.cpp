//===- InlineCalls.cpp - relax-inline-calls -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_INLINECALLSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

//===- Order --------------------------------------------------------------===//

namespace {
/// Functions, callees before callers, and who can call itself.
class CallOrder {
public:
  CallOrder(ModuleOp module, SymbolTableCollection &symbols) {
    for (auto function : module.getOps<func::FuncOp>()) {
      SmallVector<func::FuncOp> &callees = calls[function];
      function.walk([&](CallOp call) {
        if (auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()))
          callees.push_back(callee);
      });
    }
    for (auto &entry : calls)
      visit(entry.first);
  }

  ArrayRef<func::FuncOp> getOrder() const { return order; }

  bool isRecursive(func::FuncOp function) const {
    SmallVector<func::FuncOp> pending(calls.lookup(function));
    DenseSet<Operation *> seen;
    while (!pending.empty()) {
      func::FuncOp next = pending.pop_back_val();
      if (next == function)
        return true;
      if (seen.insert(next).second)
        llvm::append_range(pending, calls.lookup(next));
    }
    return false;
  }

private:
  /// Depth first, without native recursion.
  void visit(func::FuncOp root) {
    SmallVector<std::pair<func::FuncOp, unsigned>> stack;
    if (visited.insert(root).second)
      stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto &[function, next] = stack.back();
      const SmallVector<func::FuncOp> &callees = calls[function];
      if (next == callees.size()) {
        order.push_back(function);
        stack.pop_back();
        continue;
      }
      func::FuncOp callee = callees[next++];
      if (visited.insert(callee).second)
        stack.emplace_back(callee, 0);
    }
  }

  llvm::MapVector<func::FuncOp, SmallVector<func::FuncOp>> calls;
  SmallVector<func::FuncOp> order;
  DenseSet<Operation *> visited;
};

//===- One call -----------------------------------------------------------===//

class CallInliner {
public:
  CallInliner(CallOp call, func::FuncOp callee, FreshSymbols &names)
      : call(call), callee(callee), caller(call->getParentOfType<func::FuncOp>()), names(names), builder(call),
        prover(call.getContext(), sym::getScope(call)) {}

  LogicalResult run() {
    if (failed(prepareArguments()))
      return failure();
    collectInnerSymbols();
    addInnerFacts();
    return replaceCall();
  }

private:
  /// Names unknown extents, unifies, and checks what the caller's facts do not prove.
  LogicalResult prepareArguments() {
    for (auto [index, type] : llvm::enumerate(callee.getArgumentTypes())) {
      Value value = call.getInputs()[index];
      if (!sym::mentionsSymbol(type))
        continue;
      Value named = nameUnknownExtents(builder, call.getLoc(), value, names);
      if (named == value)
        continue;
      ensureScope(caller);
      call.getInputsMutable()[index].set(named);
    }
    FailureOr<CallUnification> unification = unifyCall(call, cast<FunctionOpInterface>(callee.getOperation()), prover);
    if (failed(unification))
      return failure();
    mapping = std::move(unification->mapping);
    for (const auto &[index, type] : llvm::enumerate(callee.getArgumentTypes())) {
      SmallVector<StringRef> used;
      sym::collectSymbols(type, used);
      for (StringRef symbol : used)
        if (!mapping.contains(symbol))
          return call.emitOpError("cannot be inlined: symbol '") << symbol << "' of the callee stays ambiguous";
      arguments.push_back(
          castToType(builder, call.getLoc(), call.getInputs()[index], applyMapping(type, mapping), prover));
    }
    for (const sym::Fact &fact : unification->facts)
      createShapeAssertion(builder, call.getLoc(), fact, call.getInputs(),
                           "relax.call @" + call.getCallee().str() + ": " + describeNeed(fact));
    factsHold = unification->facts.empty();
    return success();
  }

  /// A fact of the callee, in its symbols and in the caller's.
  std::string describeNeed(const sym::Fact &fact) {
    std::string here = formatFact(fact);
    auto scope = callee->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName);
    for (const sym::Fact &own : scope ? scope.getFacts() : ArrayRef<sym::Fact>())
      if (own.op == fact.op && applyMapping(own.lhs, mapping) == fact.lhs && applyMapping(own.rhs, mapping) == fact.rhs)
        return "the callee needs " + formatFact(own) + ", here " + here;
    return "the callee needs " + here;
  }

  /// What the callee's body binds gets names that the caller does not use.
  void collectInnerSymbols() {
    callee.getBody().walk([&](sym::SymbolBinderOpInterface binder) {
      for (StringRef symbol : binder.getBoundSymbols()) {
        innerSymbols.push_back(symbol.str());
        mapping[symbol] = SymExpr::symbol(call.getContext(), names.make(symbol));
      }
    });
    if (!innerSymbols.empty())
      ensureScope(caller);
  }

  /// Facts about what the body finds hold by definition wherever the body is.
  void addInnerFacts() {
    auto scope = callee->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName);
    if (!scope)
      return;
    SmallVector<sym::Fact> facts;
    if (sym::ScopeAttr own = sym::getScope(call))
      facts.append(own.getFacts().begin(), own.getFacts().end());
    size_t count = facts.size();
    for (const sym::Fact &fact : scope.getFacts())
      if (llvm::any_of(innerSymbols,
                       [&](StringRef name) { return fact.lhs.usesSymbol(name) || fact.rhs.usesSymbol(name); })) {
        sym::Fact mapped{applyMapping(fact.lhs, mapping), fact.op, applyMapping(fact.rhs, mapping)};
        if (mapped.lhs && mapped.rhs && !llvm::is_contained(facts, mapped))
          facts.push_back(mapped);
      }
    if (facts.size() != count)
      caller->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(call.getContext(), facts));
  }

  LogicalResult replaceCall() {
    IRMapping values;
    values.map(callee.getArguments(), arguments);
    Operation *terminator = callee.front().getTerminator();
    SmallVector<Operation *> clones;
    for (Operation &op : callee.front().without_terminator()) {
      Operation *clone = builder.clone(op, values);
      clone->walk([&](Operation *inner) { inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc())); });
      if (failed(substituteSymbols(clone, [&](StringRef name) { return mapping.lookup(name); })))
        return call.emitOpError("cannot be inlined: an expression overflows in the caller's symbols");
      clones.push_back(clone);
    }
    // The caller's facts may be fewer than the callee's.
    sym::Prover own(call.getContext(), sym::getScope(call));
    for (Operation *clone : clones)
      clone->walk([&](Operation *op) { weaken(op, own); });
    builder.setInsertionPoint(call);
    SmallVector<Value> results;
    for (auto [index, operand] : llvm::enumerate(terminator->getOperands()))
      results.push_back(
          castToType(builder, call.getLoc(), values.lookup(operand), call.getResult(index).getType(), own));
    call->replaceAllUsesWith(results);
    call->erase();
    return success();
  }

  /// Proofs that relied on facts of the callee become run-time checks.
  void weaken(Operation *op, sym::Prover &own) {
    if (!factsHold)
      op->removeAttr(kAssuredAttrName);
    auto refine = dyn_cast<RefineOp>(op);
    if (!refine)
      return;
    auto isProved = [&](auto dims) {
      auto [from, to] = dims;
      return !from || own.isEqual(from, to) == sym::Verdict::True;
    };
    if (llvm::all_of(
            llvm::zip_equal(sym::getSymbolicDims(refine.getSource().getType()), sym::getSymbolicDims(refine.getType())),
            isProved))
      return;
    OpBuilder local(op);
    refine.replaceAllUsesWith(
        MatchCastOp::create(local, op->getLoc(), refine.getType(), refine.getSource(), local.getStrArrayAttr({}))
            .getResult());
    refine.erase();
  }

  CallOp call;
  func::FuncOp callee, caller;
  FreshSymbols &names;
  OpBuilder builder;
  sym::Prover prover;
  sym::SymbolMap mapping;
  SmallVector<Value> arguments;
  SmallVector<std::string> innerSymbols;
  bool factsHold = true;
};

struct InlineCallsPass final : mlir::relax::graph::impl::InlineCallsPassBase<InlineCallsPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    CallOrder order(getOperation(), symbols);
    DenseSet<Operation *> inlinable;
    for (func::FuncOp function : order.getOrder())
      if (function.isPrivate() && !function.isExternal() && function.getBody().hasOneBlock() &&
          !order.isRecursive(function))
        inlinable.insert(function);
    for (func::FuncOp function : order.getOrder()) {
      SmallVector<std::pair<CallOp, func::FuncOp>> calls;
      function.walk([&](CallOp call) {
        auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
        if (callee && inlinable.contains(callee))
          calls.emplace_back(call, callee);
      });
      if (calls.empty())
        continue;
      FreshSymbols names(function);
      for (auto [call, callee] : calls)
        if (failed(CallInliner(call, callee, names).run()))
          return signalPassFailure();
    }
  }
};
} // namespace
