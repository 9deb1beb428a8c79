//===- Module.h - One loaded artifact -------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_MODULE_H
#define RELAX_RUNTIME_CORE_MODULE_H

#include "ArtifactFile.h"
#include "CodeImage.h"
#include "Instance.h"
#include "RelaxDialect/Runtime/CodeLevels.h"
#include "RelaxDialect/Runtime/DeviceCode.h"

#include "RelaxDialect/Runtime/ABI.h"

namespace relax_rt {

/// A tensor of a signature: `info` points into `dimTexts` and into the metadata.
struct Tensor {
  relax_rt_tensor_info info = {};
  std::vector<const char *> dimTexts;
};

struct Function {
  const char *name = nullptr;
  relax_rt_entry_fn entry = nullptr;
  std::vector<Tensor> inputs, outputs;
};

struct Kernel {
  relax_rt_kernel_fn fn = nullptr;
  relax_rt_kernel_fn reference = nullptr; // null: none
  relax_rt_parts_fn parts = nullptr;      // null: not divided
  relax_rt_work_fn work = nullptr;        // null: not known
  relax_rt_parts_fn sizes = nullptr;      // of a launch on a device; null: no device has code for it
};

/// Finds what is wrong in decoded metadata; empty when nothing is.
std::string checkMetadata(const Metadata &metadata);

} // namespace relax_rt

/// Immutable once loaded; any number of threads may read it.
struct relax_rt_module {
  relax_rt_status load(relax_rt_instance &instance, const char *path);
  relax_rt_status load(relax_rt_instance &instance, const void *bytes, size_t size);
  /// Everything but code and library functions.
  relax_rt_status describe(const char *path);
  bool canRun() const { return code.isLoaded(); }
  int64_t findFunction(const char *name) const;

  relax_rt::Metadata metadata;
  std::vector<relax_rt::Function> functions;
  std::vector<relax_rt::Kernel> kernels;
  std::vector<relax_rt::ExternFunction> externs;
  relax_rt::Mapping weights;
  std::vector<relax_rt::DeviceTarget> devices;
  bool awaitsLaunches = false; // host code says when it reads what kernels have written
  std::string cpuLevel;        // whose code is loaded; empty: the only one

private:
  relax_rt_status readDescription(const relax_rt::ArtifactFile &artifact);
  relax_rt_status load(relax_rt_instance &instance, const relax_rt::ArtifactFile &artifact);
  relax_rt_status readMetadata(const relax_rt::ArtifactFile &artifact);
  relax_rt_status readDevices(const relax_rt::ArtifactFile &artifact);
  relax_rt_status readLevels(const relax_rt::ArtifactFile &artifact, relax_rt::CodeLevels &levels);
  /// The code that this machine shall run.
  relax_rt_status chooseCode(const relax_rt::ArtifactFile &artifact, std::vector<uint8_t> &bytes);
  relax_rt_status resolveExterns(relax_rt_instance &instance, const relax_rt::ArtifactFile &artifact);
  relax_rt_status resolveAdapters(const relax_rt::ArtifactFile &artifact);
  relax_rt_status resolveCode(const relax_rt::ArtifactFile &artifact, const std::vector<uint8_t> &bytes);
  void buildSignatures();

  relax_rt::CodeImage code;
};

#endif // RELAX_RUNTIME_CORE_MODULE_H
