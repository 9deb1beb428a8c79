//===- LegalizeAttention.cpp - Masks and caches of attention, as programs -===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "ProgramPattern.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// Position of the first query among the keys.
static SymExpr getOffset(AttentionMaskOp op) {
  ArrayRef<SymExpr> dims = getShapeDims(op.getShape());
  return dims.size() > 2 ? dims[2] : SymExpr::constant(op.getContext(), 0);
}

static Value writeMaskElement(AttentionMaskOp op, OpBuilder &builder, Location loc, Value offset, Value window) {
  Value query = arith::AddIOp::create(builder, loc, linalg::IndexOp::create(builder, loc, 0), offset);
  Value key = linalg::IndexOp::create(builder, loc, 1);
  Value result = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  if (op.getCausal())
    result = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, key, query);
  if (!window)
    return result;
  Value isNear = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       arith::SubIOp::create(builder, loc, query, key), window);
  return arith::AndIOp::create(builder, loc, result, isNear);
}

static Value writeAttentionMask(AttentionMaskOp op, ProgramBody &body) {
  Value first = body.getIndex(getOffset(op)), window;
  if (std::optional<int64_t> size = op.getWindow())
    window = body.getConstant(*size);
  return createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) {
    return writeMaskElement(op, builder, loc, first, window);
  });
}

/// Each element of the result is one of the update or of the cache.
static Value writeCacheUpdate(CacheUpdateOp op, ProgramBody &body) {
  auto axis = static_cast<int64_t>(op.getAxis());
  unsigned rank = body.getOutDims().size();
  unsigned updateNumber = getInputIndex(op, op.getUpdate()), placeNumber = getInputIndex(op, op.getPosition());
  Value cache = body.getInput(0), update = body.getInput(updateNumber), positions = body.getInput(placeNumber);
  Value capacity = body.getIndex(body.getOutDims()[axis]), count = body.getIndex(body.getInputDims(updateNumber)[axis]);
  bool perBatch = op.getPosition().getType().getRank() != 0;
  return createParallel(body, cache, body.builder.getMultiDimIdentityMap(rank), body.getOut(),
                        [&](OpBuilder &builder, Location loc, ValueRange x) {
                          SmallVector<Value> place;
                          for (unsigned dim = 0; dim != rank; ++dim)
                            place.push_back(linalg::IndexOp::create(builder, loc, dim));
                          Value first = tensor::ExtractOp::create(builder, loc, positions,
                                                                  perBatch ? ValueRange(place[0]) : ValueRange());
                          first = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), first);
                          Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
                          Value fits, entry;
                          if (op.getCircular()) {
                            fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, first, zero);
                            // Where an element is, the capacity is not 0.
                            first = arith::RemUIOp::create(builder, loc, first, capacity);
                            entry = arith::SubIOp::create(builder, loc, place[axis], first);
                            Value isBefore =
                                arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, entry, zero);
                            entry = arith::SelectOp::create(
                                builder, loc, isBefore, arith::AddIOp::create(builder, loc, entry, capacity), entry);
                          } else {
                            // A negative position is a large unsigned one.
                            Value last = arith::SubIOp::create(builder, loc, capacity, count);
                            fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, first, last);
                            entry = arith::SubIOp::create(builder, loc, place[axis], first);
                          }
                          tp::AssertOp::create(builder, loc, fits, "position in the cache is out of range");
                          Value isNew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, entry, count);
                          isNew = arith::AndIOp::create(builder, loc, isNew, fits);
                          place[axis] = entry;
                          auto read = scf::IfOp::create(
                              builder, loc, isNew,
                              [&](OpBuilder &b, Location l) {
                                scf::YieldOp::create(b, l, tensor::ExtractOp::create(b, l, update, place).getResult());
                              },
                              [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, x[0]); });
                          return read.getResult(0);
                        });
}

void relax::populateAttentionToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<ProgramPattern<AttentionMaskOp>>(
      patterns.getContext(), library, writeAttentionMask,
      [](AttentionMaskOp op, ProgramRequest &request) { request.exprs = {getOffset(op)}; });
  patterns.add<ProgramPattern<CacheUpdateOp>>(patterns.getContext(), library, writeCacheUpdate);
}
