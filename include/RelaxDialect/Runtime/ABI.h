/*===- ABI.h - What compiled host code and kernels see ------------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* Field order and the order of the function table are the contract between the
|* compiler and the runtime: append, never reorder. Host code reads the
|* structs by field index (all fields are 8 bytes wide).
|*
\*===----------------------------------------------------------------------===*/
#ifndef RELAXDIALECT_RUNTIME_ABI_H
#define RELAXDIALECT_RUNTIME_ABI_H

#include "RelaxDialect/Runtime/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct relax_rt_invocation relax_rt_invocation;

/** An input as host code sees it; rank and type were checked. */
typedef struct relax_rt_input {
  void *data;
  const int64_t *dims;
} relax_rt_input;

/** Functions that host code may call. Each returns a relax_rt_status (0 = go on). */
typedef struct relax_rt_host_api {
  /* 0: memory for output `index`, 64-byte aligned, never NULL on success; the runtime copies `dims` (rank of the
   * signature). */
  int32_t (*alloc_output)(relax_rt_invocation *inv, int64_t index, const int64_t *dims, void **out_data);
  /* 1: memory that lives as long as this call, at least `bytes` (>= 0), 64-byte aligned; contents are undefined. Host
   * code asks for its arena once at entry, and again only for sizes that it finds later; never inside of a loop. */
  int32_t (*reserve_arena)(relax_rt_invocation *inv, int64_t bytes, void **out_base);
  /* 2: runs kernel `kernel` over [0, grid): counts it, polls the cancel flag, reads the error word. A kernel that
   * counts its own parts runs over these instead. */
  int32_t (*launch)(relax_rt_invocation *inv, int64_t kernel, void *const *buffers, const int64_t *scalars,
                    int64_t grid);
  /* 3: calls extern function `function`. `args[i].dtype` is filled by host code. */
  int32_t (*call_extern)(relax_rt_invocation *inv, int64_t function, const relax_rt_tensor_view *args, int64_t num_args,
                         const int64_t *scalars, int64_t num_scalars);
  /* 4: records that guard `site` failed on `values` (copied); returns SHAPE_MISMATCH or GUARD_FAILED as the site table
   * says. */
  int32_t (*guard_failed)(relax_rt_invocation *inv, int64_t site, const int64_t *values, int64_t num_values);
  /* 5: `count` consecutive growing blocks, empty; the number of the first one. Not inside of a loop. */
  int32_t (*reserve_growing)(relax_rt_invocation *inv, int64_t count, int64_t *out_first);
  /* 6: makes growing block `block` at least `bytes` (>= 0) large, 64-byte aligned, never NULL on success. Its contents
   * are undefined afterwards. It stays where it is when it is large enough. */
  int32_t (*grow)(relax_rt_invocation *inv, int64_t block, int64_t bytes, void **out_base);
  /* 7: a function of the module calls another: what is reserved from here on lives until the matching leave_frame.
   * Refused when the calls are nested too deep. */
  int32_t (*enter_frame)(relax_rt_invocation *inv);
  /* 8: gives back what was reserved since the matching enter_frame. */
  int32_t (*leave_frame)(relax_rt_invocation *inv);
  /* 9: *out_available becomes 1 when extern function `function` can be called, else 0. A missing one that is wanted is
   * counted as a fallback. */
  int32_t (*extern_available)(relax_rt_invocation *inv, int64_t function, int64_t wanted, int64_t *out_available);
  /* 10: as alloc_output, but the memory begins with the bytes of input `input`, which are not more than the output's.
   * When the input is an output of an earlier call and there is room behind it, that is where it lies already: nothing
   * is copied, and the input stays readable. */
  int32_t (*extend_output)(relax_rt_invocation *inv, int64_t index, const int64_t *dims, int64_t input,
                           void **out_data);
  /* 11: launches follow, by launch_in_region, that depend on nothing but the `num_key` values at `key` and the
   * addresses at `pointers`, which stay there until end_region. *out_done becomes 1 when those of the same region and
   * key were recorded: they have been run, with these addresses, and host code goes on behind end_region; else 0.
   * Between the two host code calls launch_in_region and call_in_region only. `region` numbers the regions of the
   * module from 0. */
  int32_t (*begin_region)(relax_rt_invocation *inv, int64_t region, const int64_t *key, int64_t num_key,
                          void *const *pointers, int64_t num_pointers, int64_t *out_done);
  /* 12: as launch with grid 1; buffer i is pointers[indices[i]]. */
  int32_t (*launch_in_region)(relax_rt_invocation *inv, int64_t kernel, const int64_t *indices, int64_t num_buffers,
                              const int64_t *scalars, int64_t num_scalars);
  /* 13: what was launched since begin_region is kept. */
  int32_t (*end_region)(relax_rt_invocation *inv);
  /* 14: as call_extern in a region; args[i].data is pointers[indices[i]], whatever is there. The runtime copies the
   * extents. Since version 5. */
  int32_t (*call_in_region)(relax_rt_invocation *inv, int64_t function, const int64_t *indices,
                            const relax_rt_tensor_view *args, int64_t num_args, const int64_t *scalars,
                            int64_t num_scalars);
  /* 15: launches may be running on a device until here: host code calls this before it reads or copies what kernels
   * have written. Since version 6; after each launch of earlier code the runtime waits. */
  int32_t (*await_launches)(relax_rt_invocation *inv);
  /* 16: as alloc_output, but in the memory of input `input` where the call donates that and it is large enough; then it
   * is aligned to its elements only. With `keep` the memory begins with the bytes of the input, which are not more than
   * the output's: elsewhere they are copied. Since version 7. */
  int32_t (*donate_output)(relax_rt_invocation *inv, int64_t index, const int64_t *dims, int64_t input, int64_t keep,
                           void **out_data);
} relax_rt_host_api;

/** The only argument of a host entry. */
struct relax_rt_invocation {
  const relax_rt_host_api *api; /* 0 */
  const relax_rt_input *inputs; /* 1 */
  const uint8_t *weights;       /* 2: base of the weights section, NULL when there is none */
  relax_rt_context *context;    /* 3 */
};

/** int32_t relax_entry_<function>(relax_rt_invocation *). */
typedef int32_t (*relax_rt_entry_fn)(relax_rt_invocation *inv);

/** See Spec.md section 5. `error` points to a word that is 0 or 1 + site. */
typedef void (*relax_rt_kernel_fn)(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end,
                                   int64_t *error);

/** Counts the parts of a divided kernel for the scalars of a launch: out[0] = parts, out[1] = steps of all its loops.
 */
typedef void (*relax_rt_parts_fn)(const int64_t *scalars, int64_t *out);

/** An artifact may define relax_work_<kernel>, which counts what a launch moves and computes: out[0] = bytes, out[1] =
 * arithmetic operations, -1 where not known. */
typedef void (*relax_rt_work_fn)(const int64_t *scalars, int64_t *out);

#ifdef __cplusplus
}
#endif
#endif /* RELAXDIALECT_RUNTIME_ABI_H */
