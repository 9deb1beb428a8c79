//===- GraphShapeUtils.cpp - Shapes of relax ops --------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphShapeUtils.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

bool graph::isCompatibleResultType(Type inferred, Type actual) {
  if (inferred == actual)
    return true;
  if (!inferred || !actual || inferred.getTypeID() != actual.getTypeID())
    return false;
  if (auto tensor = dyn_cast<RankedTensorType>(inferred)) {
    if (tensor.getElementType() != cast<RankedTensorType>(actual).getElementType())
      return false;
  } else if (!isa<ShapeType>(inferred)) {
    return false;
  }
  SmallVector<SymExpr> from = sym::getSymbolicDims(inferred), to = sym::getSymbolicDims(actual);
  if (from.size() != to.size())
    return false;
  std::optional<sym::Prover> prover; // most types differ in `?` only
  for (auto [precise, written] : llvm::zip_equal(from, to)) {
    if (!written || precise == written)
      continue;
    if (!precise)
      return false;
    if (!prover)
      prover.emplace(inferred.getContext());
    if (prover->isEqual(precise, written) != sym::Verdict::True)
      return false;
  }
  return true;
}

bool graph::areCompatibleResultTypes(TypeRange inferred, TypeRange actual) {
  if (inferred.size() != actual.size())
    return false;
  for (auto [precise, written] : llvm::zip_equal(inferred, actual))
    if (!isCompatibleResultType(precise, written))
      return false;
  return true;
}

Type graph::withSymbolicDims(Type type, ArrayRef<SymExpr> dims) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return sym::getTensorType(dims, tensor.getElementType());
  return ShapeType::get(type.getContext(), dims);
}

sym::Fact ShapeRule::getFact() const {
  if (anyOf.size() == 1)
    return anyOf.front();
  SmallVector<SymExpr> distances;
  for (const sym::Fact &fact : anyOf)
    distances.push_back(SymExpr::max({fact.lhs - fact.rhs, fact.rhs - fact.lhs}));
  return {SymExpr::min(distances), sym::Fact::Op::Equal, SymExpr::constant(anyOf.front().lhs.getContext(), 0)};
}

std::string ShapeRule::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(anyOf, os, [&](const sym::Fact &fact) { fact.print(os); }, " or ");
  return text;
}

ArrayAttr graph::renameBinds(ArrayAttr binds, function_ref<std::string(StringRef)> rename) {
  SmallVector<Attribute> names;
  for (StringRef name : binds.getAsValueRange<StringAttr>())
    names.push_back(StringAttr::get(binds.getContext(), rename(name)));
  return ArrayAttr::get(binds.getContext(), names);
}

SmallVector<SymExpr> graph::getExprs(ArrayAttr attrs) {
  return llvm::map_to_vector(attrs, [](Attribute attr) { return cast<sym::ExprAttr>(attr).getValue(); });
}

SymExpr graph::getNumElements(MLIRContext *context, ArrayRef<SymExpr> dims) {
  SymExpr product = SymExpr::constant(context, 1);
  for (SymExpr dim : dims)
    product = product * dim;
  return product;
}

ArrayRef<SymExpr> graph::getShapeDims(Value shape) { return cast<ShapeType>(shape.getType()).getDims(); }

std::string graph::formatDims(ArrayRef<SymExpr> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  sym::printSymExprList(os, dims);
  return text;
}
