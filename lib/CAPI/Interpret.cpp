//===- Interpret.cpp - Running a module in the interpreter ----------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Impl.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.h"
#include "RelaxDialect/Interpreter/Interpreter.h"

#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::relax;
using namespace relax_capi;

namespace {
struct Result {
  std::string name;
  std::vector<uint8_t> bytes;
  std::vector<int64_t> dims;
  relax_rt_tensor_view view = {};
};
} // namespace

struct relax_results {
  std::deque<Result> results;
};

/// The function asked for; `main` or the only one when none is.
static func::FuncOp selectFunction(ModuleOp module, const char *name, std::string &error) {
  SmallVector<func::FuncOp> functions = getPublicFunctions(module);
  for (func::FuncOp function : functions)
    if (function.getName() == (name ? name : "main"))
      return function;
  if (!name && functions.size() == 1)
    return functions.front();
  auto names = llvm::map_to_vector(functions, [](func::FuncOp function) { return function.getName(); });
  std::string known = names.empty() ? "none" : llvm::join(names, ", ");
  error = (name ? "no function '" + std::string(name) + "'" : std::string("no function 'main', choose one")) +
          ", the module has: " + known;
  return {};
}

/// Copies one input; false and `error` when its elements are not those of the argument.
static bool readInput(Type type, const relax_rt_tensor_view &view, interp::Tensor &tensor, std::string &error) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  Type element = ranked                        ? ranked.getElementType()
                 : isa<graph::ShapeType>(type) ? Type(IntegerType::get(type.getContext(), 64))
                                               : type;
  relax_rt_dtype expected = getDtype(element);
  if (expected.bits == 0 || std::memcmp(&expected, &view.dtype, sizeof(expected)) != 0) {
    llvm::raw_string_ostream stream(error);
    stream << "expected element type " << element << ", actual code " << unsigned(view.dtype.code) << " with "
           << unsigned(view.dtype.bits) << " bits";
    return false;
  }
  int64_t bytes = interp::getElementBytes(element), limit = int64_t(1) << 40;
  for (int64_t dim : ArrayRef<int64_t>(view.dims, static_cast<size_t>(view.rank))) {
    if (dim < 0 || (dim && bytes > limit / dim)) {
      error = "an extent is negative, or all together are too large";
      return false;
    }
    bytes *= dim;
  }
  if (bytes && !view.data) {
    error = "data is NULL";
    return false;
  }
  tensor = interp::Tensor(element, ArrayRef<int64_t>(view.dims, static_cast<size_t>(view.rank)));
  if (bytes)
    interp::readBytes(static_cast<const uint8_t *>(view.data), tensor);
  return true;
}

static bool addResult(relax_results &results, std::string name, const interp::Tensor &tensor) {
  Result &result = results.results.emplace_back();
  result.name = std::move(name);
  result.view.dtype = getDtype(tensor.getElementType());
  if (result.view.dtype.bits == 0)
    return false;
  // One byte more: data is not NULL then.
  result.bytes.resize(static_cast<size_t>(tensor.size() * interp::getElementBytes(tensor.getElementType()) + 1));
  interp::writeBytes(tensor, result.bytes.data());
  result.dims.assign(tensor.getDims().begin(), tensor.getDims().end());
  result.view.data = result.bytes.data();
  result.view.dims = result.dims.data();
  result.view.rank = tensor.getRank();
  return true;
}

relax_status relax_module_interpret(const relax_module *module, const char *name, const relax_rt_tensor_view *inputs,
                                    int64_t num_inputs, relax_results **out_results) {
  if (!module || !out_results || num_inputs < 0 || (num_inputs && !inputs))
    return Call().fail(RELAX_INVALID_ARGUMENT, "module, inputs or out_results is NULL");
  *out_results = nullptr;
  Call call(module->owner, module);
  if (!call.isReady())
    return RELAX_INVALID_ARGUMENT;
  if (!checkValid(module))
    return call.failWith(RELAX_INVALID_MODULE, "an earlier pipeline left an invalid module");
  ModuleOp op = module->module.get();
  std::string error;
  func::FuncOp function = selectFunction(op, name, error);
  if (!function)
    return call.fail(RELAX_INVALID_ARGUMENT, error);
  if (num_inputs != static_cast<int64_t>(function.getNumArguments()))
    return call.fail(RELAX_INVALID_ARGUMENT, "function '" + function.getName() + "': expected " +
                                                 Twine(function.getNumArguments()) + " inputs, actual " +
                                                 Twine(num_inputs));
  std::vector<interp::Tensor> tensors(static_cast<size_t>(num_inputs));
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (!readInput(function.getArgumentTypes()[index], inputs[index], tensor, error))
      return call.fail(RELAX_INVALID_ARGUMENT, "input '" + interp::getArgumentName(function, index) + "': " + error);
  interp::Interpreter interpreter(op);
  interp::RunError failure;
  FailureOr<SmallVector<interp::Tensor>> values = interpreter.run(function, tensors, failure);
  if (failed(values))
    return call.fail(RELAX_RUN_FAILED, failure.message, failure.location);
  auto results = std::make_unique<relax_results>();
  for (auto [index, value] : llvm::enumerate(*values))
    if (!addResult(*results, interp::getResultName(function, index), value)) {
      llvm::raw_string_ostream(error) << value.getElementType();
      return call.fail(RELAX_RUN_FAILED, "output '" + interp::getResultName(function, index) + "': elements of type " +
                                             error + " cannot be handed out");
    }
  *out_results = results.release();
  return RELAX_OK;
}

int64_t relax_results_size(const relax_results *results) {
  return results ? static_cast<int64_t>(results->results.size()) : -1;
}

static const Result *getResult(const relax_results *results, int64_t index) {
  if (index < 0 || index >= relax_results_size(results))
    return nullptr;
  return &results->results[static_cast<size_t>(index)];
}

const char *relax_results_name(const relax_results *results, int64_t index) {
  const Result *result = getResult(results, index);
  return result ? result->name.c_str() : nullptr;
}

const relax_rt_tensor_view *relax_results_view(const relax_results *results, int64_t index) {
  const Result *result = getResult(results, index);
  return result ? &result->view : nullptr;
}

void relax_results_destroy(relax_results *results) { delete results; }
