//===- InsertChecks.cpp - relax-insert-checks -----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "CheckInsertion.h"
#include "RelaxDialect/Dialect/Graph/Transforms/BranchFacts.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "ShapeChecks.h"
#include "TypeRefinement.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-insert-checks"

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
  /// Without `wanted` every op is checked.
  CheckInserter(func::FuncOp function, SymbolTableCollection &symbols, function_ref<bool(Operation *)> wanted = {})
      : symbols(symbols), refinement(symbols), names(function), scope(sym::getScope(function)), wanted(wanted) {
    if (scope)
      facts.append(scope.getFacts().begin(), scope.getFacts().end());
    this->function = function;
  }

  void visit(Region &region) {
    // What control flow, assertions and casts say here holds in what follows and inside, not beside.
    size_t known = facts.size(), casts = castFacts.size();
    collectRegionFacts(region, facts);
    size_t entry = facts.size();
    for (Block &block : region) {
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op);
      facts.truncate(entry);
      castFacts.truncate(casts);
    }
    facts.truncate(known);
  }

private:
  void visit(Operation *op) {
    // A loop that is refined is made anew, which relax-infer-shapes has done.
    if (!wanted && !isa<scf::ForOp, scf::WhileOp>(op))
      refinement.refineOp(op);
    for (Region &region : op->getRegions())
      visit(region);
    if (auto assertion = dyn_cast<AssertShapeOp>(op))
      if (FailureOr<sym::Fact> fact = assertion.getParsedFact(); succeeded(fact))
        facts.push_back(*fact);
    if (auto cast = dyn_cast<MatchCastOp>(op))
      addCastFacts(cast);
    // An op that never traps has nothing to check.
    if (wanted ? !wanted(op) : !needsChecks(op))
      return;
    nameUnknown(op);
    refinement.refineOp(op);
    if (!needsChecks(op))
      return;
    std::optional<SmallVector<ShapeRule>> rules = getShapeChecks(op, symbols);
    if (!rules)
      return;
    sym::Prover assured(op->getContext(), scope);
    if (llvm::all_of(*rules, [&](const ShapeRule &rule) { return holds(assured, rule) == sym::Verdict::True; })) {
      // By facts alone, so that it stays true wherever the op goes.
      setAssured(op);
      for (const ShapeRule &rule : *rules)
        remark::passed(op->getLoc(), remark::RemarkOpts::name("Proved").category(DEBUG_TYPE))
            << "proved '" + rule.str() + "'" + explain(assured, rule);
      return;
    }
    for (const ShapeRule &rule : *rules)
      check(op, rule);
  }

  /// A bound symbol is what the operand had. What else the cast says was checked, if the cast is not removed as unused.
  void addCastFacts(MatchCastOp cast) {
    SmallVector<StringRef> bound = cast.getBoundSymbols();
    for (auto [from, to] :
         llvm::zip_equal(sym::getSymbolicDims(cast.getSource().getType()), sym::getSymbolicDims(cast.getType()))) {
      if (!from || !to || from == to)
        continue;
      sym::Fact fact{from, sym::Fact::Op::Equal, to};
      if (std::optional<StringRef> symbol = to.getSymbol(); symbol && llvm::is_contained(bound, *symbol)) {
        // The first extent with the name binds it, others are checks.
        facts.push_back(fact);
        llvm::erase(bound, *symbol);
      } else {
        castFacts.push_back({cast, fact, false});
      }
    }
  }

  /// Tries what casts say. Each that is needed becomes an assertion at its cast, which nothing removes.
  bool holdsByCasts(const ShapeRule &rule) {
    SmallVector<unsigned> needed = llvm::to_vector(llvm::seq<unsigned>(0, castFacts.size()));
    auto isEnough = [&](std::optional<unsigned> without) {
      SmallVector<sym::Fact> all(facts);
      for (unsigned index : needed)
        if (index != without)
          all.push_back(castFacts[index].fact);
      sym::Prover prover(function->getContext(), getRelevantFacts(all, rule.anyOf));
      return holds(prover, rule) == sym::Verdict::True;
    };
    if (castFacts.empty() || !isEnough(std::nullopt))
      return false;
    for (unsigned index = castFacts.size(); index-- > 0;)
      if (isEnough(index))
        llvm::erase(needed, index);
    for (unsigned index : needed) {
      CastFact &entry = castFacts[index];
      if (entry.isAsserted)
        continue;
      entry.isAsserted = true;
      OpBuilder builder(entry.cast->getContext());
      builder.setInsertionPointAfter(entry.cast);
      createShapeAssertion(builder, entry.cast->getLoc(), entry.fact, {entry.cast.getResult(), entry.cast.getSource()},
                           "relax.match_cast: the extents " +
                               formatDims(sym::getSymbolicDims(entry.cast.getSource().getType())) + " are not " +
                               formatDims(sym::getSymbolicDims(entry.cast.getType())));
    }
    return true;
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
    sym::Prover prover(op->getContext(), getRelevantFacts(facts, rule.anyOf));
    sym::Verdict verdict = llvm::is_contained(facts, fact) ? sym::Verdict::True : holds(prover, rule);
    if (verdict == sym::Verdict::True || (verdict == sym::Verdict::Depends && holdsByCasts(rule)))
      return;
    if (verdict == sym::Verdict::False)
      op->emitWarning("always traps: '") << rule.str() << "' never holds";
    remark::missed(op->getLoc(), remark::RemarkOpts::name("Checked").category(DEBUG_TYPE))
        << "'" + rule.str() + "' is checked at run time" + explain(prover, rule);
    OpBuilder builder(op);
    createShapeAssertion(builder, op->getLoc(), fact, op->getOperands(), formatBrokenRule(op, rule));
    facts.push_back(fact);
  }

  SymbolTableCollection &symbols;
  TypeRefinement refinement;
  FreshSymbols names;
  sym::ScopeAttr scope;
  function_ref<bool(Operation *)> wanted;
  Operation *function;
  /// Facts of the function, then what dominating conditions and assertions say.
  SmallVector<sym::Fact> facts;
  /// What dominating casts check.
  struct CastFact {
    MatchCastOp cast;
    sym::Fact fact;
    bool isAsserted;
  };
  SmallVector<CastFact> castFacts;
  DenseMap<Value, Value> namedValues;
};

} // namespace

void graph::insertShapeChecks(func::FuncOp function, SymbolTableCollection &symbols,
                              function_ref<bool(Operation *)> wanted) {
  CheckInserter(function, symbols, wanted).visit(function.getBody());
}

namespace {
struct InsertChecksPass final : mlir::relax::graph::impl::InsertChecksPassBase<InsertChecksPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<func::FuncOp>())
      CheckInserter(function, symbols).visit(function.getBody());
  }
};
} // namespace
