# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Memory where other planners went wrong: storage of branches, names of what is still needed, a bound from one side only."""
import json

import numpy as np
import pytest
from memory_plans import Plan

MODULE = """
#n = #relax_sym.shape<[n, 4]>
#k = #relax_sym.shape<[k, 4]>
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
