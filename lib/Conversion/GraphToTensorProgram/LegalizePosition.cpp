//===- LegalizePosition.cpp - Positions as values, as programs ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphPositionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {
struct LegalizeIota final : OpRewritePattern<IotaOp> {
  LegalizeIota(MLIRContext *context, ProgramLibrary &library) : OpRewritePattern(context), library(library) {}

  LogicalResult matchAndRewrite(IotaOp op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    ProgramRequest request;
    request.name = "iota";
    request.results = {cast<RankedTensorType>(op->getResult(0).getType())};
    auto write = [&](ProgramBody &body) {
      auto element = [&](OpBuilder &builder, Location loc, ValueRange) -> Value {
        Value index = linalg::IndexOp::create(builder, loc, op.getAxis());
        return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
      };
      return SmallVector<Value>{createParallel(body, {}, {}, body.getOut(), element)};
    };
    request.body = write;
    return library.replaceWithCall(rewriter, op, request);
  }

  ProgramLibrary &library;
};
} // namespace

void relax::populatePositionToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<LegalizeIota>(patterns.getContext(), library);
}
