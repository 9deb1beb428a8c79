//===- MakeDestinations.cpp - Explicit destinations of calls --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "CarriedCopies.h"
#include "MemoryUtils.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "TensorAliases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::relax {
#define GEN_PASS_DEF_MAKEDESTINATIONSPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;

namespace {

/// One destination of each call.
class DestinationMaker {
public:
  explicit DestinationMaker(SymbolTable &symbols) : symbols(symbols) {}

  LogicalResult make(ProgramCallOpInterface call) {
    auto callee = symbols.lookup<sym::TensorProgramInterface>(call.getCalleeAttr().getValue());
    FailureOr<CallUnification> unification = unifyProgramCall(call, callee, sym::getScope(call));
    if (failed(unification))
      return failure();

    OpBuilder builder(call);
    SmallVector<Value> destinations;
    for (unsigned index = 0, e = callee.getNumOuts() + callee.getNumWorkspaces(); index < e; ++index) {
      FailureOr<Type> type = getDestinationType(call, callee, *unification, index);
      if (failed(type))
        return failure();
      FailureOr<SmallVector<Value>> shapes = getShapesFor(builder, call, *type);
      if (failed(shapes))
        return failure();
      destinations.push_back(AllocOp::create(builder, call.getLoc(), *type, *shapes));
    }
    addDestinations(builder, call, destinations);
    return success();
  }

private:
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

/// The symbols of `type` are known where `alloc` is: its own and those of the arguments.
bool isKnownAt(AllocOp alloc, Type type, func::FuncOp function) {
  SmallVector<StringRef> needed, known;
  sym::collectSymbols(type, needed);
  sym::collectSymbols(alloc.getType(), known);
  for (Type argument : function.getArgumentTypes())
    sym::collectSymbols(argument, known);
  return !llvm::is_contained(sym::getSymbolicDims(type), sym::SymExpr()) &&
         llvm::all_of(needed, [&](StringRef symbol) { return llvm::is_contained(known, symbol); });
}

/// The alloc whose memory `value` is as a whole. Names for a tensor (match_cast, refine, erase_shape) keep its extents:
/// what they claim is checked. Views have other extents, which must be known when the memory is made. A call that
/// writes in place may give only a part of its operand's memory.
AllocOp findAlloc(Value value, func::FuncOp function) {
  Value root = value;
  bool isView = false;
  while (true) {
    root = getAliasRoot(root, Through::SameShape);
    auto view = root.getDefiningOp<ReshapeOp>();
    if (!view)
      break;
    isView = true;
    root = view.getOperand();
  }
  auto alloc = root.getDefiningOp<AllocOp>();
  return alloc && (!isView || isKnownAt(alloc, value.getType(), function)) ? alloc : AllocOp();
}

/// A tensor that the function returns once, made by a call of its outermost block, is written straight into the output.
void markOutputs(func::FuncOp function) {
  auto terminator = dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  if (!terminator || !llvm::hasSingleElement(function.getBody()))
    return;
  for (auto [index, value] : llvm::enumerate(terminator.getOperands())) {
    AllocOp alloc = findAlloc(value, function);
    if (alloc && alloc->getBlock() == &function.getBody().front() && !alloc->hasAttr(kOutputAttrName))
      alloc->setAttr(kOutputAttrName, OpBuilder(alloc).getI64IntegerAttr(index));
  }
}

struct MakeDestinationsPass final : relax::impl::MakeDestinationsPassBase<MakeDestinationsPass> {
  using Base::Base;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DestinationMaker maker(symbols);
    CarriedCopies copies(symbols);
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      copies.insert(function);
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
