//===- ModuleLoader.cpp - From a file to a module -------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Error.h"
#include "Module.h"

#include <memory>
#include <unordered_set>

using namespace relax_rt;

namespace {

using Names = std::unordered_set<std::string>;

std::string checkTensors(const FunctionInfo &function, const char *role, const std::vector<TensorInfo> &tensors) {
  Names names;
  for (const TensorInfo &tensor : tensors) {
    std::string prefix = "function " + quote(function.name) + ": " + role + " " + quote(tensor.name);
    if (!names.insert(tensor.name).second)
      return prefix + " appears twice";
    if (tensor.isDonated && &tensors == &function.outputs)
      return prefix + " is donated";
    if (tensor.typeCode > UINT8_MAX || tensor.typeBits > UINT8_MAX ||
        !isKnownDtype({static_cast<uint8_t>(tensor.typeCode), static_cast<uint8_t>(tensor.typeBits), 1}))
      return prefix + " has an unknown element type (code " + std::to_string(tensor.typeCode) + ", bits " +
             std::to_string(tensor.typeBits) + ")";
  }
  return std::string();
}

} // namespace

std::string relax_rt::checkMetadata(const Metadata &metadata) {
  Names names;
  for (const FunctionInfo &function : metadata.functions) {
    if (!names.insert(function.name).second)
      return "function " + quote(function.name) + " appears twice";
    std::string error = checkTensors(function, "input", function.inputs);
    if (error.empty())
      error = checkTensors(function, "output", function.outputs);
    if (!error.empty())
      return error;
  }
  for (size_t i = 0; i < metadata.sites.size(); ++i) {
    uint32_t status = metadata.sites[i].status;
    if (status != RELAX_RT_SHAPE_MISMATCH && status != RELAX_RT_GUARD_FAILED && status != RELAX_RT_KERNEL_ERROR)
      return "guard site " + std::to_string(i) + " has status " + std::to_string(status);
  }
  return std::string();
}

relax_rt_status relax_rt_module::readMetadata(const ArtifactFile &artifact) {
  std::vector<uint8_t> bytes;
  if (relax_rt_status status = artifact.read(SectionKind::Metadata, bytes))
    return status;
  std::string error;
  if (!decodeMetadata(bytes.data(), bytes.size(), metadata, error))
    return artifact.invalid(error);
  error = checkMetadata(metadata);
  if (!error.empty())
    return artifact.invalid("metadata: " + error);
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_module::readDevices(const ArtifactFile &artifact) {
  awaitsLaunches = artifact.abiVersion() >= 6;
  std::vector<uint8_t> bytes;
  if (relax_rt_status status = artifact.read(SectionKind::Devices, bytes))
    return status;
  std::string error;
  if (!bytes.empty() && !decodeDeviceCode(bytes.data(), bytes.size(), metadata.kernels.size(), devices, error))
    return artifact.invalid("devices section: " + error);
  return RELAX_RT_OK;
}

/// Functions that the code itself has or calls in its own way are completed by resolveAdapters. One that a generated
/// kernel replaces may be missing.
relax_rt_status relax_rt_module::resolveExterns(relax_rt_instance &instance, const ArtifactFile &artifact) {
  std::string missing;
  for (const ExternInfo &info : metadata.externs) {
    // Who registers a function replaces the library's.
    ExternFunction function = info.adapter.empty() ? instance.find(info.symbol) : ExternFunction();
    if (!function.fn && !info.sonames.empty()) {
      void *address = instance.findInLibraries(info.sonames, info.symbol);
      if (info.adapter.empty())
        function.fn = reinterpret_cast<relax_rt_extern_fn>(address);
      else
        function.user = address;
    }
    bool found = function.fn || function.user || (info.flags & ExternInfo::kLinked);
    if (!found && !(info.flags & ExternInfo::kOptional))
      missing += (missing.empty() ? "" : ", ") + quote(info.symbol);
    externs.push_back(function);
  }
  if (missing.empty())
    return RELAX_RT_OK;
  return fail(RELAX_RT_UNAVAILABLE, artifact.name() + ": library function " + missing + " is not registered");
}

/// Externs of the code section.
relax_rt_status relax_rt_module::resolveAdapters(const ArtifactFile &artifact) {
  for (size_t i = 0; i < externs.size(); ++i) {
    const ExternInfo &info = metadata.externs[i];
    ExternFunction &function = externs[i];
    if ((info.flags & ExternInfo::kLinked) && !function.fn) {
      void *address = code.symbol(info.symbol);
      if (!address)
        return artifact.invalid("code section: does not define " + quote(info.symbol));
      if (info.adapter.empty())
        function.fn = reinterpret_cast<relax_rt_extern_fn>(address);
      else
        function.user = address;
    }
    if (info.adapter.empty() || !function.user)
      continue;
    function.fn = reinterpret_cast<relax_rt_extern_fn>(code.symbol(info.adapter));
    if (!function.fn)
      return artifact.invalid("code section: does not define " + quote(info.adapter));
  }
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_module::resolveCode(const ArtifactFile &artifact, const std::vector<uint8_t> &bytes) {
  if (relax_rt_status status = code.load(bytes))
    return fail(status, artifact.name() + ": " + relax_rt_last_error());

  const std::string *missing = nullptr;
  auto resolve = [&](const std::string &symbol) {
    void *address = code.symbol(symbol);
    if (!address)
      missing = &symbol;
    return address;
  };
  for (size_t i = 0; i < functions.size(); ++i)
    functions[i].entry = reinterpret_cast<relax_rt_entry_fn>(resolve(metadata.functions[i].symbol));
  for (const KernelInfo &info : metadata.kernels) {
    Kernel kernel;
    kernel.fn = reinterpret_cast<relax_rt_kernel_fn>(resolve(info.symbol));
    if (!info.referenceSymbol.empty())
      kernel.reference = reinterpret_cast<relax_rt_kernel_fn>(resolve(info.referenceSymbol));
    if (!info.partsSymbol.empty())
      kernel.parts = reinterpret_cast<relax_rt_parts_fn>(resolve(info.partsSymbol));
    kernel.work = reinterpret_cast<relax_rt_work_fn>(code.symbol("relax_work_" + info.name));
    kernels.push_back(kernel);
  }
  for (const DeviceTarget &target : devices)
    for (const DeviceKernel &kernel : target.kernels)
      kernels[kernel.kernel].sizes = reinterpret_cast<relax_rt_parts_fn>(resolve(kernel.sizes));
  if (missing)
    return artifact.invalid("code section: does not define " + quote(*missing));
  return resolveAdapters(artifact);
}

/// The metadata does not move any more: pointers into it stay good.
void relax_rt_module::buildSignatures() {
  auto build = [](const std::vector<TensorInfo> &from, std::vector<Tensor> &to) {
    for (const TensorInfo &info : from) {
      to.emplace_back();
      Tensor &tensor = to.back();
      for (const std::string &dim : info.dims)
        tensor.dimTexts.push_back(dim.c_str());
      tensor.info.name = info.name.c_str();
      tensor.info.dtype = {static_cast<uint8_t>(info.typeCode), static_cast<uint8_t>(info.typeBits), 1};
      tensor.info.rank = static_cast<int64_t>(info.dims.size());
      tensor.info.dims = tensor.dimTexts.data();
      tensor.info.is_donated = info.isDonated;
    }
  };
  functions.resize(metadata.functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    functions[i].name = metadata.functions[i].name.c_str();
    // Reserved first: growing would move the texts that `info` points to.
    functions[i].inputs.reserve(metadata.functions[i].inputs.size());
    functions[i].outputs.reserve(metadata.functions[i].outputs.size());
    build(metadata.functions[i].inputs, functions[i].inputs);
    build(metadata.functions[i].outputs, functions[i].outputs);
  }
}

relax_rt_status relax_rt_module::describe(const char *path) {
  ArtifactFile artifact;
  if (relax_rt_status status = artifact.open(path))
    return status;
  if (relax_rt_status status = readDescription(artifact))
    return status;
  // The rest is only checked.
  if (relax_rt_status status = artifact.map(SectionKind::Weights, weights))
    return status;
  std::vector<uint8_t> bytes;
  if (relax_rt_status status = artifact.read(SectionKind::Code, bytes))
    return status;
  CodeLevels levels;
  return readLevels(artifact, levels);
}

relax_rt_status relax_rt_module::readDescription(const ArtifactFile &artifact) {
  if (relax_rt_status status = readMetadata(artifact))
    return status;
  if (relax_rt_status status = readDevices(artifact))
    return status;
  buildSignatures();
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_module::load(relax_rt_instance &instance, const char *path) {
  ArtifactFile artifact;
  if (relax_rt_status status = artifact.open(path))
    return status;
  return load(instance, artifact);
}

relax_rt_status relax_rt_module::load(relax_rt_instance &instance, const void *bytes, size_t size) {
  ArtifactFile artifact;
  if (relax_rt_status status = artifact.open(bytes, size))
    return status;
  return load(instance, artifact);
}

relax_rt_status relax_rt_module::load(relax_rt_instance &instance, const ArtifactFile &artifact) {
  if (relax_rt_status status = readDescription(artifact))
    return status;
  std::vector<uint8_t> bytes;
  if (relax_rt_status status = chooseCode(artifact, bytes))
    return status;
  // Everything is checked before the code is opened, because opening may run it.
  if (relax_rt_status status = artifact.map(SectionKind::Weights, weights))
    return status;
  if (relax_rt_status status = resolveExterns(instance, artifact))
    return status;
  return resolveCode(artifact, bytes);
}

/// A module filled by `fill`; none when that fails.
template <typename Fill> static relax_rt_status makeModule(relax_rt_module **out_module, Fill fill) {
  std::unique_ptr<relax_rt_module> module;
  relax_rt_status status = guarded([&] {
    if (!out_module)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "out_module is NULL");
    *out_module = nullptr;
    module = std::make_unique<relax_rt_module>();
    return fill(*module);
  });
  if (status == RELAX_RT_OK)
    *out_module = module.release();
  return status;
}

relax_rt_status relax_rt_module_load(relax_rt_instance *instance, const char *path, relax_rt_module **out_module) {
  return makeModule(out_module, [&](relax_rt_module &module) {
    if (!instance || !path)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "instance or path is NULL");
    return module.load(*instance, path);
  });
}

relax_rt_status relax_rt_module_load_bytes(relax_rt_instance *instance, const void *bytes, size_t size,
                                           relax_rt_module **out_module) {
  return makeModule(out_module, [&](relax_rt_module &module) {
    if (!instance || (!bytes && size))
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "instance or bytes is NULL");
    return module.load(*instance, bytes, size);
  });
}

relax_rt_status relax_rt_module_describe(const char *path, relax_rt_module **out_module) {
  return makeModule(out_module, [&](relax_rt_module &module) {
    if (!path)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "path is NULL");
    return module.describe(path);
  });
}
