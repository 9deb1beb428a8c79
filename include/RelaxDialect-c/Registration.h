/*===- Registration.h - Dialects and passes for MLIR's C API ------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* For programs that use MLIR's own C API (mlir-c), with the MLIR that
|* libRelaxDialect.so is linked to.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RELAXDIALECT_C_REGISTRATION_H
#define RELAXDIALECT_C_REGISTRATION_H

#include "RelaxDialect-c/Compiler.h"
#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Adds the project's dialects to the registry. */
RELAX_API void relax_register_dialects(MlirDialectRegistry registry);
/** Makes the project's passes and pipelines known to pipeline texts; once per process, however often it is called. */
RELAX_API void relax_register_passes(void);

#ifdef __cplusplus
}
#endif
#endif /* RELAXDIALECT_C_REGISTRATION_H */
