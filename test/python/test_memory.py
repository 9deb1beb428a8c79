# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Memory plans: what the report says, what a call takes, and the results, at sizes on both sides of what only run time knows."""

import json
import subprocess
import sys

import numpy as np
import pytest
from memory_plans import Plan

MODULE = """
#n = #relax_sym.shape<[n]>
#m = #relax_sym.shape<[m]>
#a = #relax_sym.shape<[n + 1, 4]>
#b = #relax_sym.shape<[n * 4 + 4]>
#u = #relax_sym.shape<[u]>
// Which of the tensors of n and m is larger is found at entry: the last ones begin behind either.
func.func @compared(%x: tensor<?xf32, #n>, %y: tensor<?xf32, #m>) -> tensor<f32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.sum %1 {axes = array<i64: 0>} : (tensor<?xf32, #n>) -> tensor<f32>
  %3 = relax.cumsum %y {axis = 0 : i64} : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %4 = relax.cumsum %3 {axis = 0 : i64} : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %5 = relax.sum %4 {axes = array<i64: 0>} : (tensor<?xf32, #m>) -> tensor<f32>
  %6 = relax.subtract %2, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}
// (4n + 4,) is as large as (n + 1, 4).
func.func @equal(%x: tensor<?x4xf32, #a>) -> tensor<?xf32, #b> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?x4xf32, #a> -> !relax.shape<[n + 1, 4]>
  %t = relax.make_shape %s : (!relax.shape<[n + 1, 4]>) -> !relax.shape<[n * 4 + 4]>
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?x4xf32, #a>) -> tensor<?x4xf32, #a>
  %1 = relax.reshape %0, %t : (tensor<?x4xf32, #a>, !relax.shape<[n * 4 + 4]>) -> tensor<?xf32, #b>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #b>) -> tensor<?xf32, #b>
  %3 = relax.cumsum %2 {axis = 0 : i64} : (tensor<?xf32, #b>) -> tensor<?xf32, #b>
  %4 = relax.cumsum %3 {axis = 0 : i64} : (tensor<?xf32, #b>) -> tensor<?xf32, #b>
  return %4 : tensor<?xf32, #b>
}
// u is at most n.
func.func @found(%x: tensor<?xi64, #n>) -> tensor<i64> attributes {relax_sym.scope = #relax_sym.scope<"n <= 1000">} {
  %0 = relax.nonzero %x binds [u] : (tensor<?xi64, #n>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>>
  %1 = relax.cumsum %0 {axis = 1 : i64} : (tensor<1x?xi64, #relax_sym.shape<[1, u]>>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>>
  %2 = relax.cumsum %1 {axis = 1 : i64} : (tensor<1x?xi64, #relax_sym.shape<[1, u]>>) -> tensor<1x?xi64, #relax_sym.shape<[1, u]>>
  %3 = relax.sum %2 {axes = array<i64: 0, 1>} : (tensor<1x?xi64, #relax_sym.shape<[1, u]>>) -> tensor<i64>
  return %3 : tensor<i64>
}
// Tensors of m lie in the result of n where a call's sizes let them, else in the arena.
func.func @lent(%x: tensor<?xf32, #m>, %y: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?xf32, #m>) -> tensor<?xf32, #m>
  %2 = relax.sum %1 {axes = array<i64: 0>} : (tensor<?xf32, #m>) -> tensor<f32>
  %3 = relax.add %y, %2 : (tensor<?xf32, #n>, tensor<f32>) -> tensor<?xf32, #n>
  return %3 : tensor<?xf32, #n>
}
// The sizes of nested quotients are too involved for any proof about their sums.
func.func @quotients(%x: tensor<?x?xf32, #relax_sym.shape<[n, m]>>) -> tensor<f32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.slice %x {axes = array<i64: 0, 1>, starts = [#relax_sym.expr<0>, #relax_sym.expr<0>], ends = [#relax_sym.expr<min(n, (n + 1) floordiv 2)>, #relax_sym.expr<min(m, (m + 5) floordiv 3)>], strides = array<i64: 1, 1>}
    : (tensor<?x?xf32, #relax_sym.shape<[n, m]>>) -> tensor<?x?xf32, #relax_sym.shape<[min(n, (n + 1) floordiv 2), min(m, (m + 5) floordiv 3)]>>
  %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?x?xf32, #relax_sym.shape<[min(n, (n + 1) floordiv 2), min(m, (m + 5) floordiv 3)]>>) -> tensor<?x?xf32, #relax_sym.shape<[min(n, (n + 1) floordiv 2), min(m, (m + 5) floordiv 3)]>>
  %2 = relax.cumsum %1 {axis = 1 : i64} : (tensor<?x?xf32, #relax_sym.shape<[min(n, (n + 1) floordiv 2), min(m, (m + 5) floordiv 3)]>>) -> tensor<?x?xf32, #relax_sym.shape<[min(n, (n + 1) floordiv 2), min(m, (m + 5) floordiv 3)]>>
  %3 = relax.cumsum %2 {axis = 0 : i64} : (tensor<?x?xf32, #relax_sym.shape<[min(n, (n + 1) floordiv 2), min(m, (m + 5) floordiv 3)]>>) -> tensor<?x?xf32, #relax_sym.shape<[min(n, (n + 1) floordiv 2), min(m, (m + 5) floordiv 3)]>>
  %4 = relax.sum %3 {axes = array<i64: 0, 1>} : (tensor<?x?xf32, #relax_sym.shape<[min(n, (n + 1) floordiv 2), min(m, (m + 5) floordiv 3)]>>) -> tensor<f32>
  return %4 : tensor<f32>
}
"""


@pytest.fixture(scope="module")
def artifact(relax):
    return relax.Module.parse(MODULE, "memory.mlir").compile_to_bytes(functions=["*"])


def run(relax, artifact, name, *inputs, **symbols):
    """The result of a call in a process of its own memory; what it took is what the plan says."""
    executable = relax.load(artifact)
    result = executable[name](*inputs)
    report = json.loads(executable.memory_report)
    plan = Plan(report[name] if name in report else report)
    assert executable.counters["arena_bytes"] == max(64, plan.get_bytes(symbols))
    return next(iter(result.values())), plan


@pytest.mark.parametrize("n, m", [(3, 100), (100, 3), (64, 64), (0, 5), (5, 0), (0, 0), (1, 33)])
def test_sizes_compared_at_run_time(relax, artifact, n, m):
    """Neither n <= m nor m <= n is known, and the arena is the larger of both needs, never their sum."""
    x, y = np.ones(n, np.float32), np.ones(m, np.float32)
    got, plan = run(relax, artifact, "compared", x, y, n=n, m=m)
    assert got == sum(k * (k + 1) // 2 for k in range(n + 1)) - sum(k * (k + 1) // 2 for k in range(m + 1))
    assert plan.get_bytes({"n": n, "m": m}) <= plan.get_live_bytes({"n": n, "m": m}) + 4 * 63


def one_and_zeros(m):
    """The sum of its running sums' running sums is exact in f32."""
    x = np.zeros(m, np.float32)
    x[:1] = 1
    return x


# Both outcomes of each comparison, large then small then large again in one process.
PAIRS = [(1000, 10), (10, 1000), (128, 128), (128, 129), (0, 7), (7, 0), (0, 0), (1, 1), (1000, 10), (31, 29), (3, 4000)]


def test_lending_compared_at_run_time(relax, artifact):
    """What fits into the result lies there: the arena of a call is that of the plan for its sizes, and the least one."""
    executable = relax.load(artifact)
    plan, largest = Plan(json.loads(executable.memory_report)["lent"]), 64
    assert len(plan.layouts) > 1
    for n, m in PAIRS:
        got, = executable["lent"](one_and_zeros(m), np.arange(n, dtype=np.float32)).values()
        np.testing.assert_array_equal(got, np.arange(n, dtype=np.float32) + m * (m + 1) // 2)
        sizes = {"n": n, "m": m}
        largest = max(largest, plan.get_bytes(sizes))
        assert executable.counters["arena_bytes"] == largest, sizes
        # Two tensors of m are there at a time, one of them in the result where it fits.
        padded = -(-4 * m // 64) * 64
        assert plan.get_bytes(sizes) <= (padded if m <= n else 2 * padded) + 64, sizes


@pytest.mark.parametrize("n, m", PAIRS)
def test_each_layout_alone(relax, artifact, n, m):
    """The same in a process of its own memory."""
    got, _ = run(relax, artifact, "lent", one_and_zeros(m), np.zeros(n, np.float32), n=n, m=m)
    np.testing.assert_array_equal(got, np.full(n, m * (m + 1) // 2, np.float32))


@pytest.mark.parametrize("n", [0, 1, 50])
def test_equal_sizes_share(relax, artifact, n):
    """The memory of (n + 1, 4) is used again for (4n + 4,): two tensors are there at a time, one of them in the result's memory.
    The reshape is a view and takes none."""
    x = np.ones((n + 1, 4), np.float32)
    got, plan = run(relax, artifact, "equal", x, n=n)
    want = np.cumsum(np.cumsum(np.cumsum(np.cumsum(x, 0).reshape(-1))))
    np.testing.assert_allclose(got, want)
    assert plan.get_bytes({"n": n}) == -(-16 * (n + 1) // 64) * 64
    assert len(plan.report["arena"]) == len({tensor["tensor"] for tensor in plan.report["arena"]}) == 2
    assert len(plan.report["results"][0]["holds"]) == 1
    assert plan.get_result_bytes({"n": n}) == 16 * (n + 1)


@pytest.mark.parametrize("n", [0, 1, 3, 1000])
def test_bound_of_a_size_found_while_running(relax, artifact, n):
    """The arena is made before u is known: u counts as n."""
    x = np.arange(n) % 3
    got, plan = run(relax, artifact, "found", x, n=n)
    assert got == np.cumsum(np.cumsum(np.nonzero(x)[0])).sum()
    assert plan.get_bytes({"n": n}) >= 8 * n


@pytest.mark.parametrize("n, m", [(0, 0), (1, 1), (5, 1), (2, 70), (33, 8)])
def test_nested_quotients(relax, artifact, n, m):
    x = np.ones((n, m), np.float32)
    got, plan = run(relax, artifact, "quotients", x, n=n, m=m)
    part = x[: (n + 1) // 2, : (m + 5) // 3].astype(np.float64)
    assert got == np.cumsum(np.cumsum(np.cumsum(part, 0), 1), 0).sum()


def test_more_memory_than_64_bits_count(relax, tool, tmp_path):
    """Each of the sizes fits 64 bits, their sum does not: that is an error, not a small arena."""
    big = "#relax_sym.shape<[n, 1125899906842624]>"
    rows = f"tensor<?x1125899906842624xf32, {big}>"
    text = f"""func.func @main(%s: tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<f32> attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %0 = relax.shape_of %s : tensor<?xf32, #relax_sym.shape<[n]>> -> !relax.shape<[n]>
  %1 = relax.make_shape %0 : (!relax.shape<[n]>) -> !relax.shape<[n, 1125899906842624]>
  %2 = relax.random_uniform %1 {{seed = 1 : i64, dtype = f32}} : (!relax.shape<[n, 1125899906842624]>) -> {rows}
  %3 = relax.cumsum %2 {{axis = 0 : i64}} : ({rows}) -> {rows}
  %4 = relax.sum %3 {{axes = array<i64: 0, 1>}} : ({rows}) -> tensor<f32>
  return %4 : tensor<f32>
}}"""
    executable = relax.load(relax.Module.parse(text, "big.mlir").compile_to_bytes())
    assert next(iter(executable(np.ones(0, np.float32)).values())) == 0
    with pytest.raises(relax.RelaxError):
        executable(np.ones(1, np.float32))
    with pytest.raises(relax.RelaxError, match="more memory than 64 bits can count"):
        executable(np.ones(1500, np.float32))


IDENTITY = """
#n = #relax_sym.shape<[n]>
#p = #relax_sym.shape<[p]>
func.func private @same(%x: tensor<?xf32, #p>) -> tensor<?xf32, #p> attributes {relax_sym.scope = #relax_sym.scope<>} {
  return %x : tensor<?xf32, #p>
}
func.func @main(%x: tensor<?xf32, #n>) -> (tensor<?xf32, #n>, tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %1 = relax.call @same(%0) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.cumprod %x {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %3 = relax.cumprod %2 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %4 = relax.cumprod %3 {axis = 0 : i64} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %1, %4 : tensor<?xf32, #n>, tensor<?xf32, #n>
}
"""


def test_a_function_that_gives_back_its_argument(tool, tmp_path):
    """The argument's memory is needed as long as the result: a call is not always inlined."""
    source = tmp_path / "same.mlir"
    source.write_text(IDENTITY)
    passes = "relax-infer-shapes,relax-legalize-ops,relax-make-destinations,relax-plan-memory,relax-verify-planned"
    done = tool("relax-opt", source, f"--relax-validate=pipeline={passes}")
    assert done.returncode == 0, done.stderr
    assert "executions agree" in done.stderr


def test_small_functions_need_no_more_than_the_optimum(root, build):
    """The table of functions of benchmarks/memory.py, without fusion; exit code 1 when a plan needs more."""
    if build != root / "build":
        pytest.skip("the script looks into build/")
    done = subprocess.run([sys.executable, root / "benchmarks" / "memory.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
