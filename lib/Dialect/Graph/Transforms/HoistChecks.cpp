//===- HoistChecks.cpp - relax-hoist-checks -------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// An assertion passes only what nobody can observe: ops without effects that
// cannot fail where they stand. So the first error of a run stays the same one,
// and a function that used to end without an error still does.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Graph/Transforms/BranchFacts.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "ShapeChecks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-hoist-checks"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_HOISTCHECKSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static SmallVector<StringRef> getSymbols(const sym::Fact &fact) {
  SmallVector<StringRef> symbols = fact.lhs.getSymbols();
  for (StringRef symbol : fact.rhs.getSymbols())
    if (!llvm::is_contained(symbols, symbol))
      symbols.push_back(symbol);
  return symbols;
}

/// Removes what made the operand of an assertion that is gone.
static void eraseUnused(Value shape) {
  Operation *op = shape.getDefiningOp();
  if (!isa_and_nonnull<ShapeOfOp, MakeShapeOp>(op) || !op->use_empty())
    return;
  SmallVector<Value> operands(op->getOperands());
  op->erase();
  for (Value operand : operands)
    eraseUnused(operand);
}

static void eraseAssertion(AssertShapeOp op) {
  Value shape = op.getShape();
  op.erase();
  eraseUnused(shape);
}

namespace {
/// Assertions at the start of a region, before anything observable, about symbols from outside.
using Head = SmallVector<AssertShapeOp>;

class CheckHoister {
public:
  CheckHoister(func::FuncOp function, SymbolTableCollection &symbols)
      : function(function), symbols(symbols), scope(sym::getScope(function)) {
    if (scope)
      facts.append(scope.getFacts().begin(), scope.getFacts().end());
  }

  void run() {
    collectBinders();
    for (Block &block : function.getBody())
      visit(block);
  }

private:
  //===- Where symbols get their values -------------------------------------===//

  /// Values that together show each symbol: an extent by itself where there is one.
  void collectBinders() {
    SmallVector<Value> arguments(function.getArguments());
    for (bool alone : {true, false})
      for (Value argument : arguments)
        for (SymExpr dim : sym::getSymbolicDims(argument.getType()))
          if (dim && (!alone || dim.getSymbol()))
            for (StringRef symbol : dim.getSymbols())
              if (auto &values = binders[symbol]; alone ? values.empty() : !isAlone(values, symbol))
                if (!llvm::is_contained(values, argument))
                  values.push_back(argument);
    function.getBody().walk([&](sym::SymbolBinderOpInterface binder) {
      for (StringRef symbol : binder.getBoundSymbols())
        for (Value result : binder->getResults()) {
          SmallVector<StringRef> shown;
          sym::collectSymbols(result.getType(), shown);
          if (binders[symbol].empty() && llvm::is_contained(shown, symbol))
            binders[symbol].push_back(result);
        }
    });
  }

  static bool isAlone(ArrayRef<Value> values, StringRef symbol) {
    return llvm::any_of(values, [&](Value value) {
      return llvm::any_of(sym::getSymbolicDims(value.getType()),
                          [&](SymExpr dim) { return dim && dim.getSymbol() == symbol; });
    });
  }

  SmallVector<Value> getBinders(const sym::Fact &fact) {
    SmallVector<Value> values;
    for (StringRef symbol : getSymbols(fact))
      for (Value value : binders.lookup(symbol))
        if (!llvm::is_contained(values, value))
          values.push_back(value);
    return values;
  }

  //===- Blocks -------------------------------------------------------------===//

  /// One block, whose assertions may move up in it.
  struct Place {
    Block *block;
    /// The last op that an assertion must not pass; null is the start of the block.
    Operation *barrier = nullptr;
    Head head = {};
    bool atHead = true;
  };

  Head visit(Block &block) {
    // What is asserted here holds in what follows and inside, not beside.
    size_t known = facts.size();
    Place place{&block};
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto assertion = dyn_cast<AssertShapeOp>(op)) {
        move(assertion, place);
        continue;
      }
      if (op.getNumRegions() != 0)
        visitRegions(&op, place);
      if (isSilent(&op))
        continue;
      place.barrier = &op;
      place.atHead = false;
    }
    facts.truncate(known);
    return place.head;
  }

  /// Visits what is inside `op` and moves assertions that it always starts with to `place`.
  void visitRegions(Operation *op, Place &place) {
    DenseMap<Region *, Head> heads;
    for (Region &region : op->getRegions()) {
      size_t known = facts.size();
      collectRegionFacts(region, facts);
      for (Block &block : region) {
        Head head = visit(block);
        if (block.isEntryBlock())
          heads[&region] = std::move(head);
      }
      facts.truncate(known);
    }
    SmallVector<Region *> entered = getFirstRegions(op);
    if (entered.empty())
      return;
    // What every one of them starts with.
    for (size_t index = 0;; ++index) {
      Head same;
      for (Region *region : entered) {
        const Head &head = heads[region];
        if (index == head.size())
          return;
        AssertShapeOp assertion = head[index];
        if (!same.empty() &&
            (same.front().getFact() != assertion.getFact() || same.front().getMessage() != assertion.getMessage()))
          return;
        same.push_back(assertion);
      }
      for (AssertShapeOp other : ArrayRef(same).drop_front())
        eraseAssertion(other);
      move(same.front(), place);
    }
  }

  /// The regions of which `op` always enters one first; none when it may enter no region.
  static SmallVector<Region *> getFirstRegions(Operation *op) {
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      if (std::optional<llvm::APInt> count = loop.getStaticTripCount())
        return count->isZero() ? SmallVector<Region *>() : loop.getLoopRegions();
    auto branch = dyn_cast<RegionBranchOpInterface>(op);
    if (!branch)
      return {};
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      Attribute constant;
      matchPattern(operand, m_Constant(&constant));
      operands.push_back(constant);
    }
    SmallVector<RegionSuccessor> successors;
    branch.getEntrySuccessorRegions(operands, successors);
    SmallVector<Region *> regions;
    for (RegionSuccessor &successor : successors) {
      if (successor.isParent())
        return {};
      regions.push_back(successor.getSuccessor());
    }
    return regions;
  }

  //===- Assertions ---------------------------------------------------------===//

  /// Moves an assertion of this block, or of a region in it, up to its place.
  void move(AssertShapeOp assertion, Place &place) {
    FailureOr<sym::Fact> fact = assertion.getParsedFact();
    if (failed(fact))
      return;
    sym::Prover prover(function.getContext(), getRelevantFacts(facts, *fact));
    if (llvm::is_contained(facts, *fact) || prover.holds(*fact) == sym::Verdict::True) {
      remark::passed(assertion.getLoc(), remark::RemarkOpts::name("Removed").category(DEBUG_TYPE))
          << ("removed the check '" + assertion.getFact() + "', which follows from earlier ones" +
              explain(prover, *fact))
                 .str();
      eraseAssertion(assertion);
      return;
    }
    facts.push_back(*fact);
    SmallVector<Value> values = getBinders(*fact);
    Operation *last = place.barrier;
    bool fromOutside = true;
    for (Value value : values) {
      Operation *binder = value.getDefiningOp();
      fromOutside &= value.getParentRegion() != place.block->getParent();
      if (binder && binder->getBlock() == place.block && (!last || last->isBeforeInBlock(binder)))
        last = binder;
    }
    if (!isDirectlyBehind(assertion, last, *place.block))
      assertion = recreate(assertion, *fact, values, last, *place.block);
    place.barrier = assertion;
    place.atHead &= fromOutside;
    if (place.atHead)
      place.head.push_back(assertion);
  }

  /// Only the assertion's own shape is between.
  static bool isDirectlyBehind(AssertShapeOp assertion, Operation *last, Block &block) {
    if (assertion->getBlock() != &block)
      return false;
    Operation *op = assertion->getPrevNode();
    while (op && op != last && isa<ShapeOfOp, MakeShapeOp>(op))
      op = op->getPrevNode();
    return op == last;
  }

  static AssertShapeOp recreate(AssertShapeOp assertion, const sym::Fact &fact, ArrayRef<Value> values, Operation *last,
                                Block &block) {
    OpBuilder builder(assertion.getContext());
    if (last)
      builder.setInsertionPointAfter(last);
    else
      builder.setInsertionPointToStart(&block);
    remark::passed(assertion.getLoc(), remark::RemarkOpts::name("Moved").category(DEBUG_TYPE))
        << ("moved the check '" + assertion.getFact() + "' up").str();
    createShapeAssertion(builder, assertion.getLoc(), fact, values, assertion.getMessage());
    eraseAssertion(assertion);
    return cast<AssertShapeOp>(*std::prev(builder.getInsertionPoint()));
  }

  //===- What can be observed -----------------------------------------------===//

  /// Whether nobody sees if an assertion that fails prevents the op.
  bool isSilent(Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      return true;
    if (auto binder = dyn_cast<sym::SymbolBinderOpInterface>(op); binder && checksFacts(binder))
      return false;
    if (auto cast = dyn_cast<MatchCastOp>(op))
      return onlyBinds(cast);
    if (auto make = dyn_cast<MakeShapeOp>(op); make && hasSafeEntries(make))
      return true;
    // Other ops with regions may run forever.
    if (isa<scf::ForOp, scf::IfOp, DataflowOp, FusionGroupOp>(op))
      return llvm::all_of(op->getRegions(), [&](Region &region) {
        return llvm::all_of(region.getOps(), [&](Operation &inner) { return isSilent(&inner); });
      });
    if (isMemoryEffectFree(op) && isSpeculatable(op))
      return true;
    return isa<ShapeRuleOpInterface, ProgramCallOpInterface>(op) && isChecked(op);
  }

  /// Facts about a symbol are checked where it is bound.
  bool checksFacts(sym::SymbolBinderOpInterface binder) {
    return scope && llvm::any_of(binder.getBoundSymbols(), [&](StringRef symbol) {
             return llvm::any_of(scope.getFacts(), [&](const sym::Fact &fact) {
               return fact.lhs.usesSymbol(symbol) || fact.rhs.usesSymbol(symbol);
             });
           });
  }

  /// No entry is negative or leaves 64 bits.
  bool hasSafeEntries(MakeShapeOp op) {
    sym::Prover prover(op.getContext()); // of entries that are no larger than a symbol
    SymExpr zero = SymExpr::constant(op.getContext(), 0);
    return llvm::all_of(getShapeDims(op.getResult()), [&](SymExpr dim) {
      return isNoLarger(dim) && prover.isLessEqual(zero, dim) == sym::Verdict::True;
    });
  }

  /// The value, and each step to it, is no larger than some symbol or constant.
  static bool isNoLarger(SymExpr expr) {
    ArrayRef<sym::SymTerm> terms = sym::getTerms(expr);
    if (expr.getConstant())
      return true;
    if (terms.size() != 1 || std::abs(terms[0].coefficient) != 1 || terms[0].factors.size() != 1 ||
        terms[0].factors[0].second != 1)
      return false;
    const sym::SymAtom &atom = *terms[0].factors[0].first;
    if (atom.kind == sym::SymAtom::Kind::FloorDiv && !atom.operands[1].getConstant())
      return false;
    return llvm::all_of(atom.operands, isNoLarger);
  }

  bool onlyBinds(MatchCastOp op) {
    SmallVector<StringRef> binds = op.getBoundSymbols();
    for (auto [from, to] :
         llvm::zip_equal(sym::getSymbolicDims(op.getSource().getType()), sym::getSymbolicDims(op.getType()))) {
      if (!to || from == to)
        continue;
      // The first extent of this name gives the value.
      auto *binding = to.getSymbol() ? llvm::find(binds, *to.getSymbol()) : binds.end();
      if (binding != binds.end())
        binds.erase(binding);
      else if (!from || !isProved({{sym::Fact{from, sym::Fact::Op::Equal, to}}}))
        return false;
    }
    return true;
  }

  bool isProved(const ShapeRule &rule) {
    if (llvm::is_contained(facts, rule.getFact()))
      return true;
    sym::Prover prover(function.getContext(), getRelevantFacts(facts, rule.anyOf));
    return holds(prover, rule) == sym::Verdict::True;
  }

  /// The shape rules hold here, and nothing else makes the op fail.
  bool isChecked(Operation *op) {
    std::optional<SmallVector<ShapeRule>> rules = getShapeChecks(op, symbols);
    if (!rules)
      return false;
    if (!llvm::all_of(*rules, [&](const ShapeRule &rule) { return isProved(rule); }))
      return false;
    // A rule about an unknown extent is not stated.
    bool isKnown = llvm::all_of(op->getOperandTypes(), [](Type type) {
      return llvm::all_of(sym::getSymbolicDims(type), [](SymExpr dim) { return static_cast<bool>(dim); });
    });
    if (!isKnown || !isMemoryEffectFree(op))
      return false;
    if (isAssured(op))
      return isSpeculatable(op);
    setAssured(op);
    bool result = isSpeculatable(op);
    op->removeAttr(kAssuredAttrName);
    return result;
  }

  func::FuncOp function;
  SymbolTableCollection &symbols;
  sym::ScopeAttr scope;
  /// Facts of the function, then what dominating assertions say.
  SmallVector<sym::Fact> facts;
  llvm::StringMap<SmallVector<Value>> binders;
};

struct HoistChecksPass final : mlir::relax::graph::impl::HoistChecksPassBase<HoistChecksPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<func::FuncOp>())
      CheckHoister(function, symbols).run();
  }
};
} // namespace
