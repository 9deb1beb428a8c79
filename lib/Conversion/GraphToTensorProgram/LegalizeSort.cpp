//===- LegalizeSort.cpp - Sorting and finding, as programs ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BufferLoops.h"
#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
/// Writes a merge sort of one line of indices: stable, n log n steps. Runs of growing width are merged into the
/// workspace and copied back.
class MergeSortWriter {
public:
  MergeSortWriter(ArgsortOp op, ProgramBody &body, ArrayRef<Value> around)
      : op(op), body(body), builder(body.builder), loc(body.loc), around(around), zero(body.getConstant(0)),
        one(body.getConstant(1)), size(body.getIndex(body.getOutDims()[op.getAxis()])) {}

  void write() {
    createLoops(body, size, [&](ArrayRef<Value> index) {
      store(arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index[0]), index[0]);
    });
    auto isShort = [&](OpBuilder &, Location, ValueRange width) {
      Value more = compare(arith::CmpIPredicate::ult, width[0], size);
      scf::ConditionOp::create(builder, loc, more, width);
    };
    auto mergeRuns = [&](OpBuilder &, Location, ValueRange width) {
      Value twice = add(width[0], width[0]);
      scf::ForOp::create(builder, loc, zero, size, twice, {}, [&](OpBuilder &, Location, Value low, ValueRange) {
        writeMerge(low, least(add(low, width[0])), least(add(low, twice)));
        scf::YieldOp::create(builder, loc);
      });
      createLoops(body, size, [&](ArrayRef<Value> index) {
        store(memref::LoadOp::create(builder, loc, body.getWorkspace(0), index[0]), index[0]);
      });
      scf::YieldOp::create(builder, loc, twice);
    };
    scf::WhileOp::create(builder, loc, TypeRange{builder.getIndexType()}, ValueRange{one}, isShort, mergeRuns);
  }

private:
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value least(Value a) { return arith::MinUIOp::create(builder, loc, a, size); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  SmallVector<Value> at(Value index) {
    SmallVector<Value> position(around);
    position[op.getAxis()] = index;
    return position;
  }
  void store(Value value, Value index) { memref::StoreOp::create(builder, loc, value, body.getOut(), at(index)); }
  /// The element that an index of the present order stands for.
  Value loadKey(Value index) {
    Value place = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
    return memref::LoadOp::create(builder, loc, body.getInput(0), at(place));
  }

  /// Merges [low, middle) and [middle, high).
  void writeMerge(Value low, Value middle, Value high) {
    scf::ForOp::create(
        builder, loc, low, high, one, ValueRange{low, middle}, [&](OpBuilder &, Location, Value to, ValueRange next) {
          Value left = next[0], right = next[1];
          Value hasLeft = compare(arith::CmpIPredicate::ult, left, middle);
          Value hasRight = compare(arith::CmpIPredicate::ult, right, high);
          // Reads stay inside; what they give is not used when one side is empty.
          Value safeLeft = arith::SelectOp::create(builder, loc, hasLeft, left, low);
          Value safeRight = arith::SelectOp::create(builder, loc, hasRight, right, low);
          Value a = memref::LoadOp::create(builder, loc, body.getOut(), at(safeLeft));
          Value b = memref::LoadOp::create(builder, loc, body.getOut(), at(safeRight));
          Value keyA = loadKey(a), keyB = loadKey(b);
          Type type = op.getOperand().getType().getElementType();
          // Equal ones come from the left: that keeps their order.
          Value rightFirst = op.getDescending() ? createLess(builder, loc, type, keyA, keyB)
                                                : createLess(builder, loc, type, keyB, keyA);
          Value noLeft = compare(arith::CmpIPredicate::uge, left, middle);
          Value takeRight =
              arith::OrIOp::create(builder, loc, noLeft, arith::AndIOp::create(builder, loc, hasRight, rightFirst));
          Value taken = arith::SelectOp::create(builder, loc, takeRight, b, a);
          memref::StoreOp::create(builder, loc, taken, body.getWorkspace(0), to);
          Value nextLeft = arith::SelectOp::create(builder, loc, takeRight, left, add(left, one));
          Value nextRight = arith::SelectOp::create(builder, loc, takeRight, add(right, one), right);
          scf::YieldOp::create(builder, loc, ValueRange{nextLeft, nextRight});
        });
  }

  ArgsortOp op;
  ProgramBody &body;
  OpBuilder &builder;
  Location loc;
  ArrayRef<Value> around;
  Value zero, one, size;
};
} // namespace

static Value writeArgsort(ArgsortOp op, ProgramBody &body) {
  createLoopsAround(body, body.getOutDims(), op.getAxis(),
                    [&](ArrayRef<Value> around) { MergeSortWriter(op, body, around).write(); });
  return {};
}

static void adjustArgsort(ArgsortOp op, ProgramRequest &request) {
  request.bufferForm = true;
  SymExpr extent = sym::getSymbolicDims(op.getType())[op.getAxis()];
  request.workspaces = {sym::getTensorType(extent, IntegerType::get(op.getContext(), 64))};
}

//===----------------------------------------------------------------------===//
// nonzero
//===----------------------------------------------------------------------===//

namespace {
/// Writes the indices to the front of rows that are long enough for all elements, and counts them. The count binds the
/// symbol; a second program takes the fronts.
struct LegalizeNonzero final : OpRewritePattern<NonzeroOp> {
  LegalizeNonzero(MLIRContext *context, ProgramLibrary &library) : OpRewritePattern(context), library(library) {}

  LogicalResult matchAndRewrite(NonzeroOp op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    SmallVector<SymExpr> dims = sym::getSymbolicDims(op.getOperand().getType());
    SymExpr size = getNumElements(op.getContext(), dims);
    if (!size)
      return rewriter.notifyMatchFailure(op, "the number of elements does not fit 64 bits");
    Type i64 = rewriter.getI64Type();
    ProgramRequest request;
    request.name = "nonzero";
    request.inputs = {op.getOperand()};
    SymExpr rank = SymExpr::constant(op.getContext(), dims.size());
    request.results = {sym::getTensorType({rank, size}, i64), RankedTensorType::get({1}, i64)};
    request.bufferForm = true;
    auto write = [&](ProgramBody &body) {
      writeBody(body);
      return SmallVector<Value>();
    };
    request.body = write;
    FailureOr<CallTPOp> call = library.createCall(rewriter, op, request);
    if (failed(call))
      return failure();

    SymExpr found = SymExpr::symbol(op.getContext(), op.getBoundSymbols().front());
    TensorToShapeOp::create(rewriter, op.getLoc(), ShapeType::get(op.getContext(), found), call->getResult(1),
                            op.getBindsAttr());
    ProgramRequest front;
    front.name = "front";
    front.inputs = {call->getResult(0)};
    front.results = {cast<RankedTensorType>(op.getType())};
    auto take = [](ProgramBody &body) {
      SmallVector<OpFoldResult> zeros(2, body.builder.getIndexAttr(0)), ones(2, body.builder.getIndexAttr(1));
      return SmallVector<Value>{createSliceCopy(body, body.getInput(0), zeros, ones)};
    };
    front.body = take;
    return library.replaceWithCall(rewriter, op, front);
  }

private:
  static void writeBody(ProgramBody &body) {
    OpBuilder &builder = body.builder;
    Location loc = body.loc;
    Value zero = body.getConstant(0), one = body.getConstant(1), source = body.getInput(0);
    SmallVector<Value> count =
        createLoops(body, getIndices(body, body.getInputDims(0)), zero, [&](ArrayRef<Value> place, ValueRange count) {
          Value element = memref::LoadOp::create(builder, loc, source, place);
          Type type = element.getType();
          Value none = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
          Value isFound =
              isa<FloatType>(type)
                  ? arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, element, none).getResult()
                  : arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, element, none).getResult();
          auto keep = [&]() -> SmallVector<Value> {
            for (auto [dim, index] : llvm::enumerate(place)) {
              Value value = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
              memref::StoreOp::create(builder, loc, value, body.getOut(0), ValueRange{body.getConstant(dim), count[0]});
            }
            return {arith::AddIOp::create(builder, loc, count[0], one)};
          };
          return createIf(body, isFound, builder.getIndexType(), keep, [&] { return SmallVector<Value>{count[0]}; });
        });
    Value found = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count[0]);
    memref::StoreOp::create(builder, loc, found, body.getOut(1), zero);
  }

  ProgramLibrary &library;
};
} // namespace

void relax::populateSortToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<LegalizeNonzero>(patterns.getContext(), library);
  patterns.add<ProgramPattern<ArgsortOp>>(patterns.getContext(), library, writeArgsort, adjustArgsort);
}
