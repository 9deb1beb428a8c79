//===- HostCalls.cpp - Host code of kernel and library calls --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "HostEmitter.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphCallUnification.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::graph;
using sym::SymExpr;

LogicalResult HostEmitter::emitCall(ProgramCallOpInterface call) {
  auto callee = dyn_cast_or_null<sym::TensorProgramInterface>(tables.lookup(call.getCalleeAttr().getValue()));
  if (!callee)
    return call->emitOpError("calls '") << call.getCalleeAttr().getValue()
                                        << "', which is not a tensor program or library function";
  if (call.getDestinations().empty() && callee.getNumOuts() != 0)
    return call->emitOpError("has no destinations, host code is made from the planned phase");
  if (failed(checkCall(call, callee)))
    return failure();

  SmallVector<HostTensor> arguments;
  for (Value input : call.getProgramInputs())
    arguments.push_back(tensors[input]);
  for (Value destination : call.getDestinations())
    arguments.push_back(tensors[destination]);
  if (isa<CallDPSOp>(call.getOperation())) {
    if (failed(emitExternCall(call, callee, arguments)))
      return failure();
  } else if (isCollecting) {
    collectLaunch(call, callee, arguments);
  } else {
    emitLaunch(call, callee, arguments);
  }
  for (OpResult result : call->getResults())
    if (OpOperand *tied = call.getTiedOperand(result.getResultNumber()); tied && isa<TensorType>(result.getType()))
      tensors[result] = HostTensor(tensors[tied->get()]);
  return success();
}

/// What the facts do not prove about the arguments of a call is checked in front of it.
LogicalResult HostEmitter::checkCall(ProgramCallOpInterface call, sym::TensorProgramInterface callee) {
  if (isAssured(call))
    return success();
  FailureOr<CallUnification> unification = unifyProgramCall(call, callee, prover);
  if (failed(unification))
    return failure();
  if (unification->isProved())
    return success();
  std::string name = "call of '" + call.getCalleeAttr().getValue().str() + "'";

  // Symbols of the callee: mapped ones, and those that an extent gives which is known at run time only.
  SymbolValues values;
  SymbolValues::ScopeTy valueScope(values);
  for (const auto &entry : unification->mapping)
    if (Value value = evaluate(entry.getValue()))
      values.insert(SymExpr::symbol(context, entry.getKey()), value);
  auto forEachExtent = [&](function_ref<void(SymExpr, Value, const Twine &)> visit) {
    for (auto [index, input] : llvm::enumerate(call.getProgramInputs())) {
      SmallVector<SymExpr> dims = sym::getSymbolicDims(getProgramTensorType(callee, index));
      for (auto [dim, pair] : llvm::enumerate(llvm::zip(dims, tensors[input].dims)))
        if (std::get<0>(pair))
          visit(std::get<0>(pair), std::get<1>(pair), "argument " + Twine(index) + ": dimension " + Twine(dim));
    }
    if (Value shape = call.getShapeOperand())
      for (auto [index, value] : llvm::enumerate(shapes[shape]))
        if (SymExpr expr = callee.getProgramScalar(index))
          visit(expr, value, "scalar " + Twine(index));
  };
  forEachExtent([&](SymExpr expr, Value actual, const Twine &) {
    if (expr.getSymbol() && !values.count(expr))
      values.insert(expr, actual);
  });
  forEachExtent([&](SymExpr expr, Value actual, const Twine &where) {
    Value expected = evaluate(expr, values);
    if (expected && expected != actual)
      guardEqual(expected, actual, RELAX_RT_GUARD_FAILED,
                 name + ": " + where + ": expected " + expr.str() + " = {0}, actual {1}");
  });
  if (sym::ScopeAttr scope = callee.getProgramScope())
    for (const sym::Fact &fact : scope.getFacts()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      fact.print(os);
      guardFact(fact, values, RELAX_RT_GUARD_FAILED, name + ": " + text + " does not hold");
    }
  return success();
}

/// What a kernel gets as numbers: extents of its arguments, then the entries of the shape operand.
SmallVector<Value> HostEmitter::collectScalars(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                               ArrayRef<HostTensor> arguments) {
  SmallVector<Value> values;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto type = cast<ShapedType>(callee.getProgramArgumentTypes()[index]);
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        values.push_back(argument.dims[dim]);
  }
  if (Value shape = call.getShapeOperand())
    llvm::append_range(values, shapes[shape]);
  return values;
}

/// Gives the number of values.
int64_t HostEmitter::storeScalars(ValueRange values) {
  Value array = getScratch(Scratch::Scalars, values.size());
  for (auto [index, value] : llvm::enumerate(values))
    storeElement(value, array, index);
  return values.size();
}

void HostEmitter::emitLaunch(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                             ArrayRef<HostTensor> arguments) {
  unsigned numExtents = call->getNumResults() - callee.getNumOuts();
  Value buffers = getScratch(Scratch::Buffers, arguments.size() + numExtents);
  for (auto [index, argument] : llvm::enumerate(arguments))
    storeElement(argument.data, buffers, index);
  int64_t numScalars = storeScalars(collectScalars(call, callee, arguments));
  // Extents found come back through memory.
  Value slots;
  if (numExtents) {
    slots = allocateOnStack(numExtents);
    for (unsigned i = 0; i < numExtents; ++i) {
      storeElement(constant(0), slots, i);
      storeElement(elementAddress(slots, i), buffers, arguments.size() + i);
    }
  }
  int64_t kernel = tables.getKernel(call.getCalleeAttr().getValue());
  callRuntime(2, {constant(kernel), buffers, getScratch(Scratch::Scalars, numScalars), constant(1)});
  for (unsigned i = 0; i < numExtents; ++i) {
    Value extent = loadField(i64, slots, i);
    guardSize(SymExpr(), extent, "extent found by '" + call.getCalleeAttr().getValue() + "'");
    scalars.map(call->getResult(callee.getNumOuts() + i),
                arith::IndexCastOp::create(builder, loc, builder.getIndexType(), extent));
  }
}

/// args[index]; the element type fills the last word.
void HostEmitter::storeView(Value views, int64_t index, Value data, Value dims, int64_t rank, Type elementType) {
  // code, bits and lanes = 1 in the order of relax_rt_dtype, little-endian.
  const sym::ElementKind *kind = sym::getElementKind(elementType);
  uint64_t word = kind->code | kind->bits << 8 | uint64_t(1) << 16;
  storeElement(data, views, 4 * index);
  storeElement(dims, views, 4 * index + 1);
  storeElement(constant(rank), views, 4 * index + 2);
  storeElement(constant(word), views, 4 * index + 3);
}

LogicalResult HostEmitter::collectExternCall(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                             ArrayRef<HostTensor> arguments, ExternCall &result) {
  auto library = dyn_cast<ext::ExternFuncOp>(callee.getOperation());
  if (!library)
    return call->emitOpError("calls '") << call.getCalleeAttr().getValue() << "', which is not a library function";
  sym::ExprAttr workspace = library.getWorkspaceBytesAttr();
  auto offset = call->getAttrOfType<sym::ExprAttr>("relax.workspace_offset");
  if (workspace && !offset)
    return call->emitOpError("needs scratch memory that is not planned");

  for (auto [argument, type] : llvm::zip(arguments, callee.getProgramArgumentTypes()))
    result.views.push_back({argument, cast<ShapedType>(type).getElementType()});
  if (workspace) {
    FailureOr<CallUnification> unification = unifyProgramCall(call, callee, prover);
    Value bytes = succeeded(unification) ? evaluate(applyMapping(workspace.getValue(), unification->mapping)) : Value();
    Value at = evaluate(offset.getValue());
    Value arena = arenaBase;
    if (!bytes || !at || !arena)
      return call->emitOpError("needs scratch memory whose place or size is not known here");
    Value address =
        LLVM::GEPOp::create(builder, loc, pointerType, builder.getI8Type(), arena, ArrayRef<LLVM::GEPArg>{at});
    result.views.push_back({{address, {bytes}, std::nullopt}, builder.getIntegerType(8, /*isSigned=*/false)});
  }
  if (Value shape = call.getShapeOperand())
    result.scalars = shapes[shape];
  for (const ext::NativeArgument &argument : ext::getNativeArguments(library)) {
    if (argument.kind != ext::NativeArgument::Kind::Size)
      continue;
    FailureOr<CallUnification> unification = unifyProgramCall(call, callee, prover);
    Value size = succeeded(unification) ? evaluate(applyMapping(argument.size, unification->mapping)) : Value();
    if (!size)
      return call->emitOpError("passes a size that is not known here: ") << argument.size.str();
    result.scalars.push_back(size);
  }
  result.function = tables.getExtern(library);
  return success();
}

Value HostEmitter::storeExternCall(const ExternCall &call) {
  int64_t numDims = 0, nextDim = 0;
  for (const ExternCall::View &view : call.views)
    numDims += view.tensor.dims.size();
  Value views = getScratch(Scratch::Views, 4 * call.views.size()), dims = getScratch(Scratch::Dims, numDims);
  for (auto [index, view] : llvm::enumerate(call.views)) {
    Value first = elementAddress(dims, nextDim);
    for (Value dim : view.tensor.dims)
      storeElement(dim, dims, nextDim++);
    storeView(views, index, view.tensor.data, first, view.tensor.dims.size(), view.elementType);
  }
  storeScalars(call.scalars);
  return views;
}

LogicalResult HostEmitter::emitExternCall(ProgramCallOpInterface call, sym::TensorProgramInterface callee,
                                          ArrayRef<HostTensor> arguments) {
  ExternCall collected;
  if (failed(collectExternCall(call, callee, arguments, collected)))
    return failure();
  if (isCollecting) {
    collectLibraryCall(call.getLoc(), collected);
    return success();
  }
  Value views = storeExternCall(collected);
  int64_t numScalars = collected.scalars.size();
  callRuntime(3, {constant(collected.function), views, constant(collected.views.size()),
                  getScratch(Scratch::Scalars, numScalars), constant(numScalars)});
  return success();
}
