//===- LegalizeScans.cpp - Walks along an axis, as programs ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "BufferLoops.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

template <typename OpTy> static void useBuffers(OpTy, ProgramRequest &request) { request.bufferForm = true; }

/// cumsum and cumprod.
template <typename OpTy> static Value writeScan(OpTy op, ProgramBody &body) {
  constexpr bool isSum = std::is_same_v<OpTy, CumsumOp>;
  OpBuilder &builder = body.builder;
  Location loc = body.loc;
  int64_t axis = op.getAxis();
  SmallVector<SymExpr> dims = body.getOutDims();
  Type type = cast<RankedTensorType>(op.getType()).getElementType();
  Type sumType = isSum && type.isF32() ? builder.getF64Type() : getAccumulatorType(type);
  Value extent = body.getIndex(dims[axis]), one = body.getConstant(1);
  Value initial = createScalar(builder, loc, sumType, isSum ? 0 : 1);
  auto combine = [&](Value sum, Value element) -> Value {
    if (isa<FloatType>(type)) {
      element = convertFloat(builder, loc, element, sumType);
      return isSum ? arith::AddFOp::create(builder, loc, sum, element).getResult()
                   : arith::MulFOp::create(builder, loc, sum, element).getResult();
    }
    return isSum ? arith::AddIOp::create(builder, loc, sum, element).getResult()
                 : arith::MulIOp::create(builder, loc, sum, element).getResult();
  };
  createLoopsAround(body, dims, axis, [&](ArrayRef<Value> around) {
    createLoops(body, extent, initial, [&](ArrayRef<Value> step, ValueRange sum) {
      SmallVector<Value> position(around);
      position[axis] = step[0];
      if (op.getReverse())
        position[axis] = arith::SubIOp::create(builder, loc, extent, arith::AddIOp::create(builder, loc, step[0], one));
      Value next = combine(sum[0], memref::LoadOp::create(builder, loc, body.getInput(0), position));
      Value result = op.getExclusive() ? sum[0] : next;
      if (isa<FloatType>(type))
        result = convertFloat(builder, loc, result, type);
      memref::StoreOp::create(builder, loc, result, body.getOut(), position);
      return SmallVector<Value>{next};
    });
  });
  return {};
}

/// argmax and argmin.
template <typename OpTy> static Value writeArgReduction(OpTy op, ProgramBody &body) {
  constexpr bool isMax = std::is_same_v<OpTy, ArgmaxOp>;
  OpBuilder &builder = body.builder;
  Location loc = body.loc;
  int64_t axis = op.getAxis();
  SmallVector<SymExpr> dims = body.getInputDims(0);
  Value extent = body.getIndex(dims[axis]), zero = body.getConstant(0);
  // NaN beats every number.
  auto beats = [&](Value a, Value b) -> Value {
    Type type = op.getOperand().getType().getElementType();
    if (!isa<FloatType>(type))
      return isMax ? createLess(builder, loc, type, b, a) : createLess(builder, loc, type, a, b);
    Value better =
        arith::CmpFOp::create(builder, loc, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, a, b);
    Value onlyA =
        arith::AndIOp::create(builder, loc, arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, a),
                              arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, b, b));
    return arith::OrIOp::create(builder, loc, better, onlyA);
  };
  createLoopsAround(body, dims, axis, [&](ArrayRef<Value> around) {
    auto load = [&](Value index) -> Value {
      SmallVector<Value> position(around);
      position[axis] = index;
      return memref::LoadOp::create(builder, loc, body.getInput(0), position);
    };
    // The extent is 1 or more, which was checked.
    SmallVector<Value> best = createLoops(body, extent, {load(zero), zero}, [&](ArrayRef<Value> step, ValueRange best) {
      Value element = load(step[0]), yes = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
      Value moves = op.getSelectLastIndex()
                        ? arith::XOrIOp::create(builder, loc, beats(best[0], element), yes).getResult()
                        : beats(element, best[0]);
      return SmallVector<Value>{arith::SelectOp::create(builder, loc, moves, element, best[0]),
                                arith::SelectOp::create(builder, loc, moves, step[0], best[1])};
    });
    SmallVector<Value> place(around);
    if (op.getKeepdims())
      place[axis] = zero;
    else
      place.erase(place.begin() + axis);
    Value index = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), best[1]);
    memref::StoreOp::create(builder, loc, index, body.getOut(), place);
  });
  return {};
}

void relax::populateScansToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ProgramPattern<CumsumOp>>(context, library, writeScan<CumsumOp>, useBuffers<CumsumOp>);
  patterns.add<ProgramPattern<CumprodOp>>(context, library, writeScan<CumprodOp>, useBuffers<CumprodOp>);
  patterns.add<ProgramPattern<ArgmaxOp>>(context, library, writeArgReduction<ArgmaxOp>, useBuffers<ArgmaxOp>);
  patterns.add<ProgramPattern<ArgminOp>>(context, library, writeArgReduction<ArgminOp>, useBuffers<ArgminOp>);
}
