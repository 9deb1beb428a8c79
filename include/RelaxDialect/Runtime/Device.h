/*===- Device.h - Public C API: running kernels on a device -------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* A context runs its kernels on the CPU until it is given a device. Kernels for
|* which the artifact has no code for that device, or whose sizes do not fit it,
|* run on the CPU all the same and are counted.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RELAXDIALECT_RUNTIME_DEVICE_H
#define RELAXDIALECT_RUNTIME_DEVICE_H

#include "RelaxDialect/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Gives a context that has run nothing yet a device: "cpu", "vulkan", "opencl", "nvidia" or "amd", or a kind of these
 * that the artifact was compiled for, such as "vulkan:mali". Drivers are opened here; without one the result is
 * RELAX_RT_UNAVAILABLE and the context stays on the CPU. So it is when the artifact has no code for the device. */
RELAX_RT_API relax_rt_status relax_rt_context_set_device(relax_rt_context *context, const char *device);
/** What the driver calls the device, "cpu" without one; NULL for a NULL context. Valid as long as the context. */
RELAX_RT_API const char *relax_rt_context_device_name(const relax_rt_context *context);

typedef struct relax_rt_device_counters {
  uint64_t device_launches; /* kernels that ran on the device */
  uint64_t dispatches;      /* stages of these with something to do */
  uint64_t cpu_launches;    /* kernels that ran on the CPU although there is a device */
  uint64_t bytes_to_device; /* inputs and weights copied to memory of the device */
  uint64_t
      nanoseconds; /* from the first launch on the device to the end of the last, as the host sees it, for each wait */
  uint64_t waits;  /* times that the host waited for launches, one or more at a time */
} relax_rt_device_counters;

RELAX_RT_API relax_rt_status relax_rt_context_device_counters(const relax_rt_context *context,
                                                              relax_rt_device_counters *out_counters);

#ifdef __cplusplus
}
#endif
#endif /* RELAXDIALECT_RUNTIME_DEVICE_H */
