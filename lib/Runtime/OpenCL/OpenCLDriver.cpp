//===- OpenCLDriver.cpp - Functions of the OpenCL loader ------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "OpenCLDriver.h"

#include <dlfcn.h>

using namespace relax_rt::cl;

Driver::~Driver() {
  if (library)
    dlclose(library);
}

bool Driver::open(std::string &reason) {
  library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    reason = "no OpenCL loader: cannot open 'libOpenCL.so.1'";
    return false;
  }
  const char *missing = nullptr;
#define RELAX_CL_FIND(name, result, parameters)                                                                        \
  name = reinterpret_cast<result(*) parameters>(dlsym(library, "cl" #name));                                           \
  if (!name)                                                                                                           \
    missing = "cl" #name;
  RELAX_CL_FUNCTIONS(RELAX_CL_FIND)
#undef RELAX_CL_FIND
  if (missing)
    reason = std::string("the OpenCL loader has no '") + missing + "'";
  return !missing;
}
