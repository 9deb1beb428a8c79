/*===- Runtime.h - Public C API of the Relax runtime --------------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* C11, opaque handles, a status and out-parameters. Nothing here needs LLVM.
|*
|* Threads: an instance and a module may be used from any number of threads;
|* a context belongs to one thread at a time, except relax_rt_context_cancel.
|* No global mutable state, except the error text, which is per thread.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RELAXDIALECT_RUNTIME_RUNTIME_H
#define RELAXDIALECT_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define RELAX_RT_API __declspec(dllexport)
#else
#define RELAX_RT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Bumped when a declaration changes its meaning, or compiled code may call something new; other additions keep it. */
#define RELAX_RT_ABI_VERSION 7

/** Outcome of every call. Values are part of the ABI of compiled code. */
typedef enum relax_rt_status {
  RELAX_RT_OK = 0,
  RELAX_RT_INVALID_ARGUMENT = 1, /* a null handle, unknown name, wrong rank or element type */
  RELAX_RT_SHAPE_MISMATCH = 2,   /* an extent or a fact does not hold */
  RELAX_RT_GUARD_FAILED = 3,     /* a check inside the function failed */
  RELAX_RT_KERNEL_ERROR = 4,     /* a kernel set its error word */
  RELAX_RT_OUT_OF_MEMORY = 5,    /* the system or the context's limit refused */
  RELAX_RT_CANCELLED = 6,        /* relax_rt_context_cancel was called */
  RELAX_RT_INVALID_ARTIFACT = 7, /* truncated, corrupt, or made for another version or CPU */
  RELAX_RT_UNAVAILABLE = 8,      /* a library function or backend is missing */
  RELAX_RT_IO_ERROR = 9,         /* a file cannot be read */
  RELAX_RT_EXTERN_ERROR = 10,    /* a library function returned nonzero */
  RELAX_RT_INTERNAL = 11
} relax_rt_status;

/** Element type, in DLPack's numbering of codes. */
typedef enum relax_rt_type_code {
  RELAX_RT_INT = 0,
  RELAX_RT_UINT = 1,
  RELAX_RT_FLOAT = 2,
  RELAX_RT_BFLOAT = 4, /* the upper half of a 32-bit float */
  RELAX_RT_BOOL = 6,
  RELAX_RT_FLOAT8_E4M3FN = 10,
  RELAX_RT_FLOAT8_E4M3FNUZ = 11,
  RELAX_RT_FLOAT8_E5M2 = 12,
  RELAX_RT_FLOAT8_E5M2FNUZ = 13,
  RELAX_RT_FLOAT8_E8M0FNU = 14,
  RELAX_RT_FLOAT4_E2M1FN = 17
} relax_rt_type_code;

typedef struct relax_rt_dtype {
  uint8_t code;   /* relax_rt_type_code */
  uint8_t bits;   /* bits of one element; a bool has 8. Elements of 2 and 4 bits take a byte each, in its low bits */
  uint16_t lanes; /* 1 */
} relax_rt_dtype;

/** A dense row-major tensor somewhere; owns nothing. */
typedef struct relax_rt_tensor_view {
  void *data;          /* may be NULL only when an extent is 0 */
  const int64_t *dims; /* `rank` extents, each >= 0 */
  int64_t rank;
  relax_rt_dtype dtype;
} relax_rt_tensor_view;

typedef struct relax_rt_instance relax_rt_instance; /* registered library functions */
typedef struct relax_rt_module relax_rt_module;     /* one loaded artifact, immutable */
typedef struct relax_rt_context relax_rt_context;   /* arena, limits, counters, outputs of one caller */

/** Text of the calling thread's last failure, never NULL; valid until its next call. */
RELAX_RT_API const char *relax_rt_last_error(void);
/** Lower-case name of a status, "unknown" for other values. */
RELAX_RT_API const char *relax_rt_status_name(relax_rt_status status);
/** RELAX_RT_ABI_VERSION of the library. */
RELAX_RT_API uint32_t relax_rt_abi_version(void);

/*===- Instance: what compiled code may call ------------------------------===*/

/** A library function: args are the inputs, then outputs, then at most one workspace. Returns 0 or an error code of its
 * own. */
typedef int32_t (*relax_rt_extern_fn)(void *user, const relax_rt_tensor_view *args, int64_t num_args,
                                      const int64_t *scalars, int64_t num_scalars);

RELAX_RT_API relax_rt_status relax_rt_instance_create(relax_rt_instance **out_instance);
/** Modules loaded from the instance must be destroyed first. NULL is allowed. */
RELAX_RT_API void relax_rt_instance_destroy(relax_rt_instance *instance);
/** Makes `fn` callable as `name` by modules loaded later; `user` is handed back and stays the caller's. A second
 * registration replaces. */
RELAX_RT_API relax_rt_status relax_rt_instance_register(relax_rt_instance *instance, const char *name,
                                                        relax_rt_extern_fn fn, void *user);
/** Opens a shared object and calls its `int32_t relax_rt_register_library(relax_rt_instance *)`. */
RELAX_RT_API relax_rt_status relax_rt_instance_load_library(relax_rt_instance *instance, const char *path);

/*===- Module: an artifact -------------------------------------------------===*/

/** Loads and checks the artifact at `path`. On failure *out_module is NULL. */
RELAX_RT_API relax_rt_status relax_rt_module_load(relax_rt_instance *instance, const char *path,
                                                  relax_rt_module **out_module);
/** The same from `size` bytes in memory, which are copied. Messages name the artifact "<bytes>". */
RELAX_RT_API relax_rt_status relax_rt_module_load_bytes(relax_rt_instance *instance, const void *bytes, size_t size,
                                                        relax_rt_module **out_module);
/** What the artifact at `path` says of itself: functions, kernels, library functions, memory report. The file is
 * checked as a whole, but no code of it is opened, nothing is needed to be registered and it may be made for another
 * CPU. No context can be made of such a module. On failure *out_module is NULL. */
RELAX_RT_API relax_rt_status relax_rt_module_describe(const char *path, relax_rt_module **out_module);
/** Contexts of the module must be destroyed first. NULL is allowed. */
RELAX_RT_API void relax_rt_module_destroy(relax_rt_module *module);

RELAX_RT_API int64_t relax_rt_module_num_functions(const relax_rt_module *module);
/** Name of function `index`, NULL when out of range. */
RELAX_RT_API const char *relax_rt_module_function_name(const relax_rt_module *module, int64_t index);
/** Index of a function by name, -1 when there is none. */
RELAX_RT_API int64_t relax_rt_module_find_function(const relax_rt_module *module, const char *name);

typedef struct relax_rt_tensor_info {
  const char *name;
  relax_rt_dtype dtype;
  int64_t rank;
  const char *const *dims; /* `rank` texts: "2048", "n", "n*4", "?" */
  int32_t is_donated;      /* an input that the function can write results to, where a call donates its memory */
} relax_rt_tensor_info;

/** -1 when there is no such function. */
RELAX_RT_API int64_t relax_rt_module_num_inputs(const relax_rt_module *module, int64_t function);
RELAX_RT_API int64_t relax_rt_module_num_outputs(const relax_rt_module *module, int64_t function);
/** Valid as long as the module. NULL when out of range. */
RELAX_RT_API const relax_rt_tensor_info *relax_rt_module_input(const relax_rt_module *module, int64_t function,
                                                               int64_t index);
RELAX_RT_API const relax_rt_tensor_info *relax_rt_module_output(const relax_rt_module *module, int64_t function,
                                                                int64_t index);

RELAX_RT_API int64_t relax_rt_module_num_kernels(const relax_rt_module *module);
RELAX_RT_API const char *relax_rt_module_kernel_name(const relax_rt_module *module, int64_t kernel);
/** Library functions that the artifact calls. They must be registered before it is loaded, unless it has them itself or
 * names shared objects that have them. */
RELAX_RT_API int64_t relax_rt_module_num_library_functions(const relax_rt_module *module);
/** Name of library function `index`, NULL when out of range. */
RELAX_RT_API const char *relax_rt_module_library_function(const relax_rt_module *module, int64_t index);
/** The compiler's memory report, JSON text, never NULL. */
RELAX_RT_API const char *relax_rt_module_memory_report(const relax_rt_module *module);

/*===- Context: running ----------------------------------------------------===*/

RELAX_RT_API relax_rt_status relax_rt_context_create(relax_rt_module *module, relax_rt_context **out_context);
RELAX_RT_API void relax_rt_context_destroy(relax_rt_context *context);

/** Bytes that arena and outputs of one call may take together; 0 = no limit (the default). Exceeding it is
   RELAX_RT_OUT_OF_MEMORY. Memory kept from earlier calls is given back where it would add to that. */
RELAX_RT_API relax_rt_status relax_rt_context_set_memory_limit(relax_rt_context *context, uint64_t bytes);
/** Threads that a call may use, the caller's among them; 0 = one for each CPU that the process may run on (the
   default), 1 = none but the caller's. Small kernels stay on one thread. Results do not depend on it. */
RELAX_RT_API relax_rt_status relax_rt_context_set_threads(relax_rt_context *context, int64_t threads);
/** How many recordings of launches are kept for each region of an artifact that was compiled with capture (16 is the
   default); the one that was not used for longest goes. 0 = nothing is recorded. Results do not depend on it. */
RELAX_RT_API relax_rt_status relax_rt_context_set_capture_limit(relax_rt_context *context, int64_t recordings);
/** Stops the running or next call at its next kernel. The only function that another thread may call. */
RELAX_RT_API void relax_rt_context_cancel(relax_rt_context *context);

/**
 * Runs one function. Inputs are read, never written or kept; their data is aligned to its elements. Outputs belong to
 * the context and stay valid until its next invoke or its end; that next invoke may have them, or their first or last
 * rows, among its inputs. An output that the function makes by appending to an input then takes that input's memory,
 * which has room for more. On failure there are no outputs, the context is usable again and relax_rt_last_error() tells
 * what failed; what the call had as inputs may be the input of another.
 */
RELAX_RT_API relax_rt_status relax_rt_context_invoke(relax_rt_context *context, int64_t function,
                                                     const relax_rt_tensor_view *inputs, int64_t num_inputs);
/** An input whose memory a call may write: `capacity` bytes from where its data begins, not fewer than it has. */
typedef struct relax_rt_donation {
  int64_t input;
  uint64_t capacity;
} relax_rt_donation;
/**
 * As relax_rt_context_invoke; outputs may live in the memory of inputs that are donated. An output does where its data
 * is the input's: it was updated in place, appended to within the capacity, or takes the place of what is no longer
 * needed. Then it stays valid as long as the caller keeps that memory, and what the input was is gone. A function that
 * could use an input that is not donated leaves it as it is, and copies it first where it must. Donated memory overlaps
 * no other input. After a failure the contents of donated memory are undefined. On a device nothing is used in place.
 */
RELAX_RT_API relax_rt_status relax_rt_context_invoke_donating(relax_rt_context *context, int64_t function,
                                                              const relax_rt_tensor_view *inputs, int64_t num_inputs,
                                                              const relax_rt_donation *donations,
                                                              int64_t num_donations);
RELAX_RT_API relax_rt_status relax_rt_context_output(const relax_rt_context *context, int64_t index,
                                                     relax_rt_tensor_view *out_view);

typedef struct relax_rt_counters {
  uint64_t calls;           /* invocations that returned RELAX_RT_OK */
  uint64_t kernel_launches; /* of all kernels */
  uint64_t extern_calls;
  uint64_t guard_failures;
  uint64_t fallbacks;    /* library functions replaced by generated kernels */
  uint64_t allocations;  /* arena growths and output buffers obtained from the system */
  uint64_t arena_bytes;  /* size of the arena, and of memory that grows in loops, now */
  uint64_t extensions;   /* outputs that begin with an input, such as a cache, or update it in place */
  uint64_t copied_bytes; /* of such inputs, where there was no room behind them; 0 = all of them grew in place */
  uint64_t captures;     /* lists of launches that were recorded */
  uint64_t replays;      /* times that one of them was run */
  uint64_t evictions;    /* of recordings that others took the place of */
  uint64_t recordings;   /* that are kept now */
  uint64_t donations;    /* outputs that live in memory which a call donated */
} relax_rt_counters;

RELAX_RT_API relax_rt_status relax_rt_context_counters(const relax_rt_context *context,
                                                       relax_rt_counters *out_counters);
/** What a context tells of one launch: the kernel or library function, when it began and ended in nanoseconds of a
   steady clock. The name lives as long as the module. It is called on the thread that invokes, between kernels. */
typedef struct relax_rt_trace_event {
  const char *name;
  int32_t is_library;
  uint64_t begin_ns;
  uint64_t end_ns;
  int64_t bytes;      /* that the launch has to move at least; -1: not known */
  int64_t operations; /* of arithmetic on elements; -1: not known */
} relax_rt_trace_event;
typedef void (*relax_rt_trace_fn)(void *user, const relax_rt_trace_event *event);
/** Calls `fn` for every launch of later invocations; NULL ends that. Without it no clock is read. */
RELAX_RT_API relax_rt_status relax_rt_context_set_trace(relax_rt_context *context, relax_rt_trace_fn fn, void *user);
/** Launches of one kernel since the context was made. */
RELAX_RT_API uint64_t relax_rt_context_kernel_launches(const relax_rt_context *context, int64_t kernel);

#ifdef __cplusplus
}
#endif
#endif /* RELAXDIALECT_RUNTIME_RUNTIME_H */
