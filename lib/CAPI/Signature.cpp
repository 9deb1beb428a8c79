//===- Signature.cpp - Functions of a module and their tensors ------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Impl.h"
#include "RelaxDialect/Dialect/Graph/IR/GraphTypes.h"
#include "RelaxDialect/Dialect/Sym/IR/ElementTypes.h"
#include "RelaxDialect/Interpreter/Interpreter.h"

using namespace mlir;
using namespace mlir::relax;
using namespace relax_capi;

SmallVector<func::FuncOp> relax_capi::getPublicFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  return functions;
}

relax_rt_dtype relax_capi::getDtype(Type elementType) {
  if (elementType.isIndex())
    return {RELAX_RT_INT, 64, 1};
  const sym::ElementKind *kind = sym::getElementKind(elementType);
  if (!kind)
    return {RELAX_RT_INT, 0, 1};
  return {static_cast<uint8_t>(kind->code), static_cast<uint8_t>(kind->bits), 1};
}

static void addTensor(std::deque<Tensor> &tensors, std::string name, Type type) {
  Tensor &tensor = tensors.emplace_back();
  tensor.name = std::move(name);
  if (auto ranked = dyn_cast<RankedTensorType>(type)) {
    for (sym::SymExpr dim : sym::getSymbolicDims(type))
      tensor.dims.push_back(dim ? dim.str() : "?");
    tensor.info.dtype = getDtype(ranked.getElementType());
  } else if (isa<graph::ShapeType>(type)) {
    tensor.dims.push_back(std::to_string(sym::getSymbolicDims(type).size()));
    tensor.info.dtype = {RELAX_RT_INT, 64, 1};
  } else {
    tensor.info.dtype = getDtype(type);
  }
  for (const std::string &dim : tensor.dims)
    tensor.dimTexts.push_back(dim.c_str());
  tensor.info.name = tensor.name.c_str();
  tensor.info.rank = static_cast<int64_t>(tensor.dims.size());
  tensor.info.dims = tensor.dimTexts.data();
}

/// The table of the module, made when it is asked for first.
static const std::vector<Function> *getFunctions(relax_module *module) {
  if (!module)
    return nullptr;
  std::unique_lock<std::recursive_mutex> lock(module->owner->mutex);
  if (module->functions)
    return &*module->functions;
  std::vector<Function> &functions = module->functions.emplace();
  if (!module->isValid)
    return &functions;
  SmallVector<func::FuncOp> known = getPublicFunctions(*module->module);
  functions.reserve(known.size()); // growing would move the texts that `info` points to
  for (func::FuncOp function : known) {
    Function &entry = functions.emplace_back();
    entry.name = function.getName().str();
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      addTensor(entry.inputs, interp::getArgumentName(function, index), type);
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      addTensor(entry.outputs, interp::getResultName(function, index), type);
  }
  return &functions;
}

static const Function *getFunction(relax_module *module, int64_t index) {
  const std::vector<Function> *functions = getFunctions(module);
  if (!functions || index < 0 || index >= static_cast<int64_t>(functions->size()))
    return nullptr;
  return &(*functions)[static_cast<size_t>(index)];
}

static const relax_rt_tensor_info *getInfo(const std::deque<Tensor> &tensors, int64_t index) {
  if (index < 0 || index >= static_cast<int64_t>(tensors.size()))
    return nullptr;
  return &tensors[static_cast<size_t>(index)].info;
}

int64_t relax_module_num_functions(relax_module *module) {
  const std::vector<Function> *functions = getFunctions(module);
  return functions ? static_cast<int64_t>(functions->size()) : -1;
}

const char *relax_module_function_name(relax_module *module, int64_t function) {
  const Function *found = getFunction(module, function);
  return found ? found->name.c_str() : nullptr;
}

int64_t relax_module_find_function(relax_module *module, const char *name) {
  if (const std::vector<Function> *functions = getFunctions(module); functions && name)
    for (auto [index, function] : llvm::enumerate(*functions))
      if (function.name == name)
        return static_cast<int64_t>(index);
  return -1;
}

int64_t relax_module_num_inputs(relax_module *module, int64_t function) {
  const Function *found = getFunction(module, function);
  return found ? static_cast<int64_t>(found->inputs.size()) : -1;
}

int64_t relax_module_num_outputs(relax_module *module, int64_t function) {
  const Function *found = getFunction(module, function);
  return found ? static_cast<int64_t>(found->outputs.size()) : -1;
}

const relax_rt_tensor_info *relax_module_input(relax_module *module, int64_t function, int64_t index) {
  const Function *found = getFunction(module, function);
  return found ? getInfo(found->inputs, index) : nullptr;
}

const relax_rt_tensor_info *relax_module_output(relax_module *module, int64_t function, int64_t index) {
  const Function *found = getFunction(module, function);
  return found ? getInfo(found->outputs, index) : nullptr;
}
