//===- LegalizeElementwise.cpp - Elementwise ops to programs --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "LoopNests.h"
#include "RelaxDialect/Conversion/GraphToTensorProgram/GraphToTensorProgram.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

/// The value of all elements if the tensor is a splat constant, which the body then holds itself.
static TypedAttr getSplat(Value value) {
  if (auto full = value.getDefiningOp<FullOp>())
    return sym::getProgramAttr(full.getValue());
  DenseElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)) && dense.isSplat())
    return sym::getProgramAttr(dense.getSplatValue<TypedAttr>());
  return {};
}

namespace {
/// One operand of the op: a captured constant, or an input of the program.
struct Source {
  TypedAttr splat;
  unsigned input = 0;
  BroadcastAccess access;
  SmallVector<Value> extents; // of ambiguous dimensions
  unsigned element = 0;       // position among the generic's inputs, where nothing is ambiguous
};

/// Any elementwise op with numpy broadcasting.
struct LegalizeElementwise final : OpTraitRewritePattern<Broadcasting> {
  LegalizeElementwise(MLIRContext *context, ProgramLibrary &library)
      : OpTraitRewritePattern<Broadcasting>(context), library(library) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    ProgramRequest request;
    request.name = op->getName().stripDialect();
    request.results = {cast<RankedTensorType>(op->getResult(0).getType())};
    SmallVector<Source> sources;
    for (Value operand : op->getOperands()) {
      Source source;
      source.splat = getSplat(operand);
      if (!source.splat) {
        auto *known = llvm::find(request.inputs, operand);
        source.input = std::distance(request.inputs.begin(), known);
        if (known == request.inputs.end())
          request.inputs.push_back(operand);
      }
      sources.push_back(source);
    }
    auto write = [&](ProgramBody &body) { return SmallVector<Value>{writeBody(op, body, sources)}; };
    request.body = write;
    return library.replaceWithCall(rewriter, op, request);
  }

private:
  static Value writeBody(Operation *op, ProgramBody &body, MutableArrayRef<Source> sources) {
    SmallVector<SymExpr> target = body.getOutDims();
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (Source &source : sources) {
      if (source.splat)
        continue;
      Value input = body.getInput(source.input);
      source.access = getBroadcastAccess(body.prover, body.getInputDims(source.input), target);
      if (source.access.isAmbiguous()) {
        source.extents = readAmbiguousExtents(body, input, source.access);
        continue;
      }
      auto *known = llvm::find(inputs, input);
      source.element = std::distance(inputs.begin(), known);
      if (known != inputs.end())
        continue;
      inputs.push_back(input);
      maps.push_back(source.access.getMap(target.size(), op->getContext()));
    }
    return createParallel(
        body, inputs, maps, body.getOut(), [&](OpBuilder &builder, Location loc, ValueRange elements) {
          SmallVector<Value> operands;
          for (const Source &source : sources) {
            if (source.splat)
              operands.push_back(arith::ConstantOp::create(builder, loc, source.splat));
            else if (source.access.isAmbiguous())
              operands.push_back(readElement(builder, loc, body.getInput(source.input), source.access, source.extents));
            else
              operands.push_back(elements[source.element]);
          }
          return buildScalarBody(op, builder, loc, operands);
        });
  }

  ProgramLibrary &library;
};
} // namespace

void relax::populateElementwiseToTensorProgramPatterns(RewritePatternSet &patterns, ProgramLibrary &library) {
  patterns.add<LegalizeElementwise>(patterns.getContext(), library);
}
