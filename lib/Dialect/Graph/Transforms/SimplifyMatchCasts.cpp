//===- SimplifyMatchCasts.cpp - relax-simplify-match-casts ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "ShapeChecks.h"
#include "TypeRefinement.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"

#define DEBUG_TYPE "relax-simplify-match-casts"

namespace mlir::relax::graph {
#define GEN_PASS_DEF_SIMPLIFYMATCHCASTSPASS
#include "RelaxDialect/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mlir::relax::graph

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static bool mentions(const sym::Fact &fact, StringRef symbol) {
  return fact.lhs.usesSymbol(symbol) || fact.rhs.usesSymbol(symbol);
}

static ArrayAttr getBinds(Operation *op) {
  if (auto matchCast = dyn_cast<MatchCastOp>(op))
    return matchCast.getBinds();
  return cast<TensorToShapeOp>(op).getBinds();
}

static void setBinds(Operation *op, ArrayAttr binds) {
  if (auto matchCast = dyn_cast<MatchCastOp>(op))
    matchCast.setBindsAttr(binds);
  else
    cast<TensorToShapeOp>(op).setBindsAttr(binds);
}

/// The cast's type says all that the operand's does and more.
static bool saysMore(Type operand, Type result) {
  bool more = false;
  for (auto [from, to] : llvm::zip_equal(sym::getSymbolicDims(operand), sym::getSymbolicDims(result))) {
    if (from == to)
      continue;
    bool gains = to && (!from || (to.getConstant() && !from.getConstant()));
    if (!gains)
      return false;
    more = true;
  }
  return more;
}

namespace {
/// Symbols that are known to be other expressions, and what becomes of their binders.
struct Replacements {
  sym::SymbolMap values;
  /// Casts that bind fewer symbols.
  SmallVector<std::pair<Operation *, ArrayAttr>> binds;
  /// Binders that repeat an earlier one.
  SmallVector<std::pair<Operation *, Operation *>> repeated;
  /// Places and texts of the remarks.
  SmallVector<std::pair<Location, std::string>> remarks;
};

class CastSimplifier {
public:
  CastSimplifier(func::FuncOp function, SymbolTableCollection &symbols)
      : function(function), symbols(symbols), refinement(symbols) {}

  void run() {
    while (simplifyOnce())
      refinement.refineRegion(function.getBody());
  }

private:
  bool simplifyOnce() {
    bool changed = readCasts();
    changed |= replaceSymbols();
    changed |= removeProved();
    return changed;
  }

  //===- Uses of what a cast has checked ----------------------------------===//

  bool readCasts() {
    DominanceInfo dominance(function);
    bool changed = false;
    function.walk([&](MatchCastOp cast) {
      // What nobody reads may go away: it is not kept alive.
      if (cast->use_empty() || !saysMore(cast.getSource().getType(), cast.getType()))
        return;
      for (OpOperand &use : llvm::make_early_inc_range(cast.getSource().getUses())) {
        Operation *user = use.getOwner();
        if (user == cast || !dominance.properlyDominates(cast.getOperation(), user))
          continue;
        use.set(cast.getResult());
        if (refinement.acceptsOperandTypes(user))
          changed = true;
        else
          use.set(cast.getSource());
      }
    });
    return changed;
  }

  //===- Symbols -----------------------------------------------------------===//

  /// Extents of what a cast or tensor_to_shape reads; null where unknown.
  SmallVector<SymExpr> getSourceDims(Operation *op, DominanceInfo &dominance) {
    if (auto matchCast = dyn_cast<MatchCastOp>(op))
      return sym::getSymbolicDims(matchCast.getSource().getType());
    auto toShape = cast<TensorToShapeOp>(op);
    SmallVector<SymExpr> dims(getShapeDims(toShape.getResult()).size());
    Value source = toShape.getSource();
    if (auto back = source.getDefiningOp<ShapeToTensorOp>())
      return llvm::to_vector(getShapeDims(back.getShape()));
    DenseIntElementsAttr constant;
    if (matchPattern(source, m_Constant(&constant))) {
      for (auto [dim, value] : llvm::zip_equal(dims, constant.getValues<int64_t>()))
        if (value >= 0) // others trap
          dim = SymExpr::constant(op->getContext(), value);
      return dims;
    }
    if (TensorToShapeOp earlier = getEarlierReading(toShape, dominance))
      return llvm::to_vector(getShapeDims(earlier.getResult()));
    return dims;
  }

  static TensorToShapeOp getEarlierReading(TensorToShapeOp op, DominanceInfo &dominance) {
    for (Operation *user : op.getSource().getUsers())
      if (auto earlier = dyn_cast<TensorToShapeOp>(user); earlier && dominance.properlyDominates(user, op))
        return earlier;
    return {};
  }

  /// A dominating binder that differs in the names of its symbols only, and so computes the same.
  static Operation *getRepeated(sym::SymbolBinderOpInterface binder, DominanceInfo &dominance) {
    Operation *op = binder;
    if (op->getNumOperands() == 0 || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return nullptr;
    SmallVector<std::string> names;
    for (StringRef name : binder.getBoundSymbols())
      names.push_back(name.str());
    for (Operation *user : op->getOperand(0).getUsers()) {
      auto earlier = dyn_cast<sym::SymbolBinderOpInterface>(user);
      if (!earlier || user->getName() != op->getName() || user->getOperands() != op->getOperands() ||
          !dominance.properlyDominates(user, op))
        continue;
      SmallVector<StringRef> others = earlier.getBoundSymbols();
      if (others.size() != names.size())
        continue;
      sym::SymbolMap renamed;
      for (auto [name, other] : llvm::zip_equal(names, others))
        renamed[name] = SymExpr::symbol(op->getContext(), other);
      auto map = [&](StringRef symbol) { return renamed.lookup(symbol); };
      bool sameTypes = llvm::equal(op->getResultTypes(), user->getResultTypes(),
                                   [&](Type mine, Type other) { return sym::substituteType(mine, map) == other; });
      if (!sameTypes)
        continue;
      // Attributes are compared with the names of the other op, which are put back.
      DictionaryAttr own = op->getAttrDictionary();
      binder.renameBoundSymbols([&](StringRef symbol) { return map(symbol).getSymbol()->str(); });
      bool same = op->getAttrDictionary() == user->getAttrDictionary();
      op->setAttrs(own);
      if (same)
        return user;
    }
    return nullptr;
  }

  /// Where a symbol gets its value, facts about it are checked: it may disappear with those that hold anyway.
  bool factsHold(StringRef symbol, SymExpr value, Location loc) {
    sym::ScopeAttr scope = sym::getScope(function);
    SmallVector<sym::Fact> others, own;
    for (const sym::Fact &fact : scope.getFacts())
      (mentions(fact, symbol) ? own : others).push_back(fact);
    if (own.empty())
      return true;
    sym::Prover prover(function.getContext(), others);
    for (const sym::Fact &fact : own) {
      sym::Fact known = fact.substitute([&](StringRef name) { return name == symbol ? value : SymExpr(); });
      if (known.lhs && known.rhs && prover.holds(known) == sym::Verdict::True)
        continue;
      block(symbol, value, loc, "the fact '" + formatFact(fact) + "' is checked where it is bound");
      return false;
    }
    return true;
  }

  /// The symbol stays.
  void block(StringRef symbol, SymExpr value, Location loc, const Twine &reason) {
    if (blocked.insert(symbol).second)
      remark::missed(loc, remark::RemarkOpts::name("SymbolKept").category(DEBUG_TYPE))
          << ("kept symbol '" + symbol + "', which is " + value.str() + ": " + reason).str();
  }

  /// Adds symbol = value; false when the symbol has to stay.
  bool add(Replacements &found, StringRef symbol, SymExpr value, Operation *binder) {
    auto map = [&](StringRef name) { return found.values.lookup(name); };
    value = value.substitute(map);
    if (!value || blocked.contains(symbol) || (oneByOne && !found.values.empty()) ||
        !factsHold(symbol, value, binder->getLoc()))
      return false;
    found.values[symbol] = value;
    found.remarks.push_back({binder->getLoc(), ("symbol '" + symbol + "' is " + value.str()).str()});
    return true;
  }

  Replacements findReplacements() {
    Replacements found;
    DominanceInfo dominance(function);
    function.walk<WalkOrder::PreOrder>([&](sym::SymbolBinderOpInterface binder) {
      Operation *op = binder;
      if (Operation *earlier = getRepeated(binder, dominance)) {
        auto other = cast<sym::SymbolBinderOpInterface>(earlier);
        bool all = true;
        size_t count = found.remarks.size();
        for (auto [name, kept] : llvm::zip_equal(binder.getBoundSymbols(), other.getBoundSymbols()))
          all &= add(found, name, SymExpr::symbol(op->getContext(), kept), op);
        // A symbol that stays keeps its binder; the others must not be bound twice.
        if (all) {
          found.repeated.emplace_back(op, earlier);
          return;
        }
        for (StringRef name : binder.getBoundSymbols())
          found.values.erase(name);
        found.remarks.truncate(count);
        return;
      }
      if (!isa<MatchCastOp, TensorToShapeOp>(op))
        return;
      SmallVector<Attribute> kept;
      llvm::StringSet<> replaced;
      SmallVector<SymExpr> to = sym::getSymbolicDims(op->getResult(0).getType());
      for (auto [from, dim] : llvm::zip_equal(getSourceDims(op, dominance), to)) {
        std::optional<StringRef> name = dim ? dim.getSymbol() : std::nullopt;
        bool binds = name && llvm::is_contained(binder.getBoundSymbols(), *name) && !replaced.contains(*name);
        if (binds && from && add(found, *name, from, op))
          replaced.insert(*name);
      }
      if (replaced.empty())
        return;
      for (Attribute name : getBinds(op))
        if (!replaced.contains(cast<StringAttr>(name)))
          kept.push_back(name);
      found.binds.emplace_back(op, ArrayAttr::get(op->getContext(), kept));
    });
    return found;
  }

  bool replaceSymbols() {
    sym::ScopeAttr scope = sym::getScope(function);
    if (!scope)
      return false;
    Replacements found = findReplacements();
    if (found.values.empty())
      return false;
    auto backup = cast<func::FuncOp>(function->clone());
    for (auto [op, binds] : found.binds)
      setBinds(op, binds);
    // What an op repeats may be a repetition itself, which is gone by then.
    DenseMap<Operation *, Operation *> gone;
    for (auto [op, earlier] : found.repeated) {
      if (Operation *first = gone.lookup(earlier))
        earlier = first;
      gone[op] = earlier;
      op->replaceAllUsesWith(earlier);
    }
    for (auto [op, earlier] : found.repeated)
      op->erase();
    SmallVector<sym::Fact> facts;
    for (const sym::Fact &fact : scope.getFacts())
      if (llvm::none_of(found.values, [&](const auto &entry) { return mentions(fact, entry.first()); }))
        facts.push_back(fact);
    function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(function.getContext(), facts));
    LogicalResult result = substituteSymbols(function, [&](StringRef name) { return found.values.lookup(name); });
    if (succeeded(result) && isValid()) {
      backup.erase();
      for (auto &[loc, text] : found.remarks)
        remark::passed(loc, remark::RemarkOpts::name("SymbolReplaced").category(DEBUG_TYPE)) << text;
      return true;
    }
    // An op that traps whenever it is reached may never be reached.
    function->setAttrs(backup->getAttrDictionary());
    function.getBody().takeBody(backup.getBody());
    backup.erase();
    if (found.values.size() == 1)
      block(found.values.begin()->first(), found.values.begin()->second, found.remarks.front().first,
            "an op would be refused");
    oneByOne = true;
    return true;
  }

  bool isValid() {
    ScopedDiagnosticHandler silent(function.getContext(), [](Diagnostic &) { return success(); });
    WalkResult result = function.getBody().walk([&](Operation *op) -> WalkResult {
      if (!isa_and_nonnull<RelaxDialect>(op->getDialect()))
        return WalkResult::advance();
      auto symbolUser = dyn_cast<SymbolUserOpInterface>(op);
      return failure(failed(verify(op, /*verifyRecursively=*/false)) ||
                     (symbolUser && failed(symbolUser.verifySymbolUses(symbols))));
    });
    return !result.wasInterrupted();
  }

  //===- Casts ---------------------------------------------------------------===//

  bool removeProved() {
    sym::Prover prover(function.getContext(), sym::getScope(function));
    DominanceInfo dominance(function);
    bool changed = false;
    function.walk([&](Operation *op) {
      if (isa<MatchCastOp, TensorToShapeOp>(op))
        changed |= removeProved(op, prover, dominance);
    });
    return changed;
  }

  /// A value with the extents of `dims`; null when there is none.
  static Value getCheckedValue(Operation *op, ArrayRef<SymExpr> dims, OpBuilder &builder, DominanceInfo &dominance) {
    if (auto matchCast = dyn_cast<MatchCastOp>(op))
      return matchCast.getSource();
    auto toShape = cast<TensorToShapeOp>(op);
    if (auto back = toShape.getSource().getDefiningOp<ShapeToTensorOp>())
      return back.getShape();
    if (llvm::all_of(dims, [](SymExpr dim) { return dim && dim.getConstant(); }))
      return MakeShapeOp::create(builder, op->getLoc(), ShapeType::get(op->getContext(), dims), ValueRange());
    if (TensorToShapeOp earlier = getEarlierReading(toShape, dominance))
      return earlier.getResult();
    return {};
  }

  bool removeProved(Operation *op, sym::Prover &prover, DominanceInfo &dominance) {
    SmallVector<SymExpr> from = getSourceDims(op, dominance);
    Type type = op->getResult(0).getType();
    auto isProved = [&](auto dims) {
      auto [actual, claimed] = dims;
      return !claimed || (actual && prover.isEqual(actual, claimed) == sym::Verdict::True);
    };
    OpBuilder builder(op);
    bool proved = getBinds(op).empty() && llvm::all_of(llvm::zip_equal(from, sym::getSymbolicDims(type)), isProved);
    auto toShape = dyn_cast<TensorToShapeOp>(op);
    auto back = toShape ? toShape.getSource().getDefiningOp<ShapeToTensorOp>() : ShapeToTensorOp();
    if (!proved && !back)
      return false;
    if (!proved) {
      // The entries are known to be sizes.
      auto cast = MatchCastOp::create(builder, op->getLoc(), type, back.getShape(), getBinds(op));
      op->replaceAllUsesWith(cast);
      op->erase();
      return true;
    }
    Value value = getCheckedValue(op, from, builder, dominance);
    if (!value)
      return false;
    for (auto [actual, claimed] : llvm::zip_equal(from, sym::getSymbolicDims(type))) {
      if (!claimed || actual == claimed)
        continue;
      sym::Fact fact{actual, sym::Fact::Op::Equal, claimed};
      remark::passed(op->getLoc(), remark::RemarkOpts::name("CheckProved").category(DEBUG_TYPE))
          << "no check of '" + formatFact(fact) + "'" + explain(prover, fact);
    }
    op->getResult(0).replaceAllUsesWith(castToType(builder, op->getLoc(), value, type, prover));
    op->erase();
    return true;
  }

  func::FuncOp function;
  SymbolTableCollection &symbols;
  TypeRefinement refinement;
  /// Symbols that have to stay.
  llvm::StringSet<> blocked;
  /// After a set of replacements was refused.
  bool oneByOne = false;
};

struct SimplifyMatchCastsPass final : mlir::relax::graph::impl::SimplifyMatchCastsPassBase<SimplifyMatchCastsPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        CastSimplifier(function, symbols).run();
  }
};
} // namespace
