/*===- Compiler.h - C API of the compiler -------------------------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* Parse, print, transform, compile and interpret modules, in C11. Artifacts are
|* loaded and run by the runtime, which needs no compiler: Runtime/Runtime.h.
|*
|* Ownership: what a `create`, `parse`, `import`, `clone` or `interpret` hands
|* out belongs to the caller, who destroys it. A context outlives its modules.
|* Texts and bytes that are passed in are copied.
|*
|* Errors: a failure leaves its out-parameter NULL and everything else as it
|* was, except a module whose pipeline failed: it is verified IR or, where the
|* status is RELAX_INVALID_MODULE, good for nothing but printing. No input makes
|* the process end.
|*
|* Threads: every function may be called from any thread. Calls for one context
|* and its modules wait for one another; use one context per module to compile
|* in parallel. What a callback gets is valid during the callback only.
|*
\*===----------------------------------------------------------------------===*/
#ifndef RELAXDIALECT_C_COMPILER_H
#define RELAXDIALECT_C_COMPILER_H

#include "RelaxDialect/Runtime/Runtime.h"

#include <stdbool.h>

#if defined(_WIN32)
#define RELAX_API __declspec(dllexport)
#else
#define RELAX_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Bumped when a declaration changes its meaning; additions keep it. */
#define RELAX_API_VERSION 1

/** Outcome of a call. */
typedef enum relax_status {
  RELAX_OK = 0,
  RELAX_INVALID_ARGUMENT = 1, /* a null handle, unknown name, wrong element type, malformed pipeline text */
  RELAX_INVALID_MODULE = 2,   /* cannot be read, or does not verify */
  RELAX_PASS_FAILED = 3,      /* a pass reported an error */
  RELAX_COMPILE_FAILED = 4,   /* no code or no artifact could be made */
  RELAX_RUN_FAILED = 5,       /* the interpreter reported an error: a size, a fact or a check does not hold */
  RELAX_IO_FAILED = 6         /* a file cannot be read or written */
} relax_status;

/** RELAX_API_VERSION of the library. */
RELAX_API uint32_t relax_api_version(void);
/** Version of the project, "major.minor.patch". */
RELAX_API const char *relax_version(void);
/** Major, minor and patch version of the LLVM and MLIR that the library was built with, and of those that this process
   has loaded. MLIR's C++ interface may differ between patch versions: where they are not equal, nothing else is safe.
 */
RELAX_API void relax_llvm_versions(int32_t built[3], int32_t loaded[3]);
/** Lower-case name of a status, "unknown" for other values. */
RELAX_API const char *relax_status_name(relax_status status);

/*===- Diagnostics of the calling thread's last call -----------------------===*/

typedef enum relax_severity { RELAX_NOTE = 0, RELAX_WARNING = 1, RELAX_ERROR = 2, RELAX_REMARK = 3 } relax_severity;

/** A message of the compiler. Notes come after what they explain. */
typedef struct relax_diagnostic {
  relax_severity severity;
  const char *message;
  const char *file; /* "" where no place is known */
  int64_t line;     /* from 1; 0 where no place is known */
  int64_t column;
} relax_diagnostic;

/** The calling thread's last failure: all its messages with places and lines of the source, never NULL; valid until the
 * thread's next call of a function with a status. */
RELAX_API const char *relax_last_error(void);
/** Messages of the thread's last call, warnings and remarks of a successful one too. Valid as long as the text above.
 */
RELAX_API int64_t relax_num_diagnostics(void);
/** NULL when out of range. */
RELAX_API const relax_diagnostic *relax_get_diagnostic(int64_t index);

/*===- Contexts and modules -------------------------------------------------===*/

typedef struct relax_context relax_context; /* types, expressions, dialects */
typedef struct relax_module relax_module;   /* one module and its source */

/** Receives text or bytes, once per call of the function that it is given to. */
typedef void (*relax_bytes_fn)(void *user, const char *bytes, size_t size);

/** A context that knows the project's and MLIR's dialects. */
RELAX_API relax_status relax_context_create(relax_context **out_context);
/** Modules, expressions and provers of the context must be destroyed first. NULL is allowed. */
RELAX_API void relax_context_destroy(relax_context *context);

/** Reads text or bytecode and verifies it. `name` stands for the file in messages; NULL is allowed. */
RELAX_API relax_status relax_module_parse(relax_context *context, const char *bytes, size_t size, const char *name,
                                          relax_module **out_module);
RELAX_API relax_status relax_module_parse_file(relax_context *context, const char *path, relax_module **out_module);

/** Pairs of a dimension's name and what becomes of it. */
typedef struct relax_onnx_options {
  const char *const *symbol_names; /* `num_symbols` dimension names and as many symbols in their place */
  const char *const *symbol_values;
  int64_t num_symbols;
  const char *const *dim_names; /* `num_dims` dimension names and as many constants in their place */
  const int64_t *dim_values;
  int64_t num_dims;
  const char *const *facts; /* `num_facts` texts such as "batch <= 8": used, and checked at entry */
  int64_t num_facts;
  int64_t opset; /* in the place of the file's; 0 = the file's */
} relax_onnx_options;

/** Imports an ONNX model. Its weights stay in the file, to be there until the module is compiled. `options` may be
 * NULL. */
RELAX_API relax_status relax_module_import_onnx(relax_context *context, const char *path,
                                                const relax_onnx_options *options, relax_module **out_module);

typedef struct relax_gguf_options {
  const char *const *facts; /* `num_facts` texts about batch, seq and past: used, and checked at entry */
  int64_t num_facts;
  int32_t all_logits; /* not 0: logits of every token, not only of the last one */
  int64_t page_size;  /* tokens of a page of the caches; 0: caches without pages */
} relax_gguf_options;

/** Imports a language model in GGUF. Its weights stay in the file, to be there until the module is compiled. `options`
 * may be NULL. */
RELAX_API relax_status relax_module_import_gguf(relax_context *context, const char *path,
                                                const relax_gguf_options *options, relax_module **out_module);

RELAX_API relax_status relax_module_clone(const relax_module *module, relax_module **out_module);
/** NULL is allowed. */
RELAX_API void relax_module_destroy(relax_module *module);

/** The module as text that can be parsed again; a module that does not verify is printed in the generic form. */
RELAX_API relax_status relax_module_print(const relax_module *module, relax_bytes_fn fn, void *user);
/** The module as bytecode. */
RELAX_API relax_status relax_module_write_bytecode(const relax_module *module, relax_bytes_fn fn, void *user);
RELAX_API relax_status relax_module_verify(const relax_module *module);

/*===- Passes ---------------------------------------------------------------===*/

/** A pass on one operation, in a callback. */
typedef struct relax_pass_run relax_pass_run;
typedef enum relax_pass_event {
  RELAX_BEFORE_PASS = 0,
  RELAX_AFTER_PASS = 1,
  RELAX_AFTER_FAILED_PASS = 2
} relax_pass_event;
/** Runs before and after each pass, in the thread that called relax_module_run_pipeline. It calls no function for the
 * same context, except those of relax_pass_run. */
typedef void (*relax_pass_fn)(void *user, relax_pass_event event, const relax_pass_run *run);

/** Name of the pass as pipelines spell it. */
RELAX_API const char *relax_pass_run_name(const relax_pass_run *run);
/** The operation that the pass works on, as text. */
RELAX_API void relax_pass_run_print(const relax_pass_run *run, relax_bytes_fn fn, void *user);

/** A decision of a pass; valid until the callback returns. */
typedef struct relax_remark {
  const char *kind; /* passed, missed, failed or analysis */
  const char *pass;
  const char *name; /* what was decided, Fused */
  const char *message;
  const char *place; /* file:line:column; empty where it is not known */
} relax_remark;
/** Runs for each remark, from any thread, one at a time. It calls no function for the same context. */
typedef void (*relax_remark_fn)(void *user, const relax_remark *remark);

typedef struct relax_pipeline_options {
  bool skip_verifier; /* do not verify after each pass */
  relax_pass_fn fn;   /* NULL: none */
  void *user;
  const char *remarks; /* a regular expression over names of passes; NULL: no remarks */
  relax_remark_fn remark_fn;
} relax_pipeline_options;

/** Runs `pipeline`, such as "canonicalize,relax-simplify" or "builtin.module(cse)", on the module. Passes and pipelines
 * are the project's and MLIR's. `options` may be NULL. */
RELAX_API relax_status relax_module_run_pipeline(relax_module *module, const char *pipeline,
                                                 const relax_pipeline_options *options);

/*===- Signatures -----------------------------------------------------------===*/

/** Public functions with a body. Indices and texts are valid until the module is changed. -1: an invalid handle. */
RELAX_API int64_t relax_module_num_functions(relax_module *module);
/** NULL when out of range. */
RELAX_API const char *relax_module_function_name(relax_module *module, int64_t function);
/** -1 when there is none. */
RELAX_API int64_t relax_module_find_function(relax_module *module, const char *name);
/** -1 when there is no such function. */
RELAX_API int64_t relax_module_num_inputs(relax_module *module, int64_t function);
RELAX_API int64_t relax_module_num_outputs(relax_module *module, int64_t function);
/** A shape is a list of int64. The dtype has 0 bits where this API cannot exchange elements of the type. NULL when out
 * of range. */
RELAX_API const relax_rt_tensor_info *relax_module_input(relax_module *module, int64_t function, int64_t index);
RELAX_API const relax_rt_tensor_info *relax_module_output(relax_module *module, int64_t function, int64_t index);

/*===- Compilation ----------------------------------------------------------===*/

/** Zeros are the defaults. */
typedef struct relax_compile_options {
  const char *target;           /* a list as of relax-compile: "cpu" (the default), "x86-64-v3,x86-64-v4,vulkan" */
  const char *const *functions; /* entries; "*" is every public function. None: "main", else the only one */
  int64_t num_functions;
  const char *blob_directory;   /* where weight files with relative names are; NULL: the working directory */
  int32_t capture;              /* nonzero: launches are recorded and run again (docs/Passes/GraphCapture.md) */
  const char *pipeline_options; /* of relax-default-pipeline: "fuse=false quantize-weights=q8_0"; NULL: the defaults */
} relax_compile_options;

/** Compiles to an artifact file; the module stays as it is. `options` may be NULL. On failure nothing is left at
 * `path`. */
RELAX_API relax_status relax_module_compile(const relax_module *module, const relax_compile_options *options,
                                            const char *path);
/** Compiles to bytes, which relax_rt_module_load_bytes loads. */
RELAX_API relax_status relax_module_compile_to_bytes(const relax_module *module, const relax_compile_options *options,
                                                     relax_bytes_fn fn, void *user);

/*===- Interpreter ----------------------------------------------------------===*/

typedef struct relax_results relax_results; /* tensors, owned */

/** Runs a function in the reference interpreter: slow, and by definition right. `function` NULL: "main", else the only
 * one. Inputs are in the order of the signature. */
RELAX_API relax_status relax_module_interpret(const relax_module *module, const char *function,
                                              const relax_rt_tensor_view *inputs, int64_t num_inputs,
                                              relax_results **out_results);
RELAX_API int64_t relax_results_size(const relax_results *results);
/** NULL when out of range; valid as long as the results. */
RELAX_API const char *relax_results_name(const relax_results *results, int64_t index);
RELAX_API const relax_rt_tensor_view *relax_results_view(const relax_results *results, int64_t index);
/** NULL is allowed. */
RELAX_API void relax_results_destroy(relax_results *results);

#ifdef __cplusplus
}
#endif
#endif /* RELAXDIALECT_C_COMPILER_H */
