//===- ChipDriver.cpp - Functions of the CUDA and the HIP driver ----------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "ChipDriver.h"

#include <dlfcn.h>

using namespace relax_rt::chip;

Driver::~Driver() {
  if (library)
    dlclose(library);
}

bool Driver::open(std::string &reason) {
  // In the order in which they are tried; newer versions first.
  static constexpr const char *kCuda[] = {"libcuda.so.1", nullptr};
  static constexpr const char *kHip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", nullptr};
  const char *const *names = isHIP ? kHip : kCuda;
  for (const char *const *name = names; *name && !library; ++name)
    library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    reason = std::string("no ") + (isHIP ? "HIP" : "CUDA") + " driver: cannot open '" + *names + "'";
    return false;
  }
  const char *missing = nullptr;
  auto find = [&](const char *symbol) {
    void *address = dlsym(library, symbol);
    if (!address)
      missing = symbol;
    return address;
  };
#define RELAX_CHIP_FIND(name, cuda, hip, parameters)                                                                   \
  name = reinterpret_cast<Result(*) parameters>(find(isHIP ? #hip : #cuda));
#define RELAX_CHIP_FIND_ONE(name, symbol, parameters) name = reinterpret_cast<Result(*) parameters>(find(#symbol));
  RELAX_CHIP_FUNCTIONS(RELAX_CHIP_FIND)
  if (isHIP) {
    RELAX_HIP_FUNCTIONS(RELAX_CHIP_FIND_ONE)
    void *properties = dlsym(library, "hipGetDevicePropertiesR0600");
    GetProperties = reinterpret_cast<Result (*)(void *, int)>(properties ? properties : find("hipGetDeviceProperties"));
  } else {
    RELAX_CUDA_FUNCTIONS(RELAX_CHIP_FIND_ONE)
  }
#undef RELAX_CHIP_FIND
#undef RELAX_CHIP_FIND_ONE
  if (missing)
    reason = std::string("the driver has no '") + missing + "'";
  return !missing;
}
