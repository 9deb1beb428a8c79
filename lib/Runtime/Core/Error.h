//===- Error.h - Statuses and the text of the last failure ----*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_ERROR_H
#define RELAX_RUNTIME_CORE_ERROR_H

#include "RelaxDialect/Runtime/Runtime.h"

#include <exception>
#include <new>
#include <string>

namespace relax_rt {

/// Makes `text` the calling thread's error text and returns `status`.
relax_rt_status fail(relax_rt_status status, const std::string &text) noexcept;
/// The same for a literal; needs no memory.
relax_rt_status failLiteral(relax_rt_status status, const char *literal) noexcept;

/// Runs `body` (which returns a status); no exception leaves. Every function that C code calls goes through it.
template <typename Body> relax_rt_status guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return failLiteral(RELAX_RT_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception &exception) {
    try {
      return fail(RELAX_RT_INTERNAL, std::string("internal error: ") + exception.what());
    } catch (...) {
      return failLiteral(RELAX_RT_INTERNAL, "internal error");
    }
  } catch (...) {
    return failLiteral(RELAX_RT_INTERNAL, "internal error");
  }
}

/// `text` in single quotes.
std::string quote(const std::string &text);

/// "float32", "bool"; the raw numbers for a type that has no name.
std::string dtypeName(relax_rt_dtype dtype);
/// Whether tensors of this type can exist (one lane, a known code, whole bytes).
bool isKnownDtype(relax_rt_dtype dtype);

} // namespace relax_rt

#endif // RELAX_RUNTIME_CORE_ERROR_H
