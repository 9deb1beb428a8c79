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

# Every allocation of the process counts, whoever makes it. What is called is read first: the types of the inputs, then the
# extents of all inputs for each call. The first part ends with the largest call, behind which nothing may grow; the last one
# has no size that is larger, and may not allocate.
PROGRAM = r"""
#include <RelaxDialect/Runtime/Runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
enum { kMaxInputs = 16, kMaxRank = 4, kMaxCalls = 1000, kInputBytes = 1 << 20 };
static char data[kMaxInputs][kInputBytes];
static int64_t dims[kMaxCalls][kMaxInputs][kMaxRank];
static relax_rt_tensor_view views[kMaxInputs];
static int inputs;
static relax_rt_context *context;
static void call(int number) {
  relax_rt_tensor_view output;
  for (int i = 0; i < inputs; ++i)
    views[i].dims = dims[number][i];
  if (relax_rt_context_invoke(context, 0, views, inputs) != RELAX_RT_OK ||
      relax_rt_context_output(context, 0, &output) != RELAX_RT_OK) {
    fprintf(stderr, "%s\n", relax_rt_last_error());
    exit(1);
  }
}
static int read_number(FILE *file) {
  int number;
  if (fscanf(file, "%d", &number) != 1)
    exit(4);
  return number;
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
  if (argc != 5 || relax_rt_instance_create(&instance) || relax_rt_module_load(instance, argv[1], &module) ||
      relax_rt_context_create(module, &context) || relax_rt_context_set_threads(context, atoi(argv[2])) ||
      relax_rt_context_set_memory_limit(context, strtoull(argv[3], NULL, 10)))
    return 3;
  FILE *file = fopen(argv[4], "r");
  int first = read_number(file), second = read_number(file), last = read_number(file);
  inputs = read_number(file);
  for (int i = 0; i < inputs; ++i) {
    int code = read_number(file), bits = read_number(file);
    views[i] = (relax_rt_tensor_view){data[i], NULL, read_number(file), {(uint8_t)code, (uint8_t)bits, 1}};
  }
  for (int number = 0; number < last; ++number)
    for (int i = 0; i < inputs; ++i)
      for (int dim = 0; dim < views[i].rank; ++dim)
        dims[number][i][dim] = read_number(file);
  fclose(file);
  int number = 0;
  while (number < first)
    call(number++);
  long before = resident();
  while (number < second)
    call(number++);
  long after = resident(), count = __atomic_load_n(&allocations, 5);
  while (number < last)
    call(number++);
  count = __atomic_load_n(&allocations, 5) - count;
  relax_rt_counters counters;
  relax_rt_context_counters(context, &counters);
  printf("growth %ld allocations %ld arena %ld calls %ld\n", after - before, count, (long)counters.arena_bytes,
         (long)counters.calls);
  return 0;
}
"""


@pytest.fixture
def run(relax, root, build, tmp_path):
    """run(artifact, inputs, calls, threads, limit): what the program prints, and the plan. `inputs` are (code, bits, rank) of
    DLPack's types; `calls` are 50, the largest one, 350 and 400 lists of shapes."""
    compiler = next((found for name in ("cc", "clang-22", "clang") if (found := shutil.which(name))), None)
    cache = (build / "CMakeCache.txt").read_text()
    if compiler is None or re.search("^RELAX_SANITIZE:BOOL=ON$", cache, re.MULTILINE):
        pytest.skip("needs a C compiler, and a malloc that is not a sanitizer's")

    def call(artifact, inputs, calls, threads=1, limit=0):
        (tmp_path / "steady.rlx").write_bytes(artifact)
        (tmp_path / "steady.c").write_text(PROGRAM)
        numbers = [51, 401, len(calls), len(inputs), *(number for kind in inputs for number in kind)]
        numbers += [extent for shapes in calls for shape in shapes for extent in shape]
        (tmp_path / "calls.txt").write_text(" ".join(map(str, numbers)))
        subprocess.run([compiler, "-O1", "-I", root / "include", tmp_path / "steady.c", "-o", tmp_path / "steady", "-L",
                        build / "lib", "-lrelax_runtime"], check=True)
        paths = f"{build / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
        done = subprocess.run([tmp_path / "steady", tmp_path / "steady.rlx", str(threads), str(limit), tmp_path / "calls.txt"],
                              capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": paths})
        assert done.returncode == 0, done.stderr
        words = done.stdout.split()
        report = json.loads(relax.load(artifact).memory_report)
        return dict(zip(words[::2], map(int, words[1::2]))), Plan(report.get("main", report))

    return call


FLOAT32, INT64 = (2, 32), (0, 64)


def check(found, planned):
    """No growth, no allocation in a call whose memory was seen, and an arena as large as the plan of the largest size."""
    assert found["allocations"] == 0 and found["growth"] <= 1 << 20 and found["calls"] == 801, found
    assert found["arena"] == planned


@pytest.mark.parametrize("threads, limit", [(1, 0), (4, 1 << 20)], ids=["plain", "limited"])
def test_four_hundred_sizes(relax, run, threads, limit):
    artifact = relax.Module.parse(MODULE, "steady.mlir").compile_to_bytes()
    sizes = [100 + i * 211 % 401 for i in range(400)]
    sizes = [*sizes[:50], 500, *sizes[50:], *(100 + i * 173 % 401 for i in range(400))]
    calls = [[(n, 64), (1, 64), (64, 64)] for n in sizes]
    found, plan = run(artifact, [(*FLOAT32, 2)] * 3, calls, threads, limit)
    check(found, max(plan.get_bytes({"n": n}) for n in sizes))


def test_four_hundred_steps_of_a_decoder(relax, run, tool, tmp_path):
    """Prompts and single tokens, behind caches of 400 lengths, which are the caller's memory."""
    from generated_models import SMALL_DECODER, save_decoder

    save_decoder(tmp_path / "decoder.onnx", **SMALL_DECODER)
    done = tool("relax-compile", tmp_path / "decoder.onnx", "-o", tmp_path / "decoder.rlx")
    assert done.returncode == 0, done.stderr
    layers, heads = SMALL_DECODER["layers"], SMALL_DECODER["kv_heads"]
    width = SMALL_DECODER["hidden"] // SMALL_DECODER["heads"]
    sizes = [{"b": 1, "s": 1 if i % 4 else 1 + i % 9, "p": i * 211 % 401} for i in range(400)]
    again = [{"b": 1, "s": 1 if i % 3 else 1 + i % 9, "p": i * 173 % 401} for i in range(400)]
    sizes = [*sizes[:50], {"b": 1, "s": 9, "p": 400}, *sizes[50:], *again]
    calls = [[(b, s), (b, s), (b, 1, s, p + s), *[(b, heads, p, width)] * (2 * layers)]
             for b, s, p in (size.values() for size in sizes)]
    inputs = [(*INT64, 2), (*INT64, 2), (*FLOAT32, 4), *[(*FLOAT32, 4)] * (2 * layers)]
    found, plan = run((tmp_path / "decoder.rlx").read_bytes(), inputs, calls)
    check(found, max(plan.get_bytes(size) for size in sizes))
