# Licensed under the Apache License, Version 2.0. See LICENSE.
# ruff: noqa: F811 (tests name the fixture that is imported)
"""Attention, rotary embedding and recurrent layers, compiled once for all sizes, against numpy."""
import numpy as np
import pytest
from test_nn_ops import softmax
from test_ops import DTYPES, Function, check, compiled, numbers, tensor  # noqa: F401 (a fixture)

# --------------------------------------------------------------------------------------------------------------------
# Attention
# --------------------------------------------------------------------------------------------------------------------


def attention(q, k, v, mask=None, scale=None, softcap=None, causal=False, window=None, offset=0):
    group = q.shape[1] // max(k.shape[1], 1)
    k, v = (np.repeat(x, group, axis=1).astype(np.float64) for x in (k, v))
    scores = np.einsum("bhsd,bhtd->bhst", q.astype(np.float64), k) * (scale or 1 / np.sqrt(q.shape[3]))
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == np.bool_ else scores + mask.astype(np.float64)
    i, j = np.arange(q.shape[2])[:, None] + offset, np.arange(k.shape[2])
    if causal:
        scores = np.where(j <= i, scores, -np.inf)
    if window:
        scores = np.where(j > i - window, scores, -np.inf)
    return np.einsum("bhst,bhte->bhse", softmax(scores, 3), v)


ATTENTION = {
    # name: operands, attributes, types of q, k, v, m
    "plain": ("%q, %k, %v", "", {}),
    "causal": ("%q, %k, %v", "causal", {"causal": True}),
    "window": ("%q, %k, %v", "causal, window = 2 : i64, scale = 0.5 : f64, softcap = 2.0 : f64",
               {"causal": True, "window": 2, "scale": 0.5, "softcap": 2.0}),
    "masked": ("%q, %k, %v mask(%m)", "", {"mask": "m"}),
    "biased": ("%q, %k, %v mask(%a)", "", {"mask": "a"}),
}


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_attention(compiled, element):
    types = {"q": tensor(element, "b", 4, "s", 3), "k": tensor(element, "b", 2, "t", 3), "v": tensor(element, "b", 2, "t", 5),
             "m": tensor("i1", "s", "t"), "a": tensor(element, 4, 1, "t")}
    shared = Function("shared", **types)
    for name, (operands, attributes, more) in ATTENTION.items():
        used = ["q", "k", "v"] + ([more["mask"]] if "mask" in more else [])
        shared.op(name, f"attention {operands}", used, tensor(element, "b", 4, "s", 5), f"{{{attributes}}}")
    # As many kv heads as heads, depth and masks that only run time knows, and a cache.
    cached = Function("cached", q=tensor(element, "b", "h", "s", "d"), k=tensor(element, "b", "h", "s", "d"),
                      p=tensor(element, "b", "h", "p", "d"), m=tensor("i1", "x", "y", 1, "z"))
    full = tensor(element, "b", "h", "p + s", "d")
    cached.op("present", "concat %p, %k", ["p", "k"], full, "{axis = 2 : i64}")
    cached.arguments["present"] = full
    cached.op("r", "attention %q, %present, %present mask(%m)", ["q", "present", "present", "m"], tensor(element, "b", "h", "s", "d"),
              "{causal, offset = #relax_sym.expr<p>}")
    del cached.arguments["present"]
    run = compiled("attention_" + element, [shared, cached])
    tolerance = {"f32": 2e-5, "f16": 3e-3}[element]

    def given(b, s, t):
        mask = numbers("i1", s, t, seed=4)
        mask[:, :1] = True
        return {"q": numbers(element, b, 4, s, 3), "k": numbers(element, b, 2, t, 3, seed=2), "v": numbers(element, b, 2, t, 5, seed=3),
                "m": mask, "a": numbers(element, 4, 1, t, seed=5)}

    inputs = [given(*sizes) for sizes in [(1, 1, 1), (0, 2, 2), (2, 0, 3), (1, 3, 0), (2, 5, 7), (1, 17, 17)]]
    with np.errstate(all="ignore"):
        for values, got in zip(inputs, run("shared", *inputs)):
            for name, (_, _, more) in ATTENTION.items():
                more = {**more, "mask": values[more["mask"]]} if "mask" in more else more
                want = attention(values["q"], values["k"], values["v"], **more)
                if name == "window" and want.shape[2] > values["k"].shape[2]:
                    continue
                check(got, want.astype(DTYPES[element]), name, tolerance)
        inputs = [{"q": numbers(element, b, h, s, d), "k": numbers(element, b, h, s, d, seed=2), "p": numbers(element, b, h, p, d, seed=3),
                   "m": np.ones(m, np.bool_)} for b, h, s, p, d, m in
                  [(1, 1, 1, 0, 2, (1, 1, 1, 1)), (2, 3, 1, 4, 5, (2, 1, 1, 5)), (1, 2, 3, 2, 4, (1, 2, 1, 1))]]
        for values, got in zip(inputs, run("cached", *inputs)):
            present = np.concatenate([values["p"], values["k"]], axis=2)
            want = attention(values["q"], present, present, causal=True, offset=values["p"].shape[2])
            np.testing.assert_array_equal(got["present"], present)
            check(got, want.astype(DTYPES[element]), "r", tolerance)
    bad = given(1, 2, 3)
    bad["a"] = numbers(element, 4, 1, 2)
    run("shared", bad, fails="")


def test_cache_update(compiled):
    functions = []
    for element in ["f32", "i8"]:
        cache, update = tensor(element, "b", 2, "c", 3), tensor(element, "b", 2, "s", 3)
        function = Function("cache_" + element, c=cache, u=update, p="tensor<i64>", q=tensor("i32", "b"))
        function.op("one", "cache_update %c, %u, %p", ["c", "u", "p"], cache, "{axis = 2 : i64}")
        function.op("each", "cache_update %c, %u, %q", ["c", "u", "q"], cache, "{axis = 2 : i64}")
        function.op("circular", "cache_update %c, %u, %q", ["c", "u", "q"], cache, "{axis = 2 : i64, circular}")
        functions.append(function)
    around = Function("around", c=tensor("f32", "c"), u=tensor("f32", "s"), p="tensor<i64>")
    around.op("r", "cache_update %c, %u, %p", ["c", "u", "p"], tensor("f32", "c"), "{axis = 0 : i64, circular}")
    run = compiled("caches", [*functions, around])
    for element in ["f32", "i8"]:
        inputs = [{"c": numbers(element, b, 2, c, 3), "u": numbers(element, b, 2, s, 3, seed=2), "p": np.int64(p), "q": np.array(q, np.int32)}
                  for b, c, s, p, q in [(1, 4, 1, 3, [0]), (2, 5, 3, 1, [2, 0]), (2, 3, 0, 3, [1, 3]), (0, 3, 2, 1, []), (1, 0, 0, 7, [5])]]
        for given, got in zip(inputs, run("cache_" + element, *inputs)):
            count = given["u"].shape[2]
            want = {name: given["c"].copy() for name in ["one", "each", "circular"]}
            for b, q in enumerate(given["q"]):
                want["one"][b, :, given["p"]:given["p"] + count] = given["u"][b]
                want["each"][b, :, q:q + count] = given["u"][b]
                for i in range(count):
                    want["circular"][b, :, (q + i) % given["c"].shape[2]] = given["u"][b, :, i]
            for name in want:
                check(got, want[name], name)
    got, = run("around", {"c": np.zeros(5, np.float32), "u": np.arange(1, 4, dtype=np.float32), "p": np.int64(13)})
    check(got, np.array([3, 0, 0, 1, 2], np.float32), "r")
    given = inputs[1]
    for bad in [{"p": np.int64(3)}, {"p": np.int64(-1)}, {"q": np.array([3, 0], np.int32)}, {"q": np.array([0, -1], np.int32)}]:
        run("cache_i8", {**given, **bad}, fails="position in the cache is out of range")


@pytest.mark.parametrize("element", ["f32", "f16"])
def test_rotary_embedding(compiled, element):
    x, angles = tensor(element, "b", 2, "s", 6), tensor(element, "s", 3)
    function = Function("rotary", x=x, c=angles, s=angles, d=tensor(element, "s", 2), e=tensor(element, "s", 2))
    for name, attributes in [("halves", ""), ("pairs", "{interleaved}")]:
        function.op(name, "rotary_embedding %x, %c, %s", ["x", "c", "s"], x, attributes)
        function.op(name + "_part", "rotary_embedding %x, %d, %e", ["x", "d", "e"], x, attributes)
    free = Function("free", x=tensor(element, "b", "s", "d"), c=tensor(element, "t", "h"), s=tensor(element, "t", "h"))
    for name, attributes in [("halves", ""), ("pairs", "{interleaved}")]:
        free.op(name, "rotary_embedding %x, %c, %s", ["x", "c", "s"], tensor(element, "b", "s", "d"), attributes)
    run = compiled("rotary_" + element, [function, free])

    def rotate(x, cos, sin, interleaved):
        x, cos, sin = (value.astype(np.float64) for value in (x, cos, sin))
        h, result = cos.shape[-1], x.copy()
        first, second = (slice(0, 2 * h, 2), slice(1, 2 * h, 2)) if interleaved else (slice(0, h), slice(h, 2 * h))
        result[..., first] = x[..., first] * cos - x[..., second] * sin
        result[..., second] = x[..., second] * cos + x[..., first] * sin
        return result.astype(DTYPES[element])

    tolerance = {"f32": 1e-5, "f16": 2e-3}[element]
    inputs = [{"x": numbers(element, b, 2, s, 6), "c": numbers(element, s, 3, seed=2), "s": numbers(element, s, 3, seed=3),
               "d": numbers(element, s, 2, seed=4), "e": numbers(element, s, 2, seed=5)} for b, s in [(1, 1), (0, 3), (2, 0), (2, 13)]]
    for values, got in zip(inputs, run("rotary", *inputs)):
        for name, interleaved in [("halves", False), ("pairs", True)]:
            check(got, rotate(values["x"], values["c"], values["s"], interleaved), name, tolerance)
            check(got, rotate(values["x"], values["d"], values["e"], interleaved), name + "_part", tolerance)
    inputs = [{"x": numbers(element, 2, s, d), "c": numbers(element, t, h, seed=2), "s": numbers(element, t, h, seed=3)}
              for s, d, t, h in [(3, 8, 3, 4), (3, 8, 1, 3), (2, 5, 2, 0), (1, 2, 1, 1)]]
    for values, got in zip(inputs, run("free", *inputs)):
        for name, interleaved in [("halves", False), ("pairs", True)]:
            check(got, rotate(values["x"], values["c"], values["s"], interleaved), name, tolerance)
    run("free", {"x": numbers(element, 2, 3, 4), "c": numbers(element, 3, 3), "s": numbers(element, 3, 3)}, fails="relax.rotary_embedding")


# --------------------------------------------------------------------------------------------------------------------
# Recurrent layers
# --------------------------------------------------------------------------------------------------------------------


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def recurrent(cell, x, w, r, bias, lengths, h0, c0, p, reverse, linear, clip, forget):
    """One direction; ONNX's equations."""
    steps, batch, hidden = x.shape[0], x.shape[1], r.shape[1]
    bound = (lambda v: np.clip(v, -clip, clip)) if clip else (lambda v: v)
    wb, rb = bias[:len(bias) // 2], bias[len(bias) // 2:]
    y, last_h, last_c = np.zeros((steps, batch, hidden)), h0.copy(), c0.copy()
    for b in range(batch):
        h, c = h0[b], c0[b]
        for s in range(lengths[b]):
            t = lengths[b] - 1 - s if reverse else s
            xw = w @ x[t, b] + wb
            if cell == "rnn":
                h = np.tanh(bound(xw + r @ h + rb))
            elif cell == "gru":
                both = xw + r @ h + rb
                z, g = sigmoid(bound(both[:hidden])), sigmoid(bound(both[hidden:2 * hidden]))
                rn, bn = r[2 * hidden:], rb[2 * hidden:]
                n = np.tanh(bound(xw[2 * hidden:] + (g * (rn @ h + bn) if linear else rn @ (g * h) + bn)))
                h = (1 - z) * n + z * h
            else:
                i, o, f, n = np.split(xw + r @ h + rb, 4)
                pi, po, pf = np.split(p, 3)
                i = sigmoid(bound(i + pi * c))
                f = 1 - i if forget else sigmoid(bound(f + pf * c))
                c = f * c + i * np.tanh(bound(n))
                h = sigmoid(bound(o + po * c)) * np.tanh(bound(c))
            y[t, b] = h
        last_h[b], last_c[b] = h, c
    return y, last_h, last_c


GATES = {"rnn": 1, "gru": 3, "lstm": 4}
ACTIVATIONS = {"rnn": ["tanh"], "gru": ["sigmoid", "tanh"], "lstm": ["sigmoid", "tanh", "tanh"]}
RECURRENT = [("rnn", "forward", ""), ("rnn", "bidirectional", ""), ("gru", "bidirectional", ""), ("gru", "reverse", "linear_before_reset"),
             ("lstm", "bidirectional", "clip = 0.5 : f64"), ("lstm", "forward", "input_forget")]


def test_recurrent(compiled):
    element, functions = "f32", []
    for index, (cell, direction, attributes) in enumerate(RECURRENT):
        d, g = 2 if direction == "bidirectional" else 1, GATES[cell]
        operands = {"x": tensor(element, "t", "n", "i"), "w": tensor(element, d, f"{g} * h", "i"), "r": tensor(element, d, f"{g} * h", "h"),
                    "b": tensor(element, d, f"{2 * g} * h"), "l": tensor("i32", "n"), "h0": tensor(element, d, "n", "h")}
        text = "recurrent %x, %w, %r bias(%b) lengths(%l) initial(%h0)"
        if cell == "lstm":
            operands |= {"c0": tensor(element, d, "n", "h"), "p": tensor(element, d, "3 * h")}
            text += " cell(%c0) peephole(%p)"
        names = ", ".join(f'"{name}"' for name in ACTIVATIONS[cell] * d)
        zeros = ", ".join(["0.0"] * len(ACTIVATIONS[cell]) * d)
        results = [tensor(element, "t", d, "n", "h"), *[tensor(element, d, "n", "h")] * (2 if cell == "lstm" else 1)]
        function = Function(f"recurrent{index}", **operands)
        left = ", ".join(f"%r{i}" for i in range(len(results)))
        more = f", {attributes}" if attributes else ""
        function.body.append(f'{left} = relax.{text} {{cell = "{cell}", direction = "{direction}", activations = [{names}], '
                             f"alpha = array<f64: {zeros}>, beta = array<f64: {zeros}>{more}}} : ({', '.join(operands.values())}) -> ({', '.join(results)})")
        function.results = {f"r{i}": result for i, result in enumerate(results)}
        # The same without what may be absent, in f16.
        bare = Function(f"bare{index}", **{name: type.replace("f32", "f16") for name, type in operands.items() if name in "xwr"})
        bare.body.append(function.body[0].replace(text, "recurrent %x, %w, %r").replace(", ".join(operands.values()), ", ".join(bare.arguments.values()))
                         .replace("f32", "f16"))
        bare.results = {name: type.replace("f32", "f16") for name, type in function.results.items()}
        functions += [function, bare]
    run = compiled("recurrent", functions)
    for index, (cell, direction, attributes) in enumerate(RECURRENT):
        d, g = 2 if direction == "bidirectional" else 1, GATES[cell]

        def given(t, n, i, h, lengths, cell=cell, d=d, g=g):
            values = {"x": numbers(element, t, n, i), "w": numbers(element, d, g * h, i, seed=2, low=-1, high=1),
                      "r": numbers(element, d, g * h, h, seed=3, low=-1, high=1), "b": numbers(element, d, 2 * g * h, seed=4, low=-1, high=1),
                      "l": np.array(lengths, np.int32), "h0": numbers(element, d, n, h, seed=5)}
            if cell == "lstm":
                values |= {"c0": numbers(element, d, n, h, seed=6), "p": numbers(element, d, 3 * h, seed=7)}
            return values

        inputs = [given(*sizes) for sizes in [(1, 1, 1, 1, [1]), (0, 2, 3, 2, [0, 0]), (3, 0, 2, 2, []), (5, 3, 2, 4, [5, 0, 2]), (7, 2, 0, 3, [6, 7])]]
        clip = 0.5 if "clip" in attributes else None
        for values, got in zip(inputs, run(f"recurrent{index}", *inputs)):
            n, h = values["h0"].shape[1:]
            cells, peepholes = values.get("c0", np.zeros((d, n, h))), values.get("p", np.zeros((d, 3 * h)))
            parts = [recurrent(cell, values["x"].astype(np.float64), values["w"][k], values["r"][k], values["b"][k], values["l"], values["h0"][k].astype(np.float64),
                               cells[k].astype(np.float64), peepholes[k], direction == "reverse" or k == 1, "linear" in attributes, clip, "forget" in attributes)
                     for k in range(d)]
            check(got, np.stack([part[0] for part in parts], 1).astype(np.float32), "r0", 1e-4)
            for k in range(1, len(got)):
                check(got, np.stack([part[k] for part in parts]).astype(np.float32), f"r{k}", 1e-4)
        given_bare = {name: value.astype(np.float16) for name, value in inputs[3].items() if name in "xwr"}
        got, = run(f"bare{index}", given_bare)
        x, w, r = (given_bare[name].astype(np.float64) for name in "xwr")
        parts = [recurrent(cell, x, w[k], r[k], np.zeros(2 * g * 4), [5] * 3, np.zeros((3, 4)), np.zeros((3, 4)), np.zeros(12), direction == "reverse" or k == 1,
                           "linear" in attributes, clip, "forget" in attributes) for k in range(d)]
        check(got, np.stack([part[0] for part in parts], 1).astype(np.float16), "r0", 4e-3)
        if index == 0:
            inputs[3]["l"][0] = 6
            run("recurrent0", inputs[3], fails="length of a sequence is out of range")


# --------------------------------------------------------------------------------------------------------------------
# What others are made of
# --------------------------------------------------------------------------------------------------------------------


def test_parts(compiled):
    """Masks and the steps of a layer by themselves."""
    function = Function("parts", q=tensor("f32", "s", "t"), x=tensor("f32", "t", 2, 3), r=tensor("f32", 3, 3), h=tensor("f32", 2, 3))
    function.body.append(f"%shape = relax.shape_of %q : {function.arguments['q']} -> !relax.shape<[s, t]>")
    masks = {"all": "", "causal": "{causal}", "window": "{window = 2 : i64}", "both": "{causal, window = 1 : i64}"}
    for name, attrs in masks.items():
        function.results[name] = tensor("i1", "s", "t")
        function.body.append(f"%{name} = relax.attention_mask %shape {attrs} : (!relax.shape<[s, t]>) -> {function.results[name]}")
    cell = 'cell = "rnn", activations = ["tanh"], alpha = array<f64: 0.0>, beta = array<f64: 0.0>'
    for name, more in [("forward", ""), ("backward", ", reverse")]:
        function.op(name, "recurrent_scan %x, %r, %h", ["x", "r", "h"], tensor("f32", "t + 1", 2, 3), f"{{{cell}{more}}}")
    inputs = [{"q": numbers("f32", s, t), "x": numbers("f32", t, 2, 3), "r": numbers("f32", 3, 3), "h": numbers("f32", 2, 3)}
              for s, t in [(3, 4), (0, 2), (1, 1), (5, 0), (2, 7)]]
    for given, got in zip(inputs, compiled("parts", [function])("parts", *inputs)):
        s, t = given["q"].shape
        i, j = np.arange(s)[:, None], np.arange(t)
        check(got, np.ones((s, t), np.bool_), "all")
        check(got, j <= i, "causal")
        check(got, np.broadcast_to(j > i - 2, (s, t)), "window")
        check(got, j == i, "both")
        for name, order in [("forward", range(t)), ("backward", reversed(range(t)))]:
            state, want = given["h"].astype(np.float64), np.zeros((t + 1, 2, 3))
            for step in order:
                state = np.tanh(given["x"][step] + state @ given["r"].T)
                want[step] = state
            want[t] = state
            check(got, want.astype(np.float32), name, 1e-5)
