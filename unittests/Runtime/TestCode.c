/*===- TestCode.c - What the compiler would emit ------------------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* Host entries and kernels of the hand-made artifact of these tests. The ids
|* are those of TestArtifact.cpp.
|*
\*===----------------------------------------------------------------------===*/
#include "RelaxDialect/Runtime/ABI.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { kernel_scale, kernel_copy, kernel_error };
enum { site_columns, site_even, site_kernel };

/* buffers: x, out; scalars: rows, factor (bits of a float in the low half). */
EXPORT void kernel_scale_rows(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end,
                              int64_t *error) {
  const float *x = buffers[0];
  float *out = buffers[1], factor;
  memcpy(&factor, &scalars[1], sizeof factor);
  (void)error;
  for (int64_t row = begin; row < end; ++row)
    for (int64_t column = 0; column < 4; ++column)
      out[row * 4 + column] = x[row * 4 + column] * factor;
}

/* Each row is a part. So much work that it is always worth more threads. */
EXPORT void parts_rows(const int64_t *scalars, int64_t *out) {
  out[0] = scalars[0];
  out[1] = INT64_MAX;
}

/* buffers: x, out; scalars: bytes. */
EXPORT void kernel_copy_bytes(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end,
                              int64_t *error) {
  (void)begin, (void)end, (void)error;
  memcpy(buffers[1], buffers[0], (size_t)scalars[0]);
}

EXPORT void kernel_sets_error(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end,
                              int64_t *error) {
  (void)buffers, (void)begin, (void)end;
  *error = scalars[0];
}

/* x (n, 4) -> y (n, 4): x times the first weight, through the arena. */
EXPORT int32_t relax_entry_main(relax_rt_invocation *inv) {
  const int64_t *dims = inv->inputs[0].dims;
  if (dims[1] != 4)
    return inv->api->guard_failed(inv, site_columns, &dims[1], 1);
  int64_t bytes = dims[0] * 16, scalars[2] = {dims[0], 0};
  memcpy(&scalars[1], inv->weights, sizeof(float));
  void *arena, *out;
  int32_t status = inv->api->reserve_arena(inv, bytes, &arena);
  if (status)
    return status;
  if ((status = inv->api->alloc_output(inv, 0, dims, &out)))
    return status;
  void *first[] = {inv->inputs[0].data, arena}, *second[] = {arena, out};
  if ((status = inv->api->launch(inv, kernel_scale, first, scalars, dims[0])))
    return status;
  return inv->api->launch(inv, kernel_copy, second, &bytes, 1);
}

/* x (n, 4), mode () -> y (n, 4): as main, in a region. Modes other than 0 break the rules of one. */
EXPORT int32_t relax_entry_region(relax_rt_invocation *inv) {
  const relax_rt_host_api *api = inv->api;
  const int64_t *dims = inv->inputs[0].dims;
  int64_t mode = *(int64_t *)inv->inputs[1].data;
  int64_t bytes = dims[0] * 16, scalars[2] = {dims[0], 0}, done;
  memcpy(&scalars[1], inv->weights, sizeof(float));
  void *arena, *out;
  int32_t status;
  if ((status = api->reserve_arena(inv, bytes, &arena)) || (status = api->alloc_output(inv, 0, dims, &out)))
    return status;
  void *pointers[] = {inv->inputs[0].data, arena, out};
  const int64_t first[] = {0, 1}, second[] = {1, mode == 1 ? 3 : 2};
  if (mode == 2)
    return api->end_region(inv);
  if (mode == 3)
    return api->launch_in_region(inv, kernel_scale, first, 2, scalars, 2);
  if ((status = api->begin_region(inv, mode == 4 ? -1 : 0, dims, 1, pointers, 3, &done)) || done)
    return status;
  if (mode == 5)
    return api->begin_region(inv, 1, dims, 1, pointers, 3, &done);
  if (mode == 6)
    return api->launch(inv, kernel_scale, pointers, scalars, dims[0]);
  if (mode == 7)
    return api->launch_in_region(inv, 77, first, 2, scalars, 2);
  if (mode >= 9) {
    relax_rt_tensor_view views[1] = {{0, dims, mode == 10 ? -1 : 2, {RELAX_RT_FLOAT, 32, 1}}};
    return api->call_in_region(inv, 0, first, views, 1, scalars, 0);
  }
  if ((status = api->launch_in_region(inv, kernel_scale, first, 2, scalars, 2)) ||
      (status = api->launch_in_region(inv, kernel_copy, second, 2, &bytes, 1)))
    return status;
  return mode == 8 ? 0 : api->end_region(inv);
}

/* a (), b () -> y (a, b), uninitialized. */
EXPORT int32_t relax_entry_huge(relax_rt_invocation *inv) {
  int64_t dims[2] = {*(int64_t *)inv->inputs[0].data, *(int64_t *)inv->inputs[1].data};
  void *out;
  return inv->api->alloc_output(inv, 0, dims, &out);
}

/* n () -> arena of n bytes. */
EXPORT int32_t relax_entry_arena(relax_rt_invocation *inv) {
  void *base;
  return inv->api->reserve_arena(inv, *(int64_t *)inv->inputs[0].data, &base);
}

/* x (n) -> y (n) and the number of arguments (): by the library function. */
EXPORT int32_t relax_entry_library(relax_rt_invocation *inv) {
  const int64_t *dims = inv->inputs[0].dims;
  void *out, *count;
  int32_t status = inv->api->alloc_output(inv, 0, dims, &out);
  if (status)
    return status;
  if ((status = inv->api->alloc_output(inv, 1, 0, &count)))
    return status;
  relax_rt_dtype f32 = {RELAX_RT_FLOAT, 32, 1}, i64 = {RELAX_RT_INT, 64, 1};
  relax_rt_tensor_view args[3] = {{inv->inputs[0].data, dims, 1, f32}, {out, dims, 1, f32}, {count, 0, 0, i64}};
  return inv->api->call_extern(inv, 0, args, 3, dims, 1);
}

/* word () -> nothing: a kernel that sets its error word. */
EXPORT int32_t relax_entry_kernel_error(relax_rt_invocation *inv) {
  return inv->api->launch(inv, kernel_error, 0, inv->inputs[0].data, 1);
}

/* Launches until something stops it. */
EXPORT int32_t relax_entry_forever(relax_rt_invocation *inv) {
  int64_t zero = 0;
  int32_t status = 0;
  while (!status)
    status = inv->api->launch(inv, kernel_error, 0, &zero, 1);
  return status;
}

/* x (n) -> y (n + 1): a copy and one more element, as a cache grows. */
EXPORT int32_t relax_entry_append(relax_rt_invocation *inv) {
  int64_t rows = inv->inputs[0].dims[0], longer = rows + 1;
  void *out;
  int32_t status = inv->api->alloc_output(inv, 0, &longer, &out);
  if (status)
    return status;
  memset(out, 0xff, (size_t)longer * 8);
  memcpy(out, inv->inputs[0].data, (size_t)rows * 8);
  ((int64_t *)out)[rows] = rows;
  return 0;
}

/* x (n), z (m) -> y (n + 8): continues x, an error when z says -1. */
EXPORT int32_t relax_entry_extend(relax_rt_invocation *inv) {
  int64_t rows = inv->inputs[0].dims[0], longer = rows + 8;
  void *out;
  int32_t status = inv->api->extend_output(inv, 0, &longer, 0, &out);
  if (status)
    return status;
  int64_t *values = out, next = rows ? values[rows - 1] + 1 : 0;
  for (int64_t i = 0; i < 8; ++i)
    values[rows + i] = next + i;
  return inv->inputs[1].dims[0] == 1 && *(int64_t *)inv->inputs[1].data == -1 ? RELAX_RT_GUARD_FAILED : 0;
}

/* x (n), z (m) -> y (n): adds one to each element of x in its memory, an error when z says -1. */
EXPORT int32_t relax_entry_update(relax_rt_invocation *inv) {
  void *out;
  int32_t status = inv->api->donate_output(inv, 0, inv->inputs[0].dims, 0, 1, &out);
  if (status)
    return status;
  for (int64_t i = 0; i < inv->inputs[0].dims[0]; ++i)
    ++((int64_t *)out)[i];
  return inv->inputs[1].dims[0] == 1 && *(int64_t *)inv->inputs[1].data == -1 ? RELAX_RT_GUARD_FAILED : 0;
}

/* x (n) -> y (2 * n), z (n): their elements are the sum of x, whose memory one of them may take. */
EXPORT int32_t relax_entry_take(relax_rt_invocation *inv) {
  int64_t rows = inv->inputs[0].dims[0], twice = 2 * rows, sum = 0;
  void *y, *z;
  for (int64_t i = 0; i < rows; ++i)
    sum += ((int64_t *)inv->inputs[0].data)[i];
  int32_t status = inv->api->donate_output(inv, 0, &twice, 0, 0, &y);
  status = status ? status : inv->api->donate_output(inv, 1, &rows, 0, 0, &z);
  for (int64_t i = 0; !status && i < twice; ++i)
    ((int64_t *)y)[i] = sum;
  for (int64_t i = 0; !status && i < rows; ++i)
    ((int64_t *)z)[i] = sum;
  return status;
}

static int grow_in_frames(relax_rt_invocation *inv) {
  int64_t outer, inner;
  void *a, *b, *c;
  int failed = inv->api->reserve_growing(inv, 2, &outer) != 0;
  failed |= inv->api->grow(inv, outer, 64, &a) || inv->api->grow(inv, outer + 1, 0, &b) || !b || a == b;
  for (int i = 0; i < 100; ++i) {
    failed |= inv->api->enter_frame(inv) || inv->api->reserve_growing(inv, 1, &inner) || inner != outer + 2;
    if (failed || inv->api->grow(inv, inner, 100 + i, &c) || c == a || c == b)
      return 1;
    memset(c, 1, (size_t)(100 + i));
    failed |= inv->api->reserve_arena(inv, 10, &c) || inv->api->leave_frame(inv);
  }
  failed |= inv->api->grow(inv, outer, 32, &c) || c != a; /* it stays where it is */
  return failed;
}

/* mode () -> y (2): code that breaks the rules, and fails to. */
EXPORT int32_t relax_entry_broken(relax_rt_invocation *inv) {
  int64_t mode = *(int64_t *)inv->inputs[0].data, dims[1] = {2}, negative[1] = {-2}, values[2] = {3, 5};
  void *out = 0, *base = 0;
  switch (mode) {
  case 0: /* the rules are kept */
    return inv->api->alloc_output(inv, 0, dims, &out);
  case 1: /* an output is missing */
    return 0;
  case 2: /* an unknown status */
    return 99;
  case 3: /* a failure without a text */
    return RELAX_RT_GUARD_FAILED;
  case 4: /* an output made twice */
    inv->api->alloc_output(inv, 0, dims, &out);
    return inv->api->alloc_output(inv, 0, dims, &out);
  case 5:
    return inv->api->alloc_output(inv, 7, dims, &out);
  case 6:
    return inv->api->alloc_output(inv, 0, negative, &out);
  case 7:
    return inv->api->reserve_arena(inv, -1, &base);
  case 8: /* memory for a size found later stays apart from the arena */
    inv->api->reserve_arena(inv, 10, &base);
    inv->api->reserve_arena(inv, 10, &out);
    return base == out ? RELAX_RT_INTERNAL : inv->api->alloc_output(inv, 0, dims, &out);
  case 9:
    return inv->api->launch(inv, 99, 0, 0, 1);
  case 10:
    return inv->api->launch(inv, kernel_error, 0, 0, -1);
  case 11:
    return inv->api->call_extern(inv, -1, 0, 0, 0, 0);
  case 12:
    return inv->api->guard_failed(inv, 1000, values, 2);
  case 13: /* a failure is ignored */
    inv->api->guard_failed(inv, site_even, values, 2);
    inv->api->alloc_output(inv, 0, dims, &out);
    return 0;
  case 14: /* an empty range: no kernel runs */
    inv->api->launch(inv, kernel_error, 0, 0, 0);
    return inv->api->alloc_output(inv, 0, dims, &out);
  case 15: /* blocks grow apart from each other; a frame gives back what it reserved */
    return grow_in_frames(inv) ? RELAX_RT_INTERNAL : inv->api->alloc_output(inv, 0, dims, &out);
  case 16:
    return inv->api->grow(inv, 0, 8, &base);
  case 17:
    return inv->api->leave_frame(inv);
  case 18:
    return inv->api->reserve_growing(inv, -1, &negative[0]);
  case 19: /* more than there is */
    inv->api->reserve_growing(inv, 1, &negative[0]);
    return inv->api->grow(inv, 0, INT64_MAX, &base);
  default:
    return inv->api->guard_failed(inv, site_even, values, 2);
  }
}
