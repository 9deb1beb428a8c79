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

/// Texts as the C API takes them; they point into `texts`.
inline std::vector<const char *> pointers(const std::vector<std::string> &texts) {
  std::vector<const char *> result;
  result.reserve(texts.size());
  for (const std::string &text : texts)
    result.push_back(text.c_str());
  return result;
}

/// Calls the C API without Python's lock; raises its failure.
template <typename Fn> void callUnlocked(Fn fn) {
  relax_status status;
  {
    nb::gil_scoped_release unlocked;
    status = fn();
  }
  check(status);
}
/// What `fn` hands to the relax_bytes_fn that it gets.
template <typename Fn> std::string readUnlocked(Fn fn) {
  std::string bytes;
  callUnlocked([&] { return fn(appendTo, static_cast<void *>(&bytes)); });
  return bytes;
}

/// Expr, Fact, Prover and their functions.
void bindProver(nb::module_ &module);

} // namespace relax_python

#endif // RELAX_PYTHON_COMPILER_H
