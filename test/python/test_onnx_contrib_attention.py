# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Attention of com.microsoft with caches, compiled once: prefill, then single tokens, against onnxruntime."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx_models import FLOAT, INT32, compare, value

HEADS, GROUPS, SIZE, MOST = 4, 2, 16, 24
HIDDEN, NARROW = HEADS * SIZE, GROUPS * SIZE
ANGLES = np.arange(MOST)[:, None] / 7.0 ** np.arange(SIZE // 2)
CONSTANTS = {"cos": np.cos(ANGLES), "sin": np.sin(ANGLES), "bias": np.linspace(-1, 1, 3 * HIDDEN)}


def build(nodes, inputs):
    outputs = [value(name, None) for entry in nodes for name in entry.output]
    used = {name for entry in nodes for name in entry.input}
    stored = [numpy_helper.from_array(array.astype(np.float32), name) for name, array in CONSTANTS.items()
              if name in used]
    graph = helper.make_graph(nodes, "g", [value(name, shape, kind) for name, (shape, kind) in inputs.items()], outputs,
                              stored)
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 18),
                                                                  helper.make_opsetid("com.microsoft", 1)])


def group(inputs, prefix, **attributes):
    return helper.make_node("GroupQueryAttention", inputs.split(" "), [f"{prefix}_{part}" for part in ("y", "k", "v")],
                            domain="com.microsoft", num_heads=HEADS, kv_num_heads=GROUPS, **attributes)


def test_group_query(tool, tmp_path):
    places = "past_k past_v last total"
    nodes = [
        group(f"q k v {places}", "plain"),
        group(f"q k v {places} cos sin", "rotary", do_rotary=1, local_window_size=5),
        group(f"packed   {places} cos sin", "packed", do_rotary=1, rotary_interleaved=1, softcap=3.0, scale=0.25),
    ]
    cache = (["b", GROUPS, "p", SIZE], FLOAT)
    what = build(nodes, {
        "q": (["b", "s", HIDDEN], FLOAT), "k": (["b", "s", NARROW], FLOAT), "v": (["b", "s", NARROW], FLOAT),
        "packed": (["b", "s", HIDDEN + 2 * NARROW], FLOAT), "past_k": cache, "past_v": cache,
        "last": (["b"], INT32), "total": ([], INT32)})
    inputs = []
    for batch, past, fresh in ((2, 0, 7), (2, 7, 1), (1, 8, 1), (3, 5, 1), (1, 0, 1)):
        rng = np.random.default_rng(past)

        def floats(*shape, rng=rng):
            return rng.standard_normal(shape).astype(np.float32)

        inputs.append({
            "q": floats(batch, fresh, HIDDEN), "k": floats(batch, fresh, NARROW), "v": floats(batch, fresh, NARROW),
            "packed": floats(batch, fresh, HIDDEN + 2 * NARROW), "past_k": floats(batch, GROUPS, past, SIZE),
            "past_v": floats(batch, GROUPS, past, SIZE), "last": np.full(batch, past + fresh - 1, np.int32),
            "total": np.array(past + fresh, np.int32)})
    compare(tool, tmp_path, what, inputs)


def test_multi_head(tool, tmp_path):
    def multi(inputs, outputs, **attributes):
        return helper.make_node("MultiHeadAttention", inputs.split(" "), outputs.split(), domain="com.microsoft",
                                num_heads=HEADS, **attributes)

    cache = (["b", HEADS, "p", SIZE], FLOAT)
    nodes = [
        multi("q k v", "plain"),
        multi("q k v bias mask", "masked"),
        multi("q k v   offset", "biased", scale=0.5),
        multi("q k v    past_k past_v", "cached cached_k cached_v"),
    ]
    what = build(nodes, {
        "q": (["b", "s", HIDDEN], FLOAT), "k": (["b", "t", HIDDEN], FLOAT), "v": (["b", "t", HIDDEN], FLOAT),
        "mask": (["b", "t"], INT32), "offset": (["b", HEADS, "s", "t"], FLOAT), "past_k": cache, "past_v": cache})
    inputs = []
    for batch, fresh, keys, past in ((2, 3, 3, 4), (1, 1, 1, 6), (2, 5, 5, 0)):
        rng = np.random.default_rng(fresh)

        def floats(*shape, rng=rng):
            return rng.standard_normal(shape).astype(np.float32)

        mask = rng.integers(0, 2, (batch, keys)).astype(np.int32)
        mask[:, 0] = 1
        inputs.append({
            "q": floats(batch, fresh, HIDDEN), "k": floats(batch, keys, HIDDEN), "v": floats(batch, keys, HIDDEN),
            "mask": mask, "offset": floats(batch, HEADS, fresh, keys), "past_k": floats(batch, HEADS, past, SIZE),
            "past_v": floats(batch, HEADS, past, SIZE)})
    compare(tool, tmp_path, what, inputs)


def test_rotary_embedding(tool, tmp_path):
    nodes = [
        helper.make_node("RotaryEmbedding", ["x", "at", "cos", "sin"], ["partial"], domain="com.microsoft", num_heads=2,
                         rotary_embedding_dim=SIZE),
        helper.make_node("RotaryEmbedding", ["x4", "start", "cos", "sin"], ["whole"], domain="com.microsoft"),
    ]
    what = build(nodes, {"x": (["b", "s", 4 * SIZE], FLOAT), "at": (["b", "s"], TensorProto.INT64),
                         "x4": (["b", 3, "s", SIZE], FLOAT), "start": ([1], TensorProto.INT64)})
    inputs = []
    for batch, steps in ((2, 5), (1, 1), (3, 4)):
        rng = np.random.default_rng(steps)
        inputs.append({"x": rng.standard_normal((batch, steps, 4 * SIZE)).astype(np.float32),
                       "x4": rng.standard_normal((batch, 3, steps, SIZE)).astype(np.float32),
                       "at": rng.integers(0, MOST, (batch, steps)), "start": np.array([steps])})
    compare(tool, tmp_path, what, inputs)
