//===- ViewReshapes.cpp - Calls that only rename elements are views -------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/Prover.h"
#include "RelaxDialect/Dialect/TensorProgram/Transforms/RowMajor.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "relax-view-reshapes"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_VIEWRESHAPESPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

/// A shape value with the extents of the result; null when the call's operands do not know all symbols.
static Value createResultShape(OpBuilder &builder, graph::CallTPOp call) {
  Type result = call->getResult(0).getType();
  SmallVector<StringRef> needed;
  sym::collectSymbols(result, needed);
  SmallVector<Value> sources;
  for (Value operand : call->getOperands()) {
    SmallVector<StringRef> given;
    sym::collectSymbols(operand.getType(), given);
    auto isGiven = [&](StringRef symbol) { return llvm::is_contained(given, symbol); };
    if (llvm::none_of(needed, isGiven))
      continue;
    llvm::erase_if(needed, isGiven);
    sources.push_back(operand);
  }
  if (!needed.empty())
    return {};
  for (Value &source : sources)
    if (!isa<graph::ShapeType>(source.getType()))
      source = graph::ShapeOfOp::create(builder, call.getLoc(), source);
  auto type = graph::ShapeType::get(builder.getContext(), sym::getSymbolicDims(result));
  return graph::MakeShapeOp::create(builder, call.getLoc(), type, sources);
}

namespace {
struct ViewReshapesPass final : relax::impl::ViewReshapesPassBase<ViewReshapesPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<graph::CallTPOp> calls;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      function.walk([&](graph::CallTPOp call) { calls.push_back(call); });
    for (graph::CallTPOp call : calls)
      if (auto program = symbols.lookup<tp::ProgramOp>(call.getCallee()); program && isView(call, program))
        replace(call);
  }

private:
  bool isView(graph::CallTPOp call, tp::ProgramOp program) {
    if (!call.getDestinations().empty() || call->getNumResults() != 1 || call.getInputs().size() != 1)
      return false;
    auto [entry, isNew] = copies.try_emplace(program, false);
    if (isNew)
      entry->second = tp::isRowMajorCopy(program);
    Type from = call.getInputs()[0].getType(), to = call->getResult(0).getType();
    return entry->second && getElementTypeOrSelf(from) == getElementTypeOrSelf(to) &&
           tp::haveSameNumElements(call.getContext(), sym::getScope(call), sym::getSymbolicDims(from),
                                   sym::getSymbolicDims(to));
  }

  void replace(graph::CallTPOp call) {
    OpBuilder builder(call);
    Value shape = createResultShape(builder, call);
    if (!shape)
      return;
    remark::passed(call.getLoc(), remark::RemarkOpts::name("View").category(DEBUG_TYPE))
        << ("a call of @" + call.getCallee() + " is a view").str();
    auto view =
        graph::ReshapeOp::create(builder, call.getLoc(), call->getResult(0).getType(), call.getInputs()[0], shape);
    call->replaceAllUsesWith(view);
    call->erase();
  }

  DenseMap<Operation *, bool> copies; // of programs
};
} // namespace
