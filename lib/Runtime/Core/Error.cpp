//===- Error.cpp - Statuses and the text of the last failure --------------===//
//
// Licensed under the Apache License, Version 2.0. See LICENSE.
//
//===----------------------------------------------------------------------===//
#include "Error.h"

using namespace relax_rt;

namespace {

/// `literal` wins when it is set: recording "out of memory" must not need memory.
struct LastError {
  std::string text;
  const char *literal = nullptr;
};

thread_local LastError lastError;

} // namespace

relax_rt_status relax_rt::fail(relax_rt_status status, const std::string &text) noexcept {
  try {
    lastError.text = text;
    lastError.literal = nullptr;
  } catch (...) {
    lastError.literal = "out of memory while writing an error message";
  }
  return status;
}

relax_rt_status relax_rt::failLiteral(relax_rt_status status, const char *literal) noexcept {
  lastError.literal = literal;
  return status;
}

std::string relax_rt::quote(const std::string &text) { return "'" + text + "'"; }

bool relax_rt::isKnownDtype(relax_rt_dtype dtype) {
  if (dtype.lanes != 1)
    return false;
  switch (dtype.code) {
  case RELAX_RT_INT:
  case RELAX_RT_UINT:
    return dtype.bits == 2 || dtype.bits == 4 || dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32 ||
           dtype.bits == 64;
  case RELAX_RT_FLOAT:
    return dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  case RELAX_RT_BFLOAT:
    return dtype.bits == 16;
  case RELAX_RT_BOOL:
  case RELAX_RT_FLOAT8_E4M3FN:
  case RELAX_RT_FLOAT8_E4M3FNUZ:
  case RELAX_RT_FLOAT8_E5M2:
  case RELAX_RT_FLOAT8_E5M2FNUZ:
  case RELAX_RT_FLOAT8_E8M0FNU:
    return dtype.bits == 8;
  case RELAX_RT_FLOAT4_E2M1FN:
    return dtype.bits == 4;
  default:
    return false;
  }
}

std::string relax_rt::dtypeName(relax_rt_dtype dtype) {
  if (!isKnownDtype(dtype))
    return "(code " + std::to_string(dtype.code) + ", bits " + std::to_string(dtype.bits) + ", lanes " +
           std::to_string(dtype.lanes) + ")";
  std::string bits = std::to_string(dtype.bits);
  switch (dtype.code) {
  case RELAX_RT_INT:
    return "int" + bits;
  case RELAX_RT_UINT:
    return "uint" + bits;
  case RELAX_RT_FLOAT:
    return "float" + bits;
  case RELAX_RT_BFLOAT:
    return "bfloat" + bits;
  case RELAX_RT_FLOAT8_E4M3FN:
    return "float8_e4m3fn";
  case RELAX_RT_FLOAT8_E4M3FNUZ:
    return "float8_e4m3fnuz";
  case RELAX_RT_FLOAT8_E5M2:
    return "float8_e5m2";
  case RELAX_RT_FLOAT8_E5M2FNUZ:
    return "float8_e5m2fnuz";
  case RELAX_RT_FLOAT8_E8M0FNU:
    return "float8_e8m0fnu";
  case RELAX_RT_FLOAT4_E2M1FN:
    return "float4_e2m1fn";
  default:
    return "bool";
  }
}

const char *relax_rt_last_error(void) { return lastError.literal ? lastError.literal : lastError.text.c_str(); }

const char *relax_rt_status_name(relax_rt_status status) {
  switch (static_cast<int>(status)) {
  case RELAX_RT_OK:
    return "ok";
  case RELAX_RT_INVALID_ARGUMENT:
    return "invalid argument";
  case RELAX_RT_SHAPE_MISMATCH:
    return "shape mismatch";
  case RELAX_RT_GUARD_FAILED:
    return "guard failed";
  case RELAX_RT_KERNEL_ERROR:
    return "kernel error";
  case RELAX_RT_OUT_OF_MEMORY:
    return "out of memory";
  case RELAX_RT_CANCELLED:
    return "cancelled";
  case RELAX_RT_INVALID_ARTIFACT:
    return "invalid artifact";
  case RELAX_RT_UNAVAILABLE:
    return "unavailable";
  case RELAX_RT_IO_ERROR:
    return "io error";
  case RELAX_RT_EXTERN_ERROR:
    return "extern error";
  case RELAX_RT_INTERNAL:
    return "internal";
  default:
    return "unknown";
  }
}

uint32_t relax_rt_abi_version(void) { return RELAX_RT_ABI_VERSION; }
