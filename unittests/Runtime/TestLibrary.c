/*===- TestLibrary.c - A library of functions ---------------------*- C -*-===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
\*===----------------------------------------------------------------------===*/
#include "RelaxDialect/Runtime/Runtime.h"

/* out = x + 1; count = the number of arguments. */
static int32_t add_one(void *user, const relax_rt_tensor_view *args, int64_t num_args, const int64_t *scalars,
                       int64_t num_scalars) {
  (void)user;
  if (num_args != 3 || num_scalars != 1 || scalars[0] != args[0].dims[0])
    return 1;
  for (int64_t i = 0; i < args[0].dims[0]; ++i)
    ((float *)args[1].data)[i] = ((const float *)args[0].data)[i] + 1.0f;
  *(int64_t *)args[2].data = num_args;
  return 0;
}

__attribute__((visibility("default"))) int32_t relax_rt_register_library(relax_rt_instance *instance) {
  return relax_rt_instance_register(instance, "test_add_one", add_one, 0) == RELAX_RT_OK ? 0 : 1;
}
