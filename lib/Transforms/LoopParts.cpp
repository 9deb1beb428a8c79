//===- LoopParts.cpp - Parts of tensors inside of a program ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopParts.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::relax;

/// A step of the loop moves every operand by a constant number of elements, so that a part of the loop is one of each
/// operand.
static bool isLoopLinear(linalg::LinalgOp op, unsigned loop) {
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      return !expr.isFunctionOfDim(loop) || !expr.walk([](AffineExpr inner) {
                                                   bool divides = inner.getKind() == AffineExprKind::FloorDiv ||
                                                                  inner.getKind() == AffineExprKind::CeilDiv ||
                                                                  inner.getKind() == AffineExprKind::Mod;
                                                   return divides ? WalkResult::interrupt() : WalkResult::advance();
                                                 })
                                                 .wasInterrupted();
    });
  });
}

/// All loops are parallel, and each is a dimension of the only result.
static linalg::GenericOp getParallel(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || !generic.hasPureTensorSemantics() || generic.getNumDpsInits() != 1 ||
      generic.getNumLoops() != generic.getNumParallelLoops() ||
      !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0)).isPermutation())
    return {};
  return generic;
}

/// The part of the result, computed of the same parts of the operands; `replaced` are operands that are given. Null
/// when that is not possible.
static linalg::GenericOp createPart(RewriterBase &rewriter, linalg::GenericOp op, ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  SmallVector<OpFoldResult> indices, bounds, loopSizes(op.getNumLoops(), rewriter.getIndexAttr(0)),
      loopOffsets(op.getNumLoops());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool isWhole = isConstantIntValue(offsets[dim], 0) && !type.isDynamicDim(dim) &&
                   isConstantIntValue(sizes[dim], type.getDimSize(dim));
    unsigned loop = out.getDimPosition(dim);
    if (isWhole)
      continue;
    // Tiles of size 0 stand for whole loops upstream.
    if (!isLoopLinear(op, loop) || isConstantIntValue(sizes[dim], 0))
      return {};
    loopSizes[loop] = sizes[dim];
    loopOffsets[loop] = offsets[dim];
  }
  for (OpFoldResult offset : loopOffsets)
    if (offset)
      indices.push_back(offset);
  for (Range range : cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc))
    bounds.push_back(range.size);
  SmallVector<Value> operands =
      linalg::makeTiledShapes(rewriter, loc, op, op->getOperands(), indices, loopSizes, bounds,
                              /*omitPartialTileCheck=*/true);
  Operation *created = clone(rewriter, op, operands.back().getType(), operands);
  linalg::offsetIndices(rewriter, cast<linalg::LinalgOp>(created), loopOffsets);
  return cast<linalg::GenericOp>(created);
}

/// A part in the order of the loops, with all dimensions and without gaps.
template <typename OpTy> static bool isPlainPart(OpTy op) {
  return op.hasUnitStride() && op.getSourceType().getRank() == op.getType().getRank();
}

//===- Parts that are read ------------------------------------------------===//

/// The operation that computes what the slice reads, in its place; null when the slice stays.
static linalg::GenericOp computePart(tensor::ExtractSliceOp slice, RewriterBase &rewriter) {
  linalg::GenericOp maker = getParallel(slice.getSource().getDefiningOp());
  // A check of what is not read is still made.
  if (!maker || !isPlainPart(slice) || maker->getBlock() != slice->getBlock() || !isMemoryEffectFree(maker))
    return {};
  if (!tp::getMove(cast<linalg::LinalgOp>(maker.getOperation())) && !slice.getSource().hasOneUse())
    return {};
  rewriter.setInsertionPoint(slice);
  linalg::GenericOp part = createPart(rewriter, maker, slice.getMixedOffsets(), slice.getMixedSizes());
  if (!part)
    return {};
  // What is written is a place of its own.
  Value fresh =
      tensor::EmptyOp::create(rewriter, slice.getLoc(), slice.getMixedSizes(), slice.getType().getElementType());
  rewriter.setInsertionPoint(part);
  bool readsInit = !part.getMatchingBlockArgument(part.getDpsInitOperand(0)).use_empty();
  if (!readsInit) {
    fresh.getDefiningOp()->moveBefore(part);
    if (fresh.getType() != part.getDpsInitOperand(0)->get().getType())
      fresh = tensor::CastOp::create(rewriter, slice.getLoc(), part.getDpsInitOperand(0)->get().getType(), fresh);
    part.getDpsInitOperand(0)->set(fresh);
  }
  rewriter.setInsertionPointAfter(part);
  Value result = part.getResult(0);
  if (result.getType() != slice.getType())
    result = tensor::CastOp::create(rewriter, slice.getLoc(), slice.getType(), result);
  rewriter.replaceOp(slice, result);
  if (maker->use_empty())
    rewriter.eraseOp(maker);
  return part;
}

bool relax::computeReadParts(tp::ProgramOp program, RewriterBase &rewriter) {
  bool changed = false;
  // From the last: parts of a part become parts of what that is made of.
  SmallVector<tensor::ExtractSliceOp> slices;
  program.walk([&](tensor::ExtractSliceOp op) { slices.push_back(op); });
  while (!slices.empty()) {
    tensor::ExtractSliceOp slice = slices.pop_back_val();
    linalg::GenericOp part = slice->use_empty() ? linalg::GenericOp() : computePart(slice, rewriter);
    if (!part)
      continue;
    changed = true;
    for (Value operand : part.getDpsInputs())
      if (auto inner = operand.getDefiningOp<tensor::ExtractSliceOp>(); inner && !llvm::is_contained(slices, inner))
        slices.push_back(inner);
  }
  SmallVector<linalg::GenericOp> moves;
  program.walk([&](linalg::GenericOp op) {
    if (getParallel(op) && tp::getMove(cast<linalg::LinalgOp>(op.getOperation())))
      moves.push_back(op);
  });
  for (linalg::GenericOp move : llvm::reverse(moves)) {
    SmallVector<OpOperand *> readers;
    bool isCheap = true;
    for (OpOperand &use : move->getUses()) {
      if (!isa<linalg::LinalgOp>(use.getOwner()))
        continue;
      readers.push_back(&use);
      isCheap &= static_cast<bool>(getParallel(use.getOwner()));
    }
    if (!isCheap || llvm::hasSingleElement(move->getUses()))
      continue;
    for (OpOperand *reader : readers) {
      rewriter.setInsertionPoint(reader->getOwner());
      Operation *copy = rewriter.clone(*move);
      rewriter.modifyOpInPlace(reader->getOwner(), [&] { reader->set(copy->getResult(0)); });
      changed = true;
    }
    if (move->use_empty())
      rewriter.eraseOp(move);
  }
  return changed;
}

void relax::separatePlaces(tp::ProgramOp program) {
  SmallVector<tensor::EmptyOp> places;
  program.walk([&](tensor::EmptyOp op) { places.push_back(op); });
  for (tensor::EmptyOp place : places) {
    bool isFirst = true;
    for (OpOperand &use : llvm::make_early_inc_range(place->getUses())) {
      auto writer = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!writer || !writer.isDpsInit(&use) || std::exchange(isFirst, false))
        continue;
      OpBuilder builder(place);
      use.set(builder.clone(*place)->getResult(0));
    }
  }
}

void relax::hoistScalars(tp::ProgramOp program) {
  Block &block = program.getBody().front();
  Operation *last = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto isReady = [&](Value operand) {
      Operation *maker = operand.getDefiningOp();
      return !maker || maker->getBlock() != &block || (last && (maker == last || maker->isBeforeInBlock(last)));
    };
    bool isScalar = op.getNumRegions() == 0 && isPure(&op) && op.getNumResults() > 0 &&
                    llvm::none_of(op.getResultTypes(), llvm::IsaPred<ShapedType>);
    if (!isScalar || !llvm::all_of(op.getOperands(), isReady))
      continue;
    if (last)
      op.moveAfter(last);
    else
      op.moveBefore(&block, block.begin());
    last = &op;
  }
}
