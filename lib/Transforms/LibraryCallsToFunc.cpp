//===- LibraryCallsToFunc.cpp - Library functions for other compilers -----===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "GraphRegions.h"
#include "MemoryUtils.h"
#include "PlainValues.h"
#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Graph/Transforms/Symbols.h"
#include "RelaxDialect/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::relax;

namespace mlir::relax {
#define GEN_PASS_DEF_LIBRARYCALLSTOFUNCPASS
#include "RelaxDialect/Transforms/Passes.h.inc"
} // namespace mlir::relax

static Type getDynamicTensor(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic), tensor.getElementType());
}

static MemRefType getDynamicMemory(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(SmallVector<int64_t>(tensor.getRank(), ShapedType::kDynamic), tensor.getElementType());
}

/// The type of the declaration: inputs, memory of the outs, scratch memory, scalars; the error code.
static FunctionType getPlainType(ext::ExternFuncOp library) {
  Builder builder(library.getContext());
  SmallVector<Type> arguments;
  ArrayRef<Type> types = library.getProgramArgumentTypes();
  unsigned numInputs = library.getNumInputs(), numOuts = library.getNumOuts();
  for (Type type : types.take_front(numInputs))
    arguments.push_back(getDynamicTensor(type));
  for (Type type : types.slice(numInputs, numOuts))
    arguments.push_back(getDynamicMemory(type));
  if (library.getWorkspaceBytesAttr())
    arguments.push_back(MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()));
  arguments.append(library.getNumScalars(), builder.getIndexType());
  return builder.getFunctionType(arguments, builder.getI32Type());
}

/// A library reads dense row-major tensors, and only reads them; without these attributes bufferization would assume
/// neither.
static void setInputAttrs(func::FuncOp declaration, unsigned numInputs) {
  Builder builder(declaration.getContext());
  for (unsigned input = 0; input != numInputs; ++input) {
    unsigned rank = cast<RankedTensorType>(declaration.getArgumentTypes()[input]).getRank();
    declaration.setArgAttr(input, bufferization::BufferizationDialect::kBufferAccessAttrName,
                           builder.getStringAttr("read"));
    declaration.setArgAttr(input, bufferization::BufferizationDialect::kBufferLayoutAttrName,
                           AffineMapAttr::get(builder.getMultiDimIdentityMap(rank)));
  }
}

namespace {
/// One call.
class CallLowering {
public:
  CallLowering(graph::CallDPSOp call, ext::ExternFuncOp library)
      : call(call), library(library), builder(call), loc(call.getLoc()) {}

  LogicalResult run() {
    auto program = cast<sym::TensorProgramInterface>(library.getOperation());
    auto op = cast<graph::ProgramCallOpInterface>(call.getOperation());
    sym::Prover prover(call.getContext(), collectFacts());
    FailureOr<graph::CallUnification> unification = graph::unifyProgramCall(op, program, prover);
    if (failed(unification) || failed(emitChecks(*unification)))
      return failure();

    SmallVector<Value> operands;
    for (Value input : call.getInputs())
      operands.push_back(castTo(emitPlain(builder, loc, input), getDynamicTensor(input.getType())));
    SmallVector<Value> outs;
    for (unsigned index = 0; index != library.getNumOuts(); ++index) {
      FailureOr<Type> type = getDestinationType(op, program, *unification, index);
      if (failed(type))
        return failure();
      FailureOr<SmallVector<Value>> sizes = emitSizes(*type);
      if (failed(sizes))
        return failure();
      outs.push_back(emitAlloc(getDynamicMemory(*type), *sizes));
    }
    operands.append(outs);
    if (sym::ExprAttr bytes = library.getWorkspaceBytesAttr()) {
      sym::SymExpr size = graph::applyMapping(bytes.getValue(), unification->mapping);
      if (!size)
        return call.emitOpError("needs scratch memory of ")
               << bytes.getValue().str() << " bytes of @" << library.getSymName() << ", which only run time knows";
      FailureOr<SmallVector<Value>> sizes = emitSizes(graph::ShapeType::get(call.getContext(), size));
      if (failed(sizes))
        return failure();
      operands.push_back(emitAlloc(MemRefType::get({ShapedType::kDynamic}, builder.getI8Type()), *sizes));
    }
    operands.append(emitEntries(builder, loc, call.getShape()));

    Type code = builder.getI32Type();
    Value status = func::CallOp::create(builder, loc, library.getSymbol(), code, operands).getResult(0);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(code));
    Value ok = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, status, zero);
    cf::AssertOp::create(builder, loc, ok, ("library function '" + library.getSymbol() + "' failed").str());
    for (auto [result, memory] : llvm::zip_equal(call.getResults(), outs)) {
      Value tensor = bufferization::ToTensorOp::create(builder, loc, getDynamicTensor(result.getType()), memory,
                                                       /*restrict=*/true, /*writable=*/true);
      result.replaceAllUsesWith(emitResult(builder, loc, tensor, result.getType()));
    }
    call.erase();
    return success();
  }

private:
  /// Of the function, and of the assertions that the call comes after.
  SmallVector<sym::Fact> collectFacts() {
    SmallVector<sym::Fact> facts;
    if (sym::ScopeAttr scope = sym::getScope(call))
      llvm::append_range(facts, scope.getFacts());
    for (Operation *op = call; op && !isa<func::FuncOp>(op); op = op->getParentOp())
      for (Operation *earlier = op->getPrevNode(); earlier; earlier = earlier->getPrevNode())
        if (auto assertion = dyn_cast<graph::AssertShapeOp>(earlier))
          if (FailureOr<sym::Fact> fact = assertion.getParsedFact(); succeeded(fact))
            facts.push_back(*fact);
    return facts;
  }

  /// What is not proved is asserted.
  LogicalResult emitChecks(const graph::CallUnification &unification) {
    if (call->hasAttr(graph::kAssuredAttrName))
      return success();
    if (unification.hasUnknownFacts)
      return call.emitOpError("cannot check a fact of @")
             << call.getCallee() << " about an extent that only run time knows";
    std::string message = "relax.call_dps @" + call.getCallee().str();
    for (const graph::CallExtent &extent : unification.checks) {
      if (!extent.expected || !extent.actual)
        return call.emitOpError("cannot check dimension ")
               << extent.dim << " of argument " << extent.index << ", which only run time knows";
      sym::Fact fact{extent.actual, sym::Fact::Op::Equal, extent.expected};
      graph::createShapeAssertion(builder, loc, fact, call->getOperands(), message);
    }
    for (const sym::Fact &fact : unification.facts)
      graph::createShapeAssertion(builder, loc, fact, call->getOperands(), message);
    return success();
  }

  Value castTo(Value tensor, Type type) {
    return tensor.getType() == type ? tensor : tensor::CastOp::create(builder, loc, type, tensor).getResult();
  }

  /// The extents of a tensor or shape with known extents.
  FailureOr<SmallVector<Value>> emitSizes(Type type) {
    SmallVector<sym::SymExpr> dims = sym::getSymbolicDims(type);
    if (dims.empty())
      return SmallVector<Value>();
    FailureOr<SmallVector<Value>> shapes =
        getShapesFor(builder, cast<graph::ProgramCallOpInterface>(call.getOperation()), type);
    if (failed(shapes))
      return failure();
    auto shape = graph::ShapeType::get(call.getContext(), dims);
    return emitEntries(builder, loc, graph::MakeShapeOp::create(builder, loc, shape, *shapes));
  }

  /// Aligned as the runtime aligns what it hands to library functions.
  Value emitAlloc(MemRefType type, ValueRange sizes) {
    return memref::AllocOp::create(builder, loc, type, sizes, builder.getI64IntegerAttr(64));
  }

  graph::CallDPSOp call;
  ext::ExternFuncOp library;
  OpBuilder builder;
  Location loc;
};

/// The declarations to make, by name.
class Declarations {
public:
  /// Fails when the symbol means something else already.
  LogicalResult add(ext::ExternFuncOp library, const SymbolTable &symbols) {
    Operation *other = symbols.lookup(library.getSymbol());
    if (other && !isa<ext::ExternFuncOp>(other)) {
      InFlightDiagnostic diagnostic = library.emitOpError("cannot be declared: its symbol '")
                                      << library.getSymbol() << "' is the name of something else";
      diagnostic.attachNote(other->getLoc()) << "here";
      return diagnostic;
    }
    auto [place, isNew] = byName.try_emplace(library.getSymbolAttr(), library);
    FunctionType type = getPlainType(library), first = getPlainType(place->second);
    if (type == first)
      return success();
    InFlightDiagnostic diagnostic = library.emitOpError("cannot be declared: its symbol '")
                                    << library.getSymbol() << "' has type " << type << " here and " << first;
    diagnostic.attachNote(place->second.getLoc()) << "here";
    return diagnostic;
  }

  void emit(ext::ExternFuncOp library) {
    const auto *place = byName.find(library.getSymbolAttr());
    if (place == byName.end() || place->second != library)
      return;
    OpBuilder builder(library);
    auto declaration = func::FuncOp::create(builder, library.getLoc(), library.getSymbol(), getPlainType(library));
    declaration.setPrivate();
    // C code gets pointers to descriptors instead of their fields one by one.
    declaration->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
    setInputAttrs(declaration, library.getNumInputs());
  }

private:
  llvm::MapVector<StringAttr, ext::ExternFuncOp> byName;
};

struct LibraryCallsToFuncPass final : relax::impl::LibraryCallsToFuncPassBase<LibraryCallsToFuncPass> {
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    SymbolTable symbols(getOperation());
    Declarations declarations;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      dissolveGraphRegions(function);
      // Who links the library has it.
      function.walk([](ext::AvailableOp op) {
        op.replaceAllUsesWith(op.getWanted());
        op.erase();
      });
      SmallVector<graph::ProgramCallOpInterface> calls;
      function.walk([&](graph::ProgramCallOpInterface op) { calls.push_back(op); });
      for (graph::ProgramCallOpInterface op : calls) {
        auto library = symbols.lookup<ext::ExternFuncOp>(op.getCalleeAttr().getAttr());
        if (!library)
          continue; // a tensor program
        if (!op.getDestinations().empty())
          return op->emitOpError("has destinations already, expected a value");
        if (failed(declarations.add(library, symbols)) ||
            failed(CallLowering(cast<graph::CallDPSOp>(op.getOperation()), library).run()))
          return failure();
      }
    }
    for (auto library : llvm::make_early_inc_range(getOperation().getOps<ext::ExternFuncOp>())) {
      declarations.emit(library);
      library.erase();
    }
    return success();
  }
};
} // namespace
