//===- LegalizeIndexing.cpp - Places known at run time, as programs -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BufferLoops.h"
#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

static Value toIndex(OpBuilder &builder, Location loc, Value value) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
}

/// Reports an index outside of [0, extent).
static Value createIndexCheck(OpBuilder &builder, Location loc, Value index, Value extent) {
  // A negative index is a large unsigned one.
  Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index, extent);
  tp::AssertOp::create(builder, loc, inside, "index is out of range");
  return inside;
}

/// Reads nothing where an index was refused: the tensor may be empty.
static Value createGuardedRead(OpBuilder &builder, Location loc, Value inside, Value tensor, ValueRange position) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  auto read = scf::IfOp::create(
      builder, loc, inside,
      [&](OpBuilder &b, Location l) {
        scf::YieldOp::create(b, l, tensor::ExtractOp::create(b, l, tensor, position).getResult());
      },
      [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, createScalar(b, l, type, 0)); });
  return read.getResult(0);
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

static Value writeTakeAlongAxis(TakeAlongAxisOp op, ProgramBody &body) {
  int64_t axis = op.getAxis();
  unsigned rank = body.getOutDims().size();
  Value source = body.getInput(0), indices = body.getInput(getInputIndex(op, op.getIndices()));
  Value extent = tensor::DimOp::create(body.builder, body.loc, source, axis);
  return createParallel(body, indices, body.builder.getMultiDimIdentityMap(rank), body.getOut(),
                        [&](OpBuilder &builder, Location loc, ValueRange x) {
                          Value index = toIndex(builder, loc, x[0]);
                          Value inside = createIndexCheck(builder, loc, index, extent);
                          SmallVector<Value> position;
                          for (unsigned dim = 0; dim != rank; ++dim)
                            position.push_back(linalg::IndexOp::create(builder, loc, dim));
                          position[axis] = index;
                          return createGuardedRead(builder, loc, inside, source, position);
                        });
}

static Value writeGatherND(GatherNDOp op, ProgramBody &body) {
  Value source = body.getInput(0), indices = body.getInput(getInputIndex(op, op.getIndices()));
  int64_t batch = op.getBatchDims(), rank = body.getOutDims().size();
  int64_t outer = op.getIndices().getType().getRank() - 1, size = op.getIndices().getType().getDimSize(outer);
  SmallVector<Value> extents, components;
  for (int64_t component = 0; component != size; ++component) {
    extents.push_back(tensor::DimOp::create(body.builder, body.loc, source, batch + component));
    components.push_back(body.getConstant(component));
  }
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) {
    SmallVector<Value> loops, position;
    for (int64_t dim = 0; dim != rank; ++dim)
      loops.push_back(linalg::IndexOp::create(builder, loc, dim));
    position.append(loops.begin(), loops.begin() + batch);
    Value inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    for (int64_t component = 0; component != size; ++component) {
      SmallVector<Value> place(loops.begin(), loops.begin() + outer);
      place.push_back(components[component]);
      Value index = toIndex(builder, loc, tensor::ExtractOp::create(builder, loc, indices, place));
      inside = arith::AndIOp::create(builder, loc, inside, createIndexCheck(builder, loc, index, extents[component]));
      position.push_back(index);
    }
    position.append(loops.begin() + outer, loops.end());
    return createGuardedRead(builder, loc, inside, source, position);
  });
}

//===----------------------------------------------------------------------===//
// Scattering
//===----------------------------------------------------------------------===//

static Value combineUpdate(ProgramBody &body, Type type, StringRef reduction, Value old, Value update) {
  OpBuilder &builder = body.builder;
  Location loc = body.loc;
  bool isFloat = isa<FloatType>(old.getType());
  if (reduction == "add")
    return isFloat ? arith::AddFOp::create(builder, loc, old, update).getResult()
                   : arith::AddIOp::create(builder, loc, old, update).getResult();
  if (reduction == "mul")
    return isFloat ? arith::MulFOp::create(builder, loc, old, update).getResult()
                   : arith::MulIOp::create(builder, loc, old, update).getResult();
  if (reduction == "max")
    return createMax(builder, loc, type, old, update);
  if (reduction == "min")
    return createMin(builder, loc, type, old, update);
  return update;
}

static void writeCopy(ProgramBody &body) {
  createLoops(body, getIndices(body, body.getOutDims()), [&](ArrayRef<Value> indices) {
    Value element = memref::LoadOp::create(body.builder, body.loc, body.getInput(0), indices);
    memref::StoreOp::create(body.builder, body.loc, element, body.getOut(), indices);
  });
}

/// Changes one element of the output unless an index was refused.
static void writeUpdate(ProgramBody &body, Type type, StringRef reduction, Value inside, ArrayRef<Value> position,
                        Value update) {
  auto change = [&]() -> SmallVector<Value> {
    Value old = memref::LoadOp::create(body.builder, body.loc, body.getOut(), position);
    memref::StoreOp::create(body.builder, body.loc, combineUpdate(body, type, reduction, old, update), body.getOut(),
                            position);
    return {};
  };
  createIf(body, inside, TypeRange(), change, [] { return SmallVector<Value>(); });
}

static Value writeScatterElements(ScatterElementsOp op, ProgramBody &body) {
  int64_t axis = op.getAxis();
  unsigned indicesIndex = getInputIndex(op, op.getIndices());
  Value indices = body.getInput(indicesIndex), updates = body.getInput(getInputIndex(op, op.getUpdates()));
  Value extent = body.getIndex(body.getOutDims()[axis]);
  writeCopy(body);
  createLoops(body, getIndices(body, body.getInputDims(indicesIndex)), [&](ArrayRef<Value> place) {
    SmallVector<Value> position(place);
    position[axis] = toIndex(body.builder, body.loc, memref::LoadOp::create(body.builder, body.loc, indices, place));
    Value inside = createIndexCheck(body.builder, body.loc, position[axis], extent);
    Value update = memref::LoadOp::create(body.builder, body.loc, updates, place);
    writeUpdate(body, op.getType().getElementType(), op.getReduction(), inside, position, update);
  });
  return {};
}

static Value writeScatterND(ScatterNDOp op, ProgramBody &body) {
  OpBuilder &builder = body.builder;
  Location loc = body.loc;
  unsigned updatesIndex = getInputIndex(op, op.getUpdates());
  Value indices = body.getInput(getInputIndex(op, op.getIndices())), updates = body.getInput(updatesIndex);
  int64_t outer = op.getIndices().getType().getRank() - 1, size = op.getIndices().getType().getDimSize(outer);
  SmallVector<Value> extents = getIndices(body, body.getOutDims());
  writeCopy(body);
  createLoops(body, getIndices(body, body.getInputDims(updatesIndex)), [&](ArrayRef<Value> place) {
    SmallVector<Value> position;
    Value inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    for (int64_t component = 0; component != size; ++component) {
      SmallVector<Value> tuple(place.take_front(outer));
      tuple.push_back(body.getConstant(component));
      position.push_back(toIndex(builder, loc, memref::LoadOp::create(builder, loc, indices, tuple)));
      Value isInside = createIndexCheck(builder, loc, position.back(), extents[component]);
      inside = arith::AndIOp::create(builder, loc, inside, isInside);
    }
    llvm::append_range(position, place.drop_front(outer));
    writeUpdate(body, op.getType().getElementType(), op.getReduction(), inside, position,
                memref::LoadOp::create(builder, loc, updates, place));
  });
  return {};
}

template <typename OpTy> static void useBuffers(OpTy, ProgramRequest &request) { request.bufferForm = true; }

//===----------------------------------------------------------------------===//
// dynamic_slice
//===----------------------------------------------------------------------===//

namespace {
/// One program clamps the bounds and tells how many elements there are; their numbers bind the symbols; a second
/// program copies the elements.
struct LegalizeDynamicSlice final : OpRewritePattern<DynamicSliceOp> {
  LegalizeDynamicSlice(MLIRContext *context, ProgramLibrary &library) : OpRewritePattern(context), library(library) {}

  LogicalResult matchAndRewrite(DynamicSliceOp op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    FailureOr<CallTPOp> bounds = createBounds(op, rewriter);
    if (failed(bounds))
      return failure();
    SmallVector<SymExpr> found;
    for (StringRef name : op.getBoundSymbols())
      found.push_back(SymExpr::symbol(op.getContext(), name));
    TensorToShapeOp::create(rewriter, op.getLoc(), ShapeType::get(op.getContext(), found), bounds->getResult(0),
                            op.getBindsAttr());
    ProgramRequest request;
    request.name = "dynamic_slice";
    request.results = {op.getType()};
    request.inputs = {op.getOperand(), bounds->getResult(1)};
    if (op.getStrides())
      request.inputs.push_back(bounds->getResult(2));
    auto write = [&](ProgramBody &body) { return SmallVector<Value>{writeSlice(op, body)}; };
    request.body = write;
    return library.replaceWithCall(rewriter, op, request);
  }

private:
  FailureOr<CallTPOp> createBounds(DynamicSliceOp op, PatternRewriter &rewriter) const {
    ProgramRequest request;
    request.name = "slice_bounds";
    request.bufferForm = true;
    for (Value operand : op->getOperands().drop_front())
      if (!llvm::is_contained(request.inputs, operand))
        request.inputs.push_back(operand);
    auto type = RankedTensorType::get({static_cast<int64_t>(op.getAxes().size())}, rewriter.getI64Type());
    request.results.assign(3, type);
    for (int64_t axis : op.getAxes())
      request.exprs.push_back(sym::getSymbolicDims(op.getOperand().getType())[axis]);
    SmallVector<SymExpr> extents(request.exprs);
    SmallVector<Value> inputs(request.inputs);
    auto find = [&](Value operand) { return std::distance(inputs.begin(), llvm::find(inputs, operand)); };
    auto write = [&](ProgramBody &body) {
      for (auto [index, extent] : llvm::enumerate(extents)) {
        Value place = body.getConstant(index);
        auto load = [&](Value operand) -> Value {
          Value value = memref::LoadOp::create(body.builder, body.loc, body.getInput(find(operand)), place);
          if (!value.getType().isInteger(64))
            value = arith::ExtSIOp::create(body.builder, body.loc, body.builder.getI64Type(), value);
          return value;
        };
        Value size =
            arith::IndexCastOp::create(body.builder, body.loc, body.builder.getI64Type(), body.getIndex(extent));
        Value stride = op.getStrides() ? load(op.getStrides()) : createInteger(body, 1);
        auto [count, first] = writeBounds(body, size, load(op.getStarts()), load(op.getEnds()), stride);
        memref::StoreOp::create(body.builder, body.loc, count, body.getOut(0), place);
        memref::StoreOp::create(body.builder, body.loc, first, body.getOut(1), place);
        memref::StoreOp::create(body.builder, body.loc, stride, body.getOut(2), place);
      }
      return SmallVector<Value>();
    };
    request.body = write;
    return library.createCall(rewriter, op, request);
  }

  static Value createInteger(ProgramBody &body, int64_t value) {
    return arith::ConstantOp::create(body.builder, body.loc, body.builder.getI64IntegerAttr(value));
  }

  /// Number of elements, and the first one's position, which is 0 when there is none.
  static std::pair<Value, Value> writeBounds(ProgramBody &body, Value size, Value start, Value end, Value stride) {
    OpBuilder &builder = body.builder;
    Location loc = body.loc;
    Value zero = createInteger(body, 0), one = createInteger(body, 1);
    auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) -> Value {
      return arith::CmpIOp::create(builder, loc, predicate, a, b);
    };
    auto select = [&](Value condition, Value a, Value b) -> Value {
      return arith::SelectOp::create(builder, loc, condition, a, b);
    };
    Value isZero = compare(arith::CmpIPredicate::eq, stride, zero);
    Value isValid = compare(arith::CmpIPredicate::ne, stride, zero);
    tp::AssertOp::create(builder, loc, isValid, "slice with a stride of 0");
    Value backward = compare(arith::CmpIPredicate::slt, stride, zero);
    // Backward both bounds lie one lower, so that "before the first" is -1.
    Value shift = select(backward, one, zero);
    Value lowest = arith::SubIOp::create(builder, loc, zero, shift);
    Value highest = arith::SubIOp::create(builder, loc, size, shift);
    auto clamp = [&](Value bound) -> Value {
      Value isNegative = compare(arith::CmpIPredicate::slt, bound, zero);
      Value fromEnd = arith::AddIOp::create(builder, loc, bound, select(isNegative, size, zero));
      Value clipped = arith::MinSIOp::create(builder, loc, fromEnd, highest);
      return arith::MaxSIOp::create(builder, loc, clipped, lowest);
    };
    Value first = clamp(start), last = clamp(end);
    Value low = select(backward, last, first), high = select(backward, first, last);
    Value span = arith::SubIOp::create(builder, loc, high, low);
    Value hasAny = compare(arith::CmpIPredicate::sgt, span, zero);
    // Unsigned: the magnitude of the lowest integer does not fit a signed one.
    Value magnitude = select(backward, arith::SubIOp::create(builder, loc, zero, stride), stride);
    magnitude = select(isZero, one, magnitude);
    Value steps = arith::DivUIOp::create(builder, loc, arith::SubIOp::create(builder, loc, span, one), magnitude);
    Value count = select(hasAny, arith::AddIOp::create(builder, loc, steps, one), zero);
    return {count, select(hasAny, first, zero)};
  }

  static Value writeSlice(DynamicSliceOp op, ProgramBody &body) {
    OpBuilder &builder = body.builder;
    unsigned rank = body.getOutDims().size();
    SmallVector<Value> first(rank), step(rank);
    for (auto [index, axis] : llvm::enumerate(op.getAxes())) {
      Value place = body.getConstant(index);
      first[axis] = toIndex(builder, body.loc, tensor::ExtractOp::create(builder, body.loc, body.getInput(1), place));
      if (op.getStrides())
        step[axis] = toIndex(builder, body.loc, tensor::ExtractOp::create(builder, body.loc, body.getInput(2), place));
    }
    if (!op.getStrides()) {
      SmallVector<OpFoldResult> offsets, strides(rank, builder.getIndexAttr(1));
      for (Value offset : first)
        offsets.push_back(offset ? OpFoldResult(offset) : builder.getIndexAttr(0));
      return createSliceCopy(body, body.getInput(0), offsets, strides);
    }
    return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
      SmallVector<Value> position;
      for (unsigned dim = 0; dim != rank; ++dim) {
        Value index = linalg::IndexOp::create(inner, loc, dim);
        if (first[dim])
          index = arith::AddIOp::create(inner, loc, first[dim], arith::MulIOp::create(inner, loc, index, step[dim]));
        position.push_back(index);
      }
      return tensor::ExtractOp::create(inner, loc, body.getInput(0), position);
    });
  }

  ProgramLibrary &library;
};
} // namespace

void relax::populateIndexingToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LegalizeDynamicSlice>(context, library);
  patterns.add<ProgramPattern<TakeAlongAxisOp>>(context, library, writeTakeAlongAxis);
  patterns.add<ProgramPattern<GatherNDOp>>(context, library, writeGatherND);
  patterns.add<ProgramPattern<ScatterElementsOp>>(context, library, writeScatterElements,
                                                  useBuffers<ScatterElementsOp>);
  patterns.add<ProgramPattern<ScatterNDOp>>(context, library, writeScatterND, useBuffers<ScatterNDOp>);
}
