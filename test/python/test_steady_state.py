# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Memory of many calls of different sizes in one process, counted by a hook in malloc, and as the kernel sees it."""
import json
import os
import re
import shutil
import subprocess

import pytest
from memory_plans import Plan

MODULE = """
#x = #relax_sym.shape<[n, 64]>
#a = #relax_sym.shape<[n + 1, 64]>
func.func @main(%x: tensor<?x64xf32, #x>, %y: tensor<1x64xf32>, %w: tensor<64x64xf32>) -> tensor<?x64xf32, #a>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.concat %x, %y {axis = 0 : i64} : (tensor<?x64xf32, #x>, tensor<1x64xf32>) -> tensor<?x64xf32, #a>
  %1 = relax.softmax %0 {axis = 1 : i64} : (tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  %3 = relax.matmul %2, %w : (tensor<?x64xf32, #a>, tensor<64x64xf32>) -> tensor<?x64xf32, #a>
  %4 = relax.cumsum %3 {axis = 0 : i64} : (tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  return %4 : tensor<?x64xf32, #a>
}
"""

# Every allocation of the process counts, whoever makes it. The first 400 calls have sizes in another order than the
# second 400, of which none is larger than those that were seen.
PROGRAM = r"""
#include <RelaxDialect/Runtime/Runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
static long allocations;
void *malloc(size_t size) { __atomic_add_fetch(&allocations, 1, 5); return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { __atomic_add_fetch(&allocations, 1, 5); return __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { __atomic_add_fetch(&allocations, 1, 5); return __libc_realloc(old, size); }
void *aligned_alloc(size_t align, size_t size) { __atomic_add_fetch(&allocations, 1, 5); return __libc_memalign(align, size); }
int posix_memalign(void **out, size_t align, size_t size) { *out = aligned_alloc(align, size); return *out ? 0 : 12; }
static float x[500 * 64], y[64], w[64 * 64];
static relax_rt_context *context;
static void call(int64_t n) {
  int64_t dims[3][2] = {{n, 64}, {1, 64}, {64, 64}};
  float *data[3] = {x, y, w};
  relax_rt_tensor_view views[3], output;
  for (int i = 0; i < 3; ++i)
    views[i] = (relax_rt_tensor_view){data[i], dims[i], 2, {RELAX_RT_FLOAT, 32, 1}};
  if (relax_rt_context_invoke(context, 0, views, 3) != RELAX_RT_OK ||
      relax_rt_context_output(context, 0, &output) != RELAX_RT_OK || output.dims[0] != n + 1) {
    fprintf(stderr, "%s\n", relax_rt_last_error());
    exit(1);
  }
}
static long resident(void) {
  long pages[2] = {0, 0};
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &pages[0], &pages[1]) != 2)
    exit(2);
  fclose(file);
  return pages[1] * sysconf(_SC_PAGESIZE);
}
int main(int argc, char **argv) {
  relax_rt_instance *instance;
  relax_rt_module *module;
  if (argc != 4 || relax_rt_instance_create(&instance) || relax_rt_module_load(instance, argv[1], &module) ||
      relax_rt_context_create(module, &context) || relax_rt_context_set_threads(context, atoi(argv[2])) ||
      relax_rt_context_set_memory_limit(context, strtoull(argv[3], NULL, 10)))
    return 3;
  long before = 0, after;
  for (int i = 0; i < 400; ++i) {
    if (i == 50) {
      call(500); /* the largest one */
      before = resident();
    }
    call(100 + i * 211 % 401);
  }
  after = resident();
  long count = __atomic_load_n(&allocations, 5);
  for (int i = 0; i < 400; ++i)
    call(100 + i * 173 % 401);
  count = __atomic_load_n(&allocations, 5) - count;
  relax_rt_counters counters;
  relax_rt_context_counters(context, &counters);
  printf("growth %ld allocations %ld arena %ld calls %ld\n", after - before, count, (long)counters.arena_bytes,
         (long)counters.calls);
  return 0;
}
"""


@pytest.mark.parametrize("threads, limit", [(1, 0), (4, 1 << 20)], ids=["plain", "limited"])
def test_four_hundred_sizes(relax, root, build, tmp_path, threads, limit):
    """No growth, no allocation in a call whose memory was seen, and an arena as large as the plan of the largest size."""
    compiler = next((found for name in ("cc", "clang-22", "clang") if (found := shutil.which(name))), None)
    cache = (build / "CMakeCache.txt").read_text()
    if compiler is None or re.search("^RELAX_SANITIZE:BOOL=ON$", cache, re.MULTILINE):
        pytest.skip("needs a C compiler, and a malloc that is not a sanitizer's")
    artifact = relax.Module.parse(MODULE, "steady.mlir").compile_to_bytes()
    (tmp_path / "steady.rlx").write_bytes(artifact)
    (tmp_path / "steady.c").write_text(PROGRAM)
    subprocess.run([compiler, "-O1", "-I", root / "include", tmp_path / "steady.c", "-o", tmp_path / "steady", "-L",
                    build / "lib", "-lrelax_runtime"], check=True)
    paths = f"{build / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    done = subprocess.run([tmp_path / "steady", tmp_path / "steady.rlx", str(threads), str(limit)],
                          capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": paths})
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    found = dict(zip(words[::2], map(int, words[1::2])))
    report = json.loads(relax.load(artifact).memory_report)
    plan = Plan(report.get("main", report))
    assert found["allocations"] == 0 and found["growth"] <= 1 << 20 and found["calls"] == 801, found
    assert found["arena"] == max(plan.get_bytes({"n": n}) for n in range(100, 501))
