/*===- ApiExample.c - The C API by example -------------------------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* docs/Runtime.md shows this program; a test compares the two and runs it.
|*
\*===----------------------------------------------------------------------===*/
#include <RelaxDialect/Runtime/Runtime.h>
#include <stdio.h>

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, relax_rt_last_error());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  relax_rt_instance *instance;
  relax_rt_module *module;
  relax_rt_context *context;
  if (relax_rt_instance_create(&instance) != RELAX_RT_OK)
    return failed("instance");
  if (relax_rt_module_load(instance, argv[1], &module) != RELAX_RT_OK)
    return failed("load");
  if (relax_rt_context_create(module, &context) != RELAX_RT_OK)
    return failed("context");
  int64_t function = relax_rt_module_find_function(module, "main");

  float x[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  int64_t dims[2] = {2, 4};
  relax_rt_tensor_view input = {x, dims, 2, {RELAX_RT_FLOAT, 32, 1}}, output;
  if (relax_rt_context_invoke(context, function, &input, 1) != RELAX_RT_OK ||
      relax_rt_context_output(context, 0, &output) != RELAX_RT_OK)
    return failed("run");
  printf("%lld x %lld, last element %g\n", (long long)output.dims[0], (long long)output.dims[1],
         ((const float *)output.data)[7]);

  relax_rt_context_destroy(context); /* its outputs end here */
  relax_rt_module_destroy(module);
  relax_rt_instance_destroy(instance);
  return 0;
}
