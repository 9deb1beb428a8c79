//===- InlineTensorPrograms.cpp - Bodies instead of calls -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphRegions.h"
#include "PlainValues.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/ProgramInliner.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_INLINETENSORPROGRAMSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

/// The input with the static dimensions that the program's argument has.
static Value emitInput(OpBuilder &builder, Location loc, Value input, Type argument) {
  Value plain = emitRetyped(builder, loc, emitPlain(builder, loc, input), cast<ShapedType>(argument).getElementType());
  auto type = cast<RankedTensorType>(plain.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, expected] : llvm::zip_equal(shape, cast<ShapedType>(argument).getShape()))
    if (ShapedType::isDynamic(extent))
      extent = expected;
  return emitResult(builder, loc, plain, type.clone(shape));
}

/// Inlines one call. Fails only when the call can never succeed.
static LogicalResult inlineCall(graph::CallTPOp call, tp::ProgramOp program) {
  sym::Prover prover(call.getContext(), sym::getScope(call));
  FailureOr<graph::CallUnification> unification =
      graph::unifyProgramCall(call, cast<sym::TensorProgramInterface>(program.getOperation()), prover);
  if (failed(unification))
    return failure();
  OpBuilder builder(call);
  Location loc = call.getLoc();
  SmallVector<Value> inputs;
  for (auto [input, argument] : llvm::zip_equal(call.getInputs(), program.getInputs()))
    inputs.push_back(emitInput(builder, loc, input, argument.getType()));
  SmallVector<Value> scalars = emitEntries(builder, loc, call.getShape());
  tp::ProgramInliner inliner(builder, loc, program, inputs, scalars);
  if (!unification->isProved() && !call->hasAttr(graph::kAssuredAttrName))
    inliner.emitShapeConditions(
        [&](Value condition, const Twine &message) { cf::AssertOp::create(builder, loc, condition, message.str()); });
  SmallVector<Value> results = inliner.inlineBody();
  for (auto [result, value] : llvm::zip_equal(call->getResults(), results))
    result.replaceAllUsesWith(emitResult(builder, loc, value, result.getType()));
  call.erase();
  return success();
}

static LogicalResult inlineCalls(func::FuncOp function, SymbolTableCollection &symbols) {
  dissolveGraphRegions(function);
  SmallVector<graph::ProgramCallOpInterface> calls;
  function.walk([&](graph::ProgramCallOpInterface call) { calls.push_back(call); });
  for (graph::ProgramCallOpInterface op : calls) {
    auto program = symbols.lookupNearestSymbolFrom<tp::ProgramOp>(op, op.getCalleeAttr());
    if (!program)
      continue; // library functions stay
    auto call = dyn_cast<graph::CallTPOp>(op.getOperation());
    if (!call || !call.getDestinations().empty())
      return op->emitOpError("writes a destination and cannot be inlined");
    if (failed(inlineCall(call, program)))
      return failure();
  }
  function.walk([](tp::AssertOp op) {
    OpBuilder builder(op);
    cf::AssertOp::create(builder, op.getLoc(), op.getCondition(), op.getMessageAttr());
    op.erase();
  });
  return success();
}

namespace {
struct InlineTensorProgramsPass final : relax::impl::InlineTensorProgramsPassBase<InlineTensorProgramsPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (failed(inlineCalls(function, symbols)))
        return signalPassFailure();
    for (tp::ProgramOp program : llvm::make_early_inc_range(getOperation().getOps<tp::ProgramOp>()))
      if (program.isPrivate() && SymbolTable::symbolKnownUseEmpty(program, getOperation()))
        program.erase();
  }
};
} // namespace
