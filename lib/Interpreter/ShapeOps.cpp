//===- ShapeOps.cpp - Meaning of shape values and casts -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// What a result type claims is checked after each op; the functions here only
// give symbols their values first.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Interpreter/OpTable.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;
using sym::SymExpr;

/// Extents of a tensor or entries of a shape.
static Shape getExtents(Frame &frame, Value value) {
  if (isa<ShapeType>(value.getType()))
    return frame.shape(value);
  RuntimeValue held = frame.get(value);
  if (auto *placed = std::get_if<PlacedTensor>(&held))
    return Shape(placed->dims);
  return Shape(frame.tensor(value).getDims());
}

static LogicalResult interpretShapeOf(Frame &frame, ShapeOfOp op) {
  frame.set(op.getResult(), getExtents(frame, op.getSource()));
  return success();
}

static LogicalResult interpretMakeShape(Frame &frame, MakeShapeOp op) {
  Shape entries;
  for (SymExpr expr : sym::getSymbolicDims(op.getType())) {
    std::optional<int64_t> value = frame.evaluate(expr);
    if (!value)
      return frame.fail(expr ? expr.str() + " has no value in 64 bits" : "an entry is not known");
    entries.push_back(*value);
  }
  frame.set(op.getResult(), entries);
  return success();
}

static LogicalResult interpretShapeToTensor(Frame &frame, ShapeToTensorOp op) {
  Shape entries = frame.shape(op.getShape());
  Tensor list(op.getType().getElementType(), {static_cast<int64_t>(entries.size())});
  for (auto [index, entry] : llvm::enumerate(entries))
    list.setInt(index, entry);
  frame.set(op.getResult(), std::move(list));
  return success();
}

/// Gives the listed symbols their values, where each stands alone for the first time.
static LogicalResult bindListed(Frame &frame, Operation *op, ArrayAttr binds, Type type, ArrayRef<int64_t> actual) {
  SmallVector<StringRef> changed;
  for (StringRef name : binds.getAsValueRange<StringAttr>())
    for (auto [expr, value] : llvm::zip(sym::getSymbolicDims(type), actual)) {
      if (!expr || expr.getSymbol() != std::optional<StringRef>(name))
        continue;
      frame.bind(name, value);
      changed.push_back(name);
      break;
    }
  return changed.empty() ? success() : frame.checkFacts(sym::getScope(op), changed);
}

static LogicalResult interpretTensorToShape(Frame &frame, TensorToShapeOp op) {
  const Tensor &list = frame.tensor(op.getSource());
  Shape entries;
  for (int64_t i = 0; i < list.size(); ++i) {
    if (list.i(i) < 0)
      return frame.fail("entry " + Twine(i) + ": expected a size >= 0, actual " + Twine(list.i(i)));
    entries.push_back(list.i(i));
  }
  frame.set(op.getResult(), entries);
  return bindListed(frame, op, op.getBinds(), op.getType(), entries);
}

static LogicalResult interpretMatchCast(Frame &frame, MatchCastOp op) {
  frame.set(op.getResult(), frame.get(op.getSource()));
  return bindListed(frame, op, op.getBinds(), op.getType(), getExtents(frame, op.getSource()));
}

template <typename OpTy> static LogicalResult interpretCast(Frame &frame, OpTy op) {
  frame.set(op.getResult(), frame.get(op.getSource()));
  return success();
}

static LogicalResult interpretEvalExpr(Frame &frame, EvalExprOp op) {
  std::optional<int64_t> value = frame.evaluate(op.getExpr().getValue());
  if (!value)
    return frame.fail(op.getExpr().getValue().str() + " has no value in 64 bits");
  frame.setIndex(op.getResult(), *value);
  return success();
}

static LogicalResult interpretAssertShape(Frame &frame, AssertShapeOp op) {
  FailureOr<sym::Fact> fact = op.getParsedFact();
  if (failed(fact))
    return frame.fail("has no fact");
  std::optional<bool> holds =
      fact->evaluate([&](StringRef name) { return frame.evaluate(SymExpr::symbol(op.getContext(), name)); });
  return holds && *holds ? success() : frame.fail(op.getMessage());
}

void interp::registerShapeOps(OpTable &table) {
  table.add(interpretShapeOf);
  table.add(interpretMakeShape);
  table.add(interpretShapeToTensor);
  table.add(interpretTensorToShape);
  table.add(interpretMatchCast);
  table.add(interpretCast<RefineOp>);
  table.add(interpretCast<EraseShapeOp>);
  table.add(interpretEvalExpr);
  table.add(interpretAssertShape);
}
