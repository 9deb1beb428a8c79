//===- LegalizeCreation.cpp - Making tensors, as programs -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {
struct LegalizeFull final : OpRewritePattern<FullOp> {
  LegalizeFull(MLIRContext *context, ProgramLibrary &library) : OpRewritePattern(context), library(library) {}

  LogicalResult matchAndRewrite(FullOp op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    ProgramRequest request;
    request.name = "full";
    request.results = {cast<RankedTensorType>(op->getResult(0).getType())};
    auto write = [&](ProgramBody &body) {
      Value value = arith::ConstantOp::create(body.builder, body.loc, op.getValue());
      return SmallVector<Value>{createFill(body, body.getOut(), value)};
    };
    request.body = write;
    return library.replaceWithCall(rewriter, op, request);
  }

  ProgramLibrary &library;
};
} // namespace

void relax::populateCreationToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<LegalizeFull>(patterns.getContext(), library);
}
