//===- LoopRefinement.cpp - Extents that loops keep -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What the initial values say about a carried tensor is kept if it also holds
// after each iteration. That is tried on a clone, with fewer extents each time.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "TypeRefinement.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// Takes from `wanted` what was not written and what `yielded` does not repeat. True when everything held.
static bool keepRepeated(MutableArrayRef<Type> wanted, TypeRange written, ValueRange yielded,
                         ArrayRef<std::string> inner) {
  bool holds = true;
  for (auto [type, old, value] : llvm::zip_equal(wanted, written, yielded)) {
    if (!isa<RankedTensorType, ShapeType>(type))
      continue;
    SmallVector<SymExpr> dims = sym::getSymbolicDims(type), before = sym::getSymbolicDims(old),
                         next = sym::getSymbolicDims(getPrecise(value).getType());
    for (auto [dim, known, after] : llvm::zip_equal(dims, before, next))
      if (!known && dim && (dim != after || mentionsAny(dim, inner))) {
        dim = SymExpr();
        holds = false;
      }
    type = withSymbolicDims(type, dims);
  }
  return holds;
}

/// Makes the operands of a terminator, from `first` on, have the types.
static void castOperands(Operation *terminator, unsigned first, ArrayRef<Type> types, sym::Prover &prover) {
  OpBuilder builder(terminator);
  for (auto [index, type] : llvm::enumerate(types)) {
    Value value = getPrecise(terminator->getOperand(first + index));
    terminator->setOperand(first + index, castToType(builder, terminator->getLoc(), value, type, prover));
  }
}

bool TypeRefinement::refineLoop(scf::ForOp loop) {
  SmallVector<std::string> inner = getInnerSymbols(loop);
  // What the initial values say, if it also holds after each iteration: tried on a clone.
  SmallVector<Type> wanted;
  for (auto [init, result] : llvm::zip_equal(loop.getInits(), loop.getResults()))
    wanted.push_back(fillUnknown(result.getType(), getPrecise(init).getType()));
  if (llvm::equal(wanted, loop.getResultTypes()))
    return false;

  while (true) {
    OpBuilder builder(loop);
    sym::Prover prover(loop.getContext());
    auto trial = cast<scf::ForOp>(builder.clone(*loop));
    builder.setInsertionPoint(trial);
    for (auto [init, argument, type] : llvm::zip_equal(trial.getInitsMutable(), trial.getRegionIterArgs(), wanted)) {
      init.set(castToType(builder, loop.getLoc(), getPrecise(init.get()), type, prover));
      if (argument.getType() != type)
        setType(argument, type);
    }
    while (refineRegion(trial.getRegion())) {
    }
    Operation *yield = trial.getBody()->getTerminator();
    if (keepRepeated(wanted, loop.getResultTypes(), yield->getOperands(), inner)) {
      castOperands(yield, 0, wanted, prover);
      loop.replaceAllUsesWith(trial.getResults());
      for (auto [result, type] : llvm::zip_equal(trial.getResults(), wanted))
        if (result.getType() != type)
          setType(result, type);
      loop.erase();
      return true;
    }
    trial.erase();
    if (llvm::equal(wanted, loop.getResultTypes()))
      return false;
  }
}

/// The types of what is carried, and of what leaves the loop.
bool TypeRefinement::refineLoop(scf::WhileOp loop) {
  SmallVector<std::string> inner = getInnerSymbols(loop);
  SmallVector<Type> wanted;
  for (auto [init, argument] : llvm::zip_equal(loop.getInits(), loop.getBeforeArguments()))
    wanted.push_back(fillUnknown(argument.getType(), getPrecise(init).getType()));

  while (true) {
    OpBuilder builder(loop);
    sym::Prover prover(loop.getContext());
    auto trial = cast<scf::WhileOp>(builder.clone(*loop));
    for (auto [argument, type] : llvm::zip_equal(trial.getBeforeArguments(), wanted))
      if (argument.getType() != type)
        setType(argument, type);
    while (refineRegion(trial.getBefore())) {
    }
    scf::ConditionOp condition = trial.getConditionOp();
    SmallVector<Type> passed;
    for (auto [value, result] : llvm::zip_equal(condition.getArgs(), loop.getResults())) {
      Type known = getPrecise(value).getType();
      SmallVector<SymExpr> dims;
      if (isa<RankedTensorType, ShapeType>(known)) {
        dims = sym::getSymbolicDims(known);
        for (SymExpr &dim : dims)
          if (dim && mentionsAny(dim, inner))
            dim = SymExpr();
        known = withSymbolicDims(known, dims);
      }
      passed.push_back(fillUnknown(result.getType(), known));
    }
    for (auto [argument, type] : llvm::zip_equal(trial.getAfterArguments(), passed))
      if (argument.getType() != type)
        setType(argument, type);
    while (refineRegion(trial.getAfter())) {
    }
    Operation *yield = trial.getAfterBody()->getTerminator();
    if (!keepRepeated(wanted, loop.getInits().getTypes(), yield->getOperands(), inner)) {
      trial.erase();
      continue;
    }
    if (llvm::equal(wanted, loop.getInits().getTypes()) && llvm::equal(passed, loop.getResultTypes())) {
      trial.erase();
      return false;
    }
    builder.setInsertionPoint(trial);
    for (auto [init, type] : llvm::zip_equal(trial.getInitsMutable(), wanted))
      init.set(castToType(builder, loop.getLoc(), getPrecise(init.get()), type, prover));
    castOperands(condition, 1, passed, prover);
    castOperands(yield, 0, wanted, prover);
    loop.replaceAllUsesWith(trial.getResults());
    for (auto [result, type] : llvm::zip_equal(trial.getResults(), passed))
      if (result.getType() != type)
        setType(result, type);
    loop.erase();
    return true;
  }
}
