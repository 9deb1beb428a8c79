/*===- opencl_spirv.c - An OpenCL loader that takes SPIR-V --------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* Stands in front of the system's loader, whose CPU device (PoCL of Debian 12)
|* takes LLVM bitcode only: SPIR-V becomes that through llvm-spirv. Built and
|* used by a test.
|*
\*===----------------------------------------------------------------------===*/
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int32_t Int;
typedef void *Ptr;
typedef const size_t *Sizes;

static Ptr find(const char *name) {
  static Ptr library;
  if (!library)
    library = dlopen(REAL_LOADER, RTLD_NOW | RTLD_LOCAL);
  return dlsym(library, name);
}

#define FORWARD(result, name, parameters, arguments)                                                                   \
  result name parameters {                                                                                             \
    result(*real) parameters = (result(*) parameters)find(#name);                                                      \
    return real arguments;                                                                                             \
  }

FORWARD(Int, clGetPlatformIDs, (uint32_t n, Ptr *p, uint32_t *c), (n, p, c))
FORWARD(Int, clGetDeviceIDs, (Ptr p, uint64_t t, uint32_t n, Ptr *d, uint32_t *c), (p, t, n, d, c))
FORWARD(Ptr, clCreateContext, (const intptr_t *p, uint32_t n, const Ptr *d, Ptr c, Ptr u, Int *e), (p, n, d, c, u, e))
FORWARD(Int, clReleaseContext, (Ptr c), (c))
FORWARD(Ptr, clCreateCommandQueue, (Ptr c, Ptr d, uint64_t b, Int *e), (c, d, b, e))
FORWARD(Int, clReleaseCommandQueue, (Ptr q), (q))
FORWARD(Int, clBuildProgram, (Ptr p, uint32_t n, const Ptr *d, const char *o, Ptr c, Ptr u), (p, n, d, o, c, u))
FORWARD(Int, clGetProgramBuildInfo, (Ptr p, Ptr d, uint32_t w, size_t s, Ptr v, size_t *o), (p, d, w, s, v, o))
FORWARD(Int, clReleaseProgram, (Ptr p), (p))
FORWARD(Ptr, clCreateKernel, (Ptr p, const char *n, Int *e), (p, n, e))
FORWARD(Int, clReleaseKernel, (Ptr k), (k))
FORWARD(Ptr, clSVMAlloc, (Ptr c, uint64_t b, size_t s, uint32_t a), (c, b, s, a))
FORWARD(void, clSVMFree, (Ptr c, Ptr m), (c, m))
FORWARD(Int, clSetKernelArgSVMPointer, (Ptr k, uint32_t i, const void *v), (k, i, v))
FORWARD(Int, clEnqueueNDRangeKernel,
        (Ptr q, Ptr k, uint32_t d, Sizes o, Sizes g, Sizes l, uint32_t n, const Ptr *w, Ptr *e),
        (q, k, d, o, g, l, n, w, e))
FORWARD(Int, clFinish, (Ptr q), (q))

Int clGetDeviceInfo(Ptr device, uint32_t what, size_t size, Ptr value, size_t *length) {
  static const char kVersion[] = "SPIR-V_1.0";
  if (what != 0x105b) {
    Int (*real)(Ptr, uint32_t, size_t, Ptr, size_t *) = (Int (*)(Ptr, uint32_t, size_t, Ptr, size_t *))find(__func__);
    return real(device, what, size, value, length);
  }
  if (length)
    *length = sizeof(kVersion);
  if (value && size >= sizeof(kVersion))
    memcpy(value, kVersion, sizeof(kVersion));
  return 0;
}

static ssize_t read_file(const char *path, unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "rb");
  size_t length = file ? fread(bytes, 1, size, file) : 0;
  if (file)
    fclose(file);
  return (ssize_t)length;
}

Ptr clCreateProgramWithIL(Ptr context, const void *code, size_t size, Int *error) {
  char spirv[] = "/tmp/relax-spirv-XXXXXX", bitcode[] = "/tmp/relax-bitcode-XXXXXX", command[256];
  int in = mkstemp(spirv), out = mkstemp(bitcode);
  static unsigned char bytes[1 << 20];
  const unsigned char *binary = bytes;
  Ptr device = NULL;
  Int status = 0;
  unsetenv("LD_LIBRARY_PATH"); /* llvm-spirv is no user of this loader */
  snprintf(command, sizeof(command), "llvm-spirv-15 -r %s -o %s", spirv, bitcode);
  *error = write(in, code, size) == (ssize_t)size && system(command) == 0 ? 0 : -30;
  ssize_t length = *error ? 0 : read_file(bitcode, bytes, sizeof(bytes));
  size_t count = length > 0 ? (size_t)length : 0;
  Int (*info)(Ptr, uint32_t, size_t, Ptr, size_t *) =
      (Int (*)(Ptr, uint32_t, size_t, Ptr, size_t *))find("clGetContextInfo");
  Ptr (*create)(Ptr, uint32_t, const Ptr *, Sizes, const unsigned char **, Int *, Int *) = (Ptr (*)(
      Ptr, uint32_t, const Ptr *, Sizes, const unsigned char **, Int *, Int *))find("clCreateProgramWithBinary");
  close(in);
  close(out);
  unlink(spirv);
  unlink(bitcode);
  if (!count || info(context, 0x1081, sizeof(device), &device, NULL))
    return NULL;
  return create(context, 1, &device, &count, &binary, &status, error);
}
