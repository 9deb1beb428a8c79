//===- Context.cpp - Calling a function -----------------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Context.h"

#include "Error.h"

#include <algorithm>

using namespace relax_rt;

relax_rt_context::relax_rt_context(relax_rt_module &module) : module(module), kernelLaunches(module.kernels.size()) {
  // Sized for the largest function: a call in steady state allocates nothing.
  size_t maxInputs = 0, maxOutputs = 0, maxRank = 0;
  for (const Function &function : module.functions) {
    maxInputs = std::max(maxInputs, function.inputs.size());
    maxOutputs = std::max(maxOutputs, function.outputs.size());
    for (const Tensor &output : function.outputs)
      maxRank = std::max(maxRank, output.dimTexts.size());
  }
  inputs.resize(maxInputs);
  capacities.resize(maxInputs);
  slots.resize(maxOutputs);
  for (OutputSlot &slot : slots)
    slot.dims.reserve(maxRank);
  setAside.reserve(2 * maxOutputs);
  spares.reserve(3 * maxOutputs);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

relax_rt_status relax_rt_context::failHere(relax_rt_status status, const std::string &text) const {
  return fail(status, std::string(current->name) + ": " + text);
}

relax_rt_status relax_rt_context::checkInput(const Tensor &expected, const relax_rt_tensor_view &view) const {
  auto refuse = [&](const std::string &what) {
    return failHere(RELAX_RT_INVALID_ARGUMENT, "input " + quote(expected.info.name) + ": " + what);
  };
  relax_rt_dtype dtype = expected.info.dtype;
  if (view.dtype.code != dtype.code || view.dtype.bits != dtype.bits || view.dtype.lanes != dtype.lanes)
    return refuse("expected element type " + dtypeName(dtype) + ", actual " + dtypeName(view.dtype));
  if (view.rank != expected.info.rank)
    return refuse("expected rank " + std::to_string(expected.info.rank) + ", actual " + std::to_string(view.rank));
  if (view.rank > 0 && !view.dims)
    return refuse("its extents are NULL");
  for (int64_t i = 0; i < view.rank; ++i)
    if (view.dims[i] < 0)
      return refuse("dimension " + std::to_string(i) + " is negative: " + std::to_string(view.dims[i]));
  uint64_t elementBytes = (dtype.bits + 7u) / 8, bytes;
  if (!countBytes(view.dims, view.rank, elementBytes, bytes))
    return refuse("its size exceeds 2^63 bytes");
  if (bytes && !view.data)
    return refuse("its data is NULL");
  if (bytes && reinterpret_cast<uintptr_t>(view.data) % elementBytes)
    return refuse("its data is not aligned to " + std::to_string(elementBytes) + " bytes");
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context::checkInputs(const relax_rt_tensor_view *views, int64_t numViews) const {
  int64_t expected = static_cast<int64_t>(current->inputs.size());
  if (numViews != expected)
    return failHere(RELAX_RT_INVALID_ARGUMENT,
                    "expected " + std::to_string(expected) + " inputs, actual " + std::to_string(numViews));
  if (numViews && !views)
    return failHere(RELAX_RT_INVALID_ARGUMENT, "inputs is NULL");
  for (size_t i = 0; i < current->inputs.size(); ++i)
    if (relax_rt_status status = checkInput(current->inputs[i], views[i]))
      return status;
  return RELAX_RT_OK;
}

/// Of checked inputs: nothing that the call reads may be written by accident.
relax_rt_status relax_rt_context::checkDonations(const relax_rt_tensor_view *views, const relax_rt_donation *donations,
                                                 int64_t numDonations) {
  std::fill(capacities.begin(), capacities.end(), 0);
  if (numDonations < 0 || (numDonations > 0 && !donations))
    return failHere(RELAX_RT_INVALID_ARGUMENT, "donations is NULL, or their number is negative");
  for (int64_t i = 0; i < numDonations; ++i) {
    auto [input, capacity] = donations[i];
    if (input < 0 || static_cast<uint64_t>(input) >= current->inputs.size())
      return failHere(RELAX_RT_INVALID_ARGUMENT, "donated input " + std::to_string(input) +
                                                     " does not exist, there are " +
                                                     std::to_string(current->inputs.size()));
    const relax_rt_tensor_info &info = current->inputs[static_cast<size_t>(input)].info;
    auto refuse = [&](const std::string &what) {
      return failHere(RELAX_RT_INVALID_ARGUMENT, "input " + quote(info.name) + ": " + what);
    };
    const relax_rt_tensor_view &view = views[input];
    uint64_t elementBytes = (info.dtype.bits + 7u) / 8, bytes = 0;
    countBytes(view.dims, view.rank, elementBytes, bytes);
    auto begin = reinterpret_cast<uintptr_t>(view.data);
    if (capacity < bytes)
      return refuse("is donated with " + std::to_string(capacity) + " bytes, has " + std::to_string(bytes));
    if (capacity && (!view.data || begin % elementBytes || capacity > UINTPTR_MAX - begin))
      return refuse("the memory that is donated is NULL, not aligned to " + std::to_string(elementBytes) +
                    " bytes, or ends behind the address space");
    for (size_t other = 0; other < current->inputs.size(); ++other) {
      const relax_rt_tensor_info &read = current->inputs[other].info;
      uint64_t size = 0;
      countBytes(views[other].dims, read.rank, (read.dtype.bits + 7u) / 8, size);
      auto first = reinterpret_cast<uintptr_t>(views[other].data);
      bool isSame = other == static_cast<size_t>(input);
      if (!isSame && size && first < begin + capacity && begin < first + size)
        return refuse("the memory that is donated overlaps input " + quote(read.name));
    }
    for (int64_t k = 0; k < i; ++k) {
      auto first = reinterpret_cast<uintptr_t>(views[donations[k].input].data);
      if (donations[k].input == input ||
          (capacity && first < begin + capacity && begin < first + donations[k].capacity))
        return refuse("is donated twice, or overlaps what input " +
                      quote(current->inputs[static_cast<size_t>(donations[k].input)].info.name) + " donates");
    }
    // Kernels of a device write its own memory.
    capacities[static_cast<size_t>(input)] = device ? 0 : capacity;
  }
  return RELAX_RT_OK;
}

/// Compiled code is not trusted to report correctly: a failure it ignored or an output it forgot is an error.
relax_rt_status relax_rt_context::checkResult(int32_t result) {
  if (firstFailure)
    return firstFailure; // its text was recorded by then
  if (result < RELAX_RT_OK || result > RELAX_RT_INTERNAL)
    return failHere(RELAX_RT_INTERNAL, "compiled code returned the unknown status " + std::to_string(result));
  if (result != RELAX_RT_OK) {
    auto status = static_cast<relax_rt_status>(result);
    return failHere(status, std::string("compiled code reported '") + relax_rt_status_name(status) + "'");
  }
  for (size_t i = 0; i < current->outputs.size(); ++i)
    if (!slots[i].ready)
      return failHere(RELAX_RT_INTERNAL, "output " + quote(current->outputs[i].info.name) + " was not made");
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

/// An output of the last call may be an input of this one (a cache that grows step by step): its memory must not
/// become an output's while it is read.
void relax_rt_context::setAsideInputs(const relax_rt_tensor_view *views, int64_t numViews) {
  auto isRead = [&](const Block &block) {
    return std::any_of(views, views + numViews,
                       [&](const relax_rt_tensor_view &view) { return block.contains(view.data); });
  };
  for (OutputSlot &slot : slots)
    if (isRead(slot.block))
      setAside.push_back({std::move(slot.block)});
  // A call that failed left its inputs here; it may be tried again.
  for (size_t i = spares.size(); i-- > 0;) {
    if (!isRead(spares[i]))
      continue;
    setAside.push_back({std::move(spares[i])});
    spares.erase(spares.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// A check that failed on the device says nothing but that: the CPU's kernels, on the same inputs, tell which it was.
relax_rt_status relax_rt_context::run(const relax_rt_tensor_view *views, int64_t numViews) {
  hasDeviceError = false;
  relax_rt_status status = runHere(views, numViews);
  if (!hasDeviceError)
    return status;
  std::vector<const DeviceKernel *> kernels(deviceKernels.size());
  kernels.swap(deviceKernels);
  status = runHere(views, numViews);
  kernels.swap(deviceKernels);
  return status;
}

relax_rt_status relax_rt_context::runHere(const relax_rt_tensor_view *views, int64_t numViews) {
  alignas(kAlignment) static const char nothing[kAlignment] = {};
  for (int64_t i = 0; i < numViews; ++i) {
    // Compiled code never sees a null pointer, and never touches the data of an empty tensor.
    void *data = views[i].data ? views[i].data : const_cast<char *>(nothing);
    inputs[static_cast<size_t>(i)] = {data, views[i].dims};
  }
  for (OutputSlot &slot : slots) {
    slot.ready = false;
    slot.donated = nullptr;
  }
  startFrames();
  chargedBytes = 0;
  numDeviceInputs = numDeviceCopies = 0;
  firstFailure = RELAX_RT_OK;

  setAsideInputs(views, numViews);
  relax_rt_invocation invocation = {&kHostApi, inputs.data(), module.weights.data(), this};
  int32_t result = current->entry(&invocation);
  // Also after a failure: launches use memory of the call.
  if (relax_rt_status failed = awaitDevice(); failed && !firstFailure)
    firstFailure = failed;
  relax_rt_status status = checkResult(result);
  // After a failure the inputs are as they were, for another try.
  for (SetAside &aside : setAside)
    if (aside.block.data() && (!aside.outgrown || status != RELAX_RT_OK))
      spares.push_back(std::move(aside.block));
  setAside.clear();
  // A slot without a block takes a spare one; more spares than slots are of no use.
  while (spares.size() > slots.size())
    spares.erase(spares.begin());
  return status;
}

relax_rt_status relax_rt_context::invoke(int64_t function, const relax_rt_tensor_view *views, int64_t numViews,
                                         const relax_rt_donation *donations, int64_t numDonations) {
  if (running.exchange(true))
    return failLiteral(RELAX_RT_INVALID_ARGUMENT, "the context is already running a function");
  struct Stop {
    std::atomic<bool> &running;
    ~Stop() { running = false; }
  } stop{running};

  current = nullptr;
  if (function < 0 || static_cast<uint64_t>(function) >= module.functions.size())
    return fail(RELAX_RT_INVALID_ARGUMENT, "function " + std::to_string(function) + " does not exist, the module has " +
                                               std::to_string(module.functions.size()));
  current = &module.functions[static_cast<size_t>(function)];
  relax_rt_status status = guarded([&] {
    if (relax_rt_status invalid = checkInputs(views, numViews))
      return invalid;
    if (relax_rt_status invalid = checkDonations(views, donations, numDonations))
      return invalid;
    return run(views, numViews);
  });
  if (status == RELAX_RT_OK)
    ++counters.calls;
  else
    current = nullptr;
  return status;
}

relax_rt_status relax_rt_context::output(int64_t index, relax_rt_tensor_view &view) const {
  view = {};
  if (!current || running)
    return failLiteral(RELAX_RT_INVALID_ARGUMENT, "there are no outputs: the last call failed or none was made");
  if (index < 0 || static_cast<uint64_t>(index) >= current->outputs.size())
    return failHere(RELAX_RT_INVALID_ARGUMENT, "output " + std::to_string(index) + " does not exist, there are " +
                                                   std::to_string(current->outputs.size()));
  const OutputSlot &slot = slots[static_cast<size_t>(index)];
  const relax_rt_tensor_info &info = current->outputs[static_cast<size_t>(index)].info;
  view = {slot.data(), slot.dims.data(), info.rank, info.dtype};
  return RELAX_RT_OK;
}

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

relax_rt_status relax_rt_context_create(relax_rt_module *module, relax_rt_context **out_context) {
  return guarded([&] {
    if (!out_context)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "out_context is NULL");
    *out_context = nullptr;
    if (!module)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "module is NULL");
    if (!module->canRun())
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "the module is a description and cannot run");
    *out_context = new relax_rt_context(*module);
    return RELAX_RT_OK;
  });
}

void relax_rt_context_destroy(relax_rt_context *context) { delete context; }

relax_rt_status relax_rt_context_set_memory_limit(relax_rt_context *context, uint64_t bytes) {
  if (!context)
    return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context is NULL");
  context->memoryLimit = bytes;
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context_set_threads(relax_rt_context *context, int64_t threads) {
  return guarded([&] {
    if (!context)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context is NULL");
    if (threads < 0)
      return fail(RELAX_RT_INVALID_ARGUMENT, "the number of threads is negative: " + std::to_string(threads));
    context->maxThreads = threads;
    return RELAX_RT_OK;
  });
}

void relax_rt_context_cancel(relax_rt_context *context) {
  if (context)
    context->cancelRequested = true;
}

relax_rt_status relax_rt_context_invoke(relax_rt_context *context, int64_t function, const relax_rt_tensor_view *inputs,
                                        int64_t num_inputs) {
  return guarded([&] {
    if (!context)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context is NULL");
    return context->invoke(function, inputs, num_inputs);
  });
}

relax_rt_status relax_rt_context_invoke_donating(relax_rt_context *context, int64_t function,
                                                 const relax_rt_tensor_view *inputs, int64_t num_inputs,
                                                 const relax_rt_donation *donations, int64_t num_donations) {
  return guarded([&] {
    if (!context)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context is NULL");
    return context->invoke(function, inputs, num_inputs, donations, num_donations);
  });
}

relax_rt_status relax_rt_context_output(const relax_rt_context *context, int64_t index,
                                        relax_rt_tensor_view *out_view) {
  return guarded([&] {
    if (!context || !out_view)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context or out_view is NULL");
    return context->output(index, *out_view);
  });
}

relax_rt_status relax_rt_context_counters(const relax_rt_context *context, relax_rt_counters *out_counters) {
  if (!context || !out_counters)
    return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context or out_counters is NULL");
  *out_counters = context->counters;
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_context_set_trace(relax_rt_context *context, relax_rt_trace_fn fn, void *user) {
  if (!context)
    return failLiteral(RELAX_RT_INVALID_ARGUMENT, "context is NULL");
  context->traceFn = fn;
  context->traceUser = user;
  return RELAX_RT_OK;
}

uint64_t relax_rt_context_kernel_launches(const relax_rt_context *context, int64_t kernel) {
  if (!context || kernel < 0 || static_cast<uint64_t>(kernel) >= context->kernelLaunches.size())
    return 0;
  return context->kernelLaunches[static_cast<size_t>(kernel)];
}
