# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Every operator of the importer, compiled and run at several batch sizes, against onnxruntime.

The operators of a group are outputs of one model, so that it is compiled once.
"""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from onnx_models import BOOL, FLOAT, INT32, INT64, model, node

# x, z: floats of either sign; p: positive; i, j: integers, j not zero; b: bools; q: an image; a leading n everywhere.
INPUTS = {
    "x": ["n", 4, 6],
    "z": ["n", 4, 6],
    "p": ["n", 4, 6],
    "i": (["n", 4], INT64),
    "j": (["n", 4], INT64),
    "b": (["n", 4, 6], BOOL),
    "q": ["n", 4, 6, 8],
}
CONSTANTS = {
    "zero": np.array([0]),
    "one": np.array([1]),
    "two": np.array([2]),
    "minus": np.array([-1]),
    "axes": np.array([1, -1]),
    "s0": np.array(0),
    "s2": np.array(2),
    "half": np.float32(0.5),
    "low": np.float32(-0.5),
    "row": np.linspace(-1, 1, 6, dtype=np.float32),
    "col": np.linspace(0.5, 2, 4, dtype=np.float32).reshape(4, 1),
    "c4": np.linspace(0.5, 2, 4, dtype=np.float32),
    "m": np.linspace(-1, 1, 30, dtype=np.float32).reshape(6, 5),
    "mt": np.linspace(-1, 1, 30, dtype=np.float32).reshape(5, 6),
    "v6": np.linspace(-2, 1, 6, dtype=np.float32),
    "bias5": np.arange(5, dtype=np.float32),
    "k3": np.linspace(-1, 1, 5 * 4 * 3, dtype=np.float32).reshape(5, 4, 3),
    "k33": np.linspace(-1, 1, 5 * 4 * 9, dtype=np.float32).reshape(5, 4, 3, 3),
    "kg": np.linspace(-1, 1, 8 * 9, dtype=np.float32).reshape(8, 1, 3, 3),
    "idx": np.array([[0, -1], [3, 1]]),
    "perm": np.array([2, 0, 1]),
    "reps": np.array([1, 2, 3]),
    "sizes": np.array([1, 3]),
    "pads": np.array([0, 1, 0, 0, 2, 1]),
    "crop": np.array([0, -1, 2, 0, 1, -3]),
    "onoff": np.array([-2, 7], np.float32),
    "scales": np.array([1, 1, 2, 3], np.float32),
    "depth": np.array(5),
    "target": np.array([0, -1, 3]),
    "shape": np.array([2, 1, 4, 6]),
    "from": np.array([1, -2]),
    "to": np.array([4, 2**63 - 1]),
    "back": np.array([-1, 4]),
    "front": np.array([-(2**63), 0]),
    "steps": np.array([-1, -2]),
}


def nodes_of(table):
    """Each entry is (op, inputs, attributes...); the output is its key."""
    return [
        node(op, inputs, name, **attributes)
        for name, (op, inputs, *rest) in table.items()
        for attributes in [rest[0] if rest else {}]
    ]


def simple(words, inputs):
    return {word.lower(): (word, inputs) for word in words.split()}


UNARY = (
    simple(
        "Abs Ceil Cos Erf Exp Floor Neg Round Sign Sin Identity Relu Sigmoid Tanh LeakyRelu Elu Selu Celu HardSigmoid "
        "HardSwish Softplus Softsign Mish ThresholdedRelu Gelu IsNaN",
        "x",
    )
    | simple("Log Reciprocal Sqrt", "p")
    | {
        "not": ("Not", "b"),
        "gelu_tanh": ("Gelu", "x", {"approximate": "tanh"}),
        "neg_i": ("Neg", "i"),
        "abs_i": ("Abs", "i"),
        "prelu": ("PRelu", "x row"),
    }
)

BINARY = (
    simple("Add Sub Mul Less LessOrEqual Greater GreaterOrEqual Equal", "x z")
    | simple("Div", "x p")
    | {f"{op.lower()}_i": (op, "i j") for op in "Add Sub Mul Div Mod Equal Less".split()}
    | {
        "fmod": ("Mod", "x p", {"fmod": 1}),
        "fmod_i": ("Mod", "i j", {"fmod": 1}),
        "pow": ("Pow", "p x"),
        "pow_int": ("Pow", "x s2"),
        "and": ("And", "b b"),
        "or": ("Or", "b b"),
        "xor": ("Xor", "b b"),
        "max": ("Max", "x z row"),
        "min": ("Min", "x z col"),
        "sum": ("Sum", "x z p"),
        "mean": ("Mean", "x z"),
        "where": ("Where", "b x row"),
        "clip": ("Clip", "x low half"),
        "clip_low": ("Clip", "x low"),
        "clip_high": ("Clip", "x  half"),
        "add_row": ("Add", "x row"),
        "add_col": ("Add", "col x"),
        "dropout": ("Dropout", "x"),
        "cast_f": ("Cast", "i", {"to": FLOAT}),
        "cast_i": ("Cast", "x", {"to": INT32}),
        "cast_b": ("Cast", "i", {"to": BOOL}),
        "cast_d": ("Cast", "b", {"to": TensorProto.DOUBLE}),
        "cast_like": ("CastLike", "i x"),
    }
)

REDUCTIONS = (
    {
        f"{op.lower()}_all": (op, "x")
        for op in "ReduceSum ReduceMax ReduceMin ReduceMean ReduceL1 ReduceL2 ReduceLogSumExp ReduceSumSquare".split()
    }
    | {
        f"{op.lower()}_axes": (op, "x axes", {"keepdims": 0})
        for op in "ReduceSum ReduceMax ReduceMin ReduceMean ReduceProd ReduceL1 ReduceL2 ReduceLogSumExp ReduceSumSquare".split()
    }
    | {
        "noop": ("ReduceSum", "x", {"noop_with_empty_axes": 1}),
        "logsum": ("ReduceLogSum", "p axes"),
        "softmax": ("Softmax", "x"),
        "softmax_1": ("Softmax", "x", {"axis": 1}),
        "logsoftmax": ("LogSoftmax", "x"),
        "gmax": ("GlobalMaxPool", "q"),
        "gmean": ("GlobalAveragePool", "q"),
        "sum_i": ("ReduceSum", "i one"),
    }
)

PRODUCTS = {
    "matmul": ("MatMul", "x m"),
    "matmul_vec": ("MatMul", "x v6"),
    "vec_matmul": ("MatMul", "c4 x"),
    "conv1": ("Conv", "x k3"),
    "conv1_same": ("Conv", "x k3 bias5", {"auto_pad": "SAME_UPPER", "strides": [2]}),
    "conv1_lower": ("Conv", "x k3", {"auto_pad": "SAME_LOWER", "strides": [2]}),
    "conv1_valid": ("Conv", "x k3", {"auto_pad": "VALID"}),
    "conv2": ("Conv", "q k33 bias5", {"pads": [1, 0, 1, 2], "strides": [2, 1], "dilations": [1, 2]}),
    "conv_group": ("Conv", "q kg", {"group": 4, "kernel_shape": [3, 3]}),
    "batch_norm": ("BatchNormalization", "q c4 c4 c4 c4"),
    "instance_norm": ("InstanceNormalization", "q c4 c4"),
    "layer_norm": ("LayerNormalization", "x row v6"),
    "layer_norm_1": ("LayerNormalization", "x xw", {"axis": 1}),
    "group_norm": ("GroupNormalization", "q c4 c4", {"num_groups": 2}),
    "lp_norm": ("LpNormalization", "x"),
    "lp_norm_1": ("LpNormalization", "x", {"p": 1, "axis": 1}),
}

MOVING = {
    "transpose": ("Transpose", "x"),
    "transpose_p": ("Transpose", "x", {"perm": [1, 0, 2]}),
    "concat": ("Concat", "x z x", {"axis": 1}),
    "concat_0": ("Concat", "x z", {"axis": 0}),
    "gather": ("Gather", "x idx", {"axis": 1}),
    "gather_i": ("Gather", "c4 k"),
    "tile": ("Tile", "x reps"),
    "pad": ("Pad", "x pads half"),
    "pad_crop": ("Pad", "x crop"),
    "pad_edge": ("Pad", "x pads", {"mode": "edge"}),
    "pad_reflect": ("Pad", "x pads ", {"mode": "reflect"}),
    "resize": ("Resize", "q  scales", {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}),
    "resize_half": ("Resize", "q  scales"),
    "resize_ceil": ("Resize", "q  scales", {"nearest_mode": "round_prefer_ceil"}),
    "one_hot": ("OneHot", "i depth onoff"),
    "one_hot_1": ("OneHot", "i depth onoff", {"axis": 1}),
    "reshape": ("Reshape", "x target"),
    "flatten": ("Flatten", "q", {"axis": 2}),
    "expand": ("Expand", "x shape"),
    "squeeze": ("Squeeze", "u minus"),
    "slice": ("Slice", "x from to axes"),
    "slice_back": ("Slice", "x back front axes steps"),
    "slice_head": ("Slice", "x zero two zero"),
    "slice_tail": ("Slice", "x minus9 big zero"),
    "of_shape": ("ConstantOfShape", "sh"),
    "size": ("Size", "x"),
    "shape_out": ("Shape", "x"),
    "depth_to_space": ("DepthToSpace", "q", {"blocksize": 2}),
    "depth_to_space_crd": ("DepthToSpace", "q", {"blocksize": 2, "mode": "CRD"}),
    "space_to_depth": ("SpaceToDepth", "q", {"blocksize": 2}),
}

PREPARE = [
    node("Unsqueeze", "x minus", "u"),
    node("Shape", "x", "sh"),
    node("Abs", "i", "k0"),
    node("Mod", "k0 s2", "k"),
    node("Identity", "xw0", "xw"),
]
SPLITS = [
    node("Split", "x sizes", "split_a split_b", axis=1),
    node("Split", "x", "even_a even_b", axis=2, num_outputs=2),
    node("Split", "x", "odd_a odd_b odd_c odd_d", axis=2, num_outputs=4),
    node("Split", "x", "batch_a batch_b", num_outputs=2),
]
OLD = [
    helper.make_node("Softmax", ["x"], ["softmax_old"]),
    helper.make_node("Slice", ["x"], ["slice_old"], starts=[1], ends=[-1], axes=[2]),
    helper.make_node("Clip", ["x"], ["clip_old"], min=-0.25, max=0.25),
    helper.make_node("Squeeze", ["u0"], ["squeeze_old"], axes=[3]),
    helper.make_node("Unsqueeze", ["x"], ["u0"], axes=[3]),
    helper.make_node("ReduceMean", ["x"], ["mean_old"], axes=[-1]),
    helper.make_node("Pad", ["x"], ["pad_old"], pads=[0, 0, 1, 0, 0, 2], value=3.0),
    helper.make_node("Dropout", ["x"], ["dropout_old"], ratio=0.3),
    helper.make_node("Split", ["x"], ["split_old_a", "split_old_b"], axis=2),
    helper.make_node("Sum", ["x", "z"], ["sum_old"]),
]
OLD[3], OLD[4] = OLD[4], OLD[3]

GROUPS = {
    "unary": (nodes_of(UNARY), 20),
    "binary": (nodes_of(BINARY), 18),
    "reductions": (nodes_of(REDUCTIONS), 18),
    "products": (PREPARE + nodes_of(PRODUCTS), 21),
    "moving": (PREPARE + nodes_of(MOVING), 18),
    "splits": (SPLITS, 18),
    "opset 8": (OLD, 8),
    "gemm": (None, 13),
}
HIDDEN = {"u", "u0", "sh", "k0", "k", "xw"}


def gemm_model():
    nodes = [
        node("Gemm", "g m", "plain"),
        node("Gemm", "g mt bias5", "with_bias", transB=1, alpha=0.5, beta=2.0),
        node("Gemm", "m g", "left", transA=1, transB=1),
    ]
    return model(
        nodes,
        {"g": ["n", 6]},
        {"plain": None, "with_bias": None, "left": None},
        {name: CONSTANTS[name] for name in ("m", "mt", "bias5")},
        13,
    )


# What no two implementations agree about: the mean of nothing.
EMPTY = {"reducemean_all"}


def build(group):
    nodes, opset = GROUPS[group]
    if nodes is None:
        return gemm_model()
    outputs = [name for entry in nodes for name in entry.output if name not in HIDDEN]
    constants = CONSTANTS | {
        "xw0": np.linspace(0.5, 2, 24, dtype=np.float32).reshape(4, 6),
        "minus9": np.array([-2]),
        "big": np.array([2**31 - 1]),
    }
    used = {name for entry in nodes for name in entry.input}
    inputs, constants = (
        {name: entry for name, entry in table.items() if name in used} for table in (INPUTS, constants)
    )
    what = model(nodes, inputs, {}, constants, opset)
    # onnx's inference gives the outputs their types.
    inferred = onnx.shape_inference.infer_shapes(what)
    kinds = {info.name: info.type.tensor_type.elem_type for info in inferred.graph.value_info}
    what.graph.output.extend(helper.make_tensor_value_info(name, kinds.get(name, FLOAT), None) for name in outputs)
    return what


def make_inputs(what, batch):
    rng = np.random.default_rng(batch)
    values = {
        "x": rng.standard_normal((batch, 4, 6)),
        "z": rng.standard_normal((batch, 4, 6)),
        "p": rng.uniform(0.5, 2, (batch, 4, 6)),
        "q": rng.standard_normal((batch, 4, 6, 8)),
        "g": rng.standard_normal((batch, 6)),
    }
    values = {name: value.astype(np.float32) for name, value in values.items()}
    values["i"] = rng.integers(-6, 7, (batch, 4))
    values["j"] = rng.choice([-3, -1, 1, 2, 5], (batch, 4))
    values["b"] = rng.random((batch, 4, 6)) < 0.5
    return {info.name: values[info.name] for info in what.graph.input}


@pytest.mark.parametrize("group", GROUPS)
def test_operators(tool, tmp_path, group):
    what = build(group)
    onnx.save(what, tmp_path / "model.onnx")
    compiled = tool("relax-compile", tmp_path / "model.onnx", "-o", tmp_path / "model.rlx")
    assert compiled.returncode == 0, compiled.stderr
    batches, command = [3, 1, 2, 0], []
    for batch in batches:
        np.savez(tmp_path / f"in{batch}.npz", **make_inputs(what, batch))
        command += ["--inputs", tmp_path / f"in{batch}.npz", "--outputs", tmp_path / f"out{batch}.npz"]
    process = tool("relax-run", tmp_path / "model.rlx", *command)
    assert process.returncode == 0, process.stderr
    reference = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    names = [info.name for info in what.graph.output]
    wrong = []
    for batch in batches:
        try:
            expected = reference.run(names, make_inputs(what, batch))
        except Exception:  # onnxruntime refuses some empty tensors
            assert batch == 0
            continue
        with np.load(tmp_path / f"out{batch}.npz") as outputs:
            for name, want in zip(names, expected):
                got = outputs[name]
                if batch == 0 and name in EMPTY:
                    continue
                if got.shape != want.shape or got.dtype != want.dtype:
                    wrong.append(f"{name} at {batch}: {got.dtype}{got.shape}, expected {want.dtype}{want.shape}")
                elif not np.allclose(got, want, rtol=2e-5, atol=2e-5, equal_nan=True):
                    wrong.append(
                        f"{name} at {batch}: max error {np.nanmax(np.abs(got.astype(float) - want.astype(float)))}"
                    )
    assert not wrong, "\n".join(wrong)
