//===- LoopClasses.cpp - Loops that walk the same dimension ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/TensorProgram/Transforms/LoopClasses.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

bool LoopClasses::add(linalg::LinalgOp op, llvm::function_ref<bool(Value)> isTracked) {
  WalkResult inside = op.getBlock()->walk([](Operation *inner) {
    return llvm::any_of(inner->getOperandTypes(), llvm::IsaPred<ShapedType>) || isa<tp::AssertOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (inside.wasInterrupted() || !op.hasPureTensorSemantics())
    return false;
  ops.push_back(op);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    classes.insert(loopOf(op, loop));
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInit = op.isDpsInit(&operand);
    if (!isa<RankedTensorType>(operand.get().getType()) || (!isInit && !isTracked(operand.get())))
      continue;
    tracked.insert(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      Node node = dimOf(operand.get(), dim);
      if (isInit)
        classes.unionSets(node, dimOf(op.getTiedOpResult(&operand), dim));
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        classes.unionSets(node, loopOf(op, loop.getPosition()));
        continue;
      }
      for (unsigned other = 0; other < op.getNumLoops(); ++other)
        if (expr.isFunctionOfDim(other))
          refused.push_back(loopOf(op, other));
    }
  }
  return true;
}

std::optional<unsigned> LoopClasses::getLoop(linalg::LinalgOp op, Node node) const {
  std::optional<unsigned> found;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (!isSame(node, loopOf(op, loop)))
      continue;
    if (found || op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
      return std::nullopt;
    found = loop;
  }
  if (!found)
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tracked.contains(operand.get()))
      continue;
    unsigned moved = llvm::count_if(op.getMatchingIndexingMap(&operand).getResults(),
                                    [&](AffineExpr expr) { return expr.isFunctionOfDim(*found); });
    if (moved != 1)
      return std::nullopt;
  }
  return found;
}

bool LoopClasses::isDivisible(Node node) const {
  return llvm::none_of(refused, [&](Node other) { return isSame(node, other); }) &&
         llvm::all_of(ops, [&](linalg::LinalgOp op) { return getLoop(op, node).has_value(); });
}

bool tp::isAuxiliary(Operation &op) {
  return isa<tensor::EmptyOp, tensor::DimOp>(op) || op.hasTrait<OpTrait::ConstantLike>() ||
         (isPure(&op) && llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>));
}

unsigned tp::computeRowRank(ProgramOp program, std::optional<unsigned> input) {
  Value read = input ? Value(program.getInputs()[*input]) : Value();
  auto isTracked = [&](Value value) { return value == read || value.getDefiningOp<linalg::LinalgOp>(); };
  LoopClasses classes;
  for (Operation &op : program.getBody().front().without_terminator()) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (!classes.add(linalgOp, isTracked))
        return 0;
    } else if (!isAuxiliary(op)) {
      return 0;
    }
  }
  if (program.getNumOuts() != 1 || classes.getOps().empty())
    return 0;
  Value result = program.getYield().getOperand(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  auto readType = read ? dyn_cast<RankedTensorType>(read.getType()) : type;
  if (!type || !readType || !result.getDefiningOp<linalg::LinalgOp>())
    return 0;
  int64_t rank = 0;
  for (int64_t end = std::min(type.getRank(), readType.getRank()); rank < end; ++rank) {
    LoopClasses::Node row = LoopClasses::dimOf(result, rank);
    if (!classes.isDivisible(row) || (read && !classes.isSame(row, LoopClasses::dimOf(read, rank))))
      break;
  }
  return rank;
}
