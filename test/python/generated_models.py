# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Networks with random weights, any size of them, written as exporters write them, with every dimension that can be symbolic."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
BERT = {"layers": 6, "hidden": 384, "heads": 12, "inner": 1536, "vocabulary": 30522, "positions": 512}
SMALL_BERT = {"layers": 2, "hidden": 48, "heads": 3, "inner": 96, "vocabulary": 97, "positions": 160}
DECODER = {"layers": 4, "hidden": 2048, "heads": 32, "kv_heads": 4, "inner": 5632, "vocabulary": 32000}
SMALL_DECODER = {"layers": 2, "hidden": 64, "heads": 4, "kv_heads": 2, "inner": 96, "vocabulary": 101}
RESNET18 = {"widths": (64, 128, 256, 512), "classes": 1000}
SMALL_RESNET = {"widths": (4, 8, 12, 16), "classes": 11}


class Builder:
    """A graph under construction; operands and results are names."""

    def __init__(self, seed, opset):
        self.rng = np.random.default_rng(seed)
        self.opset, self.nodes, self.constants, self.inputs, self.outputs = opset, [], [], [], []

    def input(self, name, kind, *shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, kind, *shape):
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))

    def number(self, value):
        return self.constant(np.float32(value))

    def weight(self, *shape, scale=None, around=0.0):
        scale = shape[0]**-0.5 if scale is None else scale
        return self.constant(self.rng.standard_normal(shape, np.float32) * np.float32(scale) + np.float32(around))

    def node(self, kind, *inputs, output=None, outputs=1, **attributes):
        names = [output] if output else [f"v{len(self.nodes)}_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"n{len(self.nodes)}", **attributes))
        return names[0] if outputs == 1 else names

    def size(self, value, axis):
        """Extent of an axis, as a vector of one element."""
        return self.node("Gather", self.node("Shape", value), self.integers(axis))

    def reshape(self, value, *entries):
        """Entries are numbers and vectors of one element."""
        parts = [entry if isinstance(entry, str) else self.integers(entry) for entry in entries]
        return self.node("Reshape", value, self.node("Concat", *parts, axis=0))

    def dense(self, value, rows, columns):
        return self.node("Add", self.node("MatMul", value, self.weight(rows, columns)), self.weight(columns, scale=0.05))

    def save(self, path, external):
        graph = helper.make_graph(self.nodes, "graph", self.inputs, self.outputs, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        onnx.save_model(model, path, save_as_external_data=external, location=path.name + ".data", size_threshold=1024)


# ===- Encoder ----------------------------------------------------------------------------------------------------===#


def save_bert(path, layers, hidden, heads, inner, vocabulary, positions, external=False):
    """Token ids and mask of b rows of s tokens; the shape arithmetic is that of exporters."""
    g = Builder(3, 17)
    width = hidden // heads
    ids, mask = g.input("ids", INT64, "b", "s"), g.input("mask", INT64, "b", "s")
    b, s = g.size(ids, 0), g.size(ids, 1)

    def norm(value, output=None):
        scale, bias = g.weight(hidden, scale=0.05, around=1), g.weight(hidden, scale=0.05)
        return g.node("LayerNormalization", value, scale, bias, axis=-1, epsilon=1e-12, output=output)

    def split(value):
        return g.node("Transpose", g.reshape(value, b, s, heads, width), perm=[0, 2, 1, 3])

    places = g.node("Slice", g.weight(positions, hidden, scale=0.1), g.integers(0), s, g.integers(0))
    x = norm(g.node("Add", g.node("Gather", g.weight(vocabulary, hidden, scale=0.5), ids), places))
    wide = g.node("Unsqueeze", g.node("Cast", mask, to=FLOAT), g.integers(1, 2))
    bias = g.node("Mul", g.node("Sub", g.number(1), wide), g.number(-1e9))
    for layer in range(layers):
        q, k, v = [split(g.dense(x, hidden, hidden)) for _ in range(3)]
        scores = g.node("MatMul", q, g.node("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.node("Add", g.node("Div", scores, g.number(width**0.5)), bias)
        mixed = g.node("MatMul", g.node("Softmax", scores, axis=-1), v)
        mixed = g.reshape(g.node("Transpose", mixed, perm=[0, 2, 1, 3]), b, s, hidden)
        x = norm(g.node("Add", x, g.dense(mixed, hidden, hidden)))
        u = g.dense(x, hidden, inner)
        u = g.node("Mul", u, g.node("Add", g.node("Erf", g.node("Div", u, g.number(2**0.5))), g.number(1)))
        u = g.dense(g.node("Mul", u, g.number(0.5)), inner, hidden)
        x = norm(g.node("Add", x, u), output="y" if layer == layers - 1 else None)
    g.output("y", FLOAT, "b", "s", hidden)
    g.save(path, external)


def bert_inputs(b, s, vocabulary):
    rng = np.random.default_rng(b + s)
    mask = (np.arange(s) < rng.integers(min(s, 1), s + 1, (b, 1))).astype(np.int64)
    return {"ids": rng.integers(0, vocabulary, (b, s)), "mask": mask}


# ===- Decoder with a cache ---------------------------------------------------------------------------------------===#


def save_decoder(path, layers, hidden, heads, kv_heads, inner, vocabulary, external=False, folded=False):
    """b rows of s new tokens behind p old ones, whose keys and values are inputs; grouped heads, rotary positions. Query heads
    that share a key head read repeated keys, or are `folded` into its rows by reshapes that copy extents (0) and infer one
    (-1), which importers without shape arithmetic take."""
    g = Builder(2, 17)
    width, longest = hidden // heads, 2048
    ids, pos = g.input("ids", INT64, "b", "s"), g.input("pos", INT64, "b", "s")
    mask = g.input("mask", FLOAT, "b", 1, "s", "p + s")
    past = [[g.input(f"{kind}{layer}", FLOAT, "b", kv_heads, "p", width) for kind in ("past_key", "past_value")]
            for layer in range(layers)]
    b, s = g.size(ids, 0), g.size(ids, 1)
    angles = np.outer(np.arange(longest), 10000.0**(-np.arange(0, width, 2) / width))
    angles = np.concatenate([angles, angles], 1)
    cos, sin = [g.node("Unsqueeze", g.node("Gather", g.constant(table.astype(np.float32)), pos), g.integers(1))
                for table in (np.cos(angles), np.sin(angles))]

    def norm(value):
        square = g.node("ReduceMean", g.node("Mul", value, value), axes=[-1], keepdims=1)
        root = g.node("Sqrt", g.node("Add", square, g.number(1e-5)))
        return g.node("Mul", g.node("Div", value, root), g.weight(hidden, scale=0.05, around=1))

    def shaped(value, *entries):
        return g.node("Reshape", value, g.integers(*entries))

    def split(value, count):
        heads_last = shaped(value, 0, 0, count, width) if folded else g.reshape(value, b, s, count, width)
        return g.node("Transpose", heads_last, perm=[0, 2, 1, 3])

    def rotate(value):
        low, high = g.node("Split", value, g.integers(width // 2, width // 2), outputs=2, axis=-1)
        turned = g.node("Concat", g.node("Neg", high), low, axis=-1)
        return g.node("Add", g.node("Mul", value, cos), g.node("Mul", turned, sin))

    def repeat(value):
        """Each key head for the query heads of its group."""
        if heads == kv_heads:
            return value
        total = g.size(value, 2)
        shape = g.node("Concat", b, g.integers(kv_heads, heads // kv_heads), total, g.integers(width), axis=0)
        wide = g.node("Expand", g.node("Unsqueeze", value, g.integers(2)), shape)
        return g.reshape(wide, b, heads, total, width)

    def project(value, rows, columns):
        return g.node("MatMul", value, g.weight(rows, columns))

    x = g.node("Gather", g.weight(vocabulary, hidden, scale=1), ids)
    g.output("logits", FLOAT, "b", 1, vocabulary)
    for layer in range(layers):
        h = norm(x)
        q, k = rotate(split(project(h, hidden, hidden), heads)), rotate(split(project(h, hidden, kv_heads * width), kv_heads))
        v = split(project(h, hidden, kv_heads * width), kv_heads)
        k = g.node("Concat", past[layer][0], k, axis=2, output=f"key{layer}")
        v = g.node("Concat", past[layer][1], v, axis=2, output=f"value{layer}")
        for name in (k, v):
            g.output(name, FLOAT, "b", kv_heads, "p + s", width)
        if folded:
            q = shaped(q, 0, kv_heads, -1, width)
        scores = g.node("MatMul", q, g.node("Transpose", k if folded else repeat(k), perm=[0, 1, 3, 2]))
        scores = g.node("Mul", scores, g.number(width**-0.5))
        scores = g.node("Add", shaped(scores, 0, heads, -1, 0) if folded else scores, mask)
        mixed = g.node("Softmax", scores, axis=-1)
        mixed = g.node("MatMul", shaped(mixed, 0, kv_heads, -1, 0) if folded else mixed, v if folded else repeat(v))
        mixed = g.node("Transpose", shaped(mixed, 0, heads, -1, width) if folded else mixed, perm=[0, 2, 1, 3])
        mixed = shaped(mixed, 0, 0, hidden) if folded else g.reshape(mixed, b, s, hidden)
        x = g.node("Add", x, project(mixed, hidden, hidden))
        h = norm(x)
        u = project(h, hidden, inner)
        u = g.node("Mul", g.node("Mul", u, g.node("Sigmoid", u)), project(h, hidden, inner))
        x = g.node("Add", x, project(u, inner, hidden))
    x = g.node("Slice", x, g.integers(-1), g.integers(2**63 - 1), g.integers(1))
    g.node("MatMul", norm(x), g.weight(hidden, vocabulary), output="logits")
    g.save(path, external)


def decoder_inputs(b, s, p, layers, hidden, heads, kv_heads, vocabulary, **_):
    rng = np.random.default_rng(b + s + p)
    rows = np.arange(p, p + s)
    visible = np.arange(p + s)[None, :] <= rows[:, None]
    inputs = {"ids": rng.integers(0, vocabulary, (b, s)), "pos": np.tile(rows, (b, 1)),
              "mask": np.ascontiguousarray(np.broadcast_to(np.where(visible, 0, -1e9).astype(np.float32), (b, 1, s, p + s)))}
    for layer in range(layers):
        for kind in ("past_key", "past_value"):
            inputs[f"{kind}{layer}"] = rng.standard_normal((b, kv_heads, p, hidden // heads), np.float32)
    return inputs


# ===- Images -----------------------------------------------------------------------------------------------------===#


def save_resnet(path, widths, classes, external=False):
    """Two blocks of two convolutions for each width, the first of a width with a stride; b images of h by w pixels."""
    g = Builder(4, 17)
    x = g.input("x", FLOAT, "b", 3, "h", "w")

    def conv(value, columns, rows, kernel, stride):
        weight = g.weight(columns, rows, kernel, kernel, scale=(2 / (rows * kernel**2))**0.5)
        return g.node("Conv", value, weight, g.weight(columns, scale=0.05), kernel_shape=[kernel] * 2, strides=[stride] * 2,
                      pads=[kernel // 2] * 4)

    t = g.node("Relu", conv(x, widths[0], 3, 7, 2))
    t = g.node("MaxPool", t, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = widths[0]
    for stage, width in enumerate(widths):
        for block in range(2):
            stride = 2 if stage and not block else 1
            u = conv(g.node("Relu", conv(t, width, channels, 3, stride)), width, width, 3, 1)
            t = t if channels == width else conv(t, width, channels, 1, stride)
            t = g.node("Relu", g.node("Add", u, t))
            channels = width
    t = g.node("Flatten", g.node("GlobalAveragePool", t), axis=1)
    g.node("Gemm", t, g.weight(channels, classes), g.weight(classes, scale=0.05), output="y")
    g.output("y", FLOAT, "b", classes)
    g.save(path, external)


def resnet_inputs(b, h, w):
    return {"x": np.random.default_rng(b + h + w).standard_normal((b, 3, h, w), np.float32)}
