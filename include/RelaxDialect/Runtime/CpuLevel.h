/*===- CpuLevel.h - Public C API: code for several CPUs -----------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* An artifact may have its code several times, each for another level of CPU.
|* Loading takes the highest one that this machine can run, or the one that the
|* environment variable RELAX_CPU_LEVEL names.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RELAXDIALECT_RUNTIME_CPULEVEL_H
#define RELAXDIALECT_RUNTIME_CPULEVEL_H

#include "RelaxDialect/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The level whose code a module runs, "x86-64-v3"; empty when the artifact has code for one level only, or none was
 * loaded; NULL for a NULL module. Valid as long as the module. */
RELAX_RT_API const char *relax_rt_module_cpu_level(const relax_rt_module *module);

#ifdef __cplusplus
}
#endif
#endif /* RELAXDIALECT_RUNTIME_CPULEVEL_H */
