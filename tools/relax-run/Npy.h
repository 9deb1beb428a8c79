//===- Npy.h - The header of a numpy array --------------------*- C++ -*-===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#ifndef RELAX_RUN_NPY_H
#define RELAX_RUN_NPY_H

#include "RelaxDialect/Runtime/Runtime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relax_run {

/// A code besides relax_rt_type_code: bytes of a type that numpy has no name for, of which arrays of ml_dtypes consist.
/// Elements of 2 and 4 bits take one each.
constexpr uint8_t kBytes = 3;

struct NpyHeader {
  relax_rt_dtype dtype = {};
  bool fortranOrder = false;
  std::vector<int64_t> dims;
  uint64_t headerSize = 0; // where the data starts
  uint64_t dataSize = 0;
};

/// Reads the header of an untrusted .npy image (versions 1 to 3); false and `error` when it is malformed or not
/// supported.
bool parseNpyHeader(const uint8_t *bytes, uint64_t size, NpyHeader &header, std::string &error);

/// The bytes before the data of a row-major array; false for element types that numpy does not have.
bool makeNpyHeader(relax_rt_dtype dtype, const int64_t *dims, int64_t rank, std::string &header, std::string &error);

/// Copies column-major elements to row-major order.
void fortranToRowMajor(const uint8_t *from, uint8_t *to, const std::vector<int64_t> &dims, uint64_t elementBytes);

} // namespace relax_run

#endif // RELAX_RUN_NPY_H
