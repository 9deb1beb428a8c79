# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Operators whose places and sizes are found while running, at several sizes, against onnxruntime."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_models import BOOL, FLOAT, INT64, compare, model, node

FOUND = [
    node("NonZero", "mask", "nonzero"),
    node("Compress", "x keep", "compressed", axis=1),
    node("Compress", "x flags", "flat"),
    node("TopK", "x k", "top places", axis=1),
    node("TopK", "x k", "low low_places", axis=-1, largest=0),
    node("Unique", "whole", "values first inverse counts"),
    node("Unique", "whole", "values2 first2 inverse2 counts2", sorted=0),
    node("Unique", "whole", "rows first3 inverse3 counts3", axis=0),
    node("CumSum", "x axis", "cumsum", exclusive=1),
    node("CumSum", "x s1", "cumsum2", reverse=1),
    node("ScatterElements", "x pick half", "scattered", axis=1),
    node("ScatterElements", "x pick half", "scattered_add", axis=1, reduction="add"),
    node("ScatterND", "x pairs rows6", "scattered_nd"),
    node("GatherND", "x pairs", "gathered"),
    node("Pad", "x pads", "padded"),
    node("Pad", "x pads value axes", "padded_axes"),
    node("Pad", "x pads4 value_ axes2", "reflected", mode="reflect"),
    node("Pad", "x pads4 value_ axes2", "edged", mode="edge"),
    node("Pad", "x pads4 value_ axes2", "wrapped", mode="wrap"),
]
IMAGES = [
    node("Resize", "image none scales", "resized", mode="linear"),
    node("Resize", "image none scales", "resized_cubic", mode="cubic", coordinate_transformation_mode="asymmetric"),
    node("Resize", "image none scales", "resized_floor", nearest_mode="floor",
         coordinate_transformation_mode="half_pixel"),
    node("Resize", "image none none sizes", "resized_to", mode="linear", coordinate_transformation_mode="align_corners"),
    node("Resize", "image none double", "doubled", mode="linear"),
    node("Resize", "image none none sizes", "resized_smooth", mode="linear", antialias=1),
    node("MaxPool", "image", "pooled indices", kernel_shape=[2, 2], strides=[2, 2]),
    node("MaxUnpool", "pooled indices", "unpooled", kernel_shape=[2, 2], strides=[2, 2]),
    node("RoiAlign", "image rois which", "aligned", output_height=2, output_width=3, sampling_ratio=2),
    node("RoiAlign", "image rois which", "aligned_free", output_height=2, output_width=2),
    node("RoiAlign", "image rois which", "aligned_max", output_height=2, output_width=2, sampling_ratio=2, mode="max",
         coordinate_transformation_mode="output_half_pixel"),
    node("NonMaxSuppression", "boxes scores most overlap lowest", "selected"),
    node("NonMaxSuppression", "boxes scores most overlap", "selected_center", center_point_box=1),
]
DATA = {
    "x": ["n", 4, 6], "mask": (["n", 5], BOOL), "keep": ([3], BOOL), "flags": (["m"], BOOL), "k": ([1], INT64),
    "whole": (["n", 5], INT64), "axis": ([], INT64), "pick": (["n", 2, 6], INT64), "half": ["n", 2, 6],
    "pairs": (["m", 2], INT64), "rows6": ["m", 6], "pads": ([6], INT64), "axes": ([3], INT64), "pads4": ([4], INT64),
    "image": ["n", 2, "h", "w"], "scales": [4], "sizes": ([4], INT64), "rois": ["r", 4], "which": (["r"], INT64),
    "boxes": ["n", "b", 4], "scores": ["n", 2, "b"], "most": ([1], INT64), "overlap": [1], "lowest": [1],
}
CONSTANTS = {"s1": np.array(1), "value": np.array(2.5, np.float32), "axes2": np.array([0, 2]),
             "double": np.array([1, 1, 2, 1.5], np.float32)}


def make_inputs(n):
    rng = np.random.default_rng(n)

    def floats(*shape):
        return rng.uniform(-1.2, 1.2, shape).astype(np.float32)

    def distinct(rows):  # no row of indices twice: the order of updates is nobody's business
        return np.stack([rng.permutation(4)[:2] for _ in range(rows * 6)], 1).reshape(2, rows, 6).transpose(1, 0, 2)

    flat = rng.permutation(n * 4)[:n]
    corners = np.sort(rng.uniform(0, 6, (n + 1, 2, 2)), axis=1).astype(np.float32)
    return {
        "x": rng.permutation(n * 24).reshape(n, 4, 6).astype(np.float32), "mask": rng.integers(0, 2, (n, 5)) == 1,
        "keep": np.array([True, False, n % 2 == 0]), "flags": rng.integers(0, 2, n) == 1, "k": np.array([1 + n % 4]),
        "whole": rng.integers(0, 3, (n, 5)) // 2, "axis": np.array(n % 3), "pick": distinct(n), "half": floats(n, 2, 6),
        "pairs": np.stack([flat // 4, flat % 4 - 4], 1), "rows6": floats(n, 6), "pads": np.array([1, 0, n, 2, 1, -1]),
        "axes": np.array([[0, 1, 2], [-1, 0, 1]][n % 2]), "pads4": np.array([n - 1, 2, 0, 3]),
        "image": floats(n, 2, 4 + 2 * n, 8), "scales": np.array([1, 1, 1.7, 0.7], np.float32),
        "sizes": np.array([n, 2, 3 + n, 5]), "rois": np.concatenate([corners[:, 0], corners[:, 1]], 1),
        "which": rng.integers(0, n, n + 1), "boxes": np.abs(floats(n, 6 + n, 4)), "scores": floats(n, 2, 6 + n),
        "most": np.array([2 + n]), "overlap": np.array([0.3], np.float32), "lowest": np.array([0.1], np.float32),
    }


@pytest.mark.parametrize("nodes", [FOUND, IMAGES], ids=["found", "images"])
def test_operators(tool, tmp_path, nodes):
    nodes = [onnx.NodeProto.FromString(entry.SerializeToString()) for entry in nodes]
    for entry in nodes:  # missing inputs have no name
        entry.input[:] = ["" if name in ("none", "value_") else name for name in entry.input]
    used = {name for entry in nodes for name in entry.input}
    made = [name for entry in nodes for name in entry.output]
    what = model(nodes, {name: entry for name, entry in DATA.items() if name in used}, {},
                 {name: value for name, value in CONSTANTS.items() if name in used}, opset=19)
    kinds = {info.name: info.type.tensor_type.elem_type
             for info in onnx.shape_inference.infer_shapes(what).graph.value_info}
    what.graph.output.extend(helper.make_tensor_value_info(name, kinds.get(name, FLOAT), None) for name in made)
    compare(tool, tmp_path, what,
            [{name: value for name, value in make_inputs(n).items() if name in used} for n in (3, 1, 4)])


def make_layer(op, **attributes):
    """A recurrent layer with bias, lengths and initial state."""
    gates, hidden, size = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], 3, 2
    directions = 2 if attributes.get("direction") == "bidirectional" else 1
    rng = np.random.default_rng(gates)
    constants = {
        f"{op}_w": rng.uniform(-1, 1, (directions, gates * hidden, size)).astype(np.float32),
        f"{op}_r": rng.uniform(-1, 1, (directions, gates * hidden, hidden)).astype(np.float32),
        f"{op}_b": rng.uniform(-1, 1, (directions, 2 * gates * hidden)).astype(np.float32),
    }
    state = "h1" if directions == 1 else "h2"
    inputs = f"steps {op}_w {op}_r {op}_b lengths {state}" + (f" {state}" if op == "LSTM" else "")
    outputs = f"{op}_y {op}_h" + (f" {op}_c" if op == "LSTM" else "")
    return node(op, inputs, outputs, hidden_size=hidden, **attributes), constants


def test_recurrent(tool, tmp_path):
    layers = [make_layer("LSTM", direction="bidirectional"), make_layer("GRU", linear_before_reset=1),
              make_layer("RNN", direction="reverse", activations=["Relu"])]
    constants = {name: value for _, given in layers for name, value in given.items()}
    nodes = [entry for entry, _ in layers]
    what = model(nodes, {"steps": ["t", "n", 2], "lengths": (["n"], TensorProto.INT32), "h1": [1, "n", 3],
                         "h2": [2, "n", 3]}, {name: None for entry in nodes for name in entry.output}, constants, opset=14)
    inputs = []
    for steps, batch in ((5, 2), (1, 1), (7, 3)):
        rng = np.random.default_rng(steps)
        inputs.append({"steps": rng.standard_normal((steps, batch, 2)).astype(np.float32),
                       "lengths": rng.integers(1, steps + 1, batch).astype(np.int32),
                       "h1": rng.standard_normal((1, batch, 3)).astype(np.float32),
                       "h2": rng.standard_normal((2, batch, 3)).astype(np.float32)})
    compare(tool, tmp_path, what, inputs)


def test_positions_up_to_a_table(relax, tool, tmp_path):
    """x + table[:s], where the table has 8 rows: min(s, 8) beside s is 1 only where s is, so that the sum has s rows and its
    memory is planned before the call; what does not broadcast is an error."""
    from generated_models import Builder

    g = Builder(1, 17)
    x, table = g.input("x", TensorProto.FLOAT, "s", 4), np.arange(32, dtype=np.float32).reshape(8, 4)
    rows = g.node("Slice", g.constant(table), g.integers(0), g.size(x, 0), g.integers(0))
    g.node("Add", x, rows, output="y")
    g.output("y", TensorProto.FLOAT, "s", 4)
    g.save(tmp_path / "table.onnx", False)
    done = tool("relax-compile", tmp_path / "table.onnx", "-o", tmp_path / "table.rlx")
    assert done.returncode == 0, done.stderr
    done = tool("relax-compile", tmp_path / "table.onnx", "--emit=mlir", "--after=relax-verify-planned", "-o", "-")
    main = done.stdout[done.stdout.index("func.func @main"):]
    assert "match_cast" not in main, "the rows of the sum are known to be s"
    executable = relax.load(tmp_path / "table.rlx")
    for s in (5, 1, 0, 8, 3):
        given = np.random.default_rng(s).standard_normal((s, 4)).astype(np.float32)
        np.testing.assert_array_equal(executable(given)["y"], given + table[:s])
    for s in (9, 100):
        with pytest.raises(relax.RelaxError, match=r"min\(s, 8\)"):
            executable(np.zeros((s, 4), np.float32))
    np.testing.assert_array_equal(executable(np.zeros((2, 4), np.float32))["y"], table[:2])
