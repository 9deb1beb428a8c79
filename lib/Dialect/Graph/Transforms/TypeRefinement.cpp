//===- TypeRefinement.cpp - Filling unknown extents -----------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "TypeRefinement.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

Type graph::fillUnknown(Type written, Type known) {
  if (!isa<RankedTensorType, ShapeType>(written) || written.getTypeID() != known.getTypeID())
    return written;
  SmallVector<SymExpr> dims = sym::getSymbolicDims(written), more = sym::getSymbolicDims(known);
  if (dims.size() != more.size())
    return written;
  bool changed = false;
  for (auto [dim, other] : llvm::zip_equal(dims, more)) {
    if (dim || !other)
      continue;
    dim = other;
    changed = true;
  }
  return changed ? withSymbolicDims(written, dims) : written;
}

Value graph::getPrecise(Value value) {
  while (auto erase = value.getDefiningOp<EraseShapeOp>())
    value = erase.getSource();
  return value;
}

SmallVector<std::string> graph::getInnerSymbols(Operation *op) {
  SmallVector<std::string> names;
  for (Region &region : op->getRegions())
    region.walk([&](sym::SymbolBinderOpInterface binder) {
      for (StringRef name : binder.getBoundSymbols())
        names.push_back(name.str());
    });
  return names;
}

bool graph::mentionsAny(SymExpr expr, ArrayRef<std::string> names) {
  return llvm::any_of(names, [&](StringRef name) { return expr.usesSymbol(name); });
}

//===- Changing types -----------------------------------------------------===//

bool TypeRefinement::acceptsOperandTypes(Operation *user) {
  if (isa<tensor::DimOp>(user))
    return true;
  // Terminators and upstream ops compare types exactly.
  if (!isa_and_nonnull<RelaxDialect>(user->getDialect()) || user->hasTrait<OpTrait::IsTerminator>())
    return false;
  // An op that traps for every valuation may be dead code: it keeps what it had.
  ScopedDiagnosticHandler silent(user->getContext(), [](Diagnostic &) { return success(); });
  if (failed(verify(user, /*verifyRecursively=*/false)))
    return false;
  auto symbolUser = dyn_cast<SymbolUserOpInterface>(user);
  return !symbolUser || succeeded(symbolUser.verifySymbolUses(symbols));
}

void TypeRefinement::setType(Value value, Type type) {
  Type old = value.getType();
  value.setType(type);
  Value erased;
  for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
    if (acceptsOperandTypes(use.getOwner()))
      continue;
    if (!erased) {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      erased = EraseShapeOp::create(builder, value.getLoc(), old, value);
    }
    use.set(erased);
  }
}

bool TypeRefinement::fillResults(Operation *op, ArrayRef<Type> inferred) {
  bool changed = false;
  if (inferred.size() != op->getNumResults())
    return false;
  for (auto [result, known] : llvm::zip_equal(op->getResults(), inferred)) {
    Type filled = fillUnknown(result.getType(), known);
    if (filled == result.getType())
      continue;
    setType(result, filled);
    changed = true;
  }
  return changed;
}

//===- Ops ----------------------------------------------------------------===//

bool TypeRefinement::refineCall(CallOp call) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(call, call.getCalleeAttr());
  sym::Prover prover(call.getContext(), sym::getScope(call));
  if (!callee)
    return false;
  FailureOr<CallUnification> unification = unifyCall(call, callee, prover);
  if (failed(unification))
    return false; // false only under the facts of the function
  bool changed = fillResults(call, inferCallTypes(callee, unification->mapping));

  SmallVector<StringRef> known;
  for (Type type : call->getOperandTypes())
    sym::collectSymbols(type, known);
  NamedAttrList mapping;
  for (const auto &entry : unification->mapping)
    if (llvm::all_of(entry.second.getSymbols(), [&](StringRef symbol) { return llvm::is_contained(known, symbol); }))
      mapping.set(entry.first(), sym::ExprAttr::get(entry.second));
  DictionaryAttr stored = mapping.getDictionary(call.getContext());
  if (mapping.empty() || stored == call.getMappingAttr())
    return changed;
  call.setMappingAttr(stored);
  return true;
}

bool TypeRefinement::refineRegionResults(Operation *op) {
  SmallVector<std::string> inner = getInnerSymbols(op);
  bool changed = false;
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    SmallVector<SymExpr> dims = sym::getSymbolicDims(result.getType());
    bool fills = false;
    for (auto [position, dim] : llvm::enumerate(dims)) {
      if (dim)
        continue;
      // One extent from every region, or none.
      SymExpr common;
      bool first = true;
      for (Region &region : op->getRegions()) {
        if (region.empty())
          continue;
        Value yielded = getPrecise(region.front().getTerminator()->getOperand(index));
        SymExpr candidate = sym::getSymbolicDims(yielded.getType())[position];
        common = first || candidate == common ? candidate : SymExpr();
        first = false;
      }
      if (!common || mentionsAny(common, inner))
        continue;
      dim = common;
      fills = true;
    }
    if (!fills)
      continue;
    Type type = withSymbolicDims(result.getType(), dims);
    sym::Prover prover(op->getContext());
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      Operation *terminator = region.front().getTerminator();
      OpBuilder builder(terminator);
      Value yielded = getPrecise(terminator->getOperand(index));
      terminator->setOperand(index, castToType(builder, terminator->getLoc(), yielded, type, prover));
    }
    setType(result, type);
    changed = true;
  }
  return changed;
}

bool TypeRefinement::refineOp(Operation *op) {
  if (op->getNumResults() == 0)
    return isa<CallOp>(op) && refineCall(cast<CallOp>(op));
  if (isa<DataflowOp, FusionGroupOp, scf::IfOp>(op))
    return refineRegionResults(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return refineLoop(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return refineLoop(loop);
  if (auto call = dyn_cast<CallOp>(op))
    return refineCall(call);
  if (auto call = dyn_cast<ProgramCallOpInterface>(op)) {
    auto callee = symbols.lookupNearestSymbolFrom<sym::TensorProgramInterface>(op, call.getCalleeAttr());
    if (!callee)
      return false;
    FailureOr<CallUnification> unification = unifyProgramCall(call, callee, /*facts=*/sym::ScopeAttr());
    if (failed(unification))
      return false;
    SmallVector<Type> types = inferProgramCallTypes(callee, unification->mapping, op->getNumResults());
    sym::restoreElementTypes(types, op->getResultTypes());
    return fillResults(op, types);
  }
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  if (!inferable || !isa_and_nonnull<RelaxDialect>(op->getDialect()))
    return false;
  SmallVector<Type> types;
  return succeeded(inferable.inferReturnTypes(op->getContext(), /*location=*/std::nullopt, op->getOperands(),
                                              op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                                              op->getRegions(), types)) &&
         fillResults(op, types);
}

bool TypeRefinement::refineRegion(Region &region) {
  bool changed = false;
  region.walk([&](Operation *op) { changed |= refineOp(op); });
  return changed;
}

bool TypeRefinement::refineFunctionResults(func::FuncOp function) {
  if (!function.isPrivate() || function.isExternal() || !function.getBody().hasOneBlock())
    return false;
  // Other users compare types exactly.
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(function, function->getParentOp());
  if (!uses || !llvm::all_of(*uses, [](SymbolTable::SymbolUse use) { return isa<CallOp>(use.getUser()); }))
    return false;
  Operation *terminator = function.front().getTerminator();
  SmallVector<Type> results;
  for (auto [type, operand] : llvm::zip_equal(function.getResultTypes(), terminator->getOperands()))
    results.push_back(fillUnknown(type, getPrecise(operand).getType()));
  if (llvm::equal(results, function.getResultTypes()))
    return false;
  sym::Prover prover(function.getContext());
  OpBuilder builder(terminator);
  for (auto [index, type] : llvm::enumerate(results))
    terminator->setOperand(
        index, castToType(builder, terminator->getLoc(), getPrecise(terminator->getOperand(index)), type, prover));
  function.setType(FunctionType::get(function.getContext(), function.getArgumentTypes(), results));
  return true;
}
