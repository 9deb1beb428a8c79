//===- CallOps.cpp - Meaning of calls -------------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// A callee runs in a frame of its own: its symbols get their values from the
// extents of the arguments, as at the entry of a run.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Dialect/Extern/IR/Extern.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Dialect/TensorProgram/IR/TensorProgram.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using namespace mlir::relax::interp;
using sym::SymExpr;

static LogicalResult checkDepth(Frame &frame) {
  unsigned limit = frame.interpreter.getOptions().maxDepth;
  return frame.depth < limit ? success() : frame.fail("calls are nested more than " + Twine(limit) + " deep");
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static LogicalResult callFunction(Frame &frame, Operation *op, StringRef name, ValueRange operands,
                                  DictionaryAttr mapping) {
  auto function = dyn_cast_or_null<func::FuncOp>(frame.interpreter.lookup(name));
  if (!function || function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return frame.fail("'" + name + "' is not a function with a body of one block");
  if (failed(checkDepth(frame)))
    return failure();
  SmallVector<RuntimeValue> inputs;
  for (Value operand : operands)
    inputs.push_back(frame.get(operand));
  Frame inner(frame.interpreter, frame.error, frame.depth + 1);
  auto getName = [&](unsigned index, bool isShape) {
    return ("call of '" + name + "': argument " + Twine(index) + ": " + (isShape ? "entry" : "dimension")).str();
  };
  if (failed(inner.enter(function, inputs, getName)))
    return failure();
  // What the call says about the callee's symbols is true.
  for (NamedAttribute entry : mapping ? mapping.getValue() : ArrayRef<NamedAttribute>()) {
    SymExpr expr = cast<sym::ExprAttr>(entry.getValue()).getValue();
    std::optional<int64_t> claimed = frame.evaluate(expr);
    std::optional<int64_t> actual = inner.evaluate(SymExpr::symbol(op->getContext(), entry.getName()));
    if (actual && claimed != actual)
      return frame.fail("maps " + entry.getName().getValue() + " to " + expr.str() + " = " +
                        (claimed ? Twine(*claimed) : Twine("?")) + ", actual " + Twine(*actual));
  }
  Block &body = function.getBody().front();
  if (failed(inner.runBody(body)))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
    frame.set(result, inner.get(value));
  return success();
}

static LogicalResult interpretCall(Frame &frame, CallOp op) {
  return callFunction(frame, op, op.getCallee(), op.getInputs(), op.getMappingAttr());
}

static LogicalResult interpretFuncCall(Frame &frame, func::CallOp op) {
  return callFunction(frame, op, op.getCallee(), op.getOperands(), {});
}

//===----------------------------------------------------------------------===//
// Tensor programs
//===----------------------------------------------------------------------===//

namespace {
/// One call of a tensor program.
class ProgramRun {
public:
  ProgramRun(Frame &caller, ProgramCallOpInterface call, tp::ProgramOp program)
      : caller(caller), call(call), program(program), frame(caller.interpreter, caller.error, caller.depth + 1),
        numInputs(program.getNumInputs()), numOuts(program.getNumOuts()) {}

  LogicalResult run() {
    if (failed(checkDepth(caller)) || failed(bindArguments()) || failed(makeDestinations()) ||
        failed(frame.runBody(program.getBody().front())))
      return failure();
    return storeResults();
  }

private:
  LogicalResult bindArguments();
  LogicalResult makeDestinations();
  LogicalResult storeResults();
  /// A tensor as the program sees it.
  RuntimeValue makeArgument(BlockArgument argument, std::shared_ptr<const Tensor> tensor);
  std::string where(const Twine &part) { return ("call of '" + program.getName() + "': " + part).str(); }

  Frame &caller;
  ProgramCallOpInterface call;
  tp::ProgramOp program;
  Frame frame;
  unsigned numInputs, numOuts;
};
} // namespace

/// Programs do not tell signed from unsigned integers.
static std::shared_ptr<const Tensor> retype(std::shared_ptr<const Tensor> tensor, Type type) {
  Type element = cast<ShapedType>(type).getElementType();
  if (tensor->getElementType() == element)
    return tensor;
  return std::make_shared<const Tensor>(tensor->reinterpreted(element));
}

RuntimeValue ProgramRun::makeArgument(BlockArgument argument, std::shared_ptr<const Tensor> tensor) {
  tensor = retype(tensor, argument.getType());
  if (!program.isBufferForm())
    return tensor;
  return makeBuffer(*tensor);
}

LogicalResult ProgramRun::bindArguments() {
  SmallVector<SymExpr> exprs;
  SmallVector<int64_t> extents;
  SmallVector<std::shared_ptr<const Tensor>> inputs;
  for (auto [index, operand] : llvm::enumerate(call.getProgramInputs())) {
    inputs.push_back(caller.tensorPointer(operand));
    llvm::append_range(exprs, program.getArgumentDims(index));
    llvm::append_range(extents, inputs.back()->getDims());
  }
  Shape scalars;
  SmallVector<SymExpr> scalarExprs;
  if (Value shape = call.getShapeOperand()) {
    scalars = caller.shape(shape);
    for (unsigned i = 0; i != scalars.size(); ++i)
      scalarExprs.push_back(program.getProgramScalar(i));
    llvm::append_range(exprs, scalarExprs);
    llvm::append_range(extents, scalars);
  }
  if (failed(frame.bindExtents(exprs, extents)))
    return failure();
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (failed(frame.checkExtents(program.getArgumentDims(index), input->getDims(),
                                  where("argument " + Twine(index) + ": dimension"))))
      return failure();
    frame.set(program.getInputs()[index], makeArgument(program.getInputs()[index], input));
  }
  if (failed(frame.checkExtents(scalarExprs, scalars, where("scalar"))))
    return failure();
  for (auto [argument, value] : llvm::zip_equal(program.getScalars(), scalars))
    frame.setIndex(argument, value);
  return frame.checkFacts(program.getProgramScope());
}

/// An output that begins with the elements of an argument (relax-grow-in-place).
static bool isExtended(Value destination) {
  Operation *maker = destination.getDefiningOp();
  if (auto at = dyn_cast_or_null<TensorAtOp>(maker))
    maker = at.getStorage().getDefiningOp();
  return maker && maker->hasAttr("relax.extends");
}

/// Outs and workspaces hold nothing that may be read, except that an operand which is overwritten is still there.
LogicalResult ProgramRun::makeDestinations() {
  for (unsigned index = numInputs, end = numInputs + numOuts + program.getNumWorkspaces(); index != end; ++index) {
    BlockArgument argument = program.getBody().getArgument(index);
    SmallVector<int64_t> dims;
    OpOperand *tied = index < numInputs + numOuts ? call.getTiedOperand(index - numInputs) : nullptr;
    if (tied) {
      llvm::append_range(dims, caller.tensor(tied->get()).getDims());
      if (failed(frame.checkExtents(program.getArgumentDims(index), dims,
                                    where("destination " + Twine(index - numInputs) + ": dimension"))))
        return failure();
    } else {
      for (SymExpr expr : program.getArgumentDims(index)) {
        std::optional<int64_t> value = frame.evaluate(expr);
        if (!value)
          return caller.fail(where("an extent of argument " + Twine(index) + " is not known"));
        dims.push_back(*value);
      }
    }
    if (tied && isExtended(tied->get())) {
      frame.set(argument, makeArgument(argument, caller.tensorPointer(tied->get())));
      continue;
    }
    FailureOr<Tensor> garbage = caller.makeGarbage(cast<ShapedType>(argument.getType()).getElementType(), dims);
    if (failed(garbage))
      return failure();
    frame.set(argument, makeArgument(argument, std::make_shared<const Tensor>(std::move(*garbage))));
  }
  return success();
}

LogicalResult ProgramRun::storeResults() {
  bool isBufferForm = program.isBufferForm();
  ValueRange yielded = program.getYield().getResults();
  for (unsigned index = 0; index != numOuts; ++index) {
    std::shared_ptr<const Tensor> tensor;
    if (isBufferForm) {
      tensor = std::make_shared<const Tensor>(readBuffer(frame.buffer(program.getOuts()[index])));
    } else {
      tensor = frame.tensorPointer(yielded[index]);
    }
    Value result = call->getResult(index);
    OpOperand *tied = call.getTiedOperand(index);
    RuntimeValue target = tied ? caller.get(tied->get()) : RuntimeValue();
    if (auto *placed = std::get_if<PlacedTensor>(&target)) {
      writeBytes(*tensor, placed->storage->bytes.data() + placed->offset);
      caller.set(result, *placed);
    } else {
      caller.set(result, retype(tensor, result.getType()));
    }
  }
  for (unsigned index = numOuts; index != call->getNumResults(); ++index)
    caller.set(call->getResult(index), frame.get(yielded[isBufferForm ? index - numOuts : index]));
  return success();
}

template <typename OpTy> static LogicalResult interpretProgramCall(Frame &frame, OpTy op) {
  auto call = cast<ProgramCallOpInterface>(op.getOperation());
  StringRef name = call.getCalleeAttr().getValue();
  auto program = dyn_cast_or_null<tp::ProgramOp>(frame.interpreter.lookup(name));
  if (!program)
    return frame.fail("'" + name + "' is not a tensor program: library functions cannot be interpreted");
  return ProgramRun(frame, call, program).run();
}

/// No library is: what computes the same without one says what is meant.
static LogicalResult interpretAvailable(Frame &frame, ext::AvailableOp op) {
  frame.setIndex(op.getResult(), 0);
  return success();
}

static LogicalResult interpretAssert(Frame &frame, tp::AssertOp op) {
  return frame.scalar(op.getCondition()).i ? success() : frame.fail(op.getMessage());
}

/// How a program's body on tensors without sign stands between graph ops.
static FailureOr<Tensor> interpretConversion(Frame &frame, UnrealizedConversionCastOp op) {
  bool isRetyped = op.getNumOperands() == 1 && op.getNumResults() == 1 &&
                   isa<RankedTensorType>(op.getOperand(0).getType()) &&
                   sym::getProgramType(getElementTypeOrSelf(op.getOperand(0))) ==
                       sym::getProgramType(getElementTypeOrSelf(op.getResult(0)));
  if (!isRetyped)
    return frame.fail("only changes the sign of integers in the reference interpreter");
  return *retype(frame.tensorPointer(op.getOperand(0)), op.getResult(0).getType());
}

void interp::registerCallOps(OpTable &table) {
  table.add(interpretConversion);
  table.add(interpretCall);
  table.add(interpretFuncCall);
  table.add(interpretProgramCall<CallTPOp>);
  table.add(interpretProgramCall<CallTPInplaceOp>);
  table.add(interpretProgramCall<CallDPSOp>);
  table.add(interpretAssert);
  table.add(interpretAvailable);
}
