//===- CodeImage.cpp - Compiled code in memory ----------------------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "CodeImage.h"

#include "Error.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

using namespace relax_rt;

/// Kernels before 6.3 do not know MFD_EXEC, later ones may demand it.
static int createMemoryFile() {
  int file = memfd_create("relax-artifact", MFD_CLOEXEC | MFD_EXEC);
  return file >= 0 || errno != EINVAL ? file : memfd_create("relax-artifact", MFD_CLOEXEC);
}

CodeImage::~CodeImage() {
  if (handle) {
    dlclose(handle);
    // The dynamic loader knows objects by name. Should this one stay loaded (an object may ask for that), its name,
    // and so the descriptor's number, must not be used again: another module would get this one's code.
    if (void *still = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
      dlclose(still);
      return;
    }
  }
  if (file >= 0)
    close(file);
}

std::string CodeImage::path() const { return "/proc/self/fd/" + std::to_string(file); }

relax_rt_status CodeImage::load(const std::vector<uint8_t> &object) {
  file = createMemoryFile();
  if (file < 0)
    return fail(RELAX_RT_OUT_OF_MEMORY, std::string("cannot create a memory file for code: ") + std::strerror(errno));
  for (size_t done = 0; done < object.size();) {
    ssize_t written = write(file, object.data() + done, object.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return fail(RELAX_RT_OUT_OF_MEMORY, std::string("cannot copy code to memory: ") + std::strerror(errno));
    done += static_cast<size_t>(written);
  }
  handle = dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return fail(RELAX_RT_INVALID_ARTIFACT, std::string("cannot load code: ") + (reason ? reason : "unknown reason"));
  }
  return RELAX_RT_OK;
}

void *CodeImage::symbol(const std::string &name) const {
  void *address = dlsym(handle, name.c_str());
  // dlsym also searches the libraries that the object needs: a missing kernel "exp" must not become libm's.
  Dl_info info;
  if (!address || !dladdr(address, &info) || !info.dli_fname || path() != info.dli_fname)
    return nullptr;
  return address;
}
