//===- MakeDestinations.cpp - Explicit destinations of calls --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "MemoryUtils.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relax {
#define GEN_PASS_DEF_MAKEDESTINATIONSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {

/// Shapes whose symbols include those of `type`, taken from the operands of `call`.
FailureOr<SmallVector<Value>> getShapesFor(OpBuilder &builder, ProgramCallOpInterface call, Type type) {
  SmallVector<StringRef> needed;
  sym::collectSymbols(type, needed);
  SmallVector<Value> shapes;
  auto offer = [&](Value value) {
    SmallVector<StringRef> given;
    sym::collectSymbols(value.getType(), given);
    if (llvm::none_of(given, [&](StringRef symbol) { return llvm::is_contained(needed, symbol); }))
      return;
    llvm::erase_if(needed, [&](StringRef symbol) { return llvm::is_contained(given, symbol); });
    shapes.push_back(isa<ShapeType>(value.getType()) ? value : createShapeOf(builder, call.getLoc(), value));
  };
  for (Value input : call.getProgramInputs())
    offer(input);
  if (Value shape = call.getShapeOperand())
    offer(shape);
  if (!needed.empty())
    return call->emitOpError("needs a destination of type ")
           << type << ", but no operand knows symbol '" << needed.front() << "'";
  return shapes;
}

/// One destination of each call.
class DestinationMaker {
public:
  explicit DestinationMaker(SymbolTable &symbols) : symbols(symbols) {}

  LogicalResult make(ProgramCallOpInterface call) {
    auto callee = symbols.lookup<sym::TensorProgramInterface>(call.getCalleeAttr().getValue());
    sym::ScopeAttr scope = sym::getScope(call);
    sym::Prover prover(call.getContext(), scope);
    FailureOr<CallUnification> unification = unifyProgramCall(call, callee, prover);
    if (failed(unification))
      return failure();

    OpBuilder builder(call);
    SmallVector<Value> destinations;
    unsigned first = callee.getNumInputs();
    for (unsigned index = 0, e = callee.getNumOuts() + callee.getNumWorkspaces(); index < e; ++index) {
      Type type = applyMapping(getProgramTensorType(callee, first + index), unification->mapping);
      // A result type that knows more stems from facts that were proved.
      if (index < callee.getNumOuts() && !isKnown(type))
        type = call->getResult(index).getType();
      if (!isKnown(type))
        return call->emitOpError("needs known extents for destination ") << index << ", got " << type;
      FailureOr<SmallVector<Value>> shapes = getShapesFor(builder, call, type);
      if (failed(shapes))
        return failure();
      destinations.push_back(AllocOp::create(builder, call.getLoc(), type, *shapes));
    }
    addDestinations(builder, call, destinations);
    return success();
  }

private:
  static bool isKnown(Type type) { return !llvm::is_contained(sym::getSymbolicDims(type), sym::SymExpr()); }

  /// The same call with destinations. A call in place becomes one that is not: whether memory is shared is for
  /// relax-plan-memory to decide.
  void addDestinations(OpBuilder &builder, ProgramCallOpInterface call, ValueRange destinations) {
    Operation *replacement;
    if (isa<CallDPSOp>(call))
      replacement = CallDPSOp::create(builder, call.getLoc(), call->getResultTypes(), call.getCalleeAttr(),
                                      call.getProgramInputs(), call.getShapeOperand(), destinations);
    else
      replacement = CallTPOp::create(builder, call.getLoc(), call->getResultTypes(), call.getCalleeAttr(),
                                     call.getProgramInputs(), call.getShapeOperand(), destinations);
    replacement->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    call->replaceAllUsesWith(replacement->getResults());
    call->erase();
  }

  SymbolTable &symbols;
};

/// A tensor that the function returns once, made by a call of its outermost block, is written straight into the output.
void markOutputs(func::FuncOp function) {
  auto terminator = dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  if (!terminator || !llvm::hasSingleElement(function.getBody()))
    return;
  for (auto [index, value] : llvm::enumerate(terminator.getOperands())) {
    auto alloc = getMemoryRoot(value).getDefiningOp<AllocOp>();
    if (!alloc || alloc->getBlock() != &function.getBody().front() || alloc->hasAttr(kOutputAttrName))
      continue;
    // The output takes the extents of the memory, so they must be those that are returned.
    if (sym::getSymbolicDims(alloc.getType()) == sym::getSymbolicDims(value.getType()))
      alloc->setAttr(kOutputAttrName, OpBuilder(alloc).getI64IntegerAttr(index));
  }
}

struct MakeDestinationsPass final : relax::impl::MakeDestinationsPassBase<MakeDestinationsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DestinationMaker maker(symbols);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<ProgramCallOpInterface> calls;
      function.walk([&](ProgramCallOpInterface call) {
        if (call.getDestinations().empty())
          calls.push_back(call);
      });
      for (ProgramCallOpInterface call : calls)
        if (failed(maker.make(call)))
          return signalPassFailure();
      if (!function.isExternal())
        markOutputs(function);
    }
  }
};

} // namespace
