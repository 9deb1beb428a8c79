//===- ArgumentRefinement.cpp - What callers know about arguments ---------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "TypeRefinement.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// Every call of a function that is called by relax.call only; nothing when there are other uses.
static SmallVector<CallOp> getCalls(func::FuncOp function) {
  SmallVector<CallOp> calls;
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(function, function->getParentOp());
  if (!function.isPrivate() || function.isExternal() || !uses)
    return calls;
  for (SymbolTable::SymbolUse use : *uses) {
    auto call = dyn_cast<CallOp>(use.getUser());
    if (!call)
      return {};
    calls.push_back(call);
  }
  return calls;
}

bool TypeRefinement::refineFunctionArguments(func::FuncOp function) {
  SmallVector<CallOp> calls = getCalls(function);
  if (calls.empty())
    return false;
  std::optional<FreshSymbols> names;
  // Extents that are the same at every call get one name.
  SmallVector<std::pair<SmallVector<SymExpr>, SymExpr>> named;
  auto getName = [&](ArrayRef<SymExpr> actual) {
    bool known = !llvm::is_contained(actual, SymExpr());
    for (const auto &[extents, name] : named)
      if (known && ArrayRef<SymExpr>(extents) == actual)
        return name;
    if (!names)
      names.emplace(function);
    SymExpr name = SymExpr::symbol(function.getContext(), names->make("d"));
    named.emplace_back(SmallVector<SymExpr>(actual), name);
    return name;
  };

  SmallVector<Type> types(function.getArgumentTypes());
  for (auto [index, type] : llvm::enumerate(types)) {
    if (!isa<RankedTensorType, ShapeType>(type))
      continue;
    SmallVector<SymExpr> dims = sym::getSymbolicDims(type);
    for (auto [position, dim] : llvm::enumerate(dims)) {
      if (dim)
        continue;
      SmallVector<SymExpr> actual;
      for (CallOp call : calls) {
        SmallVector<SymExpr> given = sym::getSymbolicDims(getPrecise(call.getInputs()[index]).getType());
        actual.push_back(position < given.size() ? given[position] : SymExpr());
      }
      bool isConstant = actual.front() && actual.front().getConstant() && llvm::all_equal(actual);
      dim = isConstant ? actual.front() : getName(actual);
    }
    type = withSymbolicDims(type, dims);
  }
  if (llvm::equal(types, function.getArgumentTypes()))
    return false;
  if (!named.empty())
    ensureScope(function);
  // The callers' operands are as precise as what was found in them.
  for (CallOp call : calls)
    for (OpOperand &operand : call.getInputsMutable())
      operand.set(getPrecise(operand.get()));
  SmallVector<Type> results(function.getResultTypes());
  function.setType(FunctionType::get(function.getContext(), types, results));
  for (auto [argument, type] : llvm::zip_equal(function.getArguments(), types))
    if (argument.getType() != type)
      setType(argument, type);
  return true;
}
