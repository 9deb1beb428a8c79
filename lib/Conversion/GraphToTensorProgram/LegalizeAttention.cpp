//===- LegalizeAttention.cpp - Masks of attention, as programs ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphAttentionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

namespace {
struct LegalizeAttentionMask final : OpRewritePattern<AttentionMaskOp> {
  LegalizeAttentionMask(MLIRContext *context, ProgramLibrary &library) : OpRewritePattern(context), library(library) {}

  LogicalResult matchAndRewrite(AttentionMaskOp op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    ArrayRef<SymExpr> dims = getShapeDims(op.getShape());
    SymExpr offset = dims.size() > 2 ? dims[2] : SymExpr::constant(op.getContext(), 0);
    ProgramRequest request;
    request.name = "attention_mask";
    request.results = {op.getType()};
    request.exprs = {offset};
    auto write = [&](ProgramBody &body) {
      Value first = body.getIndex(offset), window;
      if (std::optional<int64_t> size = op.getWindow())
        window = body.getConstant(*size);
      return SmallVector<Value>{
          createParallel(body, {}, {}, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange) {
            return writeElement(op, builder, loc, first, window);
          })};
    };
    request.body = write;
    return library.replaceWithCall(rewriter, op, request);
  }

private:
  static Value writeElement(AttentionMaskOp op, OpBuilder &builder, Location loc, Value offset, Value window) {
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

  ProgramLibrary &library;
};
} // namespace

void relax::populateAttentionToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<LegalizeAttentionMask>(patterns.getContext(), library);
}
