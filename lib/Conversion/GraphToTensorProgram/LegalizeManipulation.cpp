//===- LegalizeManipulation.cpp - Moving elements, as programs ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/RowMajor.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static RankedTensorType withShape(Value tensor, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, cast<RankedTensorType>(tensor.getType()).getElementType());
}

/// Reads a flat tensor in the shape of the output. tensor.expand_shape would say it shorter, but upstream lowers it to
/// buffers only with one dynamic extent.
static Value writeSplit(ProgramBody &body, Value flat) {
  SmallVector<Value> sizes;
  for (SymExpr dim : body.getOutDims())
    sizes.push_back(body.getIndex(dim));
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
    Value index = linalg::IndexOp::create(builder, loc, 0);
    for (size_t dim = 1; dim != sizes.size(); ++dim) {
      index = arith::MulIOp::create(builder, loc, index, sizes[dim]);
      index = arith::AddIOp::create(builder, loc, index, linalg::IndexOp::create(builder, loc, dim));
    }
    return tensor::ExtractOp::create(builder, loc, flat, index);
  });
}

/// Flattens, then splits: right for any two shapes with equally many elements.
static Value writeReshape(ReshapeOp, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  Value source = body.getInput(0), out = body.getOut();
  auto sourceType = cast<RankedTensorType>(source.getType()), type = cast<RankedTensorType>(out.getType());
  if (sourceType.getRank() == 0 || type.getRank() == 0) {
    // One element; no reassociation says so for dynamic extents.
    SmallVector<Value> first(sourceType.getRank(), body.getConstant(0));
    return createFill(body, out, tensor::ExtractOp::create(builder, body.loc, source, first));
  }
  // No element moves. Upstream disagrees with itself on whether a size of 0 beside dynamic ones is dynamic.
  if (llvm::is_contained(sourceType.getShape(), 0) || llvm::is_contained(type.getShape(), 0))
    return out;
  auto flatten = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
  };
  int64_t flat = sourceType.hasStaticShape() ? sourceType.getNumElements() : ShapedType::kDynamic;
  Value value = source;
  if (sourceType.getRank() != 1)
    value = tensor::CollapseShapeOp::create(builder, body.loc, withShape(source, flat), source,
                                            flatten(sourceType.getRank()));
  if (type.getNumDynamicDims() > 1)
    return writeSplit(body, value);
  // The flat type must be static exactly where the result is.
  int64_t wanted = type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  if (wanted != flat)
    value = tensor::CastOp::create(builder, body.loc, withShape(source, wanted), value);
  if (type.getRank() != 1)
    value = tensor::ExpandShapeOp::create(builder, body.loc, type, value, flatten(type.getRank()),
                                          body.getSizes(body.getOutDims()));
  return createCopy(body, value, builder.getMultiDimIdentityMap(type.getRank()), out);
}

static Value writeBroadcastTo(BroadcastToOp, ProgramBody &body) {
  return createBroadcast(body, body.getInput(0), body.getInputDims(0), body.getOutDims(), body.getOut());
}

/// `exprs` gives the operand's index for each of its dimensions.
static Value writeIndexed(ProgramBody &body, ArrayRef<AffineExpr> exprs) {
  AffineMap map = AffineMap::get(body.getOutDims().size(), 0, exprs, body.builder.getContext());
  return createCopy(body, body.getInput(0), map, body.getOut());
}

static Value writePermuteDims(PermuteDimsOp op, ProgramBody &body) {
  SmallVector<AffineExpr> exprs(op.getPermutation().size());
  for (auto [dim, axis] : llvm::enumerate(op.getPermutation()))
    exprs[axis] = body.builder.getAffineDimExpr(dim);
  return writeIndexed(body, exprs);
}

static Value writeExpandDims(ExpandDimsOp op, ProgramBody &body) {
  SmallVector<AffineExpr> exprs;
  for (size_t dim = 0; dim != body.getOutDims().size(); ++dim)
    if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(dim)))
      exprs.push_back(body.builder.getAffineDimExpr(dim));
  return writeIndexed(body, exprs);
}

static Value writeSqueeze(SqueezeOp op, ProgramBody &body) {
  SmallVector<AffineExpr> exprs;
  unsigned next = 0;
  for (size_t dim = 0; dim != body.getInputDims(0).size(); ++dim)
    exprs.push_back(llvm::is_contained(op.getAxes(), static_cast<int64_t>(dim))
                        ? body.builder.getAffineConstantExpr(0)
                        : body.builder.getAffineDimExpr(next++));
  return writeIndexed(body, exprs);
}

static Value writeSlice(SliceOp op, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  size_t rank = body.getOutDims().size();
  SmallVector<SymExpr> starts(rank, SymExpr::constant(op.getContext(), 0));
  SmallVector<int64_t> steps(rank, 1);
  for (auto [axis, start, step] : llvm::zip_equal(op.getAxes(), op.getStartExprs(), op.getStrides())) {
    starts[axis] = start;
    steps[axis] = step;
  }
  if (llvm::all_of(steps, [](int64_t step) { return step > 0; })) {
    SmallVector<OpFoldResult> strides;
    for (int64_t step : steps)
      strides.push_back(builder.getIndexAttr(step));
    return createSliceCopy(body, body.getInput(0), body.getSizes(starts), strides);
  }
  SmallVector<Value> first, step;
  for (auto [start, stride] : llvm::zip_equal(starts, steps)) {
    first.push_back(body.getIndex(start));
    step.push_back(body.getConstant(stride));
  }
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
    SmallVector<Value> indices;
    for (size_t dim = 0; dim != rank; ++dim) {
      Value offset = arith::MulIOp::create(inner, loc, linalg::IndexOp::create(inner, loc, dim), step[dim]);
      indices.push_back(arith::AddIOp::create(inner, loc, first[dim], offset));
    }
    return tensor::ExtractOp::create(inner, loc, body.getInput(0), indices);
  });
}

static Value writeConcat(ConcatOp op, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  int64_t axis = op.getAxis();
  size_t rank = body.getOutDims().size();
  SmallVector<Value> distinct;
  Value result = body.getOut();
  SymExpr offset = SymExpr::constant(op.getContext(), 0);
  for (Value operand : op.getOperands()) {
    auto *known = llvm::find(distinct, operand);
    unsigned index = std::distance(distinct.begin(), known);
    if (known == distinct.end())
      distinct.push_back(operand);
    SmallVector<SymExpr> dims = body.getInputDims(index);
    // What has no element is left out: its place may lie behind the last one, which upstream refuses.
    if (llvm::any_of(dims, [](SymExpr dim) { return dim.getConstant() == 0; }))
      continue;
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)), strides(rank, builder.getIndexAttr(1));
    offsets[axis] = body.getIndexOrConstant(offset);
    result = tensor::InsertSliceOp::create(builder, body.loc, body.getInput(index), result, offsets,
                                           body.getSizes(dims), strides);
    offset = offset + dims[axis];
  }
  return result;
}

static Value writeTake(TakeOp op, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  int64_t axis = op.getAxis(), indexRank = op.getIndices().getType().getRank();
  unsigned rank = body.getOutDims().size(), indices = op.getIndices() == op.getOperand() ? 0 : 1;
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim != indexRank; ++dim)
    exprs.push_back(builder.getAffineDimExpr(axis + dim));
  AffineMap map = AffineMap::get(rank, 0, exprs, op.getContext());
  Value source = body.getInput(0);
  Value extent = tensor::DimOp::create(builder, body.loc, source, axis);
  return createParallel(
      body, body.getInput(indices), map, body.getOut(), [&](OpBuilder &inner, Location loc, ValueRange x) {
        Value index = arith::IndexCastOp::create(inner, loc, inner.getIndexType(), x[0]);
        // A negative index is a large unsigned one.
        Value inside = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ult, index, extent);
        tp::AssertOp::create(inner, loc, inside, "index is out of range");
        SmallVector<Value> position;
        auto addLoops = [&](unsigned from, unsigned to) {
          for (unsigned dim = from; dim != to; ++dim)
            position.push_back(linalg::IndexOp::create(inner, loc, dim));
        };
        addLoops(0, axis);
        position.push_back(index);
        addLoops(axis + indexRank, rank);
        // Nothing is read where the index is refused: the axis may be empty.
        auto read = scf::IfOp::create(
            inner, loc, inside,
            [&](OpBuilder &b, Location l) {
              scf::YieldOp::create(b, l, tensor::ExtractOp::create(b, l, source, position).getResult());
            },
            [&](OpBuilder &b, Location l) {
              scf::YieldOp::create(b, l, createScalar(b, l, op.getType().getElementType(), 0));
            });
        return read.getResult(0);
      });
}

/// Index of the element that a place along one axis shows, `offset` before or behind the tensor's elements.
static Value createPadIndex(OpBuilder &builder, Location loc, StringRef mode, Value offset, Value extent) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last = arith::SubIOp::create(builder, loc, extent, one);
  if (mode == "edge")
    return arith::MaxSIOp::create(builder, loc, arith::MinSIOp::create(builder, loc, offset, last), zero);
  // Both other modes repeat; nothing is read from an empty axis.
  Value period = mode == "wrap" ? extent : arith::AddIOp::create(builder, loc, last, last).getResult();
  period = arith::MaxSIOp::create(builder, loc, period, one);
  Value rest = arith::RemSIOp::create(builder, loc, offset, period);
  Value isNegative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, rest, zero);
  rest = arith::SelectOp::create(builder, loc, isNegative, arith::AddIOp::create(builder, loc, rest, period), rest);
  if (mode == "wrap")
    return rest;
  Value isForward = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, rest, extent);
  return arith::SelectOp::create(builder, loc, isForward, rest, arith::SubIOp::create(builder, loc, period, rest));
}

static Value writePad(PadOp op, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  Type type = op.getType().getElementType();
  Value source = body.getInput(0);
  SmallVector<SymExpr> dims = body.getInputDims(0), lows = op.getLowExprs(), out = body.getOutDims();
  Value value;
  if (op.getMode() == "constant")
    value = op.getValue() ? tensor::ExtractOp::create(builder, body.loc,
                                                      body.getInput(getInputIndex(op, op.getValue())), ValueRange())
                                .getResult()
                          : createScalar(builder, body.loc, type, 0);
  SmallVector<Value> low, extent;
  for (auto [index, dim] : llvm::enumerate(dims)) {
    low.push_back(body.getIndex(lows[index]));
    extent.push_back(tensor::DimOp::create(builder, body.loc, source, index));
  }
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
    Value inside;
    SmallVector<Value> position;
    for (size_t dim = 0; dim != dims.size(); ++dim) {
      Value index = linalg::IndexOp::create(inner, loc, dim);
      if (dims[dim] != out[dim]) {
        index = arith::SubIOp::create(inner, loc, index, low[dim]);
        if (value) {
          Value isInside = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ult, index, extent[dim]);
          inside = inside ? arith::AndIOp::create(inner, loc, inside, isInside).getResult() : isInside;
        } else {
          index = createPadIndex(inner, loc, op.getMode(), index, extent[dim]);
        }
      }
      position.push_back(index);
    }
    if (!inside)
      return tensor::ExtractOp::create(inner, loc, source, position);
    auto read = scf::IfOp::create(
        inner, loc, inside,
        [&](OpBuilder &b, Location l) {
          scf::YieldOp::create(b, l, tensor::ExtractOp::create(b, l, source, position).getResult());
        },
        [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, value); });
    return read.getResult(0);
  });
}

/// One move of elements, which fuses with what is before and behind.
static Value writeMove(ReshapeOp op, ProgramBody &body) {
  AffineMap map = tp::getRowMajorMap(op.getContext(), body.getInputDims(0), body.getOutDims());
  return map ? createCopy(body, body.getInput(0), map, body.getOut()) : writeReshape(op, body);
}

namespace {
/// A reshape that would be a program of its own can be a view instead, when its extents are proved.
struct ReshapePattern final : OpRewritePattern<ReshapeOp> {
  ReshapePattern(MLIRContext *context, ProgramLibrary &library, bool leaveViews)
      : OpRewritePattern<ReshapeOp>(context), makeCall(context, library, leaveViews ? writeMove : writeReshape),
        leaveViews(leaveViews) {}

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    if (leaveViews && isPrepared(op)) {
      SmallVector<SymExpr> from = sym::getSymbolicDims(op.getOperand().getType()),
                           to = sym::getSymbolicDims(op.getType());
      if (!tp::getRowMajorMap(op.getContext(), from, to) &&
          tp::haveSameNumElements(op.getContext(), sym::getScope(op), from, to))
        return rewriter.notifyMatchFailure(op, "it is a view");
    }
    return makeCall.matchAndRewrite(op, rewriter);
  }

  ProgramPattern<ReshapeOp> makeCall;
  bool leaveViews;
};
} // namespace

void relax::populateManipulationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library,
                                                        bool leaveViews) {
  MLIRContext *context = patterns.getContext();
  auto useStarts = [](SliceOp op, ProgramRequest &request) { request.exprs = op.getStartExprs(); };
  auto useAmounts = [](PadOp op, ProgramRequest &request) { request.exprs = op.getLowExprs(); };
  patterns.add<ReshapePattern>(context, library, leaveViews);
  patterns.add<ProgramPattern<BroadcastToOp>>(context, library, writeBroadcastTo);
  patterns.add<ProgramPattern<PermuteDimsOp>>(context, library, writePermuteDims);
  patterns.add<ProgramPattern<ExpandDimsOp>>(context, library, writeExpandDims);
  patterns.add<ProgramPattern<SqueezeOp>>(context, library, writeSqueeze);
  patterns.add<ProgramPattern<SliceOp>>(context, library, writeSlice, useStarts);
  patterns.add<ProgramPattern<ConcatOp>>(context, library, writeConcat);
  patterns.add<ProgramPattern<TakeOp>>(context, library, writeTake);
  patterns.add<ProgramPattern<PadOp>>(context, library, writePad, useAmounts);
}
