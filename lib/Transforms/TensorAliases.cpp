//===- TensorAliases.cpp - Which tensors are the same memory --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "TensorAliases.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

/// The op has no code: its result is its operand.
static bool isName(Operation *op) { return isa<MatchCastOp, RefineOp, EraseShapeOp>(op); }
/// As isName, but under another shape. Only what is left after legalization: nothing else asks.
static bool isView(Operation *op) { return isa<ReshapeOp>(op); }

Value relax::getAliasSource(Value tensor, Through through) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return Value();
  if (isName(op) || (isView(op) && through == Through::Calls))
    return op->getOperand(0);
  auto call = dyn_cast<ProgramCallOpInterface>(op);
  OpOperand *tied =
      call && through != Through::Names ? call.getTiedOperand(cast<OpResult>(tensor).getResultNumber()) : nullptr;
  if (!tied || (through == Through::SameShape &&
                sym::getSymbolicDims(tied->get().getType()) != sym::getSymbolicDims(tensor.getType())))
    return Value();
  return tied->get();
}

Value relax::getAliasRoot(Value tensor, Through through) {
  while (Value source = getAliasSource(tensor, through))
    tensor = source;
  return tensor;
}

SmallVector<Value> relax::getAliases(OpOperand &use) {
  Operation *user = use.getOwner();
  unsigned index = use.getOperandNumber();
  SmallVector<Value> aliases;
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    if (BlockArgument argument = loop.getTiedLoopRegionIterArg(&use))
      aliases.append({argument, loop.getTiedLoopResult(&use)});
  } else if (auto loop = dyn_cast<scf::WhileOp>(user)) {
    aliases.push_back(loop.getBeforeArguments()[index]);
  } else if (isa<scf::ConditionOp>(user)) {
    auto parent = cast<scf::WhileOp>(user->getParentOp());
    if (index > 0) // the first operand is the condition
      aliases.append({parent.getAfterArguments()[index - 1], parent.getResult(index - 1)});
  } else if (isa<scf::YieldOp>(user)) {
    Operation *parent = user->getParentOp();
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      aliases.push_back(loop.getBeforeArguments()[index]);
    } else {
      aliases.push_back(parent->getResult(index));
      if (auto counted = dyn_cast<scf::ForOp>(parent))
        aliases.push_back(counted.getRegionIterArg(index));
    }
  } else if (isa<arith::SelectOp>(user) || isName(user) || isView(user)) {
    aliases.push_back(user->getResult(0));
  } else if (isa<CallOp>(user)) {
    // A function may give back what it was given.
    llvm::copy_if(user->getResults(), std::back_inserter(aliases),
                  [](Value result) { return isa<TensorType>(result.getType()); });
  } else if (auto call = dyn_cast<ProgramCallOpInterface>(user)) {
    for (OpResult result : user->getResults())
      if (call.getTiedOperand(result.getResultNumber()) == &use)
        aliases.push_back(result);
  }
  return aliases;
}

void relax::forEachAliasUse(Value root, llvm::function_ref<void(OpOperand &)> visit) {
  SmallVector<Value> worklist = {root};
  llvm::SmallPtrSet<Value, 8> seen = {root};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses()) {
      visit(use);
      for (Value alias : getAliases(use))
        if (seen.insert(alias).second)
          worklist.push_back(alias);
    }
}

TensorAliases::TensorAliases(func::FuncOp function) {
  llvm::SmallPtrSet<Value, 32> aliases;
  auto collect = [&](ValueRange values) {
    for (Value value : values)
      if (isa<TensorType>(value.getType()))
        tensors.push_back(value);
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    collect(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        collect(block.getArguments());
  });
  for (Value tensor : tensors)
    for (OpOperand &use : tensor.getUses())
      for (Value alias : getAliases(use))
        aliases.insert(alias);
  // A function that is called may give back memory of its own, too.
  for (Value tensor : tensors) {
    if (aliases.contains(tensor) && !isa_and_nonnull<CallOp>(tensor.getDefiningOp()))
      continue;
    roots[tensor].insert(tensor);
    forEachAliasUse(tensor, [&](OpOperand &use) {
      for (Value alias : getAliases(use))
        roots[alias].insert(tensor);
    });
  }
}

ArrayRef<Value> TensorAliases::getRoots(Value tensor) const {
  auto found = roots.find(tensor);
  return found == roots.end() ? ArrayRef<Value>() : found->second.getArrayRef();
}

bool TensorAliases::mayAlias(Value a, Value b) const {
  return llvm::any_of(getRoots(a), [&](Value root) { return llvm::is_contained(getRoots(b), root); });
}
