//===- LegalizeSearch.cpp - Data-dependent ops to programs ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BufferLoops.h"
#include "LoopNests.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// Writes a heap sort of a rank-1 buffer: in place, never more than n log n steps.
class SortWriter {
public:
  SortWriter(OpBuilder &builder, Location loc, Type type, Value buffer)
      : builder(builder), loc(loc), type(type), buffer(buffer), zero(constant(0)), one(constant(1)) {}

  void write(Value size) {
    // Every node with a child, last first.
    Value half = arith::DivUIOp::create(builder, loc, size, constant(2));
    scf::ForOp::create(builder, loc, zero, half, one, {}, [&](OpBuilder &, Location, Value step, ValueRange) {
      Value next = add(step, one);
      writeSift(arith::SubIOp::create(builder, loc, half, next), size);
      scf::YieldOp::create(builder, loc);
    });
    // The largest element goes to the end of what is left.
    scf::ForOp::create(builder, loc, zero, size, one, {}, [&](OpBuilder &, Location, Value step, ValueRange) {
      Value last = arith::SubIOp::create(builder, loc, size, add(step, one));
      writeSwap(zero, last);
      writeSift(zero, last);
      scf::YieldOp::create(builder, loc);
    });
  }

  Value less(Value a, Value b) { return createLess(builder, loc, type, a, b); }

  Value load(Value index) { return memref::LoadOp::create(builder, loc, buffer, index); }
  void store(Value value, Value index) { memref::StoreOp::create(builder, loc, value, buffer, index); }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, loc, a, b); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  void writeSwap(Value i, Value j) {
    Value a = load(i), b = load(j);
    store(b, i);
    store(a, j);
  }

  /// Moves the element at `root` down until no child below `end` is larger.
  void writeSift(Value root, Value end) {
    Type index = builder.getIndexType(), flag = builder.getI1Type();
    auto findChild = [&](OpBuilder &, Location, ValueRange state) {
      Value left = add(add(state[0], state[0]), one);
      Value hasChild = compare(arith::CmpIPredicate::ult, left, end);
      auto choose = scf::IfOp::create(builder, loc, TypeRange{flag, index}, hasChild, /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(&choose.getThenRegion().front());
        Value right = add(left, one), hasRight = compare(arith::CmpIPredicate::ult, right, end);
        Value other = arith::SelectOp::create(builder, loc, hasRight, right, left);
        Value rightIsLarger = less(load(left), load(other));
        Value child = arith::SelectOp::create(builder, loc, rightIsLarger, other, left);
        Value moves = less(load(state[0]), load(child));
        scf::YieldOp::create(builder, loc, ValueRange{moves, child});
        builder.setInsertionPointToStart(&choose.getElseRegion().front());
        Value no = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false));
        scf::YieldOp::create(builder, loc, ValueRange{no, state[0]});
      }
      scf::ConditionOp::create(builder, loc, choose.getResult(0), ValueRange{state[0], choose.getResult(1)});
    };
    auto descend = [&](OpBuilder &, Location, ValueRange state) {
      writeSwap(state[0], state[1]);
      scf::YieldOp::create(builder, loc, state[1]);
    };
    scf::WhileOp::create(builder, loc, TypeRange{index, index}, ValueRange{root}, findChild, descend);
  }

  OpBuilder &builder;
  Location loc;
  Type type; // of the elements, in the graph
  Value buffer, zero, one;
};

//===----------------------------------------------------------------------===//
// unique
//===----------------------------------------------------------------------===//

/// Sorts a copy, moves the first of equal elements to the front and tells how many there are. The size found binds the
/// symbol; a second program takes the front part.
struct LegalizeUnique final : OpRewritePattern<UniqueOp> {
  LegalizeUnique(MLIRContext *context, ProgramLibrary &library) : OpRewritePattern(context), library(library) {}

  LogicalResult matchAndRewrite(UniqueOp op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    SymExpr size = SymExpr::constant(op.getContext(), 1);
    for (SymExpr extent : sym::getSymbolicDims(op.getOperand().getType()))
      size = size * extent;
    if (!size)
      return rewriter.notifyMatchFailure(op, "the number of elements does not fit 64 bits");
    Type elementType = op.getType().getElementType();
    auto countType = RankedTensorType::get({1}, rewriter.getI64Type());

    ProgramRequest request;
    request.name = "unique";
    request.inputs = {op.getOperand()};
    request.results = {sym::getTensorType(size, elementType), countType};
    request.bufferForm = true;
    auto write = [&](ProgramBody &body) {
      writeBody(body, elementType);
      return SmallVector<Value>();
    };
    request.body = write;
    FailureOr<CallTPOp> call = library.createCall(rewriter, op, request);
    if (failed(call))
      return failure();

    SymExpr found = SymExpr::symbol(op.getContext(), op.getSymbol());
    auto shape = TensorToShapeOp::create(rewriter, op.getLoc(), ShapeType::get(op.getContext(), found),
                                         call->getResult(1), rewriter.getStrArrayAttr({op.getSymbol()}));
    auto front = SliceOp::create(rewriter, op.getLoc(), call->getResult(0), shape, ArrayRef<int64_t>{0},
                                 SymExpr::constant(op.getContext(), 0), found, ArrayRef<int64_t>{1});
    rewriter.replaceOp(op, front);
    return legalizeSlice(rewriter, front);
  }

private:
  static void writeBody(ProgramBody &body, Type elementType) {
    OpBuilder &builder = body.builder;
    Location loc = body.loc;
    Value source = body.getInput(0), buffer = body.getOut(0), size = body.getIndex(body.getOutDims()[0]);
    Value zero = body.getConstant(0), one = body.getConstant(1);
    auto sourceType = cast<MemRefType>(source.getType());
    int64_t rank = sourceType.getRank();
    // Upstream disagrees with itself on whether a size of 0 beside dynamic ones is dynamic when collapsed.
    bool isEmpty = llvm::is_contained(sourceType.getShape(), 0);
    if (rank > 1 && !isEmpty)
      source = memref::CollapseShapeOp::create(
          builder, loc, source, SmallVector<ReassociationIndices>{llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))});
    auto copy = [&](OpBuilder &, Location, Value index, ValueRange) {
      Value element = rank == 0 ? memref::LoadOp::create(builder, loc, source)
                                : memref::LoadOp::create(builder, loc, source, index);
      memref::StoreOp::create(builder, loc, element, buffer, index);
      scf::YieldOp::create(builder, loc);
    };
    if (!isEmpty)
      scf::ForOp::create(builder, loc, zero, size, one, {}, copy);
    SortWriter sort(builder, loc, elementType, buffer);
    sort.write(size);

    // An element is new when the last one kept goes before it.
    auto compact = scf::ForOp::create(
        builder, loc, zero, size, one, zero, [&](OpBuilder &, Location, Value index, ValueRange kept) {
          Value count = kept[0], isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, count, zero);
          Value previous =
              arith::SelectOp::create(builder, loc, isFirst, zero, arith::SubIOp::create(builder, loc, count, one));
          Value element = sort.load(index);
          Value isNew = arith::OrIOp::create(builder, loc, isFirst, sort.less(sort.load(previous), element));
          auto keep = scf::IfOp::create(builder, loc, builder.getIndexType(), isNew, /*withElseRegion=*/true);
          {
            OpBuilder::InsertionGuard guard(builder);
            builder.setInsertionPointToStart(&keep.getThenRegion().front());
            sort.store(element, count);
            scf::YieldOp::create(builder, loc, arith::AddIOp::create(builder, loc, count, one).getResult());
            builder.setInsertionPointToStart(&keep.getElseRegion().front());
            scf::YieldOp::create(builder, loc, count);
          }
          scf::YieldOp::create(builder, loc, keep.getResult(0));
        });
    Value count = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), compact.getResult(0));
    memref::StoreOp::create(builder, loc, count, body.getOut(1), zero);
  }

  LogicalResult legalizeSlice(PatternRewriter &rewriter, SliceOp slice) const;

  ProgramLibrary &library;
};
} // namespace

/// The first elements: the program has found that there are as many.
LogicalResult LegalizeUnique::legalizeSlice(PatternRewriter &rewriter, SliceOp slice) const {
  rewriter.setInsertionPoint(slice);
  ProgramRequest request;
  request.name = "front";
  request.inputs = {slice.getOperand()};
  request.results = {slice.getType()};
  auto write = [](ProgramBody &body) {
    OpFoldResult zero = body.builder.getIndexAttr(0), one = body.builder.getIndexAttr(1);
    return SmallVector<Value>{createSliceCopy(body, body.getInput(0), zero, one)};
  };
  request.body = write;
  return library.replaceWithCall(rewriter, slice, request);
}

void relax::populateSearchToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<LegalizeUnique>(patterns.getContext(), library);
}
