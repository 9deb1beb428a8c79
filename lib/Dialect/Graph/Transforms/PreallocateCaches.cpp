//===- PreallocateCaches.cpp - Caches with a capacity ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A cache that the function returns with entries appended is not where it was:
// behind the entries of one head come those of the next. With a capacity for
// its entries it stays in place, and what is new is written into it.
//
//===----------------------------------------------------------------------===//

#include "Composer.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphDonation.h"
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace mlir::relax::graph {
#define GEN_PASS_DEF_PREALLOCATECACHESPASS
#include "RelaxDialect/Dialect/Graph/Transforms/RewritePasses.h.inc"
} // namespace mlir::relax::graph

namespace {

/// An argument and the result that is the argument with entries appended along an axis.
struct Cache {
  BlockArgument argument;
  ConcatOp concat;
  unsigned result;
  unsigned axis;
  SymExpr past, added; // entries
};

class CachePreallocator {
public:
  explicit CachePreallocator(func::FuncOp function)
      : function(function), end(cast<func::ReturnOp>(function.getBody().front().getTerminator())), names(function),
        context(function.getContext()) {}

  void run() {
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), kDonatedAttrName))
        if (std::optional<Cache> cache = findCache(argument))
          caches.push_back(*cache);
    if (caches.empty())
      return;
    ensureScope(function);
    for (const Cache &cache : caches)
      giveCapacity(cache);
    for (const Cache &cache : caches)
      write(cache);
    function.setType(FunctionType::get(context, function.getBody().getArgumentTypes(), end.getOperandTypes()));
  }

private:
  std::optional<Cache> findCache(BlockArgument argument);
  bool isShownByArguments(SymExpr expr);
  void giveCapacity(const Cache &cache);
  void write(const Cache &cache);
  Value getPast(SymExpr past);

  func::FuncOp function;
  func::ReturnOp end;
  FreshSymbols names;
  MLIRContext *context;
  SmallVector<Cache> caches;
  llvm::MapVector<SymExpr, SymExpr> capacities; // for each extent of the entries that are there
};

} // namespace

/// Symbols that arguments show by themselves.
bool CachePreallocator::isShownByArguments(SymExpr expr) {
  return llvm::all_of(expr.getSymbols(), [&](StringRef name) {
    SymExpr symbol = SymExpr::symbol(context, name);
    return llvm::any_of(function.getArguments(), [&](BlockArgument argument) {
      return llvm::is_contained(sym::getSymbolicDims(argument.getType()), symbol);
    });
  });
}

std::optional<Cache> CachePreallocator::findCache(BlockArgument argument) {
  for (Operation *user : argument.getUsers()) {
    auto concat = dyn_cast<ConcatOp>(user);
    if (!concat || concat->getNumOperands() != 2 || concat->getOperand(0) != argument ||
        concat->getOperand(1) == argument)
      continue;
    SmallVector<SymExpr> dims = sym::getSymbolicDims(argument.getType()),
                         added = sym::getSymbolicDims(concat->getOperand(1).getType());
    auto axis = static_cast<unsigned>(concat.getAxis());
    SymExpr zero = SymExpr::constant(context, 0);
    bool isKnown = !llvm::is_contained(dims, SymExpr()) && !llvm::is_contained(added, SymExpr());
    SmallVector<unsigned> results;
    for (OpOperand &use : end->getOpOperands())
      if (use.get() == concat.getResult())
        results.push_back(use.getOperandNumber());
    if (!isKnown || results.size() != 1 || axis >= dims.size() || !dims[axis].getSymbol() ||
        !isShownByArguments(added[axis]) || added[axis] == zero)
      continue;
    return Cache{argument, concat, results[0], axis, dims[axis], added[axis]};
  }
  return std::nullopt;
}

/// The argument gets a symbol of its own for the entries that it has room for.
void CachePreallocator::giveCapacity(const Cache &cache) {
  SymExpr &capacity = capacities[cache.past];
  if (!capacity)
    capacity = SymExpr::symbol(context, names.make("capacity"));
  BlockArgument argument = cache.argument;
  SmallVector<SymExpr> dims = sym::getSymbolicDims(argument.getType());
  dims[cache.axis] = capacity;
  argument.setType(sym::getTensorType(dims, getElementTypeOrSelf(argument.getType())));
  sym::Fact fits = {cache.past + cache.added, sym::Fact::Op::LessEqual, capacity};
  SmallVector<sym::Fact> facts(sym::getScope(function).getFacts());
  if (llvm::is_contained(facts, fits))
    return;
  facts.push_back(fits);
  function->setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(context, facts));
}

/// Something that shows how many entries there are: an argument, else a new one.
Value CachePreallocator::getPast(SymExpr past) {
  for (BlockArgument argument : function.getArguments())
    for (SymExpr dim : sym::getSymbolicDims(argument.getType())) {
      SymExpr rest = dim ? dim - past : SymExpr();
      if (rest && !llvm::is_contained(rest.getSymbols(), *past.getSymbol()) && isShownByArguments(rest))
        return argument;
    }
  unsigned index = function.getNumArguments();
  NamedAttrList attributes;
  attributes.append(kNameAttrName, StringAttr::get(context, *past.getSymbol()));
  (void)function.insertArgument(index, ShapeType::get(context, past), attributes.getDictionary(context),
                                function.getLoc());
  return function.getArgument(index);
}

void CachePreallocator::write(const Cache &cache) {
  PatternRewriter rewriter(context);
  rewriter.setInsertionPoint(cache.concat);
  Composer c(rewriter, cache.concat);
  Value shown = getPast(cache.past), added = cache.concat->getOperand(1);
  Value past = c.shape(cache.past, shown);
  Value position = c.squeeze(c.make<ShapeToTensorOp>(RankedTensorType::get({1}, rewriter.getI64Type()), past), {0});
  SymExpr zero = c.expr(0);
  Value update = c.make<CacheUpdateOp>(cache.argument, added, position, static_cast<uint64_t>(cache.axis));
  Value present = c.slice(update, cache.axis, zero, cache.past + cache.added, 1, {past, added});
  Value before;
  for (OpOperand &use : llvm::make_early_inc_range(cache.argument.getUses())) {
    Operation *user = use.getOwner();
    if (user == cache.concat || user == update.getDefiningOp())
      continue;
    if (!before) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&function.getBody().front());
      Value first = c.shape(cache.past, shown);
      before = c.slice(cache.argument, cache.axis, zero, cache.past, 1, first);
    }
    if (user != before.getDefiningOp())
      use.set(before);
  }
  end->setOperand(cache.result, update);
  rewriter.replaceOp(cache.concat, present);
}

namespace {

struct PreallocateCachesPass final : graph::impl::PreallocateCachesPassBase<PreallocateCachesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      bool isEntry = function.isPublic() && !function.isExternal() && llvm::hasSingleElement(function.getBody());
      // Whoever calls it in the module passes caches without room.
      if (isEntry && SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        CachePreallocator(function).run();
    }
  }
};

} // namespace
