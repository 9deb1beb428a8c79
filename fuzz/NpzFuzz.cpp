//===- NpzFuzz.cpp - The reader of arrays on arbitrary bytes --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// The first byte of the input chooses: 0 an .npy image, 1 an .npz file.
//
//===----------------------------------------------------------------------===//
#include "Npy.h"
#include "Npz.h"

#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace relax_run;

static void check(bool condition) {
  if (!condition)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::string error;
  if (data[0] % 2 == 0) {
    NpyHeader header;
    check(parseNpyHeader(data + 1, size - 1, header, error) || !error.empty());
    return 0;
  }
  int file = memfd_create("fuzz", MFD_CLOEXEC);
  check(file >= 0);
  check(write(file, data + 1, size - 1) == static_cast<ssize_t>(size - 1));
  std::vector<Array> arrays;
  check(readNpz("/proc/self/fd/" + std::to_string(file), arrays, error) == error.empty());
  close(file);
  return 0;
}
