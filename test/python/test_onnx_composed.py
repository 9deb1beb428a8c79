# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Operators that the importer composes of others and functions, against onnxruntime at several sizes."""
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_models import FLOAT, INT64, compare, model, node

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
DATA = {"x": ["n", 4, 6], "i": (["n", 5], INT64),
        "pick": (["n", 2, 6], INT64), "pairs": (["m", 2], INT64), "lengths": (["n"], INT64),
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


@pytest.mark.parametrize("nodes", [POSITIONS, RUNTIME], ids=["positions", "run time"])
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


def test_function_without_nodes(tool, tmp_path):
    """A function of the model that gives its input back."""
    what = model([helper.make_node("Same", ["x"], ["y"], domain="own")], {"x": (["n"], TensorProto.INT32)},
                 {"y": (None, TensorProto.INT32)})
    what.opset_import.append(helper.make_opsetid("own", 1))
    what.functions.append(helper.make_function("own", "Same", ["a"], ["a"], [], [helper.make_opsetid("", 18)]))
    onnx.save(what, tmp_path / "model.onnx")
    process = tool("relax-translate", "--import-onnx", tmp_path / "model.onnx")
    assert process.returncode == 0 and "return %arg0" in process.stdout, process.stderr


def test_branches_of_different_ranks(tool, tmp_path):
    """A dimension that is squeezed when it is 1: what follows says that it is, which is checked at entry."""
    def branch(entry):
        return helper.make_graph([entry], "g", [], [helper.make_tensor_value_info(entry.output[0], FLOAT, None)])

    what = model([
        node("Shape", "x", "shape"), node("Gather", "shape one", "extent"), node("Equal", "extent one", "single"),
        node("If", "single", "r", then_branch=branch(node("Squeeze", "x axes", "r1")),
             else_branch=branch(node("Identity", "x", "r2"))),
        node("Add", "r z"),
    ], {"x": ["n", "k"], "z": ["n"]}, {"y": None}, {"one": np.array(1), "axes": np.array([1])})
    inputs = [{"x": np.ones((n, 1), np.float32), "z": np.arange(n, dtype=np.float32)} for n in (3, 1, 0, 5)]
    compare(tool, tmp_path, what, inputs)
    np.savez(tmp_path / "bad.npz", x=np.ones((3, 2), np.float32), z=np.ones(3, np.float32))
    process = tool("relax-run", tmp_path / "model.rlx", "--inputs", tmp_path / "bad.npz", "--outputs", tmp_path / "o.npz")
    assert process.returncode == 1 and "k == 1" in process.stderr, process.stderr
