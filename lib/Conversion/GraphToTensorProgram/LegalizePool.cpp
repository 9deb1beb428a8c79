//===- LegalizePool.cpp - Pooling, transposed convolution, as programs ----===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Each element of the result is computed by loops over the part of its window
// that is inside of the operand: nothing is padded, and an empty part needs no
// case of its own.
//
//===----------------------------------------------------------------------===//

#include "BufferLoops.h"
#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphPoolOps.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
/// Index arithmetic at one place.
struct IndexWriter {
  OpBuilder &builder;
  Location loc;

  Value constant(int64_t value) const { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value loop(unsigned dim) const { return linalg::IndexOp::create(builder, loc, dim); }
  Value add(Value a, Value b) const { return arith::AddIOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) const { return arith::SubIOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) const { return arith::MulIOp::create(builder, loc, a, b); }
  Value max(Value a, Value b) const { return arith::MaxSIOp::create(builder, loc, a, b); }
  Value min(Value a, Value b) const { return arith::MinSIOp::create(builder, loc, a, b); }
  Value floordiv(Value a, Value b) const { return arith::FloorDivSIOp::create(builder, loc, a, b); }
  Value ceildiv(Value a, Value b) const { return arith::CeilDivSIOp::create(builder, loc, a, b); }
};

/// Loops over positions: `[lower, upper)` of each dimension, at `start + k * step`.
struct Span {
  Value lower, upper, start, step;
};
} // namespace

/// Nested loops that carry `state`; the innermost body gets the positions.
static SmallVector<Value>
writeLoops(OpBuilder &builder, Location loc, ArrayRef<Span> ranges, SmallVectorImpl<Value> &positions, ValueRange state,
           function_ref<SmallVector<Value>(OpBuilder &, Location, ArrayRef<Value>, ValueRange)> element) {
  if (ranges.empty())
    return element(builder, loc, positions, state);
  const Span &range = ranges.front();
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, range.lower, range.upper, one, state,
                                 [&](OpBuilder &inner, Location innerLoc, Value index, ValueRange carried) {
                                   Value offset = arith::MulIOp::create(inner, innerLoc, index, range.step);
                                   positions.push_back(arith::AddIOp::create(inner, innerLoc, range.start, offset));
                                   SmallVector<Value> next =
                                       writeLoops(inner, innerLoc, ranges.drop_front(), positions, carried, element);
                                   positions.pop_back();
                                   scf::YieldOp::create(inner, innerLoc, next);
                                 });
  return llvm::to_vector(ValueRange(loop.getResults()));
}

static Value isNaN(OpBuilder &builder, Location loc, Value value) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value, value);
}

static Value toFloat(OpBuilder &builder, Location loc, Value index, Type type) {
  Value integer = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  return arith::SIToFPOp::create(builder, loc, type, integer);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

namespace {
/// What is read in front of the loops.
struct PoolContext {
  SmallVector<Value> extents;       // of the operand, all dimensions
  SmallVector<Value> before, after; // pads of each spatial dimension
};

/// Positions inside of the operand of one window, and how many elements its mean counts.
struct PoolWindow {
  SmallVector<Span> ranges;
  Value count;
};
} // namespace

template <typename OpTy> static WindowDim getPoolWindow(OpTy op, unsigned index) {
  WindowAttrs attrs{op.getStrides(), op.getPads(), op.getDilations(), op.getAutoPad(), op.getCeilMode()};
  return getWindowDim(attrs, index, sym::getSymbolicDims(op.getOperand().getType())[index + 2],
                      SymExpr::constant(op.getContext(), op.getKernel()[index]));
}

template <typename OpTy> static SmallVector<SymExpr> getPoolExprs(OpTy op) {
  SmallVector<SymExpr> exprs;
  for (unsigned i = 0; i != op.getStrides().size(); ++i) {
    WindowDim window = getPoolWindow(op, i);
    exprs.push_back(window.before);
    exprs.push_back(window.after);
  }
  return exprs;
}
static SmallVector<SymExpr> getPoolExprs(AdaptiveAvgPoolOp) { return {}; }
static SmallVector<SymExpr> getPoolExprs(AdaptiveMaxPoolOp) { return {}; }

static bool countsPads(Operation *op) {
  auto average = dyn_cast<AvgPoolOp>(op);
  return average && average.getCountIncludePad();
}

template <typename OpTy>
static PoolWindow writeWindow(OpTy op, OpBuilder &builder, Location loc, const PoolContext &context) {
  IndexWriter w{builder, loc};
  PoolWindow window;
  Value zero = w.constant(0), one = w.constant(1);
  window.count = one;
  for (unsigned i = 0; i != context.extents.size() - 2; ++i) {
    Value extent = context.extents[i + 2], counted;
    Span range;
    if constexpr (std::is_same_v<OpTy, AdaptiveAvgPoolOp> || std::is_same_v<OpTy, AdaptiveMaxPoolOp>) {
      Value part = w.loop(i + 2), parts = w.constant(op.getOutputSize()[i]);
      range.lower = w.floordiv(w.mul(part, extent), parts);
      range.upper = w.ceildiv(w.mul(w.add(part, one), extent), parts);
      range.start = zero;
      range.step = one;
      counted = w.sub(range.upper, range.lower);
    } else {
      Value kernel = w.constant(op.getKernel()[i]);
      range.step = w.constant(op.getDilations()[i]);
      range.start = w.sub(w.mul(w.loop(i + 2), w.constant(op.getStrides()[i])), context.before[i]);
      range.lower = w.max(w.ceildiv(w.sub(zero, range.start), range.step), zero);
      range.upper = w.min(w.ceildiv(w.sub(extent, range.start), range.step), kernel);
      if (countsPads(op)) // from the window's first element to the last that is a pad
        counted = w.min(w.ceildiv(w.sub(w.add(extent, context.after[i]), range.start), range.step), kernel);
      else
        counted = w.sub(range.upper, range.lower);
    }
    window.count = w.mul(window.count, w.max(counted, zero));
    window.ranges.push_back(range);
  }
  return window;
}

/// The element of the result; loops 0 and 1 are batch and channel.
template <typename OpTy>
static Value writePoolElement(OpTy op, OpBuilder &builder, Location loc, Value source, const PoolContext &context) {
  IndexWriter w{builder, loc};
  PoolWindow window = writeWindow(op, builder, loc, context);
  Type type = op.getOperand().getType().getElementType(), sumType = getAccumulatorType(type);
  SmallVector<Value> positions = {w.loop(0), w.loop(1)};
  auto reduce = [&](ValueRange state, auto step) {
    return writeLoops(builder, loc, window.ranges, positions, state,
                      [&](OpBuilder &inner, Location innerLoc, ArrayRef<Value> at, ValueRange carried) {
                        Value element = tensor::ExtractOp::create(inner, innerLoc, source, at);
                        return step(inner, innerLoc, at, element, carried);
                      });
  };
  if constexpr (std::is_same_v<OpTy, MaxPoolOp> || std::is_same_v<OpTy, AdaptiveMaxPoolOp>) {
    return reduce(createExtreme(builder, loc, type, /*isHighest=*/false),
                  [&](OpBuilder &inner, Location at, ArrayRef<Value>, Value element, ValueRange carried) {
                    return SmallVector<Value>{createMax(inner, at, type, carried[0], element)};
                  })
        .front();
  } else if constexpr (std::is_same_v<OpTy, MaxPoolIndicesOp>) {
    Value none = arith::ConstantIndexOp::create(builder, loc, -1);
    auto step = [&](OpBuilder &inner, Location at, ArrayRef<Value> indices, Value element, ValueRange carried) {
      IndexWriter index{inner, at};
      Value flat = indices.front();
      for (size_t dim = 1; dim != indices.size(); ++dim)
        flat = index.add(index.mul(flat, context.extents[dim]), indices[dim]);
      // The first element always, then what is larger; nothing replaces a NaN.
      Value isFirst = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, carried[1], none), isBetter;
      if (isa<FloatType>(type)) {
        Value larger = arith::CmpFOp::create(inner, at, arith::CmpFPredicate::UGT, element, carried[0]);
        Value kept = isNaN(inner, at, carried[0]), yes = arith::ConstantOp::create(inner, at, inner.getBoolAttr(true));
        isBetter = arith::AndIOp::create(inner, at, larger, arith::XOrIOp::create(inner, at, kept, yes));
      } else {
        isBetter = createLess(inner, at, type, carried[0], element);
      }
      Value takes = arith::OrIOp::create(inner, at, isFirst, isBetter);
      return SmallVector<Value>{arith::SelectOp::create(inner, at, takes, element, carried[0]),
                                arith::SelectOp::create(inner, at, takes, flat, carried[1])};
    };
    Value index = reduce(ValueRange{createExtreme(builder, loc, type, /*isHighest=*/false), none}, step).back();
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  } else {
    bool isNorm = std::is_same_v<OpTy, LpPoolOp>;
    int64_t p = 1;
    if constexpr (std::is_same_v<OpTy, LpPoolOp>)
      p = op.getP();
    auto step = [&](OpBuilder &inner, Location at, ArrayRef<Value>, Value element, ValueRange carried) {
      Value value = convertFloat(inner, at, element, sumType);
      if (isNorm) {
        value = math::AbsFOp::create(inner, at, value);
        if (p == 2)
          value = arith::MulFOp::create(inner, at, value, value);
        else if (p != 1)
          value = math::PowFOp::create(inner, at, value, createScalar(inner, at, sumType, p));
      }
      return SmallVector<Value>{arith::AddFOp::create(inner, at, carried[0], value)};
    };
    Value sum = reduce(createScalar(builder, loc, sumType, 0), step).front();
    if (!isNorm)
      sum = arith::DivFOp::create(builder, loc, sum, toFloat(builder, loc, window.count, sumType));
    else if (p == 2)
      sum = math::SqrtOp::create(builder, loc, sum);
    else if (p != 1)
      sum = math::PowFOp::create(builder, loc, sum, createScalar(builder, loc, sumType, 1.0 / p));
    return convertFloat(builder, loc, sum, type);
  }
}

template <typename OpTy> static Value writePool(OpTy op, ProgramBody &body) {
  PoolContext context;
  for (SymExpr dim : body.getInputDims(0))
    context.extents.push_back(body.getIndex(dim));
  SmallVector<SymExpr> exprs = getPoolExprs(op);
  for (size_t i = 0; i != exprs.size(); i += 2) {
    context.before.push_back(body.getIndex(exprs[i]));
    context.after.push_back(body.getIndex(exprs[i + 1]));
  }
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) {
    return writePoolElement(op, builder, loc, body.getInput(0), context);
  });
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

/// Sum over the input positions that reach this element, then over the channels of its group.
static Value writeTransposedElement(ConvTransposeOp op, OpBuilder &builder, Location loc, Value source, Value weight,
                                    ArrayRef<Value> input, ArrayRef<Value> kernel) {
  IndexWriter w{builder, loc};
  Type type = op.getType().getElementType(), sumType = getAccumulatorType(type);
  Value zero = w.constant(0), one = w.constant(1);
  unsigned spatial = op.getStrides().size();
  // Element o gets input i through position (o + before - i * stride) / dilation of the kernel.
  SmallVector<Span> ranges;
  SmallVector<Value> reached;
  for (unsigned i = 0; i != spatial; ++i) {
    Value stride = w.constant(op.getStrides()[i]), dilation = w.constant(op.getDilations()[i]);
    Value target = w.add(w.loop(i + 2), w.constant(op.getPads()[i]));
    Value covered = w.mul(w.sub(kernel[i + 2], one), dilation);
    Span range;
    range.lower = w.max(w.ceildiv(w.sub(target, covered), stride), zero);
    range.upper = w.min(w.add(w.floordiv(target, stride), one), input[i + 2]);
    range.start = zero;
    range.step = one;
    ranges.push_back(range);
    reached.push_back(target);
  }
  Value outChannel = w.loop(1), group = w.floordiv(outChannel, w.max(kernel[1], one));
  Value inGroup = w.sub(outChannel, w.mul(group, kernel[1]));
  Value perGroup = w.floordiv(input[1], w.constant(op.getGroups())), first = w.mul(group, perGroup);
  Value batch = w.loop(0);

  auto element = [&](OpBuilder &inner, Location at, ArrayRef<Value> positions, ValueRange carried) {
    IndexWriter v{inner, at};
    SmallVector<Value> taps;
    Value fits;
    for (unsigned i = 0; i != spatial; ++i) {
      Value distance = v.sub(reached[i], v.mul(positions[i], v.constant(op.getStrides()[i])));
      Value dilation = v.constant(op.getDilations()[i]), tap = v.floordiv(distance, dilation);
      taps.push_back(tap);
      if (op.getDilations()[i] == 1)
        continue;
      Value isTap = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, v.mul(tap, dilation), distance);
      fits = fits ? arith::AndIOp::create(inner, at, fits, isTap).getResult() : isTap;
    }
    Value upper = perGroup;
    if (fits) // no channel where no tap reaches
      upper = arith::SelectOp::create(inner, at, fits, perGroup, zero);
    auto loop = scf::ForOp::create(
        inner, at, zero, upper, one, carried, [&](OpBuilder &b, Location l, Value index, ValueRange sums) {
          Value channel = arith::AddIOp::create(b, l, first, index);
          SmallVector<Value> inputIndices = {batch, channel}, weightIndices = {channel, inGroup};
          llvm::append_range(inputIndices, positions);
          llvm::append_range(weightIndices, taps);
          Value x = convertFloat(b, l, tensor::ExtractOp::create(b, l, source, inputIndices), sumType);
          Value y = convertFloat(b, l, tensor::ExtractOp::create(b, l, weight, weightIndices), sumType);
          Value sum = arith::AddFOp::create(b, l, sums[0], arith::MulFOp::create(b, l, x, y));
          scf::YieldOp::create(b, l, sum);
        });
    return SmallVector<Value>{loop.getResult(0)};
  };
  SmallVector<Value> positions;
  SmallVector<Value> sums =
      writeLoops(builder, loc, ranges, positions, createScalar(builder, loc, sumType, 0), element);
  return convertFloat(builder, loc, sums.front(), type);
}

static Value writeConvTranspose(ConvTransposeOp op, ProgramBody &body) {
  unsigned weight = getInputIndex(op, op.getWeight());
  SmallVector<Value> input, kernel;
  for (SymExpr dim : body.getInputDims(0))
    input.push_back(body.getIndex(dim));
  for (SymExpr dim : body.getInputDims(weight))
    kernel.push_back(body.getIndex(dim));
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) {
    return writeTransposedElement(op, builder, loc, body.getInput(0), body.getInput(weight), input, kernel);
  });
}

template <typename... Ops> static void addPools(RewritePatternSet &patterns, ProgramLibrary &library) {
  (patterns.add<ProgramPattern<Ops>>(patterns.getContext(), library, writePool<Ops>,
                                     [](Ops op, ProgramRequest &request) { request.exprs = getPoolExprs(op); }),
   ...);
}

void relax::populatePoolToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  addPools<MaxPoolOp, MaxPoolIndicesOp, AvgPoolOp, LpPoolOp, AdaptiveAvgPoolOp, AdaptiveMaxPoolOp>(patterns, library);
  patterns.add<ProgramPattern<ConvTransposeOp>>(patterns.getContext(), library, writeConvTranspose);
}
