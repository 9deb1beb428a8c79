//===- OpenCLDriver.h - Functions of the OpenCL loader --------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Own declarations, so that no header of OpenCL is needed; numbers are those of
// the OpenCL 2.1 ABI.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_OPENCL_OPENCLDRIVER_H
#define RELAX_RUNTIME_OPENCL_OPENCLDRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace relax_rt::cl {

using Int = int32_t; // 0: success
using Bits = uint64_t;
using Platform = void *;
using Device = void *;
using Context = void *;
using Queue = void *;
using Program = void *;
using Kernel = void *;
using Event = void *;

constexpr Bits kDeviceTypeAll = 0xffffffff, kSvmReadWrite = 1, kSvmFineGrainBuffer = 2, kSvmFineGrain = 1 << 10,
               kQueueProfiling = 2;
constexpr uint32_t kDeviceName = 0x102b, kDeviceExtensions = 0x1030, kDeviceMaxAllocation = 0x1010,
                   kDeviceMaxWorkgroup = 0x1004, kDeviceLocalBytes = 0x1023, kDeviceSvm = 0x1053,
                   kDeviceILVersion = 0x105b, kProgramBuildLog = 0x1183, kCommandStart = 0x1282, kCommandEnd = 0x1283;
constexpr Int kDeviceNotFound = -1;

/// Functions of the loader: name, result, parameters.
#define RELAX_CL_FUNCTIONS(F)                                                                                          \
  F(GetPlatformIDs, Int, (uint32_t, Platform *, uint32_t *))                                                           \
  F(GetDeviceIDs, Int, (Platform, Bits, uint32_t, Device *, uint32_t *))                                               \
  F(GetDeviceInfo, Int, (Device, uint32_t, size_t, void *, size_t *))                                                  \
  F(CreateContext, Context,                                                                                            \
    (const intptr_t *, uint32_t, const Device *, void (*)(const char *, const void *, size_t, void *), void *, Int *)) \
  F(ReleaseContext, Int, (Context))                                                                                    \
  F(CreateCommandQueue, Queue, (Context, Device, Bits, Int *))                                                         \
  F(ReleaseCommandQueue, Int, (Queue))                                                                                 \
  F(CreateProgramWithIL, Program, (Context, const void *, size_t, Int *))                                              \
  F(BuildProgram, Int, (Program, uint32_t, const Device *, const char *, void (*)(Program, void *), void *))           \
  F(GetProgramBuildInfo, Int, (Program, Device, uint32_t, size_t, void *, size_t *))                                   \
  F(ReleaseProgram, Int, (Program))                                                                                    \
  F(CreateKernel, Kernel, (Program, const char *, Int *))                                                              \
  F(ReleaseKernel, Int, (Kernel))                                                                                      \
  F(SVMAlloc, void *, (Context, Bits, size_t, uint32_t))                                                               \
  F(SVMFree, void, (Context, void *))                                                                                  \
  F(SetKernelArgSVMPointer, Int, (Kernel, uint32_t, const void *))                                                     \
  F(EnqueueNDRangeKernel, Int,                                                                                         \
    (Queue, Kernel, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t, const Event *, Event *))       \
  F(Finish, Int, (Queue))

/// The loader, opened once.
class Driver {
public:
  Driver() = default;
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;
  ~Driver();
  /// False and the reason when there is no loader of OpenCL 2.1.
  bool open(std::string &reason);

#define RELAX_CL_DECLARE(name, result, parameters) result(*name) parameters = nullptr;
  RELAX_CL_FUNCTIONS(RELAX_CL_DECLARE)
#undef RELAX_CL_DECLARE

private:
  void *library = nullptr;
};

} // namespace relax_rt::cl

#endif // RELAX_RUNTIME_OPENCL_OPENCLDRIVER_H
