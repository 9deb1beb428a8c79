//===- LegalizeBlocks.cpp - Weights in blocks, as programs ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"
#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// `numbers` with its last dimension split into blocks and loops over a block; `dims` are its extents, and become those
/// of the result.
static Value splitNumbers(ProgramBody &body, Value numbers, SymExpr blocks, ArrayRef<int64_t> ranges,
                          SmallVectorImpl<SymExpr> &dims) {
  auto type = cast<RankedTensorType>(numbers.getType());
  dims.back() = blocks;
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  for (int64_t range : ranges) {
    groups.back().push_back(dims.size());
    dims.push_back(SymExpr::constant(body.builder.getContext(), range));
  }
  if (ranges.empty())
    return numbers;
  SmallVector<OpFoldResult> sizes = body.getSizes(dims);
  SmallVector<int64_t> shape;
  for (SymExpr dim : dims)
    shape.push_back(dim.getConstant().value_or(ShapedType::kDynamic));
  auto split = RankedTensorType::get(shape, type.getElementType());
  // The joined type must be static exactly where the parts are.
  SmallVector<int64_t> joined(type.getShape());
  int64_t count = shape[type.getRank() - 1];
  joined.back() = ShapedType::isDynamic(count) ? count : count * llvm::product_of(ranges);
  if (joined.back() != type.getShape().back())
    numbers =
        tensor::CastOp::create(body.builder, body.loc, RankedTensorType::get(joined, type.getElementType()), numbers);
  return tensor::ExpandShapeOp::create(body.builder, body.loc, split, numbers, groups, sizes);
}

/// One map for each byte of a number: `row` and the loop of blocks, then its place.
static SmallVector<AffineMap> getByteMaps(const BlockLoops &loops, ArrayRef<AffineExpr> row, unsigned numLoops,
                                          MLIRContext *context) {
  SmallVector<AffineMap> maps;
  for (AffineExpr place : loops.getPlaces()) {
    SmallVector<AffineExpr> exprs(row);
    exprs.push_back(place);
    maps.push_back(AffineMap::get(numLoops, 0, exprs, context));
  }
  return maps;
}

static Value writeDequantizeBlock(DequantizeBlockOp op, ProgramBody &body) {
  MLIRContext *context = body.builder.getContext();
  SmallVector<SymExpr> stored = body.getInputDims(0), dims = body.getOutDims();
  unsigned rank = dims.size();
  BlockLoops loops(*BlockFormat::parse(op.getFormat()), rank, context);
  Value out = splitNumbers(body, body.getOut(), stored[rank - 1], loops.getRanges(), dims);

  SmallVector<AffineExpr> row;
  for (unsigned dim = 0; dim != rank; ++dim)
    row.push_back(getAffineDimExpr(dim, context));
  SmallVector<AffineMap> maps = getByteMaps(loops, row, dims.size(), context);
  SmallVector<Value> bytes(maps.size(), body.getInput(0));
  Value numbers = createParallel(body, bytes, maps, out, [&](OpBuilder &builder, Location loc, ValueRange elements) {
    return loops.write(builder, loc, elements.drop_back());
  });
  if (dims.size() == rank)
    return numbers;
  SmallVector<ReassociationIndices> groups;
  for (unsigned dim = 0; dim != rank; ++dim)
    groups.push_back({static_cast<int64_t>(dim)});
  for (unsigned dim = rank; dim != dims.size(); ++dim)
    groups.back().push_back(dim);
  return tensor::CollapseShapeOp::create(body.builder, body.loc, cast<RankedTensorType>(body.getOut().getType()),
                                         numbers, groups);
}

/// Products with the rows of blocks of input `w`. Loops: the rows that are stored, those of the other operand, which
/// has the extents `dims` once its numbers are split, blocks, numbers of a block. The body gets the elements of `lhs`,
/// through loops of its own dimensions, and the bytes of a number.
static Value createProducts(ProgramBody &body, unsigned w, const BlockLoops &loops, ValueRange lhs, unsigned rank,
                            function_ref<Value(OpBuilder &, Location, ValueRange, ValueRange)> write) {
  MLIRContext *context = body.builder.getContext();
  unsigned numLoops = rank + 1 + loops.getRanges().size();
  auto loop = [&](unsigned number) { return getAffineDimExpr(number, context); };
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value operand : lhs) {
    SmallVector<AffineExpr> exprs;
    for (int64_t dim = 0; dim != cast<RankedTensorType>(operand.getType()).getRank(); ++dim)
      exprs.push_back(loop(dim + 1));
    inputs.push_back(operand);
    maps.push_back(AffineMap::get(numLoops, 0, exprs, context));
  }
  llvm::append_range(maps, getByteMaps(loops, {loop(0), loop(rank)}, numLoops, context));
  inputs.append(maps.size() - lhs.size(), body.getInput(w));
  SmallVector<AffineExpr> outExprs;
  for (unsigned dim = 0; dim + 1 != rank; ++dim)
    outExprs.push_back(loop(dim + 1));
  outExprs.push_back(loop(0));
  SmallVector<utils::IteratorType> iterators(numLoops, utils::IteratorType::reduction);
  std::fill_n(iterators.begin(), rank, utils::IteratorType::parallel);
  Value zero = createScalar(body.builder, body.loc, body.builder.getF32Type(), 0);
  return createGeneric(body, inputs, maps, createFill(body, body.getOut(), zero),
                       AffineMap::get(numLoops, 0, outExprs, context), iterators,
                       [&](OpBuilder &builder, Location loc, ValueRange elements) -> Value {
                         ValueRange bytes = elements.drop_front(lhs.size()).drop_back();
                         Value product = write(builder, loc, elements.take_front(lhs.size()), bytes);
                         return arith::AddFOp::create(builder, loc, elements.back(), product);
                       });
}

static Value writeBlockMatmul(BlockMatmulOp op, ProgramBody &body) {
  unsigned x = getInputIndex(op, op.getLhs()), w = getInputIndex(op, op.getBlocks());
  SmallVector<SymExpr> dims = body.getInputDims(x);
  unsigned rank = dims.size();
  BlockLoops loops(*BlockFormat::parse(op.getFormat()), rank + 1, body.builder.getContext());
  Value lhs = splitNumbers(body, body.getInput(x), body.getInputDims(w)[1], loops.getRanges(), dims);
  return createProducts(body, w, loops, lhs, rank,
                        [&](OpBuilder &builder, Location loc, ValueRange elements, ValueRange bytes) -> Value {
                          return arith::MulFOp::create(builder, loc, elements[0], loops.write(builder, loc, bytes));
                        });
}

static Value writeQuantizedBlockMatmul(QuantizedBlockMatmulOp op, ProgramBody &body) {
  unsigned x = getInputIndex(op, op.getLhs()), s = getInputIndex(op, op.getScales());
  unsigned w = getInputIndex(op, op.getBlocks());
  SmallVector<SymExpr> dims = body.getInputDims(x), scaleDims = body.getInputDims(s);
  unsigned rank = dims.size();
  SymExpr blocks = body.getInputDims(w)[1];
  BlockLoops loops(*BlockFormat::parse(op.getFormat()), rank + 1, body.builder.getContext());
  Value lhs = splitNumbers(body, body.getInput(x), blocks, loops.getRanges(), dims);
  Value scales = splitNumbers(body, body.getInput(s), blocks, loops.getRangesAround(kActivationBlock), scaleDims);
  return createProducts(body, w, loops, {lhs, scales}, rank,
                        [&](OpBuilder &builder, Location loc, ValueRange elements, ValueRange bytes) {
                          return loops.writeProduct(builder, loc, bytes, elements[0], elements[1]);
                        });
}

void relax::populateBlockToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ProgramPattern<DequantizeBlockOp>>(context, library, writeDequantizeBlock);
  patterns.add<ProgramPattern<BlockMatmulOp>>(context, library, writeBlockMatmul);
  patterns.add<ProgramPattern<QuantizedBlockMatmulOp>>(context, library, writeQuantizedBlockMatmul);
}
