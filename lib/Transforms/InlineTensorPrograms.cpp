//===- InlineTensorPrograms.cpp - Bodies instead of calls -----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphRegions.h"
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
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_INLINETENSORPROGRAMSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

/// The tensor without its extents. Static dimensions stay.
static Value emitPlain(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  RankedTensorType plain = sym::stripEncoding(type);
  return plain == type ? tensor : graph::EraseShapeOp::create(builder, loc, plain, tensor).getResult();
}

/// The index values of a shape's entries.
static SmallVector<Value> emitEntries(OpBuilder &builder, Location loc, Value shape) {
  SmallVector<Value> entries;
  if (!shape)
    return entries;
  Value tensor;
  for (auto [index, dim] : llvm::enumerate(sym::getSymbolicDims(shape.getType()))) {
    if (dim && dim.getConstant()) {
      entries.push_back(arith::ConstantIndexOp::create(builder, loc, *dim.getConstant()));
      continue;
    }
    if (dim) {
      entries.push_back(
          graph::EvalExprOp::create(builder, loc, builder.getIndexType(), shape, sym::ExprAttr::get(dim)));
      continue;
    }
    if (!tensor) {
      int64_t rank = sym::getSymbolicDims(shape.getType()).size();
      auto type = RankedTensorType::get({rank}, builder.getI64Type());
      tensor = graph::ShapeToTensorOp::create(builder, loc, type, shape);
    }
    Value position = arith::ConstantIndexOp::create(builder, loc, index);
    Value entry = tensor::ExtractOp::create(builder, loc, tensor, ValueRange(position));
    entries.push_back(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), entry));
  }
  return entries;
}

/// The result with the type of the call's result: static dimensions by a cast that cannot fail, extents by a check.
static Value emitResult(OpBuilder &builder, Location loc, Value value, Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType)
    return value;
  RankedTensorType plain = sym::stripEncoding(tensorType);
  if (value.getType() != plain)
    value = tensor::CastOp::create(builder, loc, plain, value);
  return plain == type ? value : graph::MatchCastOp::create(builder, loc, type, value, builder.getStrArrayAttr({}));
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
  auto inputs = llvm::map_to_vector(call.getInputs(), [&](Value input) { return emitPlain(builder, loc, input); });
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
