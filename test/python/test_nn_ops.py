# Licensed under the Apache License, Version 2.0. See LICENSE.
# ruff: noqa: F811 (tests name the fixture that is imported)
"""Softmax, normalizations, activations, pooling and transposed convolution, compiled once for all sizes, against numpy."""
import itertools
import math

import numpy as np
import pytest
from test_ops import DTYPES, Function, check, compiled, numbers, tensor, with_specials  # noqa: F401 (a fixture)

TOLERANCE = {"f16": 2e-3, "f32": 2e-5, "f64": 1e-12}


def ints(*values):
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


# --------------------------------------------------------------------------------------------------------------------
# Activations
# --------------------------------------------------------------------------------------------------------------------

ERF = np.vectorize(math.erf, otypes=[np.float64])


def softplus(x):
    return np.logaddexp(0, x)


ACTIVATIONS = {
    "gelu": ("gelu %x", lambda x: x / 2 * (1 + ERF(x / math.sqrt(2)))),
    "gelu_tanh": ("gelu %x {approximate}", lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    "silu": ("silu %x", lambda x: x / (1 + np.exp(-x))),
    "swish": ("silu %x {alpha = 0.5 : f64}", lambda x: x / (1 + np.exp(-x / 2))),
    "leaky_relu": ("leaky_relu %x", lambda x: np.where(x < 0, 0.01 * x, x)),
    "elu": ("elu %x {alpha = 2.0 : f64}", lambda x: np.where(x < 0, 2 * np.expm1(x), x)),
    "selu": ("selu %x", lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x)),
    "celu": ("celu %x {alpha = 0.5 : f64}", lambda x: np.where(x < 0, 0.5 * np.expm1(x / 0.5), x)),
    "hard_sigmoid": ("hard_sigmoid %x", lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "hard_swish": ("hard_swish %x", lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    "hard_tanh": ("hard_tanh %x {low = -0.5 : f64}", lambda x: np.clip(x, -0.5, 1)),
    "softplus": ("softplus %x", softplus),
    "softsign": ("softsign %x", lambda x: x / (1 + np.abs(x))),
    "mish": ("mish %x", lambda x: x * np.tanh(softplus(x))),
    "thresholded_relu": ("thresholded_relu %x", lambda x: np.where(x > 1, x, 0)),
}


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_activations(compiled, element):
    type = tensor(element, "n", "m")
    function = Function("activations", x=type, s=tensor(element, 4))
    for name, (text, _) in ACTIVATIONS.items():
        function.op(name, text, ["x"], type)
    function.op("prelu", "prelu %x, %s", ["x", "s"], type)
    run = compiled("activations_" + element, [function])
    inputs = [{"x": numbers(element, n, 4), "s": numbers(element, 4, seed=2)} for n in [0, 1, 3, 17]]
    inputs[-1]["x"][0, 0] = np.nan
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("activations", *inputs)):
            x, s = given["x"].astype(np.float64), given["s"].astype(np.float64)
            for name, (_, reference) in ACTIVATIONS.items():
                want = reference(x) if x.size else x
                check(got, np.asarray(want).astype(DTYPES[element]), name, TOLERANCE[element])
            check(got, np.where(x < 0, s * x, x).astype(DTYPES[element]), "prelu", TOLERANCE[element])
    run("activations", {"x": numbers(element, 2, 3), "s": numbers(element, 4)}, fails="relax.prelu: ")


# --------------------------------------------------------------------------------------------------------------------
# Softmax and normalizations
# --------------------------------------------------------------------------------------------------------------------


def normalize(x, axes, epsilon=1e-5):
    mean = x.mean(axis=axes, keepdims=True)
    variance = ((x - mean)**2).mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon)


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=axis, keepdims=True)


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_normalizations(compiled, element):
    x, c = tensor(element, "n", "c", "l"), tensor(element, "c")
    function = Function("norms", "c mod 2 == 0", x=x, s=c, b=c, m=c, v=c, r=tensor(element, "l"), q=tensor(element, "n", "l"))
    for axis in range(3):
        function.op(f"softmax{axis}", "softmax %x", ["x"], x, f"{{axis = {axis} : i64}}")
        function.op(f"log_softmax{axis}", "log_softmax %x", ["x"], x, f"{{axis = {axis} : i64}}")
    function.op("layer_norm", "layer_norm %x scale(%r) bias(%r)", ["x", "r", "r"], x, f"{{axes = {ints(2)}}}")
    function.op("layer_norm_02", "layer_norm %x scale(%q)", ["x", "q"], x, f"{{axes = {ints(0, 2)}, epsilon = 1.0e-3 : f64}}")
    function.op("layer_norm_all", "layer_norm %x", ["x"], x, f"{{axes = {ints(0, 1, 2)}}}")
    function.op("rms_norm", "rms_norm %x scale(%r)", ["x", "r"], x, f"{{axes = {ints(2)}}}")
    function.op("batch_norm", "batch_norm %x, %s, %b, %m, %v", ["x", "s", "b", "m", "v"], x, "{axis = 1 : i64}")
    function.op("group_norm", "group_norm %x scale(%s) bias(%b)", ["x", "s", "b"], x, "{groups = 2 : i64}")
    function.op("instance_norm", "instance_norm %x scale(%s) bias(%b)", ["x", "s", "b"], x)
    # Extents that only run time compares.
    loose = Function("loose", x=x, s=tensor(element, "d"), g=f"tensor<?x?x{element}>")
    loose.op("batch_norm", "batch_norm %x, %s, %s, %s, %s", ["x", "s", "s", "s", "s"], x, "{axis = 1 : i64}")
    loose.op("group_norm", "group_norm %g", ["g"], f"tensor<?x?x{element}>", "{groups = 3 : i64}")
    run = compiled("norms_" + element, [function, loose])

    def given(n, c, length):
        vectors = {name: numbers(element, c, seed=seed) for seed, name in enumerate("sbm")}
        return {"x": numbers(element, n, c, length, seed=7), **vectors, "v": np.abs(numbers(element, c, seed=4)),
                "r": numbers(element, length, seed=5), "q": numbers(element, n, length, seed=6)}

    inputs = [given(*sizes) for sizes in [(0, 2, 3), (1, 2, 0), (1, 0, 3), (1, 2, 1), (2, 4, 5), (3, 6, 101)]]
    with np.errstate(all="ignore"):
        for values, got in zip(inputs, run("norms", *inputs)):
            x, s, b, m, v, r, q = (values[name].astype(np.float64) for name in "xsbmvrq")
            per_channel = [vector[:, None] for vector in (s, b, m, v)]
            n, c, length = x.shape
            grouped = normalize(x.reshape(n, 2, c // 2, length), (2, 3)).reshape(x.shape)
            want = {
                **{f"softmax{axis}": softmax(x, axis) for axis in range(3)},
                **{f"log_softmax{axis}": np.log(softmax(x, axis)) for axis in range(3)},
                "layer_norm": normalize(x, 2) * r + r,
                "layer_norm_02": normalize(x, (0, 2), 1e-3) * q[:, None],
                "layer_norm_all": normalize(x, (0, 1, 2)),
                "rms_norm": x / np.sqrt((x * x).mean(axis=2, keepdims=True) + 1e-5) * r,
                "batch_norm": (x - per_channel[2]) / np.sqrt(per_channel[3] + 1e-5) * per_channel[0] + per_channel[1],
                "group_norm": grouped * per_channel[0] + per_channel[1],
                "instance_norm": normalize(x, 2) * per_channel[0] + per_channel[1],
            }
            for name, reference in want.items():
                check(got, reference.astype(DTYPES[element]), name, {"f16": 4e-3, "f32": 1e-4}[element])
        values = {"x": numbers(element, 2, 3, 4), "s": np.abs(numbers(element, 3)), "g": numbers(element, 2, 6)}
        got, = run("loose", values)
        check(got, normalize(values["g"].astype(np.float64).reshape(2, 3, 2), 2).reshape(2, 6).astype(DTYPES[element]),
              "group_norm", TOLERANCE[element])
        run("loose", {**values, "s": numbers(element, 1)}, fails="relax.batch_norm: ")
        run("loose", {**values, "g": numbers(element, 2, 5)}, fails="relax.group_norm: ")


# --------------------------------------------------------------------------------------------------------------------
# Pooling
# --------------------------------------------------------------------------------------------------------------------


class Window:
    """One spatial dimension of a moving window."""

    def __init__(self, extent, kernel, stride, before, after, dilation, ceil, auto):
        covered = dilation * (kernel - 1) + 1
        if auto:
            self.places = -(-extent // stride)
            total = max((self.places - 1) * stride + covered - extent, 0)
            before = total // 2 if auto == "same_upper" else total - total // 2
            after = total - before
        elif ceil:
            self.places = -(-(extent + before + after - covered) // stride) + 1
            if (self.places - 1) * stride >= extent + before:
                self.places -= 1
        else:
            self.places = (extent + before + after - covered) // stride + 1
        self.extent, self.after = extent, after
        self.positions = [[o * stride - before + k * dilation for k in range(kernel)] for o in range(self.places)]

    def inside(self, place):
        return [position for position in self.positions[place] if 0 <= position < self.extent]

    def counted(self, place):
        return sum(position < self.extent + self.after for position in self.positions[place])


def pool(x, windows, reduce, dtype=None):
    result = np.zeros([*x.shape[:2], *(window.places for window in windows)], dtype or x.dtype)
    for place in itertools.product(*(range(window.places) for window in windows)):
        inside = [window.inside(index) for window, index in zip(windows, place)]
        counted = math.prod(window.counted(index) for window, index in zip(windows, place))
        for b, c in itertools.product(range(x.shape[0]), range(x.shape[1])):
            part = x[b, c][np.ix_(*inside)]
            result[(b, c, *place)] = reduce(part, counted, (b, c), inside, x.shape)
    return result


def where_max(part, _, outer, inside, shape):
    if part.size == 0:
        return -1
    flat = part.reshape(-1)
    best = int(np.argmax(np.isnan(flat)) if np.isnan(flat).any() else np.argmax(flat))
    position = np.unravel_index(best, part.shape)
    return np.ravel_multi_index((*outer, *(inside[d][p] for d, p in enumerate(position))), shape)


POOLS = {
    "max_pool": ("", lambda part, *_: part.max(initial=-np.inf)),
    "max_pool_indices": ("", where_max),
    "avg_pool": ("", lambda part, *_: part.mean()),
    "avg_pool_pads": (", count_include_pad", lambda part, counted, *_: part.sum() / counted),
    "lp_pool": (", p = 2 : i64", lambda part, *_: np.sqrt((part * part).sum())),
    "l3_pool": (", p = 3 : i64", lambda part, *_: np.cbrt((np.abs(part)**3).sum())),
}
# Attributes (kernel, stride, before, after, dilation) of each dimension; mode; extents that run.
POOL_CASES = {
    "1d": ([(3, 2, 1, 1, 1)], "", [(0, 2, 5), (1, 2, 1), (1, 2, 2), (2, 2, 13)]),
    "ceil": ([(3, 2, 0, 1, 1)], ", ceil_mode", [(1, 2, n) for n in [1, 2, 3, 4, 5, 6, 7]]),
    "ceil_stride": ([(2, 3, 1, 0, 1)], ", ceil_mode", [(1, 2, n) for n in [0, 1, 2, 3, 4, 5]]),
    "upper": ([(4, 3, 0, 0, 1)], ', auto_pad = "same_upper"', [(1, 2, n) for n in [0, 1, 2, 3, 4, 5]]),
    "lower": ([(3, 2, 0, 0, 2)], ', auto_pad = "same_lower"', [(1, 2, n) for n in [0, 1, 2, 3, 8]]),
    "2d": ([(2, 1, 1, 0, 2), (3, 2, 1, 1, 1)], "", [(1, 0, 4, 4), (1, 1, 2, 3), (2, 2, 5, 7)]),
    "3d": ([(2, 2, 0, 0, 1), (2, 1, 1, 1, 1), (1, 1, 0, 0, 1)], "", [(1, 1, 2, 0, 2), (1, 2, 4, 3, 2)]),
}


def pool_extent(extent, dim, mode):
    """The extent of the result, as text."""
    kernel, stride, before, after, dilation = dim
    last = f"({extent} + {before} + {after} - {dilation * (kernel - 1) + 1})"
    if "auto_pad" in mode:
        return f"{extent} ceildiv {stride}"
    if "ceil_mode" in mode:
        return f"min({last} ceildiv {stride} + 1, ({extent} + {before}) ceildiv {stride})"
    return f"{last} floordiv {stride} + 1"


def pool_attributes(dims):
    kernel, strides, before, after, dilations = zip(*dims)
    return f"kernel = {ints(*kernel)}, strides = {ints(*strides)}, pads = {ints(*before, *after)}, dilations = {ints(*dilations)}"


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_pools(compiled, element):
    functions = []
    for case, (dims, mode, _) in POOL_CASES.items():
        rank = len(dims)
        x = tensor(element, "n", "c", *[f"s{i}" for i in range(rank)])
        function = Function("pool_" + case, x=x)
        for name, (attribute, _) in POOLS.items():
            op = {"avg_pool_pads": "avg_pool", "l3_pool": "lp_pool"}.get(name, name)
            result = tensor("i64" if op == "max_pool_indices" else element, "n", "c",
                            *[pool_extent(f"s{i}", dim, mode) for i, dim in enumerate(dims)])
            function.op(name, f"{op} %x", ["x"], result, f"{{{pool_attributes(dims)}{mode}{attribute}}}")
        functions.append(function)
    run = compiled("pools_" + element, functions)
    with np.errstate(all="ignore"):
        for case, (dims, mode, shapes) in POOL_CASES.items():
            inputs = [{"x": with_specials(numbers(element, *shape)) if index == 3 else numbers(element, *shape)}
                      for index, shape in enumerate(shapes)]
            auto = mode.split('"')[1] if '"' in mode else None
            for given, got in zip(inputs, run("pool_" + case, *inputs)):
                x = given["x"].astype(np.float64)
                windows = [Window(extent, *dim, "ceil" in mode, auto) for extent, dim in zip(x.shape[2:], dims)]
                for name, (_, reduce) in POOLS.items():
                    dtype = np.int64 if name == "max_pool_indices" else DTYPES[element]
                    check(got, pool(x, windows, reduce, dtype), name, TOLERANCE[element])
        run("pool_2d", {"x": numbers(element, 1, 1, 0, 0)}, fails="the extents [")


def test_integer_and_adaptive_pools(compiled):
    functions = []
    for element in ["i8", "i32"]:
        function = Function("max_" + element, x=tensor(element, 1, "c", "l"))
        function.op("r", "max_pool %x", ["x"], tensor(element, 1, "c", "l - 1"), f"{{{pool_attributes([(2, 1, 0, 0, 1)])}}}")
        function.op("i", "max_pool_indices %x", ["x"], tensor("i64", 1, "c", "l - 1"), f"{{{pool_attributes([(2, 1, 0, 0, 1)])}}}")
        functions.append(function)
    adaptive = Function("adaptive", x=tensor("f32", "n", 2, "h", "w"))
    for op in ["adaptive_avg_pool", "adaptive_max_pool"]:
        adaptive.op(op, f"{op} %x", ["x"], tensor("f32", "n", 2, 3, 2), f"{{output_size = {ints(3, 2)}}}")
    run = compiled("integer_pools", [*functions, adaptive])
    for element in ["i8", "i32"]:
        x = numbers(element, 1, 3, 11, low=-100, high=100)
        got, = run("max_" + element, {"x": x})
        check(got, np.maximum(x[:, :, 1:], x[:, :, :-1]), "r")
        np.testing.assert_array_equal(x.reshape(-1)[got["i"]], got["r"])
    inputs = [{"x": numbers("f32", n, 2, h, w)} for n, h, w in [(0, 3, 2), (1, 1, 1), (1, 7, 5), (2, 3, 2), (1, 0, 4)]]
    with np.errstate(all="ignore"):
        for given, got in zip(inputs, run("adaptive", *inputs)):
            x = given["x"].astype(np.float64)
            (n, _, h, w), want = x.shape, {op: np.zeros((len(x), 2, 3, 2)) for op in ["mean", "max"]}
            for b, c, i, j in itertools.product(range(n), range(2), range(3), range(2)):
                part = x[b, c, i * h // 3:-(-(i + 1) * h // 3), j * w // 2:-(-(j + 1) * w // 2)]
                want["mean"][b, c, i, j], want["max"][b, c, i, j] = part.mean(), part.max(initial=-np.inf)
            check(got, want["mean"].astype(np.float32), "adaptive_avg_pool", 2e-5)
            check(got, want["max"].astype(np.float32), "adaptive_max_pool", 2e-5)


# --------------------------------------------------------------------------------------------------------------------
# Convolutions
# --------------------------------------------------------------------------------------------------------------------


def conv_transpose(x, w, strides, pads, dilations, padding, groups):
    rank = x.ndim - 2
    full = [(e - 1) * s + d * (k - 1) + 1 for e, s, d, k in zip(x.shape[2:], strides, dilations, w.shape[2:])]
    shape = [f + p - a - b for f, p, a, b in zip(full, padding, pads[:rank], pads[rank:])]
    result = np.zeros([x.shape[0], w.shape[1] * groups, *shape])
    per_group = x.shape[1] // groups
    for b, i, o in itertools.product(range(x.shape[0]), range(x.shape[1]), range(w.shape[1])):
        for at in np.ndindex(*x.shape[2:]):
            for k in np.ndindex(*w.shape[2:]):
                to = tuple(a * s + t * d - p for a, s, t, d, p in zip(at, strides, k, dilations, pads))
                if all(0 <= t < e for t, e in zip(to, shape)):
                    result[(b, i // per_group * w.shape[1] + o, *to)] += x[(b, i, *at)] * w[(i, o, *k)]
    return result


# Strides, pads, dilations, output padding, groups; shapes of x and w.
TRANSPOSED = {
    "1d": (([2], [0, 0], [1], [0], 1), [((1, 2, 0), (2, 3, 2)), ((2, 2, 1), (2, 3, 2)), ((1, 0, 3), (0, 2, 1)), ((2, 3, 7), (3, 2, 3))]),
    "pads": (([3], [1, 2], [2], [1], 1), [((1, 2, 2), (2, 1, 3)), ((1, 2, 5), (2, 3, 3))]),
    "negative": (([1], [-1, 1], [1], [0], 1), [((1, 1, 3), (1, 1, 2))]),
    "2d": (([2, 1], [1, 0, 0, 1], [1, 2], [1, 0], 2), [((1, 4, 2, 3), (4, 2, 3, 2)), ((2, 2, 3, 2), (2, 1, 2, 3))]),
    "3d": (([1, 2, 1], [0] * 6, [1, 1, 1], [0, 1, 0], 1), [((1, 2, 2, 2, 3), (2, 2, 2, 3, 1))]),
}


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_conv_transpose(compiled, element):
    functions = []
    for case, ((strides, pads, dilations, padding, groups), _) in TRANSPOSED.items():
        rank = len(strides)
        function = Function("transposed_" + case, x=tensor(element, "n", "c", *[f"s{i}" for i in range(rank)]),
                            w=tensor(element, "c", "o", *[f"k{i}" for i in range(rank)]))
        extents = [f"(s{i} - 1) * {strides[i]} + {dilations[i]} * (k{i} - 1) + 1 + {padding[i]} - ({pads[i]}) - ({pads[rank + i]})"
                   for i in range(rank)]
        function.op("r", "conv_transpose %x, %w", ["x", "w"], tensor(element, "n", f"o * {groups}", *extents),
                    f"{{strides = {ints(*strides)}, pads = {ints(*pads)}, dilations = {ints(*dilations)}, "
                    f"output_padding = {ints(*padding)}, groups = {groups} : i64}}")
        functions.append(function)
    run = compiled("conv_transpose_" + element, functions)
    for case, (attributes, shapes) in TRANSPOSED.items():
        inputs = [{"x": numbers(element, *x, low=-1, high=1), "w": numbers(element, *w, seed=2, low=-1, high=1)} for x, w in shapes]
        for given, got in zip(inputs, run("transposed_" + case, *inputs)):
            want = conv_transpose(given["x"].astype(np.float64), given["w"].astype(np.float64), *attributes)
            check(got, want.astype(DTYPES[element]), "r", TOLERANCE[element])
    run("transposed_2d", {"x": numbers(element, 1, 3, 2, 2), "w": numbers(element, 3, 1, 2, 2)}, fails="the extents [")


def test_conv_auto_pad_and_vectors(compiled):
    functions = []
    for mode in ["same_upper", "same_lower"]:
        function = Function(mode, x=tensor("f32", "n", 2, "h", "w"), k=tensor("f32", 3, 2, 3, "l"))
        function.op("r", "conv %x, %k", ["x", "k"], tensor("f32", "n", 3, "h ceildiv 2", "w"),
                    f'{{strides = {ints(2, 1)}, pads = {ints(0, 0, 0, 0)}, dilations = {ints(1, 2)}, groups = 1 : i64, auto_pad = "{mode}"}}')
        functions.append(function)
    vectors = Function("vectors", a=tensor("f32", "k"), b=tensor("f32", "k"), m=tensor("f32", "n", "k"), t=tensor("f32", 2, "k", "n"))
    vectors.op("dot", "matmul %a, %b", ["a", "b"], "tensor<f32>")
    vectors.op("column", "matmul %m, %a", ["m", "a"], tensor("f32", "n"))
    vectors.op("row", "matmul %a, %t", ["a", "t"], tensor("f32", 2, "n"))
    run = compiled("auto_pad", [*functions, vectors])
    for mode in ["same_upper", "same_lower"]:
        inputs = [{"x": numbers("f32", n, 2, h, w), "k": numbers("f32", 3, 2, 3, length, seed=2)}
                  for n, h, w, length in [(1, 1, 1, 1), (0, 2, 2, 2), (1, 0, 3, 2), (2, 5, 4, 2), (1, 8, 7, 3)]]
        for given, got in zip(inputs, run(mode, *inputs)):
            x, k = given["x"].astype(np.float64), given["k"].astype(np.float64)
            windows = [Window(x.shape[2], 3, 2, 0, 0, 1, False, mode), Window(x.shape[3], k.shape[3], 1, 0, 0, 2, False, mode)]
            want = np.zeros((x.shape[0], 3, windows[0].places, windows[1].places))
            for i, j in itertools.product(range(windows[0].places), range(windows[1].places)):
                for (a, row), (b, column) in itertools.product(enumerate(windows[0].positions[i]), enumerate(windows[1].positions[j])):
                    if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                        want[:, :, i, j] += x[:, :, row, column] @ k[:, :, a, b].T
            check(got, want.astype(np.float32), "r", 1e-5)
    inputs = [{"a": numbers("f32", k), "b": numbers("f32", k, seed=2), "m": numbers("f32", n, k), "t": numbers("f32", 2, k, n)}
              for n, k in [(0, 0), (1, 1), (3, 0), (0, 2), (5, 13)]]
    for given, got in zip(inputs, run("vectors", *inputs)):
        check(got, given["a"] @ given["b"], "dot", 1e-5)
        check(got, given["m"] @ given["a"], "column", 1e-5)
        check(got, given["a"] @ given["t"], "row", 1e-5)
