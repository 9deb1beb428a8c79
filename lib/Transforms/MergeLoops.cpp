//===- MergeLoops.cpp - Loop fusion inside of a program -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "MergeLoops.h"
#include "LoopParts.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/PatternKinds.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::relax;
using tp::PatternKind;

/// The producer only moves or widens elements, which the consumer can as well read where they were.
static bool movesInStep(Operation *producer, linalg::LinalgOp consumer, OpOperand *operand) {
  auto op = dyn_cast<linalg::LinalgOp>(producer);
  std::optional<AffineMap> move = op ? tp::getWideningMove(op) : std::nullopt;
  return move && tp::readsInStep(consumer, operand, move->compose(consumer.getMatchingIndexingMap(operand)),
                                 cast<RankedTensorType>(op.getDpsInputOperand(0)->get().getType()));
}

/// Merging computes the producer wherever the consumer reads it.
static bool shouldMerge(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp();
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  if (!producer || !consumer || !operand->get().hasOneUse() || producer->getNumResults() != 1 || tp::isGather(producer))
    return false;
  switch (tp::computeOperandKind(consumer, operand)) {
  case PatternKind::Elementwise:
  case PatternKind::Injective:
  case PatternKind::Reduction:
    return true;
  case PatternKind::Broadcast:
    return !tp::isExpensive(producer);
  case PatternKind::Contraction:
    return tp::isSelection(producer) || movesInStep(producer, consumer, operand);
  case PatternKind::Opaque:
    return false;
  }
  return false;
}

/// Only linalg.generic can be merged: named operations lose their names, contractions only when they take something in.
static void generalizeOps(tp::ProgramOp program, IRRewriter &rewriter) {
  SmallVector<linalg::LinalgOp> ops;
  program.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    if (isa<linalg::GenericOp, linalg::FillOp>(op))
      continue;
    bool takesSelection = llvm::any_of(op.getDpsInputOperands(), [](OpOperand *operand) {
      return operand->get().getDefiningOp<linalg::LinalgOp>() && shouldMerge(operand);
    });
    if (tp::computePatternKind(op) == PatternKind::Contraction && !takesSelection)
      continue;
    rewriter.setInsertionPoint(op);
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

/// Without reduction loops an output that is read is one more input: a sum over no axes is x + 0. Merged into loops
/// that visit each of its elements several times it would add up, and upstream's fusion takes all parallel loops.
static void readOutputsAsInputs(tp::ProgramOp program, IRRewriter &rewriter) {
  SmallVector<linalg::GenericOp> ops;
  program.walk([&](linalg::GenericOp op) {
    if (op.getNumParallelLoops() == op.getNumLoops() &&
        llvm::any_of(op.getRegionOutputArgs(), [](BlockArgument read) { return !read.use_empty(); }))
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops) {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs = op.getDpsInputs();
    SmallVector<AffineMap> inputMaps, outputMaps;
    for (OpOperand *input : op.getDpsInputOperands())
      inputMaps.push_back(op.getMatchingIndexingMap(input));
    for (OpOperand &output : op.getDpsInitsMutable()) {
      outputMaps.push_back(op.getMatchingIndexingMap(&output));
      inputs.push_back(output.get());
    }
    inputMaps.append(outputMaps);
    inputMaps.append(outputMaps);
    auto reading = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs, op.getDpsInits(),
                                             inputMaps, op.getIteratorTypesArray());
    // The arguments of the outputs now are those of the new inputs.
    rewriter.inlineRegionBefore(op.getRegion(), reading.getRegion(), reading.getRegion().begin());
    for (Value output : reading.getDpsInits())
      reading.getBody()->addArgument(getElementTypeOrSelf(output.getType()), op.getLoc());
    rewriter.replaceOp(op, reading.getResults());
  }
}

/// `(d0, 0)` becomes `(d0, d1)` where d1 has extent 1 and the output is indexed by it there: maps that mean the same
/// are the same, so that an epilogue is seen to work in place.
static void normalizeMaps(tp::ProgramOp program) {
  program.walk([](linalg::GenericOp op) {
    if (op.getNumDpsInits() != 1)
      return;
    AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (auto [operand, map] : llvm::zip_equal(op->getOpOperands(), maps)) {
      auto type = dyn_cast<ShapedType>(operand.get().getType());
      if (!type || map.getNumResults() != output.getNumResults())
        continue;
      SmallVector<AffineExpr> results(map.getResults());
      for (auto [dim, written] : llvm::enumerate(output.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(written);
        if (loop && ranges[loop.getPosition()] == 1 && type.getDimSize(dim) == 1 &&
            results[dim] == getAffineConstantExpr(0, op.getContext()))
          results[dim] = loop;
      }
      map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
    }
    op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  });
}

/// Applies patterns to the whole program. That they do not converge within the limit only means that something is left
/// to simplify: every single rewrite keeps the meaning.
static void applyPatterns(tp::ProgramOp program, RewritePatternSet &&patterns) {
  int64_t numOps = 0;
  program.walk([&](Operation *) { ++numOps; });
  auto config = GreedyRewriteConfig()
                    .setUseTopDownTraversal()
                    .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
                    .setMaxNumRewrites(1000 + 100 * numOps);
  (void)applyPatternsGreedily(program, std::move(patterns), config);
}

/// What is gathered is computed where its only reader reads it, each element once. Upstream's patterns would leave
/// loops with checks behind as well: they look alive.
static void mergeGathers(tp::ProgramOp program, IRRewriter &rewriter) {
  SmallVector<linalg::GenericOp> gathers;
  program.walk([&](linalg::GenericOp op) {
    if (tp::isGather(op) && op->getNumResults() == 1)
      gathers.push_back(op);
  });
  // From the last, so that readers are those that stay.
  for (linalg::GenericOp gather : llvm::reverse(gathers)) {
    if (!gather->hasOneUse() || tp::computePatternKind(gather) == PatternKind::Opaque)
      continue;
    OpOperand &use = *gather->use_begin();
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || tp::computeOperandKind(reader, &use) != PatternKind::Elementwise ||
        !linalg::areElementwiseOpsFusable(&use))
      continue;
    rewriter.setInsertionPoint(reader);
    FailureOr<linalg::ElementwiseOpFusionResult> merged = linalg::fuseElementwiseOps(rewriter, &use);
    if (failed(merged))
      continue;
    for (OpResult result : reader->getResults())
      rewriter.replaceAllUsesWith(result, merged->replacements.lookup(result));
    rewriter.eraseOp(reader);
    rewriter.eraseOp(gather);
  }
}

/// Extents that become static, casts and empties. Apart from merging: upstream's fusion replaces an output that is not
/// read by a dynamic tensor.empty, which the patterns here would turn into a cast, for ever.
static void simplify(tp::ProgramOp program) {
  MLIRContext *context = program.getContext();
  RewritePatternSet patterns(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
  context->getLoadedDialect<linalg::LinalgDialect>()->getCanonicalizationPatterns(patterns);
  context->getLoadedDialect<tensor::TensorDialect>()->getCanonicalizationPatterns(patterns);
  applyPatterns(program, std::move(patterns));
}

void relax::mergeLoops(tp::ProgramOp program) {
  MLIRContext *context = program.getContext();
  IRRewriter rewriter(context);
  simplify(program);
  generalizeOps(program, rewriter);
  readOutputsAsInputs(program, rewriter);
  normalizeMaps(program);

  computeReadParts(program, rewriter);
  RewritePatternSet patterns(context);
  linalg::populateElementwiseOpsFusionPatterns(patterns, shouldMerge);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  applyPatterns(program, std::move(patterns));
  mergeGathers(program, rewriter);

  simplify(program);
  normalizeMaps(program);
  DominanceInfo dominance(program);
  eliminateCommonSubExpressions(rewriter, dominance, program);
  separatePlaces(program);
  hoistScalars(program);
}
