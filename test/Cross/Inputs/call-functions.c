/*===- call-functions.c - Calls functions of an artifact, one after another -----===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* call-functions ARTIFACT INPUTS OUTPUTS
|*
|* For tests on machines that have the runtime and nothing else. Reads calls
|* from standard input: "NAME COUNT", then for each input "CODE BITS RANK
|* DIMS..."; the elements follow each other in the file INPUTS. Prints "ok
|* COUNT" and a line of the same form per output, whose elements are appended
|* to OUTPUTS, or "failed STATUS: MESSAGE".
|*
\*===----------------------------------------------------------------------===*/
#include "RelaxDialect/Runtime/Runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMaxRank = 16 };

static size_t byte_size(const relax_rt_tensor_view *view) {
  size_t size = view->dtype.bits < 8 ? 1 : view->dtype.bits / 8;
  for (int64_t i = 0; i < view->rank; ++i)
    size *= (size_t)view->dims[i];
  return size;
}

static int give_up(const char *what) {
  fprintf(stderr, "error: %s: %s\n", what, relax_rt_last_error());
  return 2;
}

/* One tensor of standard input and of the file of elements. */
static int read_input(FILE *elements, relax_rt_tensor_view *view) {
  unsigned code, bits;
  int64_t rank;
  if (scanf("%u %u %" SCNd64, &code, &bits, &rank) != 3 || rank < 0 || rank > kMaxRank)
    return 0;
  int64_t *dims = malloc(kMaxRank * sizeof(int64_t));
  for (int64_t i = 0; i < rank; ++i)
    if (!dims || scanf("%" SCNd64, &dims[i]) != 1 || dims[i] < 0)
      return 0;
  *view = (relax_rt_tensor_view){NULL, dims, rank, {(uint8_t)code, (uint8_t)bits, 1}};
  size_t size = byte_size(view);
  view->data = malloc(size + 1);
  return view->data && fread(view->data, 1, size, elements) == size;
}

static int print_output(FILE *elements, const relax_rt_context *context, int64_t index) {
  relax_rt_tensor_view view;
  if (relax_rt_context_output(context, index, &view) != RELAX_RT_OK)
    return 0;
  printf("%d %d %" PRId64, view.dtype.code, view.dtype.bits, view.rank);
  for (int64_t i = 0; i < view.rank; ++i)
    printf(" %" PRId64, view.dims[i]);
  printf("\n");
  size_t size = byte_size(&view);
  return !size || fwrite(view.data, 1, size, elements) == size;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  FILE *inputs = fopen(argv[2], "rb"), *outputs = fopen(argv[3], "wb");
  relax_rt_instance *instance = NULL;
  relax_rt_module *module = NULL;
  relax_rt_context *context = NULL;
  if (!inputs || !outputs || relax_rt_instance_create(&instance) != RELAX_RT_OK ||
      relax_rt_module_load(instance, argv[1], &module) != RELAX_RT_OK ||
      relax_rt_context_create(module, &context) != RELAX_RT_OK)
    return give_up(argv[1]);
  char name[256];
  int64_t count;
  while (scanf("%255s %" SCNd64, name, &count) == 2 && count >= 0 && count < 1000) {
    relax_rt_tensor_view *views = calloc((size_t)count + 1, sizeof *views);
    for (int64_t i = 0; i < count; ++i)
      if (!views || !read_input(inputs, &views[i]))
        return give_up("an input cannot be read");
    int64_t function = relax_rt_module_find_function(module, name);
    relax_rt_status status = relax_rt_context_invoke(context, function, views, count);
    if (status != RELAX_RT_OK) {
      printf("failed %s: %s\n", relax_rt_status_name(status), relax_rt_last_error());
    } else {
      int64_t results = relax_rt_module_num_outputs(module, function);
      printf("ok %" PRId64 "\n", results);
      for (int64_t i = 0; i < results; ++i)
        if (!print_output(outputs, context, i))
          return give_up("an output cannot be written");
    }
    for (int64_t i = 0; i < count; ++i) {
      free(views[i].data);
      free((void *)views[i].dims);
    }
    free(views);
  }
  relax_rt_context_destroy(context);
  relax_rt_module_destroy(module);
  relax_rt_instance_destroy(instance);
  return fclose(outputs) == 0 ? 0 : 2;
}
