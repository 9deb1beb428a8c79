# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Library functions in recorded launches: those that may be recorded are run again with the rest, others stay outside."""

import shutil
import subprocess

import numpy as np
import pytest

# `mix` has scratch memory and a size, m, that nothing else in its region has; `shift` takes a size as i32. `plain` is not
# capturable.
MODULE = """
#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#sum = #relax_sym.shape<[n + m]>
relax_ext.func private @absent(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {symbol = "test_absent", sonames = ["libtest_absent.so"], capturable, relax_sym.scope = #relax_sym.scope<>}
relax_ext.func private @mix(%x: tensor<?xf32> {relax_sym.shape = #n}, %y: tensor<?xf32> {relax_sym.shape = #m})
    outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {symbol = "test_mix", sonames = ["LIBRARY"], workspace_bytes = #relax_sym.expr<n * 4 + 4>, capturable, relax_sym.scope = #relax_sym.scope<>}
relax_ext.func private @shift(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {symbol = "test_shift", abi = "call", status, sonames = ["LIBRARY"], capturable, relax_sym.scope = #relax_sym.scope<>,
                arguments = [{i32 = #relax_sym.expr<n>}, "in0", "out0"]}
relax_ext.func private @plain(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {symbol = "test_shift", abi = "call", status, sonames = ["LIBRARY"], relax_sym.scope = #relax_sym.scope<>,
                arguments = [{i32 = #relax_sym.expr<n>}, "in0", "out0"]}
func.func @inside(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.call_dps @mix(%0, %y) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #n>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %3 = relax.call_dps @shift(%2) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %3 : tensor<?xf32, #n>
}
func.func @outside(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.call_dps @plain(%1) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %3 = relax.cumsum %2 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %4 = relax.cumsum %3 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %4 : tensor<?xf32, #n>
}
// One side has an extent of its own, the other a branch by what is read before.
func.func @branches(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>, %c: tensor<i1>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %flag = tensor.extract %c[] : tensor<i1>
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %size = tensor.dim %0, %c0 : tensor<?xf32, #n>
  %large = arith.cmpi sge, %size, %c8 : index
  %1 = scf.if %large -> tensor<?xf32, #n> {
    %a = relax.call_dps @mix(%0, %y) : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #n>
    %b = relax.concat %a, %y {axis = 0 : i64} : (tensor<?xf32, #n>, tensor<?xf32, #m>) -> tensor<?xf32, #sum>
    %d = relax.cumsum %b {axis = 0 : i64} : (tensor<?xf32, #sum>) -> tensor<?xf32, #sum>
    %e = relax.max %d {axes = array<i64: 0>} : (tensor<?xf32, #sum>) -> tensor<f32>
    %f = relax.add %a, %e : (tensor<?xf32, #n>, tensor<f32>) -> tensor<?xf32, #n>
    scf.yield %f : tensor<?xf32, #n>
  } else {
    %a = scf.if %flag -> tensor<?xf32, #n> {
      %b = relax.call_dps @shift(%0) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
      %d = relax.cumsum %b {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
      scf.yield %d : tensor<?xf32, #n>
    } else {
      %b = relax.negate %0 : tensor<?xf32, #n>
      scf.yield %b : tensor<?xf32, #n>
    }
    %d = relax.cumsum %a {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %d : tensor<?xf32, #n>
  }
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %2 : tensor<?xf32, #n>
}
// A library that is not there, and one that takes some sizes.
func.func @chosen(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %size = tensor.dim %0, %c0 : tensor<?xf32, #n>
  %large = arith.cmpi sge, %size, %c8 : index
  %there = relax_ext.available @shift if %large {site = 0 : i64}
  %take = arith.andi %large, %there : i1
  %1 = scf.if %take -> tensor<?xf32, #n> {
    %a = relax.call_dps @shift(%0) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %a : tensor<?xf32, #n>
  } else {
    %a = relax.cumsum %0 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %a : tensor<?xf32, #n>
  }
  %absent = relax_ext.available @absent if %large {site = 1 : i64}
  %2 = scf.if %absent -> tensor<?xf32, #n> {
    %a = relax.call_dps @absent(%1) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %a : tensor<?xf32, #n>
  } else {
    %a = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %a : tensor<?xf32, #n>
  }
  return %2 : tensor<?xf32, #n>
}
"""

# mix: the elements backwards, by way of the scratch memory, plus m and the sum of y. It looks at all it is told.
SOURCE = """
#include <stdint.h>
typedef struct { void *data; const int64_t *dims; int64_t rank; uint64_t dtype; } view;
int32_t test_mix(void *user, const view *args, int64_t num_args, const int64_t *scalars, int64_t num_scalars) {
  int64_t n = args[0].dims[0], m = args[1].dims[0];
  if (user || num_args != 4 || num_scalars != 0 || args[2].dims[0] != n || args[3].dims[0] != 4 * n + 4)
    return 1;
  for (int i = 0; i < 4; ++i)
    if (args[i].rank != 1 || args[i].dtype != (i < 3 ? 0x12002u : 0x10801u))
      return 2;
  const float *x = args[0].data, *y = args[1].data;
  float *o = args[2].data, *scratch = args[3].data, sum = (float)m;
  for (int64_t i = 0; i < m; ++i)
    sum += y[i];
  for (int64_t i = 0; i < n; ++i)
    scratch[n - 1 - i] = x[i];
  scratch[n] = sum;
  for (int64_t i = 0; i < n; ++i)
    o[i] = scratch[i] + scratch[n];
  return 0;
}
int test_shift(int32_t n, const float *x, float *o) {
  for (int32_t i = 0; i < n; ++i)
    o[i] = x[(i + 1) % n] + (float)n;
  return n > 0 && x[0] > 1e30f ? 7 : 0;
}
"""


@pytest.fixture(scope="module")
def artifact(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("capture_libraries")
    compiler = shutil.which("cc") or shutil.which("clang-22") or shutil.which("clang")
    if not compiler:
        pytest.skip("there is no C compiler")
    (folder / "library.c").write_text(SOURCE)
    subprocess.run([compiler, "-O1", "-fPIC", "-shared", "library.c", "-o", "libtest.so"], check=True, cwd=folder)
    (folder / "in.mlir").write_text(MODULE.replace("LIBRARY", str(folder / "libtest.so")))
    done = tool("relax-compile", folder / "in.mlir", "--function=*", "--capture", "-o", folder / "out.rlx")
    assert done.returncode == 0, done.stderr
    return folder / "out.rlx"


def scan(x):
    return np.cumsum(x, dtype=np.float32)


def shift(x):
    return np.roll(x, -1) + np.float32(len(x))


def inside(x, y):
    return shift(scan(scan(x)[::-1] + np.float32(len(y)) + y.sum(dtype=np.float32)))


def outside(x):
    return scan(scan(shift(scan(scan(x)))))


def branches(x, y, flag):
    first = scan(x)
    if len(x) >= 8:
        mixed = first[::-1] + np.float32(len(y)) + y.sum(dtype=np.float32)
        return scan(mixed + scan(np.concatenate([mixed, y])).max())
    return scan(scan(scan(shift(first)) if flag else -first))


def random(generator, *shape):
    return generator.integers(-3, 4, shape).astype(np.float32)


def call(executable, name, *inputs):
    result, = executable[name](*inputs).values()
    return result


def count(executable, *names):
    return tuple(executable.counters[name] for name in names)


SIZES = [(0, 1), (1, 0), (7, 3), (13, 13), (300, 31), (7, 3), (7, 4), (1, 0), (0, 1), (300, 31), (7, 4)]


def test_recorded_calls(relax, artifact):
    """One recording for each pair of sizes; values and addresses of the inputs are new in each call."""
    executable, generator, kept = relax.load(artifact), np.random.default_rng(5), []
    for n, m in SIZES:
        x, y = random(generator, n + 1)[1:], random(generator, m)
        kept.append((x, y))  # their addresses stay taken
        np.testing.assert_array_equal(call(executable, "inside", x, y), inside(x, y))
    different = len(set(SIZES))
    assert count(executable, "captures", "replays", "evictions", "recordings") == (
        different, len(SIZES) - different, 0, different)
    assert count(executable, "library_calls", "kernel_launches") == (2 * len(SIZES), 2 * len(SIZES))


@pytest.mark.parametrize("limit, expected", [(0, (0, 0, 0, 0)), (1, (11, 0, 10, 1)), (3, (10, 1, 7, 3))])
def test_bounded(relax, artifact, limit, expected):
    """The recording that was not used for longest goes, and its successor in the same memory has other sizes."""
    executable, generator = relax.load(artifact, capture_limit=limit), np.random.default_rng(6)
    for n, m in SIZES:
        x, y = random(generator, n), random(generator, m)
        np.testing.assert_array_equal(call(executable, "inside", x, y), inside(x, y))
    assert count(executable, "captures", "replays", "evictions", "recordings") == expected


def test_others_stay_outside(relax, artifact):
    """A function that does not say that it may be recorded parts two regions."""
    executable, generator = relax.load(artifact), np.random.default_rng(7)
    sizes = [5, 0, 64, 5, 64, 5]
    for n in sizes:
        x = random(generator, n)
        np.testing.assert_array_equal(call(executable, "outside", x), outside(x))
    assert count(executable, "captures", "replays", "library_calls") == (2 * 3, 2 * 3, len(sizes))


def test_branches(relax, artifact):
    """Launches of the side that is taken are recorded; sizes and conditions choose the recording."""
    executable, generator, seen, launches = relax.load(artifact), np.random.default_rng(9), set(), 0
    for n, m, flag in [(0, 1, True), (7, 3, True), (7, 3, False), (8, 3, False), (8, 4, False), (61, 0, True), (8, 3, True),
                       (1, 2, False)] * 2 + [(7, 3, True), (8, 3, False), (7, 3, False), (0, 1, True)]:
        x, y = random(generator, n), random(generator, m)
        np.testing.assert_array_equal(call(executable, "branches", x, y, np.array(flag)), branches(x, y, flag))
        seen.add((n, m, flag))
        launches += 1
        assert count(executable, "captures", "replays", "recordings") == (len(seen), launches - len(seen), len(seen))


def test_libraries_that_are_chosen(relax, artifact):
    """A question whether a library is there does not end a region; what is missing is counted in each call."""
    executable, generator, sizes = relax.load(artifact), np.random.default_rng(10), [3, 0, 8, 3, 50, 8, 0, 50]
    for n in sizes:
        x = random(generator, n)
        want = scan(shift(scan(x)) if n >= 8 else scan(scan(x)))
        np.testing.assert_array_equal(call(executable, "chosen", x), want)
    large = sum(n >= 8 for n in sizes)
    assert count(executable, "captures", "replays") == (4, 4)
    assert count(executable, "library_calls", "fallbacks") == (large, large)


def test_failures(relax, artifact):
    """A call that fails while it is recorded leaves no recording; one that fails in a replay leaves the recording."""
    executable, y = relax.load(artifact), np.zeros(2, np.float32)
    good, bad = np.ones(6, np.float32), np.full(6, 1e31, np.float32)
    for first in (bad, bad, good, good, bad, good):
        if first is bad:
            with pytest.raises(relax.RelaxError, match="library function 'test_shift' returned 7"):
                call(executable, "inside", bad, y)
        else:
            np.testing.assert_array_equal(call(executable, "inside", good, y), inside(good, y))
    assert count(executable, "captures", "replays", "recordings") == (1, 2, 1)


def test_steady_state_allocates_nothing(relax, artifact):
    executable, generator = relax.load(artifact), np.random.default_rng(8)
    inputs = [(random(generator, n), random(generator, m)) for n, m in [(50, 3), (20, 9)]]
    for x, y in inputs * 2:
        call(executable, "inside", x, y)
    before = executable.counters["allocations"]
    for x, y in inputs * 5:
        np.testing.assert_array_equal(call(executable, "inside", x, y), inside(x, y))
    assert executable.counters["allocations"] == before
    assert count(executable, "captures", "replays") == (2, 12)
