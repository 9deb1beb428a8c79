# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Sorting and finding, with sizes found at run time, against numpy."""
import numpy as np
import pytest
import test_ops
from test_ops import Function, check, numbers, tensor

compiled = test_ops.compiled

SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (2, 1), (5, 7), (37, 101)]


def values(element, *shape, seed=1):
    """Few different ones, with specials."""
    x = numbers(element, *shape, seed=seed)
    if element.startswith("f"):
        x = np.round(x)
        flat = x.reshape(-1)
        flat[1:5] = np.array([np.nan, -np.inf, np.nan, -0.0])[:max(0, min(4, flat.size - 1))]
    return x


@pytest.mark.parametrize("element", ["f32", "i8", "i1"])
def test_nonzero(compiled, element):
    """The count is bound, and facts bound it: the memory is part of the arena."""
    function = Function("nonzero", x=tensor(element, "n", "m"), y=tensor("f32", "n", 2), c=tensor("i1", "n"), d=tensor("i1", "n", 2))
    function.op("r", "nonzero %x binds [u]", ["x"], tensor("i64", 2, "u"))
    function.op("rows", "compress %y, %c binds [v]", ["y", "c"], tensor("f32", "v", 2), "{axis = 0 : i64}")
    function.op("masked", "compress %y, %d binds [w]", ["y", "d"], tensor("f32", "w"), "{axis = 0 : i64}")
    scalar = Function("scalar", x=tensor(element))
    scalar.op("r", "nonzero %x binds [u]", ["x"], tensor("i64", 0, "u"))
    run = compiled("nonzero_" + element, [function, scalar])
    inputs = [{"x": values(element, n, m), "y": numbers("f32", n, 2), "c": numbers("i1", n, seed=2), "d": numbers("i1", n, 2, seed=3)}
              for n, m in SHAPES]
    for given, got in zip(inputs, run("nonzero", *inputs)):
        check(got, np.array(np.nonzero(given["x"])), "r")
        check(got, np.compress(given["c"], given["y"], axis=0), "rows")
        check(got, given["y"][given["d"]], "masked")
    for value in [0, 1]:
        got, = run("scalar", {"x": np.array(value, inputs[0]["x"].dtype)})
        assert got["r"].shape == (0, value)


def best(x, k, axis, smallest):
    """Stable; NaN is the largest."""
    keys = np.moveaxis(x, axis, -1)
    if smallest:
        order = np.argsort(keys, axis=-1, kind="stable")
    else:  # the reversed order of the reversed line keeps equal elements in place
        order = keys.shape[-1] - 1 - np.argsort(keys[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    order = np.moveaxis(order[..., :k], -1, axis).astype(np.int64)
    return np.take_along_axis(x, order, axis), order


@pytest.mark.parametrize("element", ["f32", "f16", "i64", "i1"])
def test_sort(compiled, element):
    type, order = tensor(element, "n", "m"), tensor("i64", "n", "m")
    function = Function("sort", x=type)
    for axis in [0, 1]:
        for attrs, more in {"up": "", "down": ", descending"}.items():
            function.op(f"{attrs}{axis}", "sort %x", ["x"], type, f"{{axis = {axis} : i64{more}}}")
            function.op(f"order_{attrs}{axis}", "argsort %x", ["x"], order, f"{{axis = {axis} : i64{more}}}")
    top = Function("top", x=type, k="!relax.shape<[k]>")
    for name, more in {"largest": "", "smallest": ", smallest"}.items():
        result = f"({tensor(element, 'n', 'min(k, m)')}, {tensor('i64', 'n', 'min(k, m)')})"
        top.body.append(f"%{name}, %{name}_i = relax.topk %x, %k {{axis = 1 : i64{more}}} : ({type}, !relax.shape<[k]>) -> {result}")
        top.results[name], top.results[name + "_i"] = tensor(element, "n", "min(k, m)"), tensor("i64", "n", "min(k, m)")
    run = compiled("sort_" + element, [function, top])
    inputs = [{"x": values(element, n, m)} for n, m in SHAPES]
    for given, got in zip(inputs, run("sort", *inputs)):
        for axis in [0, 1]:
            for name, smallest in {"up": True, "down": False}.items():
                value, order = best(given["x"], given["x"].shape[axis], axis, smallest)
                check(got, value, f"{name}{axis}")
                check(got, order, f"order_{name}{axis}")
    inputs = [{"x": values(element, n, m), "k": np.array([k])} for n, m in SHAPES for k in [0, 1, 3, 200]]
    for given, got in zip(inputs, run("top", *inputs)):
        for name, smallest in {"largest": False, "smallest": True}.items():
            value, order = best(given["x"], given["k"][0], 1, smallest)
            check(got, value, name)
            check(got, order, name + "_i")


@pytest.mark.parametrize("element", ["f32", "i32", "i1"])
def test_unique_all(compiled, element):
    function = Function("unique", x=tensor(element, "n", "m"))
    types = [tensor(element, "u"), tensor("i64", "u"), tensor("i64", "n * m"), tensor("i64", "u")]
    function.body.append(f"%v, %i, %j, %c = relax.unique_all %x binds [u] : ({tensor(element, 'n', 'm')}) -> ({', '.join(types)})")
    function.results = dict(zip("vijc", types))
    only = Function("only", x=tensor(element, "n"))
    types = [tensor(element, "u"), tensor("i64", "u"), tensor("i64", "n"), tensor("i64", "u")]
    only.body.append(f"%v, %i, %j, %c = relax.unique_all %x binds [u] : ({tensor(element, 'n')}) -> ({', '.join(types)})")
    only.results = {"c": types[3]}
    run = compiled("unique_all_" + element, [function, only])
    inputs = [{"x": values(element, n, m)} for n, m in SHAPES]
    for given, got in zip(inputs, run("unique", *inputs)):
        for name, want in zip("vijc", np.unique(given["x"], return_index=True, return_inverse=True, return_counts=True)):
            check(got, want.reshape(-1), name)
    got, = run("only", {"x": values(element, 31)})
    check(got, np.unique(values(element, 31), return_counts=True)[1], "c")


@pytest.mark.parametrize("element", ["f32", "i32"])
def test_bucketize(compiled, element):
    function = Function("buckets", x=tensor(element, "n", 3), b=tensor(element, "k"))
    function.op("left", "bucketize %x, %b", ["x", "b"], tensor("i64", "n", 3))
    function.op("right", "bucketize %x, %b", ["x", "b"], tensor("i64", "n", 3), "{right}")
    run = compiled("buckets_" + element, [function])
    inputs = [{"x": values(element, n, 3), "b": np.sort(numbers(element, k, seed=2))} for n, k in [(0, 0), (0, 3), (1, 0), (13, 5)]]
    for given, got in zip(inputs, run("buckets", *inputs)):
        for side in ["left", "right"]:
            check(got, np.searchsorted(given["b"], given["x"], side), side)
