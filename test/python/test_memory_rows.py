# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Memory where other planners went wrong: storage of branches, names and views of what is still needed, sizes that are found
late or made of others, a bound from one side only."""
import json

import numpy as np
import pytest
from memory_plans import Plan

MODULE = """
#n = #relax_sym.shape<[n, 4]>
#m = #relax_sym.shape<[m, 4]>
#k = #relax_sym.shape<[k, 4]>
#flat = #relax_sym.shape<[n * 4]>
#thin = #relax_sym.shape<[n, 1, 4]>
// What the first branch takes is not there in the second.
func.func @branches(%c: tensor<i1>, %a: tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %cond = tensor.extract %c[] : tensor<i1>
  %r = scf.if %cond -> (tensor<?x4xf32, #n>) {
    %0 = relax.cumsum %a {axis = 0 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
    %1 = relax.softmax %0 {axis = 1 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
    %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
    scf.yield %2 : tensor<?x4xf32, #n>
  } else {
    %0 = relax.cumsum %a {axis = 1 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
    %1 = relax.log_softmax %0 {axis = 1 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
    %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
    scf.yield %2 : tensor<?x4xf32, #n>
  }
  return %r : tensor<?x4xf32, #n>
}
// %l is %s under another name: nothing may be written over it before the sum.
func.func @named(%x: tensor<?x4xf32, #n>) -> tensor<?x4xf32, #k> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.cumsum %x {axis = 0 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %l = relax.match_cast %s binds [k] : tensor<?x4xf32, #n> to tensor<?x4xf32, #k>
  %r = relax.cumsum %x {axis = 1 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %q = relax.match_cast %r : tensor<?x4xf32, #n> to tensor<?x4xf32, #k>
  %t = relax.cumsum %q {axis = 0 : i64} : (tensor<?x4xf32, #k>) -> tensor<?x4xf32, #k>
  %y = relax.add %l, %t : (tensor<?x4xf32, #k>, tensor<?x4xf32, #k>) -> tensor<?x4xf32, #k>
  return %y : tensor<?x4xf32, #k>
}
// The same through a view: %v is the memory of %s in another shape, which is read last.
func.func @viewed(%x: tensor<?x4xf32, #n>) -> tensor<?xf32, #flat> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %shape = relax.shape_of %x : tensor<?x4xf32, #n> -> !relax.shape<[n, 4]>
  %to = relax.make_shape %shape : (!relax.shape<[n, 4]>) -> !relax.shape<[n * 4]>
  %s = relax.cumsum %x {axis = 0 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %v = relax.reshape %s, %to : (tensor<?x4xf32, #n>, !relax.shape<[n * 4]>) -> tensor<?xf32, #flat>
  %r = relax.cumsum %x {axis = 1 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %q = relax.reshape %r, %to : (tensor<?x4xf32, #n>, !relax.shape<[n * 4]>) -> tensor<?xf32, #flat>
  %t = relax.cumsum %q {axis = 0 : i64} : (tensor<?xf32, #flat>) -> tensor<?xf32, #flat>
  %y = relax.add %v, %t : (tensor<?xf32, #flat>, tensor<?xf32, #flat>) -> tensor<?xf32, #flat>
  return %y : tensor<?xf32, #flat>
}
// Two views of an argument: their product may lie in neither, and the argument stays as it is.
func.func @in_place(%x: tensor<?x4xf32, #n>) -> tensor<?x2x4xf32, #relax_sym.shape<[n, 2, 4]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %shape = relax.shape_of %x : tensor<?x4xf32, #n> -> !relax.shape<[n, 4]>
  %to = relax.make_shape %shape : (!relax.shape<[n, 4]>) -> !relax.shape<[n, 1, 4]>
  %a = relax.reshape %x, %to : (tensor<?x4xf32, #n>, !relax.shape<[n, 1, 4]>) -> tensor<?x1x4xf32, #thin>
  %b = relax.reshape %x, %to : (tensor<?x4xf32, #n>, !relax.shape<[n, 1, 4]>) -> tensor<?x1x4xf32, #thin>
  %0 = relax.multiply %a, %b : (tensor<?x1x4xf32, #thin>, tensor<?x1x4xf32, #thin>) -> tensor<?x1x4xf32, #thin>
  %1 = relax.concat %0, %b {axis = 1 : i64} : (tensor<?x1x4xf32, #thin>, tensor<?x1x4xf32, #thin>) -> tensor<?x2x4xf32, #relax_sym.shape<[n, 2, 4]>>
  return %1 : tensor<?x2x4xf32, #relax_sym.shape<[n, 2, 4]>>
}
// k is known from the cast on: what has it in its type is made behind it, also where a group of calls becomes one.
func.func @ordered(%x: tensor<?x4xf32, #n>, %y: tensor<?x4xf32, #m>) -> tensor<?x4xf32, #k> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.exp %y : tensor<?x4xf32, #m>
  %1 = relax.match_cast %y binds [k] : tensor<?x4xf32, #m> to tensor<?x4xf32, #k>
  %2 = relax.match_cast %0 : tensor<?x4xf32, #m> to tensor<?x4xf32, #k>
  %3 = relax.match_cast %x : tensor<?x4xf32, #n> to tensor<?x4xf32, #k>
  %4 = relax.exp %3 : tensor<?x4xf32, #k>
  %5 = relax.cumsum %4 {axis = 0 : i64} : (tensor<?x4xf32, #k>) -> tensor<?x4xf32, #k>
  %6 = relax.add %5, %2 : (tensor<?x4xf32, #k>, tensor<?x4xf32, #k>) -> tensor<?x4xf32, #k>
  %7 = relax.add %6, %1 : (tensor<?x4xf32, #k>, tensor<?x4xf32, #k>) -> tensor<?x4xf32, #k>
  return %7 : tensor<?x4xf32, #k>
}
// Sizes that are products and sums of others: m * n and m * n + n.
func.func @compound(%x: tensor<?x?xf32, #relax_sym.shape<[m, n]>>, %y: tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<f32> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %shape = relax.shape_of %x : tensor<?x?xf32, #relax_sym.shape<[m, n]>> -> !relax.shape<[m, n]>
  %to = relax.make_shape %shape : (!relax.shape<[m, n]>) -> !relax.shape<[m * n]>
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?x?xf32, #relax_sym.shape<[m, n]>>) -> tensor<?x?xf32, #relax_sym.shape<[m, n]>>
  %1 = relax.reshape %0, %to : (tensor<?x?xf32, #relax_sym.shape<[m, n]>>, !relax.shape<[m * n]>) -> tensor<?xf32, #relax_sym.shape<[m * n]>>
  %2 = relax.concat %1, %y {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[m * n]>>, tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[m * n + n]>>
  %3 = relax.cumsum %2 {axis = 0 : i64} : (tensor<?xf32, #relax_sym.shape<[m * n + n]>>) -> tensor<?xf32, #relax_sym.shape<[m * n + n]>>
  %4 = relax.sum %3 {axes = array<i64: 0>} : (tensor<?xf32, #relax_sym.shape<[m * n + n]>>) -> tensor<f32>
  return %4 : tensor<f32>
}
// n is at least 3, and nothing more is known.
func.func @from_below(%x: tensor<?x4xf32, #n>) -> tensor<f32> attributes {relax_sym.scope = #relax_sym.scope<"n >= 3">} {
  %0 = relax.cumsum %x {axis = 0 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %1 = relax.cumsum %0 {axis = 1 : i64} : (tensor<?x4xf32, #n>) -> tensor<?x4xf32, #n>
  %2 = relax.sum %1 {axes = array<i64: 0, 1>} : (tensor<?x4xf32, #n>) -> tensor<f32>
  return %2 : tensor<f32>
}
"""


@pytest.fixture(scope="module")
def artifact(relax):
    return relax.Module.parse(MODULE, "rows.mlir").compile_to_bytes(functions=["*"])


@pytest.mark.parametrize("condition", [False, True])
@pytest.mark.parametrize("n", [0, 1, 33])
def test_storage_of_branches(relax, artifact, condition, n):
    """Row 1: either branch first, in a process of its own memory; both are placed in one arena."""
    x = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
    got = relax.load(artifact)["branches"](np.array(condition), x)
    part = np.cumsum(x, 0 if condition else 1)
    rows = np.exp(part) / np.exp(part).sum(1, keepdims=True)
    want = np.cumsum(rows if condition else np.log(rows), 0)
    np.testing.assert_allclose(next(iter(got.values())), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n", [0, 1, 33])
def test_names_keep_memory(relax, artifact, n):
    """Row 2: a cast is the tensor that it names."""
    x = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
    got = relax.load(artifact)["named"](x)
    want = np.cumsum(x, 0) + np.cumsum(np.cumsum(x, 1), 0)
    np.testing.assert_allclose(next(iter(got.values())), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("n", [33, 1, 0])
def test_views_keep_memory(relax, artifact, n):
    """Rows 2 and 11: a view is the tensor that it shows, and an argument is never written."""
    executable = relax.load(artifact)
    x = np.random.default_rng(n).standard_normal((n, 4)).astype(np.float32)
    kept = x.copy()
    got = next(iter(executable["viewed"](x).values()))
    want = np.cumsum(x, 0).reshape(-1) + np.cumsum(np.cumsum(x, 1).reshape(-1))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    got = next(iter(executable["in_place"](x).values()))
    np.testing.assert_array_equal(got, np.stack([x * x, x], 1))
    np.testing.assert_array_equal(x, kept)


@pytest.mark.parametrize("n", [33, 1, 0])
def test_a_symbol_is_used_behind_its_binder(relax, artifact, n):
    """Row 3; an argument that breaks the cast is refused."""
    executable = relax.load(artifact)
    x, y = np.random.default_rng(n).standard_normal((2, n, 4)).astype(np.float32)
    got = next(iter(executable["ordered"](x, y).values()))
    np.testing.assert_allclose(got, np.cumsum(np.exp(x), 0) + np.exp(y) + y, rtol=1e-4, atol=1e-4)
    with pytest.raises(relax.RelaxError, match="match_cast"):
        executable["ordered"](np.zeros((n + 1, 4), np.float32), y)


def test_sizes_made_of_others(relax, artifact):
    """Row 7: products and sums of sizes, large, small and large again, in an arena that is the plan's."""
    executable, largest = relax.load(artifact), 64
    plan = Plan(json.loads(executable.memory_report)["compound"])
    for m, n in [(7, 50), (0, 3), (3, 0), (1, 1), (50, 7), (7, 50), (1, 350)]:
        got = next(iter(executable["compound"](np.ones((m, n), np.float32), np.ones(n, np.float32)).values()))
        whole = np.concatenate([np.cumsum(np.ones((m, n)), 0).reshape(-1), np.ones(n)])
        np.testing.assert_allclose(got, np.cumsum(whole).sum(), rtol=1e-4)
        largest = max(largest, plan.get_bytes({"m": m, "n": n}))
        assert executable.counters["arena_bytes"] == largest
        assert plan.get_bytes({"m": m, "n": n}) <= 2 * 4 * (m + 1) * n + 4 * 64


def test_a_lower_bound_is_no_size(relax, artifact):
    """Row 14: a plan for n >= 3 serves any n, with what n needs; less than 3 is refused."""
    executable = relax.load(artifact)
    plan = Plan(json.loads(executable.memory_report)["from_below"])
    for n in (3, 4, 1000, 5):
        got = next(iter(executable["from_below"](np.ones((n, 4), np.float32)).values()))
        assert got == 10 * n * (n + 1) / 2
        assert plan.get_bytes({"n": n}) <= 2 * -(-16 * n // 64) * 64 + 128
    with pytest.raises(Exception, match="fact n >= 3 does not hold: n = 2"):
        executable["from_below"](np.ones((2, 4), np.float32))
