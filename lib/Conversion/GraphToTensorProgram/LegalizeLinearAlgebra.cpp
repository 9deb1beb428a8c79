//===- LegalizeLinearAlgebra.cpp - Products to programs -------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphWindows.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// sum + a * b, in the accumulator's type.
static Value multiplyAdd(OpBuilder &builder, Location loc, Value a, Value b, Value sum) {
  Type type = sum.getType();
  if (!isa<FloatType>(type))
    return arith::AddIOp::create(builder, loc, sum, arith::MulIOp::create(builder, loc, a, b));
  Value product =
      arith::MulFOp::create(builder, loc, convertFloat(builder, loc, a, type), convertFloat(builder, loc, b, type));
  return arith::AddFOp::create(builder, loc, sum, product);
}

/// Where sums of a product are accumulated: zeros, in the output itself unless they are converted afterwards.
static Value createSums(ProgramBody &body, Type type) {
  Type sumType = getAccumulatorType(type);
  Value sums = sumType == type ? body.getOut() : body.createEmpty(body.getOutDims(), sumType);
  return createFill(body, sums, createScalar(body.builder, body.loc, sumType, 0));
}

/// The sums in the output's type.
static Value finishSums(ProgramBody &body, Value sums, Type type) {
  if (sums.getType() == body.getOut().getType())
    return sums;
  unsigned rank = cast<RankedTensorType>(sums.getType()).getRank();
  return createParallel(body, sums, body.builder.getMultiDimIdentityMap(rank), body.getOut(),
                        [&](OpBuilder &builder, Location loc, ValueRange elements) {
                          return convertFloat(builder, loc, elements[0], type);
                        });
}

//===----------------------------------------------------------------------===//
// matmul
//===----------------------------------------------------------------------===//

namespace {
/// An operand and its access by the loops (batch..., rows, columns, k).
struct Operand {
  Value tensor;
  AffineMap map;
};
} // namespace

/// `inner` holds the loops along the dimensions that are multiplied.
static Operand getOperand(ProgramBody &body, unsigned index, ArrayRef<SymExpr> batch, ArrayRef<int64_t> inner,
                          unsigned numLoops) {
  Value tensor = body.getInput(index);
  SmallVector<SymExpr> dims = body.getInputDims(index);
  BroadcastAccess access = getBroadcastAccess(body.prover, ArrayRef<SymExpr>(dims).drop_back(inner.size()), batch);
  if (access.isAmbiguous()) {
    // Only run time knows which operand repeats: repeat first.
    SmallVector<SymExpr> target(batch);
    llvm::append_range(target, ArrayRef<SymExpr>(dims).take_back(inner.size()));
    Value repeated = body.createEmpty(target, cast<RankedTensorType>(tensor.getType()).getElementType());
    tensor = createBroadcast(body, tensor, dims, target, repeated);
    access.loops = llvm::to_vector(llvm::seq<int64_t>(0, batch.size()));
  }
  llvm::append_range(access.loops, inner);
  return {tensor, access.getMap(numLoops, body.builder.getContext())};
}

static Value writeMatmul(MatmulOp op, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  Type type = op.getType().getElementType();
  unsigned rhsIndex = getInputIndex(op, op.getRhs());
  // A vector has no row or column dimension.
  bool hasRows = op.getLhs().getType().getRank() > 1, hasColumns = op.getRhs().getType().getRank() > 1;
  SmallVector<SymExpr> target = body.getOutDims();
  ArrayRef<SymExpr> batch = ArrayRef<SymExpr>(target).drop_back(hasRows + hasColumns);
  Value sums = createSums(body, type);
  if (batch.empty() && hasRows && hasColumns) {
    auto matmul = linalg::MatmulOp::create(builder, body.loc, TypeRange(sums.getType()),
                                           ValueRange{body.getInput(0), body.getInput(rhsIndex)}, ValueRange(sums));
    return finishSums(body, matmul.getResult(0), type);
  }

  int64_t m = batch.size(), n = m + hasRows, k = n + hasColumns;
  SmallVector<int64_t> left = {k}, right = {k};
  if (hasRows)
    left.insert(left.begin(), m);
  if (hasColumns)
    right.push_back(n);
  Operand lhs = getOperand(body, 0, batch, left, k + 1), rhs = getOperand(body, rhsIndex, batch, right, k + 1);
  SmallVector<utils::IteratorType> iterators(k, utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  SmallVector<AffineExpr> outExprs;
  for (int64_t loop = 0; loop != k; ++loop)
    outExprs.push_back(builder.getAffineDimExpr(loop));
  AffineMap outMap = AffineMap::get(k + 1, 0, outExprs, op.getContext());
  sums = createGeneric(
      body, {lhs.tensor, rhs.tensor}, {lhs.map, rhs.map}, sums, outMap, iterators,
      [](OpBuilder &inner, Location loc, ValueRange x) { return multiplyAdd(inner, loc, x[0], x[1], x[2]); });
  return finishSums(body, sums, type);
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

namespace {
/// Of either layout: `OpTy` says where the channels of images are.
template <typename OpTy> struct LegalizeConv final : OpRewritePattern<OpTy> {
  LegalizeConv(MLIRContext *context, ProgramLibrary &library) : OpRewritePattern<OpTy>(context), library(library) {}

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    ProgramRequest request;
    request.name = op->getName().stripDialect();
    request.results = {cast<RankedTensorType>(op->getResult(0).getType())};
    FailureOr<Value> input = createPadded(op, rewriter);
    if (failed(input))
      return failure();
    request.inputs = {*input, op.getWeight()};
    auto write = [&](ProgramBody &body) { return SmallVector<Value>{writeBody(op, body)}; };
    request.body = write;
    return library.replaceWithCall(rewriter, op, request);
  }

private:
  static constexpr bool kLast = std::is_same_v<OpTy, ConvChannelsLastOp>;
  static constexpr unsigned kFirstSpatial = kLast ? 1 : 2;

  static WindowDim getWindow(OpTy op, unsigned index) {
    WindowAttrs attrs{op.getStrides(), op.getPads(), op.getDilations(), op.getAutoPad()};
    return getWindowDim(attrs, index, sym::getSymbolicDims(op.getInput().getType())[kFirstSpatial + index],
                        sym::getSymbolicDims(op.getWeight().getType())[index + 2]);
  }

  /// The input with zeros around it, made by a program of its own: inside of the convolution it would be one more thing
  /// that all out channels read, and they could not run in parallel.
  FailureOr<Value> createPadded(OpTy op, PatternRewriter &rewriter) const {
    if (!op.getAutoPad() && llvm::all_of(op.getPads(), [](int64_t pad) { return pad == 0; }))
      return op.getInput();
    SmallVector<SymExpr> padded = sym::getSymbolicDims(op.getInput().getType());
    ProgramRequest request;
    request.name = "pad";
    request.inputs = {op.getInput()};
    for (unsigned i = 0; i != op.getStrides().size(); ++i) {
      WindowDim window = getWindow(op, i);
      SymExpr &extent = padded[kFirstSpatial + i];
      extent = extent + window.before + window.after;
      if (!extent)
        return rewriter.notifyMatchFailure(op, "an extent of the padded input does not fit 64 bits");
      request.exprs.push_back(window.before);
    }
    request.results = {sym::getTensorType(padded, op.getInput().getType().getElementType())};
    auto write = [&](ProgramBody &body) { return SmallVector<Value>{writePadded(request.exprs, body)}; };
    request.body = write;
    FailureOr<CallTPOp> call = library.createCall(rewriter, op, request);
    if (failed(call))
      return failure();
    return call->getResult(0);
  }

  /// Zeros everywhere, then the input inside.
  static Value writePadded(ArrayRef<SymExpr> before, ProgramBody &body) {
    OpBuilder &builder = body.builder;
    Value input = body.getInput(0);
    auto type = cast<RankedTensorType>(input.getType());
    Value zeros = createFill(body, body.getOut(), createScalar(builder, body.loc, type.getElementType(), 0));
    // Nothing has no place inside, which upstream refuses where it sees it.
    if (llvm::is_contained(type.getShape(), 0))
      return zeros;
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        sizes = body.getSizes(body.getInputDims(0));
    for (auto [index, expr] : llvm::enumerate(before))
      offsets[kFirstSpatial + index] = body.getIndexOrConstant(expr);
    SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
    Value inside = tensor::ExtractSliceOp::create(builder, body.loc, type, zeros, offsets, sizes, strides);
    Value copied = createCopy(body, input, builder.getMultiDimIdentityMap(type.getRank()), inside);
    return tensor::InsertSliceOp::create(builder, body.loc, copied, zeros, offsets, sizes, strides);
  }

  /// Every out channel reads the in channel of its number.
  static bool isDepthwise(OpTy op, ArrayRef<SymExpr> weightDims) {
    return weightDims[1].getConstant() == 1 && weightDims[0].getConstant() == static_cast<int64_t>(op.getGroups());
  }

  /// Loops: batch, out channel, out spatial..., channel of the group, kernel spatial...; with channels last batch, out
  /// spatial..., out channel, kernel spatial..., channel of the group, so that steps that follow each other read
  /// neighbours.
  static Value writeBody(OpTy op, ProgramBody &body) {
    OpBuilder &builder = body.builder;
    Type type = op.getType().getElementType();
    unsigned spatial = op.getStrides().size(), numLoops = 3 + 2 * spatial, firstTap = 2 + spatial + (kLast ? 0 : 1);
    unsigned column = kLast ? 1 + spatial : 1, channel = kLast ? 2 + 2 * spatial : 2 + spatial;
    Value input = body.getInput(0), weight = body.getInput(1), sums = createSums(body, type);
    SmallVector<SymExpr> weightDims = body.getInputDims(1);

    SmallVector<AffineExpr> weightExprs = {builder.getAffineDimExpr(column), builder.getAffineDimExpr(channel)};
    SmallVector<AffineExpr> windowExprs;
    for (unsigned i = 0; i != spatial; ++i) {
      weightExprs.push_back(builder.getAffineDimExpr(firstTap + i));
      windowExprs.push_back(builder.getAffineDimExpr(kFirstSpatial + i) * op.getStrides()[i] +
                            builder.getAffineDimExpr(firstTap + i) * op.getDilations()[i]);
    }
    AffineMap weightMap = AffineMap::get(numLoops, 0, weightExprs, op.getContext());
    AffineMap outMap = AffineMap::getMultiDimIdentityMap(numLoops, op.getContext()).getMajorSubMap(2 + spatial);
    SmallVector<utils::IteratorType> iterators(2 + spatial, utils::IteratorType::parallel);
    iterators.append(1 + spatial, utils::IteratorType::reduction);

    if (op.getGroups() == 1 || isDepthwise(op, weightDims)) {
      SmallVector<AffineExpr> inputExprs = {builder.getAffineDimExpr(0)};
      llvm::append_range(inputExprs, windowExprs);
      inputExprs.insert(inputExprs.begin() + ImageDims::get(2 + spatial, kLast).channel,
                        builder.getAffineDimExpr(op.getGroups() == 1 ? channel : column));
      AffineMap inputMap = AffineMap::get(numLoops, 0, inputExprs, op.getContext());
      sums = createGeneric(
          body, {input, weight}, {inputMap, weightMap}, sums, outMap, iterators,
          [](OpBuilder &inner, Location loc, ValueRange x) { return multiplyAdd(inner, loc, x[0], x[1], x[2]); });
      return finishSums(body, sums, type);
    }

    // The channels of a group follow each other; which group it is depends on the out channel.
    Value perGroup =
        body.getIndex(SymExpr::floordiv(weightDims[0], SymExpr::constant(op.getContext(), op.getGroups())));
    Value one = body.getConstant(1);
    perGroup = arith::MaxSIOp::create(builder, body.loc, perGroup, one); // no out channel: no iteration divides by it
    Value channels = body.getIndex(weightDims[1]);
    sums = createGeneric(
        body, weight, weightMap, sums, outMap, iterators, [&](OpBuilder &inner, Location loc, ValueRange x) {
          auto loop = [&](unsigned dim) { return linalg::IndexOp::create(inner, loc, dim).getResult(); };
          Value group = arith::DivUIOp::create(inner, loc, loop(column), perGroup);
          Value first = arith::MulIOp::create(inner, loc, group, channels);
          SmallVector<Value> indices = {loop(0)};
          for (unsigned i = 0; i != spatial; ++i) {
            Value stride = arith::ConstantIndexOp::create(inner, loc, op.getStrides()[i]);
            Value dilation = arith::ConstantIndexOp::create(inner, loc, op.getDilations()[i]);
            Value start = arith::MulIOp::create(inner, loc, loop(kFirstSpatial + i), stride);
            Value step = arith::MulIOp::create(inner, loc, loop(firstTap + i), dilation);
            indices.push_back(arith::AddIOp::create(inner, loc, start, step));
          }
          indices.insert(indices.begin() + ImageDims::get(2 + spatial, kLast).channel,
                         arith::AddIOp::create(inner, loc, first, loop(channel)));
          Value element = tensor::ExtractOp::create(inner, loc, input, indices);
          return multiplyAdd(inner, loc, element, x[0], x[1]);
        });
    return finishSums(body, sums, type);
  }

  ProgramLibrary &library;
};
} // namespace

void relax::populateLinearAlgebraToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<ProgramPattern<MatmulOp>>(patterns.getContext(), library, writeMatmul);
  patterns.add<LegalizeConv<ConvOp>, LegalizeConv<ConvChannelsLastOp>>(patterns.getContext(), library);
}
