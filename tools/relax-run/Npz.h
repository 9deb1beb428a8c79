//===- Npz.h - Named arrays in a file -------------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUN_NPZ_H
#define RELAX_RUN_NPZ_H

#include "RelaxDialect/Runtime/Runtime.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace relax_run {

/// A dense row-major array that owns its memory, which is aligned to 64 bytes.
struct Array {
  std::string name;
  relax_rt_dtype dtype = {};
  std::vector<int64_t> dims;
  std::unique_ptr<uint8_t, decltype(&std::free)> data{nullptr, &std::free};

  relax_rt_tensor_view view() const { return {data.get(), dims.data(), static_cast<int64_t>(dims.size()), dtype}; }
};

/// An array of someone else's.
struct NamedView {
  std::string name;
  relax_rt_tensor_view view;
};

/// Reads every array of an untrusted .npz file. Booleans become 0 or 1. False and `error` ("PATH: what") on failure.
bool readNpz(const std::string &path, std::vector<Array> &arrays, std::string &error);

/// Writes what numpy.savez would write.
bool writeNpz(const std::string &path, const std::vector<NamedView> &arrays, std::string &error);

} // namespace relax_run

#endif // RELAX_RUN_NPZ_H
