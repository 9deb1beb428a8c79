//===- ProgramPattern.h - One op, one program ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_PROGRAMPATTERN_H
#define RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_PROGRAMPATTERN_H

#include "RelaxDialect/Conversion/GraphToTensorProgram/ProgramLibrary.h"

namespace mlir::relax {

/// The tensor operands of an op, each once: the inputs of its program.
inline SmallVector<Value> getProgramInputs(Operation *op) {
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && !llvm::is_contained(inputs, operand))
      inputs.push_back(operand);
  return inputs;
}

/// Position of an operand among them.
inline unsigned getInputIndex(Operation *op, Value operand) {
  SmallVector<Value> inputs = getProgramInputs(op);
  return std::distance(inputs.begin(), llvm::find(inputs, operand));
}

/// Replaces an op with one result by a call of one program, whose body a function writes: in tensor form it gives the
/// result, in buffer form nothing. `adjust` says what else the program needs.
template <typename OpTy> struct ProgramPattern final : OpRewritePattern<OpTy> {
  using Write = Value (*)(OpTy, ProgramBody &);
  using Adjust = void (*)(OpTy, ProgramRequest &);

  ProgramPattern(MLIRContext *context, ProgramLibrary &library, Write write, Adjust adjust = nullptr)
      : OpRewritePattern<OpTy>(context), library(library), write(write), adjust(adjust) {}

  LogicalResult matchAndRewrite(OpTy op, PatternRewriter &rewriter) const override {
    if (!isPrepared(op))
      return rewriter.notifyMatchFailure(op, "an extent is unknown");
    ProgramRequest request;
    request.name = op->getName().stripDialect();
    request.results = {cast<RankedTensorType>(op->getResult(0).getType())};
    request.inputs = getProgramInputs(op);
    if (adjust)
      adjust(op, request);
    auto writeBody = [&](ProgramBody &body) {
      Value result = write(op, body);
      return result ? SmallVector<Value>{result} : SmallVector<Value>();
    };
    request.body = writeBody;
    return library.replaceWithCall(rewriter, op, request);
  }

private:
  ProgramLibrary &library;
  Write write;
  Adjust adjust;
};

} // namespace mlir::relax

#endif // RELAX_LIB_CONVERSION_GRAPHTOTENSORPROGRAM_PROGRAMPATTERN_H
