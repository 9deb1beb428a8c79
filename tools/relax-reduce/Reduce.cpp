//===- Reduce.cpp - Shrinking modules -------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A step names a place in the module by its number, so that it can be tried on
// a copy. What a step leaves behind unused goes with it.
//
//===----------------------------------------------------------------------===//
#include "Reduce.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphDialect.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.h"
#include "RelaxDialect/Dialect/Sym/IR/SymAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::relax;

namespace {

/// A kind of step: changes place `index` of a module; false when that place cannot be changed this way.
using Step = bool (*)(ModuleOp module, unsigned index);

/// Functions whose signature nobody else relies on.
SmallVector<func::FuncOp> getFreeFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && SymbolTable::symbolKnownUseEmpty(function, module))
      functions.push_back(function);
  return functions;
}

/// Ops inside of functions, last first: what depends on most goes first.
SmallVector<Operation *> getOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](Operation *op) {
      if (op != function && !op->hasTrait<OpTrait::IsTerminator>())
        ops.push_back(op);
    });
  std::reverse(ops.begin(), ops.end());
  return ops;
}

void updateType(func::FuncOp function) {
  Block &body = function.getBody().front();
  function.setFunctionType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
}

/// A whole function.
bool removeFunction(ModuleOp module, unsigned index) {
  SmallVector<func::FuncOp> functions = getFreeFunctions(module);
  if (index >= functions.size() || functions.size() == 1)
    return false;
  functions[index].erase();
  return true;
}

/// A result of a function.
bool removeResult(ModuleOp module, unsigned index) {
  for (func::FuncOp function : getFreeFunctions(module)) {
    unsigned count = function.getNumResults();
    if (index >= count) {
      index -= count;
      continue;
    }
    if (count == 1)
      return false;
    function.getBody().front().getTerminator()->eraseOperand(index);
    llvm::BitVector gone(count);
    gone.set(index);
    return succeeded(function.eraseResults(gone));
  }
  return false;
}

/// The value of an op becomes an argument of the function: everything that made it can go.
bool cutValue(ModuleOp module, unsigned index) {
  SmallVector<Operation *> ops = getOps(module);
  if (index >= ops.size() || ops[index]->getNumResults() != 1 || ops[index]->use_empty())
    return false;
  Operation *op = ops[index];
  auto function = op->getParentOfType<func::FuncOp>();
  Type type = op->getResult(0).getType();
  if (!isa<RankedTensorType, graph::ShapeType>(type) || !llvm::is_contained(getFreeFunctions(module), function))
    return false;
  // A symbol that is found while running would get a second meaning; the verifier refuses it.
  unsigned number = function.getNumArguments();
  if (failed(function.insertArgument(number, type, DictionaryAttr(), op->getLoc())))
    return false;
  op->getResult(0).replaceAllUsesWith(function.getArgument(number));
  op->erase();
  return true;
}

/// An op's value becomes one of its operands.
bool forwardOperand(ModuleOp module, unsigned index) {
  SmallVector<Operation *> ops = getOps(module);
  if (index >= ops.size() || ops[index]->getNumResults() != 1)
    return false;
  Operation *op = ops[index];
  for (Value operand : op->getOperands())
    if (operand.getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(operand);
      op->erase();
      return true;
    }
  return false;
}

/// An op with regions becomes one of them.
bool unwrapRegion(ModuleOp module, unsigned index) {
  SmallVector<Operation *> ops = getOps(module);
  if (index / 2 >= ops.size() || index % 2 >= ops[index / 2]->getNumRegions())
    return false;
  Operation *op = ops[index / 2];
  Region &region = op->getRegion(index % 2);
  if (!llvm::hasSingleElement(region) || region.getNumArguments() != 0 ||
      region.front().getTerminator()->getNumOperands() != op->getNumResults())
    return false;
  Operation *terminator = region.front().getTerminator();
  op->replaceAllUsesWith(terminator->getOperands());
  terminator->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), region.front().getOperations());
  op->erase();
  return true;
}

/// A function gives an operand of the op that makes a result, instead of the result.
bool returnOperand(ModuleOp module, unsigned index) {
  for (func::FuncOp function : getFreeFunctions(module)) {
    Operation *terminator = function.getBody().front().getTerminator();
    for (OpOperand &result : terminator->getOpOperands()) {
      Operation *op = result.get().getDefiningOp();
      unsigned count = op ? op->getNumOperands() : 0;
      if (index >= count) {
        index -= count;
        continue;
      }
      if (!isa<RankedTensorType>(op->getOperand(index).getType()))
        return false;
      result.set(op->getOperand(index));
      updateType(function);
      return true;
    }
  }
  return false;
}

bool removeArgument(ModuleOp module, unsigned index) {
  for (func::FuncOp function : getFreeFunctions(module)) {
    if (index < function.getNumArguments())
      return function.getArgument(index).use_empty() && succeeded(function.eraseArgument(index));
    index -= function.getNumArguments();
  }
  return false;
}

bool removeFact(ModuleOp module, unsigned index) {
  for (Operation &op : module.getOps()) {
    auto scope = op.getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName);
    if (!scope)
      continue;
    if (index >= scope.getFacts().size()) {
      index -= scope.getFacts().size();
      continue;
    }
    SmallVector<sym::Fact> facts(scope.getFacts());
    facts.erase(facts.begin() + index);
    op.setAttr(sym::kScopeAttrName, sym::ScopeAttr::get(op.getContext(), facts));
    return true;
  }
  return false;
}

/// Largest pieces first.
constexpr Step kSteps[] = {removeFunction, removeResult,   returnOperand,  cutValue,
                           unwrapRegion,   forwardOperand, removeArgument, removeFact};

/// Ops whose values nobody uses and private symbols that nobody names.
void removeUnused(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation *op : getOps(module))
      if (isOpTriviallyDead(op)) {
        op->erase();
        changed = true;
        break;
      }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op : llvm::make_early_inc_range(module.getOps())) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (symbol && symbol.isPrivate() && SymbolTable::symbolKnownUseEmpty(&op, module)) {
        op.erase();
        changed = true;
      }
    }
  }
}

bool isValid(ModuleOp module) {
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  return succeeded(verify(module));
}

unsigned countPlaces(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](Operation *op) { count += 2 + op->getNumOperands(); });
  return count;
}

} // namespace

OwningOpRef<ModuleOp> relax_reduce::reduce(ModuleOp module, llvm::function_ref<bool(ModuleOp)> isInteresting) {
  OwningOpRef<ModuleOp> best = module.clone();
  for (bool progress = true; progress;) {
    progress = false;
    for (Step step : kSteps)
      for (unsigned index = 0; index < countPlaces(*best);) {
        OwningOpRef<ModuleOp> candidate = best.get().clone();
        if (!step(*candidate, index)) {
          ++index;
          continue;
        }
        removeUnused(*candidate);
        if (!isValid(*candidate) || !isInteresting(*candidate)) {
          ++index;
          continue;
        }
        // The place holds something else now.
        best = std::move(candidate);
        progress = true;
      }
  }
  return best;
}
