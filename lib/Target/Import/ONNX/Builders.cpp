//===- Builders.cpp - Ops with several results or optional operands -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Builders.h"

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::onnx;
using mlir::relax::sym::SymExpr;

NamedAttribute mlir::relax::onnx::unitAttr(NodeEmitter &e, StringRef name) {
  return e.attr(name, UnitAttr::get(e.getContext()));
}

NamedAttribute mlir::relax::onnx::stringAttr(NodeEmitter &e, StringRef name, StringRef value) {
  return e.attr(name, StringAttr::get(e.getContext(), value));
}

NamedAttribute mlir::relax::onnx::doubleAttr(NodeEmitter &e, StringRef name, double value) {
  return e.attr(name, FloatAttr::get(Float64Type::get(e.getContext()), value));
}

NamedAttribute mlir::relax::onnx::exprsAttr(NodeEmitter &e, StringRef name, ArrayRef<SymExpr> exprs) {
  SmallVector<Attribute> attributes;
  for (SymExpr expr : exprs) {
    if (!expr)
      e.fail("an extent does not fit 64 bits");
    else
      attributes.push_back(sym::ExprAttr::get(expr));
  }
  return e.attr(name, ArrayAttr::get(e.getContext(), attributes));
}

NamedAttribute mlir::relax::onnx::bindsAttr(NodeEmitter &e, unsigned count) {
  SmallVector<Attribute> names;
  for (unsigned index = 0; index < count; ++index) {
    SymExpr symbol = e.getImporter().getSymbols().makeFresh((e.getSymbolStem() + "_n" + Twine(index)).str());
    names.push_back(StringAttr::get(e.getContext(), *symbol.getSymbol()));
  }
  return e.attr("binds", ArrayAttr::get(e.getContext(), names));
}

SmallVector<SymExpr> mlir::relax::onnx::getBound(NodeEmitter &e, NamedAttribute binds) {
  SmallVector<SymExpr> symbols;
  for (StringAttr name : cast<ArrayAttr>(binds.getValue()).getAsRange<StringAttr>())
    symbols.push_back(SymExpr::symbol(e.getContext(), name));
  return symbols;
}

Value mlir::relax::onnx::showSymbols(NodeEmitter &e, Value x, ArrayRef<SymExpr> exprs) {
  if (!x || e.failed())
    return {};
  SmallVector<StringRef> shown;
  sym::collectSymbols(x.getType(), shown);
  SmallVector<SymExpr> hidden;
  for (SymExpr expr : exprs) {
    if (!expr)
      continue;
    for (StringRef name : expr.getSymbols()) {
      SymExpr symbol = SymExpr::symbol(e.getContext(), name);
      if (!llvm::is_contained(shown, name) && !llvm::is_contained(hidden, symbol))
        hidden.push_back(symbol);
    }
  }
  return hidden.empty() ? Value() : e.makeShape(hidden);
}

Value mlir::relax::onnx::wrapIndices(NodeEmitter &e, Value indices, ArrayRef<SymExpr> extents) {
  if (!indices || e.failed())
    return {};
  // Constants need no arithmetic at run time when none is negative.
  DenseElementsAttr constant;
  if (auto op = indices.getDefiningOp<graph::ConstantOp>())
    constant = dyn_cast<DenseElementsAttr>(op.getValue());
  if (constant && llvm::all_of(constant.getValues<APInt>(), [](const APInt &index) { return index.isNonNegative(); }))
    return indices;
  Value size = e.makeDimsTensor(extents);
  if (extents.size() == 1)
    size = e.reshape(size, {});
  size = e.cast(size, getElementTypeOrSelf(indices.getType()));
  Value isNegative = e.create<graph::LessOp>({indices, e.makeScalarLike(0, indices)});
  return e.select(isNegative, e.add(indices, size), indices);
}

Value mlir::relax::onnx::checkDims(NodeEmitter &e, Value x, ArrayRef<SymExpr> dims) {
  if (!x || e.failed())
    return {};
  SmallVector<SymExpr> own = sym::getSymbolicDims(x.getType());
  if (ArrayRef(own) == dims)
    return x;
  for (auto [index, pair] : llvm::enumerate(llvm::zip(own, dims))) {
    auto [actual, wanted] = pair;
    if (!wanted) {
      e.fail("an extent does not fit 64 bits");
      return {};
    }
    if (actual && e.getProver().isEqual(actual, wanted) == sym::Verdict::False) {
      e.fail("dimension " + Twine(index) + " is " + actual.str() + ", expected " + wanted.str());
      return {};
    }
  }
  OpBuilder &builder = e.getImporter().getBuilder();
  return graph::MatchCastOp::create(builder, e.getLoc(), sym::getTensorType(dims, getElementTypeOrSelf(x.getType())), x,
                                    builder.getArrayAttr({}));
}

void mlir::relax::onnx::assertFact(NodeEmitter &e, const sym::Fact &fact, const Twine &message) {
  if (e.failed())
    return;
  if (!fact.lhs || !fact.rhs)
    return e.fail("an extent does not fit 64 bits");
  sym::Verdict verdict = e.getProver().holds(fact);
  if (verdict == sym::Verdict::True)
    return;
  if (verdict == sym::Verdict::False)
    return e.fail(message);
  SmallVector<SymExpr> symbols;
  for (SymExpr side : {fact.lhs, fact.rhs})
    for (StringRef name : side.getSymbols())
      if (SymExpr symbol = SymExpr::symbol(e.getContext(), name); !llvm::is_contained(symbols, symbol))
        symbols.push_back(symbol);
  std::string text;
  llvm::raw_string_ostream os(text);
  fact.print(os);
  OpBuilder &builder = e.getImporter().getBuilder();
  if (Value shape = e.makeShape(symbols))
    graph::AssertShapeOp::create(builder, e.getLoc(), shape, builder.getStringAttr(text),
                                 builder.getStringAttr(message));
}

Value mlir::relax::onnx::roundTo(NodeEmitter &e, Value x, Type type) {
  if (!x || e.failed())
    return {};
  Type own = getElementTypeOrSelf(x.getType());
  return type.getIntOrFloatBitWidth() < own.getIntOrFloatBitWidth() ? e.cast(e.cast(x, type), own) : x;
}

Value mlir::relax::onnx::pickEntry(NodeEmitter &e, Value vector, int64_t index) {
  SymExpr at = e.constant(index);
  return e.squeeze(e.slice(vector, NodeEmitter::Range{0, at, at + 1}), {0});
}
