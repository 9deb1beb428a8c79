//===- IndexRules.cpp - Index arithmetic in foreign functions -------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "IndexRules.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relax;
using sym::SymExpr;
using Emit = ForeignImporter::Emit;

SymExpr relax::getIndex(ForeignImporter &w, OpFoldResult index) {
  if (auto attribute = dyn_cast<Attribute>(index))
    return w.expr(cast<IntegerAttr>(attribute).getInt());
  auto value = cast<Value>(index);
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return w.expr(number.getSExtValue());
  std::optional<Dims> known = w.getElements(value);
  if (!known || !known->front()) {
    w.fail("uses an index that no sizes give");
    return w.expr(0);
  }
  return known->front();
}

Dims relax::getIndices(ForeignImporter &w, ArrayRef<OpFoldResult> indices) {
  return llvm::map_to_vector(indices, [&](OpFoldResult index) { return getIndex(w, index); });
}

static void emitDim(ForeignImporter &w, Operation *op) {
  auto dim = cast<tensor::DimOp>(op);
  std::optional<Dims> dims = w.getElements(dim.getSource()); // of a tensor.empty
  Dims own = dims && dim.getSource().getDefiningOp<tensor::EmptyOp>() ? *dims : w.getDims(dim.getSource());
  std::optional<int64_t> axis = dim.getConstantIndex();
  if (w.failed())
    return;
  if (!axis || *axis < 0 || *axis >= static_cast<int64_t>(own.size()))
    return w.fail("has a dimension that is not constant or not there");
  w.setElements(dim.getResult(), {own[*axis]});
}

/// Constants are read where they are used, those of numbers too.
static void emitConstant(ForeignImporter &w, Operation *op) {
  auto value = cast<arith::ConstantOp>(op).getValue();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && dense.getElementType().isIndex()) {
    // A shape; there are no tensors of indices in the graph.
    if (dense.getNumElements() > kMaxFollowed)
      return w.fail("has a value that is not dense");
    return w.setElements(op->getResult(0), llvm::map_to_vector(dense.getValues<APInt>(), [&](const APInt &number) {
                           return w.expr(number.getSExtValue());
                         }));
  }
  if (dense)
    return w.set(op->getResult(0), w.constant(dense));
  if (isa<TensorType>(value.getType()))
    w.fail("has a value that is not dense");
}

static void emitIndexOp(ForeignImporter &w, Operation *op) {
  if (op->getNumOperands() != 2 || !op->getResult(0).getType().isIntOrIndex())
    return w.fail("is not supported outside of a computation on tensors");
  SymExpr a = getIndex(w, op->getOperand(0)), b = getIndex(w, op->getOperand(1));
  // Rounding to zero is rounding down where nothing is negative.
  auto isNatural = [&] {
    return w.getProver().lowerBound(a).value_or(-1) >= 0 && w.getProver().lowerBound(b).value_or(0) >= 1;
  };
  StringRef name = op->getName().stripDialect();
  SymExpr result;
  if (name == "addi")
    result = a + b;
  else if (name == "subi")
    result = a - b;
  else if (name == "muli")
    result = a * b;
  else if (name == "maxsi" || (name == "maxui" && isNatural()))
    result = SymExpr::max({a, b});
  else if (name == "minsi" || (name == "minui" && isNatural()))
    result = SymExpr::min({a, b});
  else if (name == "floordivsi" || ((name == "divsi" || name == "divui") && isNatural()))
    result = SymExpr::floordiv(a, b);
  else if (name == "ceildivsi" || (name == "ceildivui" && isNatural()))
    result = SymExpr::ceildiv(a, b);
  else if ((name == "remsi" || name == "remui") && isNatural())
    result = SymExpr::mod(a, b);
  if (!result)
    return w.fail("is no expression in sizes");
  w.setElements(op->getResult(0), {result});
}

static void emitIndexCast(ForeignImporter &w, Operation *op) {
  w.setElements(op->getResult(0), {getIndex(w, op->getOperand(0))});
}

static void emitCompare(ForeignImporter &w, Operation *op) {
  auto compare = cast<arith::CmpIOp>(op);
  if (!compare.getLhs().getType().isIntOrIndex())
    return w.fail("is not supported outside of a computation on tensors");
  using Predicate = arith::CmpIPredicate;
  using Op = sym::Fact::Op;
  SymExpr a = getIndex(w, compare.getLhs()), b = getIndex(w, compare.getRhs());
  std::optional<Op> fact;
  switch (compare.getPredicate()) {
  case Predicate::eq:
    fact = Op::Equal;
    break;
  case Predicate::sle:
  case Predicate::ule:
    fact = Op::LessEqual;
    break;
  case Predicate::sge:
  case Predicate::uge:
    fact = Op::GreaterEqual;
    break;
  case Predicate::slt:
  case Predicate::ult:
    fact = Op::Less;
    break;
  case Predicate::sgt:
  case Predicate::ugt:
    fact = Op::Greater;
    break;
  case Predicate::ne:
    break;
  }
  if (!fact)
    return w.fail("compares in a way that is no fact about sizes");
  w.setFact(compare.getResult(), {a, *fact, b});
}

static void emitAssert(ForeignImporter &w, Operation *op) {
  auto assertion = cast<cf::AssertOp>(op);
  std::optional<sym::Fact> fact = w.getFact(assertion.getArg());
  if (!fact)
    return w.fail("asserts something that is no comparison of sizes");
  w.require(*fact, assertion.getMsg());
}

SymExpr relax::getAffine(ForeignImporter &w, AffineExpr affine, ArrayRef<SymExpr> dims, ArrayRef<SymExpr> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(affine))
    return w.expr(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(affine))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(affine))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(affine);
  SymExpr a = getAffine(w, binary.getLHS(), dims, symbols), b = getAffine(w, binary.getRHS(), dims, symbols);
  if (!a || !b)
    return {};
  switch (affine.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return SymExpr::floordiv(a, b);
  case AffineExprKind::CeilDiv:
    return SymExpr::ceildiv(a, b);
  default:
    return SymExpr::mod(a, b);
  }
}

static void emitAffine(ForeignImporter &w, Operation *op) {
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(op))
    map = min.getAffineMap();
  else
    map = cast<affine::AffineMaxOp>(op).getAffineMap();
  Dims operands;
  for (Value operand : op->getOperands())
    operands.push_back(getIndex(w, operand));
  ArrayRef<SymExpr> dims = ArrayRef(operands).take_front(map.getNumDims()),
                    symbols = ArrayRef(operands).drop_front(map.getNumDims());
  Dims results = llvm::map_to_vector(map.getResults(), [&](AffineExpr e) { return getAffine(w, e, dims, symbols); });
  SymExpr result = isa<affine::AffineMinOp>(op) ? SymExpr::min(results) : SymExpr::max(results);
  if (llvm::is_contained(results, SymExpr()) || !result)
    return w.fail("is no expression in sizes");
  w.setElements(op->getResult(0), {result});
}

static void emitFromElements(ForeignImporter &w, Operation *op) {
  Dims known;
  for (Value element : op->getOperands())
    known.push_back(getIndex(w, element));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  w.setElements(op->getResult(0), known);
  // Shapes; a tensor is made where it is more than that.
  if (type.getElementType().isInteger(64) && type.getRank() == 1 && !type.getElementType().isIndex())
    w.set(op->getResult(0), w.dimsTensor(known));
}

Emit relax::getIndexRule(StringRef name) {
  if (Emit emit = llvm::StringSwitch<Emit>(name)
                      .Cases({"affine.apply", "affine.max", "affine.min"}, emitAffine)
                      .Case("arith.cmpi", emitCompare)
                      .Case("arith.constant", emitConstant)
                      .Cases({"arith.index_cast", "arith.index_castui"}, emitIndexCast)
                      .Case("cf.assert", emitAssert)
                      .Case("tensor.dim", emitDim)
                      .Case("tensor.from_elements", emitFromElements)
                      .Default(nullptr))
    return emit;
  return name.starts_with("arith.") ? emitIndexOp : nullptr;
}
