//===- Module.cpp - Questions about a loaded artifact ---------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Module.h"

using namespace relax_rt;

namespace {

template <typename T> const T *at(const std::vector<T> &values, int64_t index) {
  return index >= 0 && static_cast<uint64_t>(index) < values.size() ? &values[static_cast<size_t>(index)] : nullptr;
}

const Function *functionAt(const relax_rt_module *module, int64_t index) {
  return module ? at(module->functions, index) : nullptr;
}

const relax_rt_tensor_info *tensorAt(const std::vector<Tensor> &tensors, int64_t index) {
  const Tensor *tensor = at(tensors, index);
  return tensor ? &tensor->info : nullptr;
}

} // namespace

int64_t relax_rt_module::findFunction(const char *name) const {
  for (size_t i = 0; i < metadata.functions.size(); ++i)
    if (metadata.functions[i].name == name)
      return static_cast<int64_t>(i);
  return -1;
}

void relax_rt_module_destroy(relax_rt_module *module) { delete module; }

int64_t relax_rt_module_num_functions(const relax_rt_module *module) {
  return module ? static_cast<int64_t>(module->functions.size()) : 0;
}

const char *relax_rt_module_function_name(const relax_rt_module *module, int64_t index) {
  const Function *function = functionAt(module, index);
  return function ? function->name : nullptr;
}

int64_t relax_rt_module_find_function(const relax_rt_module *module, const char *name) {
  return module && name ? module->findFunction(name) : -1;
}

int64_t relax_rt_module_num_inputs(const relax_rt_module *module, int64_t function) {
  const Function *found = functionAt(module, function);
  return found ? static_cast<int64_t>(found->inputs.size()) : -1;
}

int64_t relax_rt_module_num_outputs(const relax_rt_module *module, int64_t function) {
  const Function *found = functionAt(module, function);
  return found ? static_cast<int64_t>(found->outputs.size()) : -1;
}

const relax_rt_tensor_info *relax_rt_module_input(const relax_rt_module *module, int64_t function, int64_t index) {
  const Function *found = functionAt(module, function);
  return found ? tensorAt(found->inputs, index) : nullptr;
}

const relax_rt_tensor_info *relax_rt_module_output(const relax_rt_module *module, int64_t function, int64_t index) {
  const Function *found = functionAt(module, function);
  return found ? tensorAt(found->outputs, index) : nullptr;
}

int64_t relax_rt_module_num_kernels(const relax_rt_module *module) {
  return module ? static_cast<int64_t>(module->kernels.size()) : 0;
}

const char *relax_rt_module_kernel_name(const relax_rt_module *module, int64_t kernel) {
  const KernelInfo *info = module ? at(module->metadata.kernels, kernel) : nullptr;
  return info ? info->name.c_str() : nullptr;
}

int64_t relax_rt_module_num_library_functions(const relax_rt_module *module) {
  return module ? static_cast<int64_t>(module->metadata.externs.size()) : 0;
}

const char *relax_rt_module_library_function(const relax_rt_module *module, int64_t index) {
  const ExternInfo *info = module ? at(module->metadata.externs, index) : nullptr;
  return info ? info->symbol.c_str() : nullptr;
}

const char *relax_rt_module_memory_report(const relax_rt_module *module) {
  return module ? module->metadata.memoryReport.c_str() : "";
}
