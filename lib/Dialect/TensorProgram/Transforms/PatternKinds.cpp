//===- PatternKinds.cpp - What a tensor program computes ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopStatements.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::tp;

static PatternKind weakest(PatternKind a, PatternKind b) { return std::max(a, b); }

/// Results are distinct dimensions in rising order (or constants): the input is broadcast, never transposed.
static bool isBroadcastMap(AffineMap map) {
  int64_t last = -1;
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || static_cast<int64_t>(dim.getPosition()) <= last)
      return false;
    last = dim.getPosition();
  }
  return true;
}

/// Maps may have unit factors in any order; what counts is how each input is read relative to the output.
static PatternKind classify(ArrayRef<AffineMap> inputs, AffineMap output, ArrayRef<utils::IteratorType> iterators) {
  if (llvm::is_contained(iterators, utils::IteratorType::reduction)) {
    // A contraction reads several inputs along the reduction, each of them more than once.
    unsigned reused = 0;
    for (AffineMap map : inputs) {
      bool reduces = false, misses = false;
      for (auto [index, kind] : llvm::enumerate(iterators)) {
        bool used = map.isFunctionOfDim(index);
        reduces |= used && kind == utils::IteratorType::reduction;
        misses |= !used && kind == utils::IteratorType::parallel;
      }
      // A convolution slides: its image is read through sums.
      reused += reduces && (misses || !map.isProjectedPermutation(/*allowZeroInResults=*/true));
    }
    return reused >= 2 ? PatternKind::Contraction : PatternKind::Reduction;
  }
  if (!output.isPermutation())
    return PatternKind::Injective;
  AffineMap inverse = inversePermutation(output);
  PatternKind kind = PatternKind::Elementwise;
  for (AffineMap map : inputs) {
    AffineMap relative = map.compose(inverse);
    if (relative.isIdentity())
      continue;
    kind = weakest(kind, isBroadcastMap(relative) ? PatternKind::Broadcast : PatternKind::Injective);
  }
  return kind;
}

/// Indices that depend on data, checks and anything with an effect are not understood.
static bool hasOpaqueBody(Region &region) {
  return region
      .walk([](Operation *op) {
        bool understood = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                          llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>);
        return understood || isa<tensor::DimOp>(op) ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

static PatternKind classify(linalg::LinalgOp op) {
  if (hasOpaqueBody(*op.getBlock()->getParent()))
    return PatternKind::Opaque;
  SmallVector<AffineMap> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    inputs.push_back(op.getMatchingIndexingMap(operand));
  PatternKind kind = PatternKind::Elementwise;
  for (OpOperand &init : op.getDpsInitsMutable())
    kind = weakest(kind, classify(inputs, op.getMatchingIndexingMap(&init), op.getIteratorTypesArray()));
  return kind;
}

static PatternKind classify(Operation &op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return classify(structured);
  if (isa<YieldOp, tensor::EmptyOp, tensor::DimOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
    return PatternKind::Elementwise;
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp, tensor::ExtractSliceOp,
          tensor::InsertSliceOp, tensor::ConcatOp, tensor::CastOp>(op))
    return PatternKind::Injective;
  if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
    return PatternKind::Opaque;
  bool isScalar = llvm::none_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>) &&
                  llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
  return isScalar || OpTrait::hasElementwiseMappableTraits(&op) ? PatternKind::Elementwise : PatternKind::Opaque;
}

static PatternKind classifyBufferForm(ProgramOp program) {
  LoopStatements statements(program);
  if (failed(statements.analyze()))
    return PatternKind::Opaque;
  PatternKind kind = PatternKind::Elementwise;
  for (const auto &nest : statements.getNests())
    for (const LoopStatement &statement : nest.second) {
      auto inputs = llvm::map_to_vector(statement.loads, [](const LoopAccess &load) { return load.map; });
      kind = weakest(kind, classify(inputs, statement.store.map, statement.iterators));
    }
  return kind;
}

PatternKind tp::computePatternKind(ProgramOp program) {
  if (program.getNumExtents() != 0)
    return PatternKind::Opaque;
  if (program.isBufferForm())
    return classifyBufferForm(program);
  PatternKind kind = PatternKind::Elementwise;
  for (Operation &op : program.getBody().front())
    kind = weakest(kind, classify(op));
  return kind;
}
