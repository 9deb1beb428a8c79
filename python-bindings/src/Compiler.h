//===- Compiler.h - What the files of relax._compiler share ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_PYTHON_COMPILER_H
#define RELAX_PYTHON_COMPILER_H

#include "Common.h"

#include "RelaxDialect-c/Compiler.h"

#include <cstring>

namespace relax_python {

/// The messages of the thread's last call.
nb::list getDiagnostics();
/// Raises the thread's last failure.
void check(relax_status status);
/// A relax_bytes_fn whose user data is a std::string.
inline void appendTo(void *text, const char *bytes, size_t size) {
  static_cast<std::string *>(text)->append(bytes, size);
}

/// Expr, Fact, Prover and their functions.
void bindProver(nb::module_ &module);

} // namespace relax_python

#endif // RELAX_PYTHON_COMPILER_H
