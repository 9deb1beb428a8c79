//===- Interpreter.cpp - Entry of the reference interpreter ---------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//

#include "RelaxDialect/Interpreter/Interpreter.h"
#include "NeuralOps.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphOps.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Interpreter/OpTable.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::relax;
using namespace mlir::relax::interp;
using sym::SymExpr;

static std::string getOutsideName(DictionaryAttr attrs, StringRef fallback, unsigned index) {
  if (attrs)
    if (auto name = attrs.getAs<StringAttr>(graph::kNameAttrName))
      return name.str();
  return (fallback + Twine(index)).str();
}

std::string interp::getArgumentName(FunctionOpInterface function, unsigned index) {
  return getOutsideName(function_interface_impl::getArgAttrDict(function, index), "arg", index);
}

std::string interp::getResultName(FunctionOpInterface function, unsigned index) {
  return getOutsideName(function_interface_impl::getResultAttrDict(function, index), "result", index);
}

Interpreter::Interpreter(ModuleOp module, InterpreterOptions options)
    : module(module), options(std::move(options)), table(std::make_unique<OpTable>()), symbols(module) {}
Interpreter::~Interpreter() = default;

/// The value of an input, after its element type and rank were compared.
static FailureOr<RuntimeValue> readInput(Frame &frame, Type type, const Tensor &input, const Twine &name) {
  auto print = [](Type element) {
    std::string text;
    llvm::raw_string_ostream(text) << element;
    return text;
  };
  Type element;
  int64_t rank = 1;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    element = tensor.getElementType();
    rank = tensor.getRank();
  } else if (isa<graph::ShapeType>(type)) {
    element = IntegerType::get(type.getContext(), 64);
  } else {
    return frame.fail(name + ": type " + print(type) + " is not supported, expected a tensor or a shape");
  }
  // Files have no name for types that are only stored: their bytes.
  if (sym::isElementOf(element, sym::kStorage) && input.getElementType().isUnsignedInteger(8))
    return readInput(frame, type, input.reinterpreted(element), name);
  if (input.getElementType() != element)
    return frame.fail(name + ": expected element type " + print(element) + ", actual " + print(input.getElementType()));
  if (input.getRank() != rank)
    return frame.fail(name + ": expected rank " + Twine(rank) + ", actual " + Twine(input.getRank()));
  if (isa<RankedTensorType>(type))
    return RuntimeValue(std::make_shared<const Tensor>(input));
  Shape shape;
  for (int64_t i = 0; i < input.size(); ++i) {
    if (input.i(i) < 0)
      return frame.fail(name + ": value " + Twine(i) + ": expected a size >= 0, actual " + Twine(input.i(i)));
    shape.push_back(input.i(i));
  }
  return RuntimeValue(shape);
}

/// Results leave as tensors.
static FailureOr<Tensor> readResult(Frame &frame, Value value) {
  Type i64 = IntegerType::get(value.getContext(), 64);
  RuntimeValue held = frame.get(value);
  if (auto *shape = std::get_if<Shape>(&held)) {
    Tensor list(i64, {static_cast<int64_t>(shape->size())});
    for (auto [index, entry] : llvm::enumerate(*shape))
      list.setInt(index, entry);
    return list;
  }
  if (auto *scalar = std::get_if<Scalar>(&held); scalar && value.getType().isIndex()) {
    Tensor number(i64, {});
    number.set(0, scalar->value);
    return number;
  }
  if (!isa<RankedTensorType>(value.getType()))
    return frame.fail("a result is neither a tensor nor a shape nor an index");
  return *frame.tensorPointer(value);
}

FailureOr<SmallVector<Tensor>> Interpreter::run(FunctionOpInterface function, ArrayRef<Tensor> inputs,
                                                RunError &error) {
  error = RunError();
  steps = 0;
  generator.seed(options.perturbation);
  Frame frame(*this, error, /*depth=*/0);
  if (function.isExternal() || !llvm::hasSingleElement(function.getFunctionBody()))
    return frame.fail("function '" + function.getName() + "' has no body of one block");
  Block &body = function.getFunctionBody().front();
  if (inputs.size() != body.getNumArguments())
    return frame.fail("expected " + Twine(body.getNumArguments()) + " inputs, actual " + Twine(inputs.size()));

  SmallVector<RuntimeValue> values;
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    std::string name = "input '" + getArgumentName(function, index) + "'";
    FailureOr<RuntimeValue> value = readInput(frame, argument.getType(), inputs[index], name);
    if (failed(value))
      return failure();
    values.push_back(std::move(*value));
  }
  if (failed(frame.enter(function, values, [&](unsigned index, bool isShape) {
        return "input '" + getArgumentName(function, index) + "': " + (isShape ? "value" : "dimension");
      })))
    return failure();
  if (failed(frame.runBody(body)))
    return failure();
  SmallVector<Tensor> results;
  for (Value value : body.getTerminator()->getOperands()) {
    FailureOr<Tensor> result = readResult(frame, value);
    if (failed(result))
      return failure();
    results.push_back(std::move(*result));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Entry of a function
//===----------------------------------------------------------------------===//

/// Extents or entries of a value.
static SmallVector<int64_t> getExtents(const RuntimeValue &value) {
  if (auto *pointer = std::get_if<std::shared_ptr<const Tensor>>(&value))
    return SmallVector<int64_t>((*pointer)->getDims());
  if (auto *placed = std::get_if<PlacedTensor>(&value))
    return SmallVector<int64_t>(placed->dims);
  if (auto *shape = std::get_if<Shape>(&value))
    return SmallVector<int64_t>(*shape);
  return {};
}

LogicalResult Frame::enter(FunctionOpInterface function, ArrayRef<RuntimeValue> inputs,
                           llvm::function_ref<std::string(unsigned, bool)> getName) {
  // All extents of all arguments together: one argument may give what another one needs.
  SmallVector<SymExpr> exprs;
  SmallVector<int64_t> extents;
  for (auto [argument, value] : llvm::zip_equal(function.getFunctionBody().getArguments(), inputs)) {
    set(argument, value);
    SmallVector<int64_t> actual = getExtents(value);
    SmallVector<SymExpr> expected = sym::getSymbolicDims(argument.getType());
    if (expected.size() != actual.size())
      continue; // reported below
    llvm::append_range(exprs, expected);
    llvm::append_range(extents, actual);
  }
  if (failed(bindExtents(exprs, extents)))
    return failure();
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(function.getFunctionBody().getArguments(), inputs))) {
    auto [argument, value] = pair;
    if (!isa<RankedTensorType, graph::ShapeType>(argument.getType()))
      continue;
    std::string name = getName(index, isa<graph::ShapeType>(argument.getType()));
    if (failed(checkExtents(sym::getSymbolicDims(argument.getType()), getExtents(value), name)))
      return failure();
  }
  return checkFacts(function->getAttrOfType<sym::ScopeAttr>(sym::kScopeAttrName));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

OpTable::OpTable() {
  // One line per family.
  registerCallOps(*this);
  registerControlFlowOps(*this);
  registerComposedMathOps(*this);
  registerComposedOps(*this);
  registerCreationOps(*this);
  registerElementwiseOps(*this);
  registerIndexingOps(*this);
  registerLinearAlgebraOps(*this);
  registerManipulationOps(*this);
  registerMemoryOps(*this);
  registerReductionOps(*this);
  registerAttentionOps(*this);
  registerImageOps(*this);
  registerBlockOps(*this);
  registerNNOps(*this);
  registerPoolOps(*this);
  registerQuantizationOps(*this);
  registerRecurrentOps(*this);
  registerSearchOps(*this);
  registerShapeOps(*this);
  registerSortOps(*this);
  registerWeightOps(*this);
  // Bodies of tensor programs.
  registerBufferOps(*this);
  registerLinalgOps(*this);
  registerScalarOps(*this);
  registerTensorOps(*this);
}

const OpTable::Function *OpTable::lookup(Operation *op) const {
  auto found = functions.find(op->getName().getStringRef());
  if (found != functions.end())
    return &found->second;
  // Every structured op is its indexing maps and its body.
  found = isa<linalg::LinalgOp>(op) ? functions.find("linalg.generic") : functions.end();
  return found == functions.end() ? nullptr : &found->second;
}
