# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Recorded launches: the same results as without, whatever the sizes and addresses are, within the bound of the cache."""

import os
import pathlib
import threading

import numpy as np
import pytest

MODULE = """
#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#nm = #relax_sym.shape<[n, m]>
#k = #relax_sym.shape<[k]>
// Two regions would do; the second half depends on m only. z is a result of a size that no launch of the first half has.
func.func @two(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> (tensor<?xf32, #n>, tensor<?xf32, #m>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.cumsum %y {axis = 0 : i64} : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %3 = relax.cumsum %2 {axis = 0 : i64} : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  return %1, %3 : tensor<?xf32, #n>, tensor<?xf32, #m>
}
// Launches that do not depend on m; those of @two do.
func.func @one(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %2 : tensor<?xf32, #n>
}
// A scalar operand is a size and nothing else: rows m of n columns, with the sums of a matrix that is transposed.
func.func @matrix(%x: tensor<?x?xf32, #nm>) -> (tensor<?xf32, #m>, tensor<?x?xf32, #nm>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #nm>
  %1 = relax.sum %0 {axes = array<i64: 0>} : (tensor<?x?xf32, #nm>) -> tensor<?xf32, #m>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %3 = relax.cumsum %0 {axis = 1 : i64} : (tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #nm>
  return %2, %3 : tensor<?xf32, #m>, tensor<?x?xf32, #nm>
}
// The launches of an iteration are a region; the tensor that is handed on changes its place each time.
func.func @loop(%x: tensor<?xf32, #n>, %count: tensor<i64>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tensor.extract %count[] : tensor<i64>
  %trips = arith.index_cast %c : i64 to index
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%a = %x) -> (tensor<?xf32, #n>) {
    %0 = relax.cumsum %a {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %2 = relax.subtract %1, %0 : (tensor<?xf32, #n>, tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %2 : tensor<?xf32, #n>
  }
  return %r : tensor<?xf32, #n>
}
// The size of what follows is found while running, and is part of the key.
func.func @found(%x: tensor<?xi64, #k>) -> tensor<i64> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.nonzero %x binds [u] : (tensor<?xi64, #k>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>>
  %1 = relax.cumsum %0 {axis = 1 : i64} : (tensor<1x?xi64, #relax_sym.shape<[1, u]>>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>>
  %2 = relax.cumsum %1 {axis = 1 : i64} : (tensor<1x?xi64, #relax_sym.shape<[1, u]>>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>>
  %3 = relax.sum %2 {axes = array<i64: 0, 1>} : (tensor<1x?xi64, #relax_sym.shape<[1, u]>>) -> tensor<i64>
  return %3 : tensor<i64>
}
"""


@pytest.fixture(scope="module")
def artifact(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("capture")
    (folder / "in.mlir").write_text(MODULE)
    done = tool("relax-compile", folder / "in.mlir", "--function=*", "--capture", "-o", folder / "out.rlx")
    assert done.returncode == 0, done.stderr
    return folder / "out.rlx"


def scan(x, times, axis=0):
    for _ in range(times):
        x = np.cumsum(x, axis, dtype=x.dtype)
    return x


def call(executable, name, *inputs):
    return list(executable[name](*inputs).values())


def random(*shape):
    return np.random.default_rng(sum(shape)).integers(-3, 4, shape).astype(np.float32)


def count(executable, *names):
    return tuple(executable.counters[name] for name in names)


def test_replays_with_new_addresses(relax, artifact):
    """Small after large, large after small, empty; inputs at other addresses each time."""
    executable = relax.load(artifact)
    kept = []
    for n in (100, 3, 100, 0, 3, 0, 300, 100):
        x = random(n + 1)[1:]
        kept.append(x)  # its address stays taken
        got, = call(executable, "one", x, random(n % 7))
        np.testing.assert_array_equal(got, scan(x, 3))
    assert count(executable, "captures", "replays", "evictions", "recordings") == (4, 4, 0, 4)


def test_switch_of_the_package(relax):
    """Module.compile(capture=True), with the bound of Executable."""
    executable = relax.Module.parse(MODULE, "capture.mlir").compile(functions=["one"], capture=True, capture_limit=1)
    for n in (4, 4, 5, 4):
        np.testing.assert_array_equal(call(executable, "one", random(n), random(1))[0], scan(random(n), 3))
    assert count(executable, "captures", "replays", "evictions", "recordings") == (3, 1, 2, 1)


def test_only_what_the_launches_depend_on_is_in_the_key(relax, artifact):
    executable = relax.load(artifact)
    for m in range(10):
        np.testing.assert_array_equal(call(executable, "one", random(8), random(m))[0], scan(random(8), 3))
    assert count(executable, "captures", "replays") == (1, 9)


def test_every_size_of_a_launch_is_in_the_key(relax, artifact):
    """The same n with another m, the sizes swapped: never another's recording."""
    executable = relax.load(artifact)
    for _ in range(2):
        for n, m in [(3, 5), (5, 3), (3, 3), (5, 5), (0, 3), (3, 0)]:
            x, y = random(n), random(m)
            got = call(executable, "two", x, y)
            np.testing.assert_array_equal(got[0], scan(x, 2))
            np.testing.assert_array_equal(got[1], scan(y, 2))
            matrix = random(n, m)
            sums, rows = call(executable, "matrix", matrix)
            np.testing.assert_array_equal(sums, scan(scan(matrix, 1).sum(0, dtype=np.float32), 1))
            np.testing.assert_array_equal(rows, scan(scan(matrix, 1), 1, axis=1))
    captures, replays = count(executable, "captures", "replays")
    assert captures == replays == 12


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_the_cache_is_bounded(relax, artifact, limit):
    executable = relax.load(artifact, capture_limit=limit)
    sizes = [4, 5, 4, 6, 7, 4, 8, 8]
    recent, captures, evictions = [], 0, 0
    for n in sizes:
        np.testing.assert_array_equal(call(executable, "one", random(n), random(1))[0], scan(random(n), 3))
        if n in recent:
            recent.remove(n)
        elif limit:
            captures += 1
            evictions += len(recent) == limit
            recent = recent[len(recent) == limit:]
        recent = [*recent, n] if limit else []
    expected = (captures, len(sizes) - captures if limit else 0, evictions, len(recent))
    assert count(executable, "captures", "replays", "evictions", "recordings") == expected
    assert executable.counters["kernel_launches"] == 3 * len(sizes)


def test_loops_and_found_sizes(relax, artifact):
    executable = relax.load(artifact)
    for n, trips in [(5, 4), (7, 3), (5, 5), (5, 0)]:
        x = want = random(n)
        for _ in range(trips):
            want = scan(want, 2) - scan(want, 1)
        np.testing.assert_array_equal(call(executable, "loop", x, np.int64(trips))[0], want)
    assert count(executable, "captures", "replays") == (2, 10)
    for ones in (0, 3, 9, 3):
        x = np.zeros(20, np.int64)
        x[2:2 + ones] = 1
        assert call(executable, "found", x)[0] == scan(np.nonzero(x)[0], 2).sum()
    assert count(executable, "captures", "replays") == (5, 11)


def test_steady_state_allocates_nothing(relax, artifact):
    executable = relax.load(artifact)
    sizes = [50, 20, 50, 20]
    for n in sizes:
        call(executable, "one", random(n), random(1))
    before = executable.counters["allocations"]
    for n in sizes * 5:
        call(executable, "one", random(n), random(1))
    assert executable.counters["allocations"] == before
    assert executable.counters["captures"] == 2


def test_many_sizes_keep_the_memory(relax, artifact):
    """400 sizes in one process: 16 recordings, and no growth of resident memory behind the first 50."""

    def resident():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    executable, before = relax.load(artifact), 0
    x, y = random(600), random(1)
    for step in range(400):
        n = (step * 211) % 401 + 100
        if step == 50:
            call(executable, "one", x, y)  # the largest one
            before = resident()
        call(executable, "one", x[:n], y)
    assert resident() - before <= 1 << 20
    assert count(executable, "recordings", "evictions") == (16, executable.counters["captures"] - 16)


def test_threads_have_recordings_of_their_own(relax, artifact):
    executable, others = relax.load(artifact), relax.load(artifact)
    problems = []

    def work(which, seed):
        for step in range(40):
            n = (seed * 7 + step * 3) % 11
            x = random(n)
            if not np.array_equal(call(which, "one", x, random(2))[0], scan(x, 3)):
                problems.append((seed, n))

    workers = [threading.Thread(target=work, args=(which, seed))
               for seed, which in enumerate([executable, executable, others, others])]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not problems
    assert executable.counters["captures"] + executable.counters["replays"] == 80


def test_results_with_and_without(relax, tool, tmp_path, artifact):
    """Every function, recorded and not; without --capture nothing is recorded."""
    (tmp_path / "in.mlir").write_text(MODULE)
    assert tool("relax-compile", tmp_path / "in.mlir", "--function=*", "-o", tmp_path / "plain.rlx").returncode == 0
    plain, captured = relax.load(tmp_path / "plain.rlx"), relax.load(artifact)
    for _ in range(2):
        for name, inputs in {"one": (random(6), random(2)), "two": (random(6), random(9)), "matrix": (random(4, 5),),
                             "loop": (random(6), np.int64(3)), "found": (np.arange(5) % 2,)}.items():
            for got, want in zip(call(captured, name, *inputs), call(plain, name, *inputs), strict=True):
                np.testing.assert_array_equal(got, want)
    assert plain.counters["captures"] == plain.counters["replays"] == 0
    assert plain.counters["kernel_launches"] == captured.counters["kernel_launches"]
