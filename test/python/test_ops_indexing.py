# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Ops whose places or extents are found at run time, against numpy."""
import itertools

import numpy as np
import pytest
import test_ops
from test_ops import Function, check, numbers, tensor

compiled = test_ops.compiled

BOUNDS = [-(2**63), -14, -13, -2, -1, 0, 1, 12, 13, 14, 2**63 - 1]


def test_dynamic_slice(compiled):
    """Every clamping of bounds that tensors hold, with and without strides."""
    i64, x = tensor("i64", 1), tensor("f32", "n", 3)
    plain = Function("plain", x=x, b=i64, e=i64)
    plain.op("r", "dynamic_slice %x, %b, %e binds [u]", ["x", "b", "e"], tensor("f32", "u", 3), "{axes = array<i64: 0>}")
    strided = Function("strided", x=x, b=i64, e=i64, s=i64)
    strided.op("r", "dynamic_slice %x, %b, %e strides(%s) binds [u]", ["x", "b", "e", "s"], tensor("f32", "u", 3),
               "{axes = array<i64: 0>}")
    two = tensor("i32", 2)
    both = Function("both", x=tensor("i64", "n", 4, "m"), b=two, e=two, s=two)
    both.op("r", "dynamic_slice %x, %b, %e strides(%s) binds [u, v]", ["x", "b", "e", "s"], tensor("i64", "u", 4, "v"),
            "{axes = array<i64: 0, 2>}")
    run = compiled("dynamic_slice", [plain, strided, both])
    cases = [(n, b, e) for n in [0, 1, 13] for b in BOUNDS for e in BOUNDS]
    inputs = [{"x": numbers("f32", n, 3), "b": np.array([b]), "e": np.array([e])} for n, b, e in cases]
    for given, got in zip(inputs, run("plain", *inputs)):
        check(got, given["x"][slice(int(given["b"][0]), int(given["e"][0]))], "r")
    inputs = [{"x": numbers("f32", n, 3), "b": np.array([b]), "e": np.array([e]), "s": np.array([s])}
              for (n, b, e), s in zip(cases * 2, itertools.cycle([1, -1, 2, -3, 2**63 - 1, -(2**63), 7]))]
    for given, got in zip(inputs, run("strided", *inputs)):
        check(got, given["x"][slice(*(int(given[name][0]) for name in "bes"))], "r")
    inputs = [{"x": numbers("i64", n, 4, m), "b": np.array(b, np.int32), "e": np.array(e, np.int32), "s": np.array(s, np.int32)}
              for n, m in [(0, 5), (1, 1), (13, 7)] for b, e, s in [((0, -1), (9, 0), (2, -2)), ((-3, 9), (99, -9), (1, -1))]]
    for given, got in zip(inputs, run("both", *inputs)):
        first, second = (slice(*(int(given[name][i]) for name in "bes")) for i in range(2))
        check(got, given["x"][first][:, :, second], "r")
    bad = {"x": numbers("f32", 3, 3), "b": np.array([0]), "e": np.array([3]), "s": np.array([0])}
    run("strided", bad, fails="slice with a stride of 0")


def test_symbolic_slice(compiled):
    """Bounds computed from shapes: no kernel reads them, every clamping is an expression."""
    function = Function("shapes", x=tensor("f32", "n", 2), y=tensor("f32", "m"))
    function.body += [
        f"%s = relax.shape_of %y : {tensor('f32', 'm')} -> !relax.shape<[m]>",
        "%m = relax.shape_to_tensor %s : !relax.shape<[m]> -> tensor<1xi64>",
        "%zero = relax.constant dense<0> : tensor<1xi64>",
        "%minus = relax.constant dense<-2> : tensor<1xi64>",
        "%far = relax.constant dense<9223372036854775807> : tensor<1xi64>",
        "%near = relax.constant dense<-9223372036854775808> : tensor<1xi64>",
        "%back = relax.constant dense<-1> : tensor<1xi64>",
    ]
    function.arguments.update({name: tensor("i64", 1) for name in ["m", "zero", "minus", "far", "near", "back"]})
    cases = {"front": "%zero, %m", "tail": "%m, %far", "end": "%minus, %far", "cut": "%m, %minus"}
    for name, bounds in cases.items():
        function.op(name, f"dynamic_slice %x, {bounds} binds [u_{name}]", ["x", *bounds.replace("%", "").split(", ")],
                    tensor("f32", f"u_{name}", 2), "{axes = array<i64: 0>}")
    function.op("reversed", "dynamic_slice %x, %far, %near strides(%back) binds [u]", ["x", "far", "near", "back"],
                tensor("f32", "u", 2), "{axes = array<i64: 0>}")
    for name in ["m", "zero", "minus", "far", "near", "back"]:
        del function.arguments[name]
    run = compiled("symbolic_slice", [function])
    inputs = [{"x": numbers("f32", n, 2), "y": numbers("f32", m)} for n in [0, 1, 2, 13] for m in [0, 1, 5, 13, 20]]
    for given, got in zip(inputs, run("shapes", *inputs)):
        x, m = given["x"], len(given["y"])
        for name, want in {"front": x[:m], "tail": x[m:], "end": x[-2:], "cut": x[m:-2], "reversed": x[::-1]}.items():
            check(got, want, name)


def test_take_along_axis(compiled):
    function = Function("along", x=tensor("f32", "n", "m"), i=tensor("i64", "n", "k"), j=tensor("i32", "l", "m"))
    function.op("rows", "take_along_axis %x, %i", ["x", "i"], tensor("f32", "n", "k"), "{axis = 1 : i64}")
    function.op("columns", "take_along_axis %x, %j", ["x", "j"], tensor("f32", "l", "m"), "{axis = 0 : i64}")
    small = Function("small", x=tensor("i64", 4, 5), i=tensor("i64", 2, 3))
    small.op("r", "take_along_axis %x, %i", ["x", "i"], tensor("i64", 2, 3), "{axis = 1 : i64}")
    small.op("self", "take_along_axis %i, %i", ["i", "i"], tensor("i64", 2, 3), "{axis = 1 : i64}")
    run = compiled("along", [function, small])
    inputs = []
    for n, m, k, length in [(0, 3, 2, 0), (1, 1, 0, 5), (3, 5, 7, 2), (13, 31, 1, 1)]:
        inputs.append({"x": numbers("f32", n, m), "i": numbers("i64", n, k, low=0, high=m - 1),
                       "j": numbers("i32", length, m, low=0, high=max(n - 1, 0))})
    for given, got in zip(inputs, run("along", *inputs)):
        check(got, np.take_along_axis(given["x"], given["i"], 1), "rows")
        check(got, np.take_along_axis(given["x"], given["j"], 0), "columns")
    bad = {name: array.copy() for name, array in inputs[2].items()}
    bad["i"][2, 6] = 5
    run("along", bad, fails="index is out of range")
    bad["i"][2, 6] = -1
    run("along", bad, fails="index is out of range")
    given = {"x": numbers("i64", 4, 5), "i": numbers("i64", 2, 3, low=0, high=2)}
    got, = run("small", given)
    check(got, np.take_along_axis(given["x"][:2], given["i"], 1), "r")
    check(got, np.take_along_axis(given["i"], given["i"], 1), "self")


def test_gather_nd(compiled):
    x = tensor("f32", "n", 4, "m")
    function = Function("gather", x=x, i=tensor("i64", "k", 2), e=tensor("i64", "k", 0), b=tensor("i32", "n", "k", 1), f=tensor("i64", 3))
    function.op("pairs", "gather_nd %x, %i", ["x", "i"], tensor("f32", "k", "m"), "{batch_dims = 0 : i64}")
    function.op("whole", "gather_nd %x, %e", ["x", "e"], tensor("f32", "k", "n", 4, "m"), "{batch_dims = 0 : i64}")
    function.op("batch", "gather_nd %x, %b", ["x", "b"], tensor("f32", "n", "k", "m"), "{batch_dims = 1 : i64}")
    one = Function("one", x=x, f=tensor("i64", 3))
    one.op("r", "gather_nd %x, %f", ["x", "f"], tensor("f32"), "{batch_dims = 0 : i64}")
    run = compiled("gather", [function, one])
    inputs = []
    for n, m, k in [(0, 2, 0), (1, 1, 1), (3, 0, 5), (5, 13, 7)]:
        inputs.append({"x": numbers("f32", n, 4, m), "i": np.stack([numbers("i64", k, low=0, high=max(n - 1, 0)),
                                                                    numbers("i64", k, low=0, high=3)], 1),
                       "e": np.zeros((k, 0), np.int64), "b": numbers("i32", n, k, 1, low=0, high=3), "f": np.zeros(3, np.int64)})
    for given, got in zip(inputs, run("gather", *inputs)):
        x, i = given["x"], given["i"]
        check(got, x[i[:, 0], i[:, 1]], "pairs")
        check(got, np.broadcast_to(x, (len(i), *x.shape)), "whole")
        check(got, np.take_along_axis(x, given["b"].astype(np.int64), 1) if x.size else x[:, :0].repeat(len(i), 1).reshape(
            x.shape[0], len(i), x.shape[2]), "batch")
    got, = run("one", {"x": inputs[3]["x"], "f": np.array([4, 3, 12])})
    check(got, inputs[3]["x"][4, 3, 12], "r")
    run("one", {"x": inputs[3]["x"], "f": np.array([4, 4, 12])}, fails="index is out of range")
    run("one", {"x": inputs[2]["x"], "f": np.array([0, 0, 0])}, fails="index is out of range")


SCATTER = {"none": lambda old, new: new, "add": lambda old, new: old + new, "mul": lambda old, new: old * new, "max": np.maximum,
           "min": np.minimum}


@pytest.mark.parametrize("element", ["f32", "i32"])
def test_scatter(compiled, element):
    x, i = tensor(element, "n", 3), tensor("i64", "k", "l")
    function = Function("scatter", x=x, i=i, u=tensor(element, "k", "l"), j=tensor("i32", "k", 1), v=tensor(element, "k", 3))
    for reduction in SCATTER:
        function.op("elements_" + reduction, "scatter_elements %x, %i, %u", ["x", "i", "u"], x,
                    f'{{axis = 0 : i64, reduction = "{reduction}"}}')
        function.op("nd_" + reduction, "scatter_nd %x, %j, %v", ["x", "j", "v"], x, f'{{reduction = "{reduction}"}}')
    run = compiled("scatter_" + element, [function])
    inputs = []
    for n, k, length in [(0, 0, 0), (0, 0, 3), (1, 1, 1), (3, 5, 2), (13, 31, 3)]:
        inputs.append({"x": numbers(element, n, 3), "i": numbers("i64", k, length, low=0, high=max(n - 1, 0)),
                       "u": numbers(element, k, length, seed=2), "j": numbers("i32", k, 1, seed=3, low=0, high=max(n - 1, 0)),
                       "v": numbers(element, k, 3, seed=4)})
    for given, got in zip(inputs, run("scatter", *inputs)):
        for reduction, combine in SCATTER.items():
            want = given["x"].copy()
            for place in np.ndindex(*given["i"].shape):
                target = (given["i"][place], place[1])
                want[target] = combine(want[target], given["u"][place])
            check(got, want, "elements_" + reduction, 1e-5)
            want = given["x"].copy()
            for row, update in zip(given["j"][:, 0], given["v"]):
                want[row] = combine(want[row], update)
            check(got, want, "nd_" + reduction, 1e-5)
    bad = {name: array.copy() for name, array in inputs[3].items()}
    bad["j"][4, 0] = 3
    run("scatter", bad, fails="index is out of range")
    run("scatter", {**inputs[3], "i": numbers("i64", 5, 4, low=0, high=2), "u": numbers(element, 5, 4)}, fails="the extents [")


def test_pad(compiled):
    x = tensor("f32", "n", "m")
    function = Function("pad", x=x, v=tensor("f32"), s="!relax.shape<[a, b]>")

    def amounts(*texts):
        return "[" + ", ".join(f"#relax_sym.expr<{text}>" for text in texts) + "]"

    for mode in ["constant", "edge", "reflect", "wrap"]:
        function.op(mode, "pad %x shape(%s)", ["x", "s"], tensor("f32", "n + a + 1", "m + b"),
                    f'{{low = {amounts("a", "0")}, high = {amounts(1, "b")}, mode = "{mode}"}}')
    function.op("value", "pad %x value(%v)", ["x", "v"], tensor("f32", "n + 3", "m"),
                f'{{low = {amounts(1, 0)}, high = {amounts(2, 0)}, mode = "constant"}}')
    ints = Function("ints", x=tensor("i1", "n"), s="!relax.shape<[a]>")
    ints.op("r", "pad %x shape(%s)", ["x", "s"], tensor("i1", "n + a"), f'{{low = {amounts("a")}, high = {amounts(0)}, mode = "constant"}}')
    ints.op("w", "pad %x shape(%s)", ["x", "s"], tensor("i1", "n + a"), f'{{low = {amounts(0)}, high = {amounts("a")}, mode = "wrap"}}')
    run = compiled("pad", [function, ints])
    inputs = [{"x": numbers("f32", n, m), "v": np.array(7, np.float32), "s": np.array([a, b])}
              for n, m in [(1, 1), (2, 3), (13, 7)] for a, b in [(0, 0), (1, 0), (1, 2), (5, 31)]]
    for given, got in zip(inputs, run("pad", *inputs)):
        (a, b), x = given["s"], given["x"]
        for mode in ["constant", "edge", "reflect", "wrap"]:
            check(got, np.pad(x, [(a, 1), (0, b)], mode), mode)
        check(got, np.pad(x, [(1, 2), (0, 0)], constant_values=7), "value")
    inputs = [{"x": numbers("i1", n), "s": np.array([a])} for n, a in [(0, 0), (1, 3), (5, 0), (7, 101)]]
    for given, got in zip(inputs, run("ints", *inputs)):
        check(got, np.pad(given["x"], [(given["s"][0], 0)]), "r")
        check(got, np.pad(given["x"], [(0, given["s"][0])], "wrap"), "w")
    run("ints", {"x": numbers("i1", 0), "s": np.array([3])}, fails="the extents [")


def test_static_zeros(compiled):
    """Extents that are known to be 0: upstream refuses some offsets in such tensors, which may not be met."""
    x, y = tensor("f32", 0, 4), tensor("f32", "n", 0)
    function = Function("zeros", x=x, y=y, b=tensor("i64", 1), i=tensor("i64", 0, 1), z=tensor("f32", 3, 4))

    def cut(axis, start, end, stride=1):
        return f"{{axes = array<i64: {axis}>, starts = [#relax_sym.expr<{start}>], ends = [#relax_sym.expr<{end}>], strides = array<i64: {stride}>}}"

    function.op("cut", "slice %x", ["x"], tensor("f32", 0, 2), cut(1, 1, 3))
    function.op("back", "slice %x", ["x"], x, cut(0, -1, -1, -1))
    function.op("none", "slice %y", ["y"], y, cut(1, 0, 0, 2))
    function.op("end", "slice %x", ["x"], tensor("f32", 0, 0), cut(1, 4, 4))
    function.op("behind", "slice %z", ["z"], tensor("f32", 0, 4), cut(0, 3, 3))
    function.op("joined", "concat %x, %z, %x", ["x", "z", "x"], tensor("f32", 3, 4), "{axis = 0 : i64}")
    function.op("run", "dynamic_slice %x, %b, %b binds [u]", ["x", "b", "b"], tensor("f32", "u", 4), "{axes = array<i64: 0>}")
    function.op("gather", "gather_nd %x, %i", ["x", "i"], x, "{batch_dims = 0 : i64}")
    function.op("scatter", "scatter_nd %x, %i, %x", ["x", "i", "x"], x, '{reduction = "add"}')
    function.op("places", "nonzero %x binds [v]", ["x"], tensor("i64", 2, "v"))
    function.op("different", "unique %x binds [w]", ["x"], tensor("f32", "w"))
    function.op("sorted", "sort %x", ["x"], x, "{axis = 0 : i64}")
    function.op("stacked", "stack %y, %y", ["y", "y"], tensor("f32", "n", 0, 2), "{axis = 2 : i64}")
    function.op("tiled", "tile %y", ["y"], tensor("f32", 0, 0), "{repeats = [#relax_sym.expr<0>, #relax_sym.expr<1>]}")
    run = compiled("static_zeros", [function])
    for n in [0, 3]:
        z = numbers("f32", 3, 4)
        got, = run("zeros", {"x": numbers("f32", 0, 4), "y": numbers("f32", n, 0), "b": np.array([0]), "i": np.zeros((0, 1), np.int64), "z": z})
        check(got, z, "joined")
        shapes = {"cut": (0, 2), "back": (0, 4), "none": (n, 0), "end": (0, 0), "behind": (0, 4), "run": (0, 4), "gather": (0, 4),
                  "scatter": (0, 4), "places": (2, 0), "different": (0,), "sorted": (0, 4), "stacked": (n, 0, 2), "tiled": (0, 0)}
        assert {name: got[name].shape for name in shapes} == shapes
