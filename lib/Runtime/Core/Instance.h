//===- Instance.h - Registered library functions --------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_INSTANCE_H
#define RELAX_RUNTIME_CORE_INSTANCE_H

#include "RelaxDialect/Runtime/Runtime.h"

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace relax_rt {

/// A function and the pointer that its owner wants back.
struct ExternFunction {
  relax_rt_extern_fn fn = nullptr;
  void *user = nullptr;
};

} // namespace relax_rt

struct relax_rt_instance {
  relax_rt_instance() = default;
  ~relax_rt_instance();

  void add(const std::string &name, relax_rt::ExternFunction function);
  /// `fn` is null when nothing has that name.
  relax_rt::ExternFunction find(const std::string &name) const;
  relax_rt_status loadLibrary(const char *path);
  /// The address of `symbol` in the first of the shared objects that can be opened and has it, null when there is none.
  void *findInLibraries(const std::vector<std::string> &sonames, const std::string &symbol);

private:
  mutable std::mutex mutex;
  std::unordered_map<std::string, relax_rt::ExternFunction> functions;
  std::vector<void *> libraries;                  // dlopen handles
  std::unordered_map<std::string, void *> opened; // by soname; null: cannot be opened
};

#endif // RELAX_RUNTIME_CORE_INSTANCE_H
