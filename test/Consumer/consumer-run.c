/*===- consumer-run.c - A C program on the installed runtime -----------------===*\
|*
|* Licensed under the Apache License, Version 2.0. See LICENSE.
|*
|* Checks that header and library agree, then loads the artifact argv[1] and
|* prints its functions, or why it cannot be loaded.
|*
\*===----------------------------------------------------------------------===*/
#include "RelaxDialect/Runtime/Runtime.h"

#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 2 || relax_rt_abi_version() != RELAX_RT_ABI_VERSION)
    return 2;
  relax_rt_instance *instance = NULL;
  relax_rt_module *module = NULL;
  if (relax_rt_instance_create(&instance) != RELAX_RT_OK)
    return 2;
  relax_rt_status status = relax_rt_module_load(instance, argv[1], &module);
  if (status == RELAX_RT_OK)
    for (int64_t i = 0; i < relax_rt_module_num_functions(module); ++i)
      printf("function %s\n", relax_rt_module_function_name(module, i));
  else
    printf("%s: %s\n", relax_rt_status_name(status), relax_rt_last_error());
  relax_rt_module_destroy(module);
  relax_rt_instance_destroy(instance);
  return status == RELAX_RT_OK ? 0 : 1;
}
