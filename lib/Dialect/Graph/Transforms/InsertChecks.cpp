//===- InsertChecks.cpp - relax-insert-checks -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "ShapeChecks.h"
#include "TypeRefinement.h"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_INSERTCHECKSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {
/// Checks of one function.
class CheckInserter {
public:
  CheckInserter(func::FuncOp function, SymbolTableCollection &symbols)
      : symbols(symbols), refinement(symbols), names(function), scope(sym::getScope(function)) {
    if (scope)
      facts.append(scope.getFacts().begin(), scope.getFacts().end());
    this->function = function;
  }

  void visit(Region &region) {
    for (Block &block : region) {
      // What is asserted here holds in what follows and inside, not beside.
      size_t known = facts.size();
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op);
      facts.truncate(known);
    }
  }

private:
  void visit(Operation *op) {
    refinement.refineOp(op);
    for (Region &region : op->getRegions())
      visit(region);
    if (auto assertion = dyn_cast<AssertShapeOp>(op))
      if (FailureOr<sym::Fact> fact = assertion.getParsedFact(); succeeded(fact))
        facts.push_back(*fact);
    // An op that never traps has nothing to check.
    if (!needsChecks(op))
      return;
    nameUnknown(op);
    refinement.refineOp(op);
    std::optional<SmallVector<ShapeRule>> rules = getShapeChecks(op, symbols);
    if (!rules)
      return;
    sym::Prover assured(op->getContext(), scope);
    if (llvm::all_of(*rules, [&](const ShapeRule &rule) { return holds(assured, rule) == sym::Verdict::True; })) {
      // By facts alone, so that it stays true wherever the op goes.
      setAssured(op);
      return;
    }
    for (const ShapeRule &rule : *rules)
      check(op, rule);
  }

  static bool needsChecks(Operation *op) {
    if (isa<ProgramCallOpInterface, CallOp>(op))
      return true;
    return isa<ShapeRuleOpInterface>(op) && !isSpeculatable(op);
  }

  /// Gives each unknown extent of the operands a name, once for each value.
  void nameUnknown(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (!isa<RankedTensorType, ShapeType>(value.getType()))
        continue;
      Value &named = namedValues[value];
      if (!named) {
        OpBuilder builder(op->getContext());
        builder.setInsertionPointAfterValue(value);
        named = nameUnknownExtents(builder, value.getLoc(), value, names);
        if (named != value)
          ensureScope(function);
      }
      operand.set(named);
    }
  }

  void check(Operation *op, const ShapeRule &rule) {
    sym::Fact fact = rule.getFact();
    sym::Prover prover(op->getContext(), facts);
    sym::Verdict verdict = llvm::is_contained(facts, fact) ? sym::Verdict::True : holds(prover, rule);
    if (verdict == sym::Verdict::True)
      return;
    if (verdict == sym::Verdict::False)
      op->emitWarning("always traps: '") << rule.str() << "' never holds";
    OpBuilder builder(op);
    createShapeAssertion(builder, op->getLoc(), fact, op->getOperands(), formatBrokenRule(op, rule));
    facts.push_back(fact);
  }

  SymbolTableCollection &symbols;
  TypeRefinement refinement;
  FreshSymbols names;
  sym::ScopeAttr scope;
  Operation *function;
  /// Facts of the function, then what dominating assertions say.
  SmallVector<sym::Fact> facts;
  DenseMap<Value, Value> namedValues;
};

struct InsertChecksPass final : mlir::relax::graph::impl::InsertChecksPassBase<InsertChecksPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<func::FuncOp>())
      CheckInserter(function, symbols).visit(function.getBody());
  }
};
} // namespace
