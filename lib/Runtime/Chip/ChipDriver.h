//===- ChipDriver.h - Functions of the CUDA and the HIP driver -*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
// Own declarations, so that no header of CUDA or HIP is needed. What is used of
// the two has the same parameters: handles are pointers, results are numbers of
// which 0 is success.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CHIP_CHIPDRIVER_H
#define RELAX_RUNTIME_CHIP_CHIPDRIVER_H

#include <cstddef>
#include <string>

namespace relax_rt::chip {

using Result = int;
using Handle = void *; // of a context, stream, module or function

constexpr unsigned kVisibleEverywhere = 1, kNonBlocking = 1;
constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76; // of CUDA's attributes

/// Functions of both: member, CUDA's name, HIP's name, parameters.
#define RELAX_CHIP_FUNCTIONS(F)                                                                                        \
  F(Init, cuInit, hipInit, (unsigned))                                                                                 \
  F(GetDeviceCount, cuDeviceGetCount, hipGetDeviceCount, (int *))                                                      \
  F(GetDevice, cuDeviceGet, hipDeviceGet, (int *, int))                                                                \
  F(GetName, cuDeviceGetName, hipDeviceGetName, (char *, int, int))                                                    \
  F(GetTotalMemory, cuDeviceTotalMem_v2, hipDeviceTotalMem, (size_t *, int))                                           \
  F(AllocateManaged, cuMemAllocManaged, hipMallocManaged, (void **, size_t, unsigned))                                 \
  F(Free, cuMemFree_v2, hipFree, (void *))                                                                             \
  F(LoadModule, cuModuleLoadData, hipModuleLoadData, (Handle *, const void *))                                         \
  F(GetFunction, cuModuleGetFunction, hipModuleGetFunction, (Handle *, Handle, const char *))                          \
  F(UnloadModule, cuModuleUnload, hipModuleUnload, (Handle))                                                           \
  F(Launch, cuLaunchKernel, hipModuleLaunchKernel,                                                                     \
    (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **))          \
  F(CreateStream, cuStreamCreate, hipStreamCreateWithFlags, (Handle *, unsigned))                                      \
  F(SynchronizeStream, cuStreamSynchronize, hipStreamSynchronize, (Handle))                                            \
  F(DestroyStream, cuStreamDestroy_v2, hipStreamDestroy, (Handle))
#define RELAX_CUDA_FUNCTIONS(F)                                                                                        \
  F(GetAttribute, cuDeviceGetAttribute, (int *, int, int))                                                             \
  F(RetainContext, cuDevicePrimaryCtxRetain, (Handle *, int))                                                          \
  F(ReleaseContext, cuDevicePrimaryCtxRelease_v2, (int))                                                               \
  F(SetContext, cuCtxSetCurrent, (Handle))
#define RELAX_HIP_FUNCTIONS(F) F(SetDevice, hipSetDevice, (int))

/// The driver of one vendor, opened once.
class Driver {
public:
  explicit Driver(bool isHIP) : isHIP(isHIP) {}
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;
  ~Driver();
  /// False and the reason where there is no driver.
  bool open(std::string &reason);

  const bool isHIP;
#define RELAX_CHIP_DECLARE(name, cuda, hip, parameters) Result(*name) parameters = nullptr;
#define RELAX_CHIP_DECLARE_ONE(name, symbol, parameters) Result(*name) parameters = nullptr;
  RELAX_CHIP_FUNCTIONS(RELAX_CHIP_DECLARE)
  RELAX_CUDA_FUNCTIONS(RELAX_CHIP_DECLARE_ONE)
  RELAX_HIP_FUNCTIONS(RELAX_CHIP_DECLARE_ONE)
#undef RELAX_CHIP_DECLARE
#undef RELAX_CHIP_DECLARE_ONE
  /// HIP's properties of a device, a struct that changed between versions.
  Result (*GetProperties)(void *, int) = nullptr;

private:
  void *library = nullptr;
};

} // namespace relax_rt::chip

#endif // RELAX_RUNTIME_CHIP_CHIPDRIVER_H
