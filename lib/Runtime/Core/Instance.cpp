//===- Instance.cpp - Registered library functions ------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Instance.h"

#include "Error.h"

#include <dlfcn.h>

using namespace relax_rt;

namespace {
constexpr const char *kRegisterSymbol = "relax_rt_register_library";
using RegisterFn = int32_t (*)(relax_rt_instance *);
} // namespace

relax_rt_instance::~relax_rt_instance() {
  for (auto library = libraries.rbegin(); library != libraries.rend(); ++library)
    dlclose(*library);
}

void relax_rt_instance::add(const std::string &name, ExternFunction function) {
  std::lock_guard<std::mutex> lock(mutex);
  functions[name] = function;
}

ExternFunction relax_rt_instance::find(const std::string &name) const {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = functions.find(name);
  return found == functions.end() ? ExternFunction() : found->second;
}

void *relax_rt_instance::findInLibraries(const std::vector<std::string> &sonames, const std::string &symbol) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const std::string &soname : sonames) {
    auto [place, isNew] = opened.emplace(soname, nullptr);
    if (isNew) {
      libraries.reserve(libraries.size() + 1);
      place->second = dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (place->second)
        libraries.push_back(place->second);
    }
    if (void *address = place->second ? dlsym(place->second, symbol.c_str()) : nullptr)
      return address;
  }
  return nullptr;
}

relax_rt_status relax_rt_instance::loadLibrary(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return fail(RELAX_RT_UNAVAILABLE, std::string("cannot load library: ") + (reason ? reason : path));
  }
  // From here on the library stays open whatever happens: it may have registered some of its functions.
  try {
    std::lock_guard<std::mutex> lock(mutex);
    libraries.push_back(handle);
  } catch (...) {
    dlclose(handle);
    throw;
  }
  auto registerLibrary = reinterpret_cast<RegisterFn>(dlsym(handle, kRegisterSymbol));
  if (!registerLibrary)
    return fail(RELAX_RT_UNAVAILABLE, "library " + quote(path) + " does not define " + kRegisterSymbol);
  // Not under the lock: the function calls relax_rt_instance_register.
  int32_t result = registerLibrary(this);
  if (result != 0)
    return fail(RELAX_RT_EXTERN_ERROR,
                "library " + quote(path) + ": " + kRegisterSymbol + " returned " + std::to_string(result));
  return RELAX_RT_OK;
}

relax_rt_status relax_rt_instance_create(relax_rt_instance **out_instance) {
  return guarded([&] {
    if (!out_instance)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "out_instance is NULL");
    *out_instance = nullptr;
    *out_instance = new relax_rt_instance();
    return RELAX_RT_OK;
  });
}

void relax_rt_instance_destroy(relax_rt_instance *instance) { delete instance; }

relax_rt_status relax_rt_instance_register(relax_rt_instance *instance, const char *name, relax_rt_extern_fn fn,
                                           void *user) {
  return guarded([&] {
    if (!instance || !name || !fn)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "instance, name or function is NULL");
    instance->add(name, {fn, user});
    return RELAX_RT_OK;
  });
}

relax_rt_status relax_rt_instance_load_library(relax_rt_instance *instance, const char *path) {
  return guarded([&] {
    if (!instance || !path)
      return failLiteral(RELAX_RT_INVALID_ARGUMENT, "instance or path is NULL");
    return instance->loadLibrary(path);
  });
}
