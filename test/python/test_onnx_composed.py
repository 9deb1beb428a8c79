# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Operators that the importer composes of others, functions and control flow, against onnxruntime at several sizes."""
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from onnx_models import BOOL, FLOAT, INT64, model, node

POSITIONS = [
    node("ArgMax", "x", "argmax", axis=1),
    node("ArgMax", "i", "argmax_last", axis=1, select_last_index=1, keepdims=0),
    node("ArgMin", "x", "argmin", axis=-1, keepdims=0),
    node("Hardmax", "x", "hardmax", axis=1),
    node("EyeLike", "i", "eye", k=1, dtype=FLOAT),
    node("Trilu", "x s2", "triu"),
    node("Trilu", "x", "tril", upper=0),
    node("GatherElements", "x pick", "gather_elements", axis=1),
    node("GatherND", "x pairs", "gather_nd"),
    node("ReverseSequence", "x lengths", "reverse", batch_axis=0, time_axis=1),
    node("OneHot", "i depth onoff", "one_hot"),
    node("Range", "s0 count s2", "range"),
    node("Range", "count s0 minus3", "range_back"),
]
COMPOSED = [
    node("Einsum", "x z", "einsum", equation="nij,nkj->nik"),
    node("Einsum", "x z z", "einsum_sum", equation="nij,nij,nkj->nk"),
    node("Einsum", "q m8", "einsum_dots", equation="...ij,jk->...ik"),
    node("Einsum", "c4 x", "einsum_implicit", equation="b, abc"),
    node("LRN", "q", "lrn", size=3, alpha=0.5, beta=0.6, bias=2.0),
    node("MeanVarianceNormalization", "q", "mvn"),
    node("Shrink", "x", "shrink", lambd=0.3, bias=0.1),
    node("IsInf", "x", "isinf"),
    node("GlobalLpPool", "q", "glp", p=3),
    node("HannWindow", "s7", "hann"),
    node("HammingWindow", "s7", "hamming", periodic=0),
    node("BlackmanWindow", "s7", "blackman"),
    node("Unsqueeze", "x minus", "signal"),
    node("DFT", "signal", "dft", axis=1),
    node("DFT", "signal", "dft_onesided", axis=2, onesided=1),
    node("DFT", "dft", "idft", axis=1, inverse=1),
    node("NegativeLogLikelihoodLoss", "x classes c4", "loss", ignore_index=2),
    node("NegativeLogLikelihoodLoss", "x classes", "loss_none", reduction="none"),
    node("SoftmaxCrossEntropyLoss", "x classes", "entropy", reduction="sum"),
    node("GridSample", "q grid", "grid_linear", padding_mode="zeros"),
    node("GridSample", "q grid", "grid_cubic", mode="bicubic", padding_mode="border", align_corners=1),
    node("GridSample", "q grid", "grid_nearest", mode="nearest", padding_mode="reflection"),
    node("MaxPool", "q", "max_pool", kernel_shape=[2, 3], strides=[2, 1], pads=[1, 1, 0, 1]),
    node("AveragePool", "q", "avg_pool", kernel_shape=[3, 3], ceil_mode=1, strides=[2, 2]),
    node("ConvTranspose", "q kt", "conv_transpose", strides=[2, 1], pads=[1, 0, 0, 1]),
]
RUNTIME = [
    node("ReduceSum", "x axes", "sum"),
    node("ReduceMax", "x axes", "max", keepdims=0),
    node("ReduceLogSumExp", "x axes", "lse", keepdims=0),
    node("Unsqueeze", "x places", "unsqueezed"),
    node("Squeeze", "unsqueezed places", "squeezed"),
    node("Slice", "x starts ends axes steps", "sliced"),
    node("Expand", "row target", "expanded"),
    node("Split", "x sizes", "part_a part_b", axis=1),
]
DATA = {"x": ["n", 4, 6], "z": ["n", 4, 6], "q": ["n", 4, 6, 8], "i": (["n", 5], INT64), "classes": (["n", 6], INT64),
        "pick": (["n", 2, 6], INT64), "pairs": (["m", 2], INT64), "lengths": (["n"], INT64), "grid": ["n", 3, 2, 2],
        "count": ([], INT64), "depth": ([], INT64), "axes": ([2], INT64), "places": ([2], INT64), "starts": ([2], INT64),
        "ends": ([2], INT64), "steps": ([2], INT64), "target": ([3], INT64), "sizes": ([2], INT64)}
CONSTANTS = {
    "s0": np.array(0), "s2": np.array(2), "s7": np.array(7), "minus3": np.array(-3), "minus": np.array([-1]),
    "onoff": np.array([-2, 7], np.float32), "c4": np.linspace(0.5, 2, 4, dtype=np.float32),
    "m8": np.linspace(-1, 1, 40, dtype=np.float32).reshape(8, 5), "row": np.arange(6, dtype=np.float32).reshape(1, 6),
    "kt": np.linspace(-1, 1, 4 * 3 * 6, dtype=np.float32).reshape(4, 3, 2, 3),
}


def make_inputs(n):
    rng = np.random.default_rng(n)
    floats = {"x": (n, 4, 6), "z": (n, 4, 6), "q": (n, 4, 6, 8), "grid": (n, 3, 2, 2)}
    values = {name: rng.uniform(-1.2, 1.2, shape).astype(np.float32) for name, shape in floats.items()}
    values |= {
        "i": rng.integers(-3, 4, (n, 5)), "classes": rng.integers(0, 4, (n, 6)), "pick": rng.integers(-4, 4, (n, 2, 6)),
        "pairs": np.stack([rng.integers(0, n, n + 1), rng.integers(-4, 4, n + 1)], 1), "lengths": rng.integers(1, 5, n),
        "count": np.array(2 * n + 1), "depth": np.array(n + 2), "axes": np.array([[0, 2], [-1, 1], [2, 0]][n % 3]),
        "places": np.array([[0, -1], [1, 2]][n % 2]), "starts": np.array([0, -1 - n]), "ends": np.array([9, -9]),
        "steps": np.array([2, -1]), "target": np.array([[n, 1, 6], [2, n, 1]][n % 2]), "sizes": np.array([n % 4, 4 - n % 4]),
    }
    return values


def compare(tool, folder, what, inputs):
    """Compiles once, runs all inputs in one process and compares with onnxruntime."""
    onnx.save(what, folder / "model.onnx")
    compiled = tool("relax-compile", folder / "model.onnx", "-o", folder / "model.rlx")
    assert compiled.returncode == 0, compiled.stderr
    command = []
    for index, given in enumerate(inputs):
        np.savez(folder / f"in{index}.npz", **given)
        command += ["--inputs", folder / f"in{index}.npz", "--outputs", folder / f"out{index}.npz"]
    process = tool("relax-run", folder / "model.rlx", *command)
    assert process.returncode == 0, process.stderr
    reference = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    names = [info.name for info in what.graph.output]
    wrong = []
    for index, given in enumerate(inputs):
        with np.load(folder / f"out{index}.npz") as outputs:
            for name, want in zip(names, reference.run(names, given)):
                got = outputs[name]
                if got.shape != want.shape or got.dtype != want.dtype:
                    wrong.append(f"{name} at {index}: {got.dtype}{got.shape}, expected {want.dtype}{want.shape}")
                elif not np.allclose(got, want, rtol=1e-4, atol=1e-4, equal_nan=True):
                    wrong.append(f"{name} at {index}: {got}, expected {want}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("nodes", [POSITIONS, COMPOSED, RUNTIME], ids=["positions", "composed", "run time"])
def test_operators(tool, tmp_path, nodes):
    used = {name for entry in nodes for name in entry.input}
    made = [name for entry in nodes for name in entry.output]
    what = model(nodes, {name: entry for name, entry in DATA.items() if name in used}, {},
                 {name: value for name, value in CONSTANTS.items() if name in used}, opset=19)
    inferred = onnx.shape_inference.infer_shapes(what)
    kinds = {info.name: info.type.tensor_type.elem_type for info in inferred.graph.value_info}
    what.graph.output.extend(helper.make_tensor_value_info(name, kinds.get(name, FLOAT), None) for name in made)
    inputs = [{name: value for name, value in make_inputs(n).items() if name in used} for n in (3, 1, 4)]
    compare(tool, tmp_path, what, inputs)


def graph(nodes, outputs, inputs=(), kinds=None):
    def info(name):
        return helper.make_tensor_value_info(name, (kinds or {}).get(name, FLOAT), None)

    return helper.make_graph(nodes, "g", [info(name) for name in inputs], [info(name) for name in outputs])


def test_functions(tool, tmp_path):
    inner = helper.make_function("own", "Scaled", ["a"], ["b"], [
        helper.make_node("Constant", [], ["k"], value_float=3.0),
        helper.make_node("LeakyRelu", ["a"], ["t"]),
        helper.make_node("Mul", ["t", "k"], ["b"]),
    ], [helper.make_opsetid("", 18)], ["alpha"])
    inner.node[1].attribute.add(name="alpha", ref_attr_name="alpha", type=onnx.AttributeProto.FLOAT)
    outer = helper.make_function("own", "Twice", ["a", "c"], ["b", "a2"], [
        helper.make_node("Scaled", ["a"], ["t"], domain="own", alpha=0.5),
        helper.make_node("Scaled", ["t"], ["u"], domain="own", alpha=0.25),
        helper.make_node("Add", ["u", "c"], ["b"]),
        helper.make_node("Identity", ["t"], ["a2"]),
    ], [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)])
    what = model([helper.make_node("Twice", ["x", "z"], ["y", "w"], domain="own")], {"x": ["n"], "z": ["n"]},
                 {"y": None, "w": None})
    what.opset_import.append(helper.make_opsetid("own", 1))
    what.functions.extend([inner, outer])
    rng = np.random.default_rng(0)
    inputs = [{name: rng.standard_normal(n).astype(np.float32) for name in "xz"} for n in (4, 1, 9)]
    compare(tool, tmp_path, what, inputs)


def test_control_flow(tool, tmp_path):
    longer = graph([node("Concat", "x x", "r1", axis=0)], ["r1"])
    shorter = graph([node("Neg", "x", "r2")], ["r2"])
    kinds = {"i": INT64, "go": BOOL, "go2": BOOL}
    grow = graph([
        node("Concat", "v x", "v2", axis=0), node("ReduceSum", "v2", "total", keepdims=0), node("Identity", "go", "go2"),
    ], ["go2", "v2", "total"], ["i", "go", "v"], kinds)
    until = graph([
        node("Add", "s s", "s2"), node("ReduceMax", "s2", "top", keepdims=0), node("Less", "top limit", "go2"),
    ], ["go2", "s2"], ["i", "go", "s"], kinds)
    step = graph([node("Add", "h e", "h2"), node("Identity", "h2", "o")], ["h2", "o"], ["h", "e"])
    what = model([
        node("If", "c", "branch", then_branch=longer, else_branch=shorter),
        node("Loop", "trip  x", "grown totals", body=grow),
        node("Loop", " yes x", "doubled", body=until),
        node("Scan", "start x", "last running", body=step, num_scan_inputs=1),
    ], {"x": ["n", 2], "c": ([], BOOL), "trip": ([], INT64), "limit": [], "start": [2]},
        {name: None for name in ("branch", "grown", "totals", "doubled", "last", "running")}, {"yes": np.array(True)})
    rng = np.random.default_rng(0)
    inputs = [{"x": rng.uniform(0.1, 1, (n, 2)).astype(np.float32), "c": np.array(n % 2 == 0), "trip": np.array(trip),
               "limit": np.float32(9), "start": np.ones(2, np.float32)} for n, trip in [(3, 2), (1, 5), (4, 0)]]
    compare(tool, tmp_path, what, inputs)


def test_function_without_nodes(tool, tmp_path):
    """A function of the model that gives its input back."""
    what = model([helper.make_node("Same", ["x"], ["y"], domain="own")], {"x": (["n"], TensorProto.INT32)},
                 {"y": (None, TensorProto.INT32)})
    what.opset_import.append(helper.make_opsetid("own", 1))
    what.functions.append(helper.make_function("own", "Same", ["a"], ["a"], [], [helper.make_opsetid("", 18)]))
    onnx.save(what, tmp_path / "model.onnx")
    process = tool("relax-translate", "--import-onnx", tmp_path / "model.onnx")
    assert process.returncode == 0 and "return %arg0" in process.stdout, process.stderr
