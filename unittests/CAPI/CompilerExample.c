/*===- CompilerExample.c - Compiler and runtime in one C program -----------===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* Parses a module with a symbolic size, simplifies it, compiles it to memory,
|* runs it at three sizes and compares with the interpreter.
|*
\*===----------------------------------------------------------------------===*/
#include "RelaxDialect-c/Compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kModule[] =
    "func.func @main(%x: tensor<?x2xf32, #relax_sym.shape<[n, 2]>> {relax.name = \"x\"})\n"
    "    -> (tensor<?x2xf32, #relax_sym.shape<[n, 2]>> {relax.name = \"y\"})\n"
    "    attributes {relax_sym.scope = #relax_sym.scope<>} {\n"
    "  %0 = relax.add %x, %x : (tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, tensor<?x2xf32, #relax_sym.shape<[n, 2]>>)\n"
    "      -> tensor<?x2xf32, #relax_sym.shape<[n, 2]>>\n"
    "  return %0 : tensor<?x2xf32, #relax_sym.shape<[n, 2]>>\n"
    "}\n";

struct bytes {
  char *data;
  size_t size;
};

static void keep(void *user, const char *data, size_t size) {
  struct bytes *bytes = user;
  bytes->data = malloc(size + 1);
  bytes->size = size;
  memcpy(bytes->data, data, size);
  bytes->data[size] = 0;
}

static void check(int failed, const char *what, const char *why) {
  if (!failed)
    return;
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

static void run_at(relax_module *module, relax_rt_context *context, int64_t n) {
  float x[8];
  for (int i = 0; i < 8; ++i)
    x[i] = (float)i;
  int64_t dims[2] = {n, 2};
  relax_rt_tensor_view input = {x, dims, 2, {RELAX_RT_FLOAT, 32, 1}}, output;
  check(relax_rt_context_invoke(context, 0, &input, 1) != RELAX_RT_OK, "invoke", relax_rt_last_error());
  check(relax_rt_context_output(context, 0, &output) != RELAX_RT_OK, "output", relax_rt_last_error());

  relax_results *results = NULL;
  check(relax_module_interpret(module, NULL, &input, 1, &results) != RELAX_OK, "interpret", relax_last_error());
  const relax_rt_tensor_view *expected = relax_results_view(results, 0);
  check(expected->rank != 2 || expected->dims[0] != n || output.dims[0] != n, "shape", "differs");
  check(n && memcmp(expected->data, output.data, (size_t)n * 2 * sizeof(float)) != 0, "elements", "differ");
  printf("%s: %lld rows, last element %g\n", relax_results_name(results, 0), (long long)n,
         n ? (double)((float *)output.data)[n * 2 - 1] : 0.0);
  relax_results_destroy(results);
}

int main(void) {
  relax_context *context = NULL;
  relax_module *module = NULL;
  struct bytes text = {NULL, 0}, artifact = {NULL, 0};
  check(relax_context_create(&context) != RELAX_OK, "context", relax_last_error());
  check(relax_module_parse(context, kModule, strlen(kModule), "add.mlir", &module) != RELAX_OK, "parse",
        relax_last_error());
  check(relax_module_run_pipeline(module, "relax-simplify", NULL) != RELAX_OK, "pipeline", relax_last_error());
  check(relax_module_print(module, keep, &text) != RELAX_OK, "print", relax_last_error());
  check(!strstr(text.data, "relax.add"), "print", "no relax.add");
  check(relax_module_compile_to_bytes(module, NULL, keep, &artifact) != RELAX_OK, "compile", relax_last_error());

  relax_rt_instance *instance = NULL;
  relax_rt_module *loaded = NULL;
  relax_rt_context *running = NULL;
  check(relax_rt_instance_create(&instance) != RELAX_RT_OK, "instance", relax_rt_last_error());
  check(relax_rt_module_load_bytes(instance, artifact.data, artifact.size, &loaded) != RELAX_RT_OK, "load",
        relax_rt_last_error());
  check(relax_rt_context_create(loaded, &running) != RELAX_RT_OK, "context", relax_rt_last_error());
  run_at(module, running, 3);
  run_at(module, running, 0);
  run_at(module, running, 1);

  relax_rt_context_destroy(running);
  relax_rt_module_destroy(loaded);
  relax_rt_instance_destroy(instance);
  free(text.data);
  free(artifact.data);
  relax_module_destroy(module);
  relax_context_destroy(context);
  return 0;
}
