//===- CodeImage.h - Compiled code in memory ------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUNTIME_CORE_CODEIMAGE_H
#define RELAX_RUNTIME_CORE_CODEIMAGE_H

#include "RelaxDialect/Runtime/Runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relax_rt {

/// A shared object opened from bytes, never from a file name.
class CodeImage {
public:
  CodeImage() = default;
  CodeImage(const CodeImage &) = delete;
  CodeImage &operator=(const CodeImage &) = delete;
  ~CodeImage();

  relax_rt_status load(const std::vector<uint8_t> &object);
  bool isLoaded() const { return handle != nullptr; }
  /// NULL when the object does not define `name`.
  void *symbol(const std::string &name) const;

private:
  std::string path() const;

  int file = -1;
  void *handle = nullptr;
};

/// Whether this machine can run code for `triple` (empty: not stated) that uses `features` (comma-separated names of
/// /proc/cpuinfo); otherwise `error` tells why not.
bool hostCanRun(const std::string &triple, const std::string &features, std::string &error);

} // namespace relax_rt

#endif // RELAX_RUNTIME_CORE_CODEIMAGE_H
