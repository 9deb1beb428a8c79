# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What relax-translate --import-onnx says about files that it cannot import: one error, exit code 1, never a signal."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_models import FLOAT, INT64, model, node, tensor


@pytest.fixture
def refuse(tool, tmp_path):
    """refuse(bytes, message): the import of these bytes fails with that message and no other."""

    def run(data, message):
        (tmp_path / "model.onnx").write_bytes(data)
        process = tool("relax-translate", "--import-onnx", "model.onnx", cwd=tmp_path)
        errors = [line for line in process.stderr.splitlines() if "error: " in line]
        assert process.returncode == 1 and not process.stdout
        assert len(errors) == 1 and message in errors[0], process.stderr

    return run


# ===- Files ---------------------------------------------------------------------------------------------------------===#

NEG = model(node("Neg", "x"), {"x": ["n"]}, {"y": ["n"]}).SerializeToString()


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "not an ONNX model: the file has no graph"),
        (b"\x08\x0a", "not an ONNX model: the file has no graph"),
        (b"\xff" * 40, "not an ONNX model: truncated or malformed near byte"),
        (NEG[:-3], "not an ONNX model: truncated or malformed near byte"),
        (b"\x3a\x04\x5a\x02\x0a\x09", "not an ONNX model: a field does not decode"),
    ],
    ids=["empty", "no graph", "garbage", "truncated", "broken field"],
)
def test_broken_files(refuse, data, message):
    refuse(data, message)


def test_unreadable_files(tool, tmp_path):
    for name, reason in [("none.onnx", "No such file"), (".", "")]:
        process = tool("relax-translate", "--import-onnx", tmp_path / name)
        assert process.returncode == 1 and reason in process.stderr


def test_standard_input(tool):
    process = tool("relax-translate", "--import-onnx", "-", input="")
    assert process.returncode == 1 and "a model is read from a named file: weights refer to it" in process.stderr


# ===- Models --------------------------------------------------------------------------------------------------------===#


def change(what, function):
    function(what)
    return what


def neg(inputs, outputs=None):
    return model(node("Neg", "x"), inputs, outputs or {"y": ["n"]})


def with_stored(stored):
    return change(model(node("Neg", "w"), {}, {"y": [None]}), lambda m: m.graph.initializer.append(stored))


def without_type(what):
    what.graph.input[0].type.Clear()


def sequence_input(what):
    what.graph.input[0].CopyFrom(helper.make_tensor_sequence_value_info("x", FLOAT, None))


def huge(*dims):
    stored = TensorProto(name="w", data_type=FLOAT)
    stored.dims.extend(dims)
    return with_stored(stored)


MODELS = {
    "opset 0": (model(node("Neg", "x"), {"x": [1]}, {"y": [1]}, opset=0), "opset 0 is not supported, expected 1 to 28"),
    "opset 29": (
        model(node("Neg", "x"), {"x": [1]}, {"y": [1]}, opset=29),
        "opset 29 is not supported, expected 1 to 28",
    ),
    "two opsets": (
        change(neg({"x": [1]}), lambda m: m.opset_import.append(helper.make_opsetid("ai.onnx", 17))),
        "the file imports two opsets of domain ''",
    ),
    "no opset": (
        change(neg({"x": [1]}), lambda m: m.ClearField("opset_import")),
        "node 'node_y' (Neg, ai.onnx, opset 0): the file imports no opset of domain ''",
    ),
    "sparse": (
        change(neg({"x": [1]}), lambda m: m.graph.sparse_initializer.add()),
        "sparse initializers are not supported",
    ),
    "input without name": (
        change(neg({"x": [1]}), lambda m: m.graph.input[0].ClearField("name")),
        "input 0 has no name",
    ),
    "input twice": (
        change(neg({"x": [1]}), lambda m: m.graph.input.append(m.graph.input[0])),
        "value 'x' is defined twice",
    ),
    "input without type": (change(neg({"x": [1]}), without_type), "input 'x': is not a tensor"),
    "sequence": (change(neg({"x": [1]}), sequence_input), "input 'x': is not a tensor"),
    "input type": (neg({"x": ([1], TensorProto.STRING)}), "input 'x': unsupported element type string"),
    "newer input type": (neg({"x": ([1], 99)}), "input 'x': unsupported element type type 99"),
    "input without shape": (neg({"x": None}), "input 'x': has no shape"),
    "input rank": (neg({"x": [1] * 65}), "input 'x': has 65 dimensions, at most 64 are supported"),
    "negative dimension": (neg({"x": [2, -2]}), "input 'x': dimension 1 is negative: -2"),
    "huge input": (neg({"x": [2**40, 2**40]}), "input 'x': has too many elements to be addressed"),
    "initializer without name": (with_stored(tensor("", [1.0])), "an initializer has no name"),
    "initializer twice": (
        change(with_stored(tensor("w", [1.0])), lambda m: m.graph.initializer.append(tensor("w", [1.0]))),
        "value 'w' is defined twice",
    ),
    "initializer type": (
        with_stored(helper.make_tensor("w", TensorProto.COMPLEX64, [1], [1j])),
        "tensor 'w' unsupported element type complex64",
    ),
    "initializer bytes": (
        with_stored(TensorProto(name="w", data_type=FLOAT, dims=[2], raw_data=b"1234")),
        "tensor 'w' holds 4 bytes, its type tensor<2xf32> needs 8",
    ),
    "initializer values": (
        with_stored(TensorProto(name="w", data_type=FLOAT, dims=[2], float_data=[1])),
        "tensor 'w' holds 4 bytes, its type tensor<2xf32> needs 8",
    ),
    "initializer fields": (
        with_stored(TensorProto(name="w", data_type=TensorProto.INT64, dims=[512], float_data=[1] * 1024)),
        "tensor 'w' holds data in fields of another type, or in several pieces",
    ),
    "initializer dimension": (huge(-3), "tensor 'w' dimension 0 is negative: -3"),
    "initializer rank": (huge(*[1] * 65), "tensor 'w' has 65 dimensions, at most 64 are supported"),
    "huge initializer": (huge(2**31, 2**31), "tensor 'w' has too many elements to be addressed"),
    "huge empty initializer": (huge(2**62, 2**62, 0), "tensor 'w' has too many elements to be addressed"),
    "output without name": (
        change(neg({"x": ["n"]}), lambda m: m.graph.output[0].ClearField("name")),
        "output 0 has no name",
    ),
    "output twice": (
        change(neg({"x": ["n"]}), lambda m: m.graph.output.append(m.graph.output[0])),
        "output 'y' is listed twice",
    ),
    "output undefined": (neg({"x": ["n"]}, {"z": ["n"]}), "output 'z' is not defined by any node"),
    "output type": (neg({"x": ["n"]}, {"y": (["n"], INT64)}), "output 'y': is declared as int64, inferred as float"),
    "output rank": (neg({"x": ["n"]}, {"y": ["n", 1]}), "output 'y': is declared with 2 dimensions, inferred with 1"),
    "output extent": (neg({"x": [3, 4]}, {"y": [3, 5]}), "output 'y': dimension 1 is declared as 5, inferred as 4"),
    "output symbol": (neg({"x": ["n"]}, {"y": ["n+1"]}), "output 'y': dimension 0 is declared as n + 1, inferred as n"),
    "node output twice": (
        model([node("Neg", "x"), node("Abs", "x")], {"x": [1]}, {"y": [1]}),
        "node 'node_y' (Abs, ai.onnx, opset 18): value 'y' is defined twice",
    ),
    "cycle": (
        model([node("Neg", "b", "a"), node("Neg", "a", "b")], {}, {"a": [1]}),
        "node 'node_a' (Neg, ai.onnx, opset 18): input 'b' is not defined before this node",
    ),
    "subgraph": (
        model(
            node(
                "If",
                "c",
                then_branch=helper.make_graph([], "g", [], []),
                else_branch=helper.make_graph([], "g", [], []),
            ),
            {"c": ([], TensorProto.BOOL)},
            {"y": [1]},
        ),
        "node 'node_y' (If, ai.onnx, opset 18): has 1 outputs, a branch has 0",
    ),
}


@pytest.mark.parametrize("what, message", MODELS.values(), ids=MODELS)
def test_models(refuse, what, message):
    refuse(what.SerializeToString(), message)


# ===- External data -------------------------------------------------------------------------------------------------===#


def external(**entries):
    stored = TensorProto(name="w", data_type=FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, entry in entries.items():
        stored.external_data.add(key=key, value=str(entry))
    return with_stored(stored)


EXTERNAL = {
    "no location": (external(), "its external data names no location"),
    "absolute": (external(location="/etc/passwd"), "the location must be a relative path inside the model's folder"),
    "parent": (external(location="sub/../../w"), "the location must be a relative path inside the model's folder"),
    "missing": (external(location="none"), "cannot use its external data 'none': No such file or directory"),
    "folder": (external(location="sub"), "cannot use its external data 'sub': not a regular file"),
    "link": (
        external(location="link"),
        "cannot use its external data 'link': the location leads out of the model's folder",
    ),
    "link of a folder": (external(location="away/w"), "the location leads out of the model's folder"),
    "short": (external(location="w", offset=8), "its external data is bytes 8 to 8 + 8, 'w' has 12 bytes"),
    "far": (external(location="w", offset=2**62, length=2**62), "'w' has 12 bytes"),
    "negative": (
        external(location="w", offset=-4),
        "offset and length of its external data must be non-negative numbers",
    ),
    "not a number": (
        external(location="w", length="8x"),
        "offset and length of its external data must be non-negative numbers",
    ),
    "length": (external(location="w", length=4), "tensor 'w' holds 4 bytes, its type tensor<2xf32> needs 8"),
}


@pytest.mark.parametrize("what, message", EXTERNAL.values(), ids=EXTERNAL)
def test_external_data(tool, tmp_path, what, message):
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    for path in (folder / "w", tmp_path / "w"):
        path.write_bytes(bytes(12))
    (folder / "link").symlink_to(tmp_path / "w")
    (folder / "away").symlink_to(tmp_path)
    onnx.save(what, folder / "model.onnx")
    process = tool("relax-translate", "--import-onnx", folder / "model.onnx")
    assert process.returncode == 1 and message in process.stderr, process.stderr


# ===- Nodes ---------------------------------------------------------------------------------------------------------===#

# Constants that the nodes below may name; x is a float tensor [n, 4, 6], i an integer vector [2], s a scalar.
CONSTANTS = {
    "zero": np.array([0]),
    "one": np.array([1]),
    "two": np.array([1, 2]),
    "minus": np.array([-1, -1]),
    "far": np.array([9]),
    "odd": np.array([5, -1]),
    "low": np.array([-2, 3]),
    "f": np.ones(3, np.float32),
    "w": np.ones((2, 4, 3), np.float32),
    "b": np.ones(5, np.float32),
    "true": np.array([True]),
    "empty": np.zeros(0, np.int64),
    "copy": np.array([4, 1, 6, 0]),
    "nothing": np.array([0, -1, 0, 0]),
}
INPUTS = {"x": ["n", 4, 6], "i": ([2], INT64), "k": (["m"], INT64), "s": [], "v": ["n"], "c": ["n", 9, 4, 4]}

NODES = {
    "unknown operator": (node("Foo", "x"), "unsupported operator"),
    "other domain": (
        helper.make_node("Neg", ["x"], ["y"], domain="com.acme"),
        "the file imports no opset of domain 'com.acme'",
    ),
    "before its opset": (node("Gelu", "x"), "the operator does not exist before opset 20"),
    "too few inputs": (node("Add", "x"), "has 1 inputs, expected 2"),
    "too many inputs": (node("Clip", "x s s s"), "has 4 inputs, expected 1 to 3"),
    "no inputs": (node("Max", ""), "has 0 inputs, expected at least 1"),
    "missing input": (node("Add", "x "), "required input 1 is missing"),
    "undefined input": (node("Add", "x q"), "input 'q' is not defined before this node"),
    "too many outputs": (node("Neg", "x", "y z"), "output 1 is not supported"),
    "unknown attribute": (node("Neg", "x", foo=1), "unknown attribute 'foo'"),
    "attribute type": (node("Flatten", "x", axis=1.0), "attribute 'axis' has type FLOAT, expected INT"),
    "element types": (node("Add", "x i"), "'relax.add' op "),
    "extents": (node("Add", "x f"), "'relax.add' op "),
    "activation of integers": (node("LeakyRelu", "i"), "is not supported for integers"),
    "mean of integers": (node("ReduceMean", "i"), "'relax.mean' op "),
    "cast": (node("Cast", "x", to=TensorProto.COMPLEX64), "unsupported element type complex64"),
    "shift": (node("BitShift", "i i", direction="UP"), "attribute 'direction' is 'UP', expected LEFT or RIGHT"),
    "cast to nothing": (node("Cast", "x"), "attribute 'to' is missing"),
    "dropout": (node("Dropout", "x s true"), "training_mode must be false"),
    "axis": (node("Softmax", "x", axis=3), "axis 3 is out of range for rank 3"),
    "axis twice": (node("ReduceSum", "x minus"), "axis -1 is given twice"),
    "axes": (node("ReduceSum", "x k"), "axes must be integers of constant number, at most 64"),
    "matmul": (node("MatMul", "x s"), "an operand is a scalar"),
    "gemm": (node("Gemm", "x v"), "operands have ranks 3 and 1, expected 2"),
    "conv rank": (node("Conv", "x v"), "input and weight have ranks 3 and 1, expected the same of at least 3"),
    "conv groups": (node("Conv", "x w", group=3), "'relax.conv' op "),
    "conv kernel shape": (
        node("Conv", "x w", kernel_shape=[2]),
        "attribute 'kernel_shape' contradicts the shape of the weight",
    ),
    "conv strides": (node("Conv", "x w", strides=[1, 1]), "attribute 'strides' has 2 values, expected 1"),
    "conv stride 0": (node("Conv", "x w", strides=[0]), "attribute 'strides' holds 0, expected at least 1"),
    "conv pads": (node("Conv", "x w", pads=[-1, 0]), "attribute 'pads' holds -1, expected at least 0"),
    "conv auto pad": (
        node("Conv", "x w", auto_pad="SOME"),
        "attribute 'auto_pad' is 'SOME', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER",
    ),
    "conv bias": (node("Conv", "x w x"), "the bias has rank 3, expected 1"),
    "conv bias extent": (node("Conv", "x w b"), "the bias has 5 elements, expected 2"),
    "pool": (node("GlobalMaxPool", "v"), "input has rank 1, expected batch, channel and spatial dimensions"),
    "batch norm": (
        node("BatchNormalization", "v v v v v"),
        "input has rank 1, expected a batch and a channel dimension",
    ),
    "batch norm training": (node("BatchNormalization", "x v v v v", training_mode=1), "training_mode must be 0"),
    "instance norm": (
        node("InstanceNormalization", "v v v"),
        "input has rank 1, expected batch, channel and spatial dimensions",
    ),
    "stash type": (
        node("LayerNormalization", "x f", stash_type=6),
        "attribute 'stash_type' is int32, expected a floating-point type",
    ),
    "lp norm": (node("LpNormalization", "x", p=3), "attribute 'p' is 3, expected 1 or 2"),
    "group norm": (
        node("GroupNormalization", "x f f", num_groups=3),
        "needs a number of channels that num_groups divides",
    ),
    "old group norm": (node("GroupNormalization", "x f f", num_groups=2), "the operator is supported from opset 21 on"),
    "reshape rank": (node("Reshape", "x k"), "the rank of the result is not known"),
    "reshape -1 twice": (node("Reshape", "x minus"), "the shape has two entries of -1"),
    "reshape -2": (node("Reshape", "x low"), "entry 0 of the shape is -2"),
    "reshape 0": (node("Reshape", "x copy"), "entry 3 of the shape is 0, the input has rank 3"),
    "reshape extents": (node("Reshape", "w far"), "'relax.reshape' op "),
    "reshape division": (node("Reshape", "w odd"), "cannot reshape 24 elements: not divisible by 5"),
    "reshape -1 beside 0": (node("Reshape", "x nothing", allowzero=1), "-1 cannot be inferred beside an extent of 0"),
    "expand": (node("Expand", "x k"), "the shape must be a vector of constant length, at most 64"),
    "expand to negative": (node("Expand", "s low"), "dimension 0 is negative: -2"),
    "expand extents": (node("Expand", "f far"), "'relax.broadcast_to' op "),
    "squeeze extent": (node("Squeeze", "x one"), "'relax.squeeze' op "),
    "constant": (node("Constant", ""), "has 0 attributes, expected 1"),
    "constant kind": (node("Constant", "", value_string="a"), "has no attribute of a supported kind"),
    "constant type": (
        node("Constant", "", value=helper.make_tensor("", TensorProto.COMPLEX64, [1], [1j])),
        "its value unsupported element type complex64",
    ),
    "constant of shape": (
        node("ConstantOfShape", "one", value=tensor("", [1, 2])),
        "its value has 2 elements, expected 1",
    ),
    "concat": (node("Concat", "x x"), "attribute 'axis' is missing"),
    "gather": (
        model([node("Shape", "x", "t"), node("Gather", "t far")], INPUTS, {"y": [1]}, CONSTANTS),
        "index 9 is out of range for extent 3",
    ),
    "slice inputs": (node("Slice", "x zero"), "has 2 inputs, expected at least 3"),
    "slice lengths": (node("Slice", "x zero two"), "starts, ends, axes and steps have different lengths"),
    "slice step": (node("Slice", "x zero one zero zero"), "the step of axis 0 is 0"),
    "slice steps": (
        node("Slice", "x zero one zero k"),
        "starts, ends and steps must be vectors of the same constant length",
    ),
    "split": (node("Split", "x", "y z", num_outputs=3), "attribute 'num_outputs' contradicts the number of outputs, 2"),
    "split sizes": (node("Split", "x two", "y z", axis=1), "the sizes add up to 3, the extent is 4"),
    "split count": (node("Split", "x two", "y", axis=1), "has 1 outputs, split has 2 sizes"),
    "depth to space": (node("DepthToSpace", "x", blocksize=2), "input has rank 3, expected 4"),
    "block": (node("DepthToSpace", "c", blocksize=0), "attribute 'blocksize' is 0, expected at least 1"),
    "block mode": (node("DepthToSpace", "c", blocksize=3, mode="X"), "attribute 'mode' is 'X', expected DCR or CRD"),
    "block division": (node("SpaceToDepth", "c", blocksize=3), "an extent of 4 is not divisible by 3"),
    "tile": (node("Tile", "x two"), "has 2 repeats, the input has rank 3"),
    "one hot": (node("OneHot", "i k two"), "depth must be one integer"),
    "one hot values": (node("OneHot", "i far f"), "values must be a vector of 2 elements"),
    "one hot depth": (node("OneHot", "i two two"), "depth must be one integer"),
    "hardmax": (node("Hardmax", "x", axis=3), "axis 3 is out of range for rank 3"),
    "eye": (node("EyeLike", "x"), "input has rank 3, expected 2"),
    "trilu": (node("Trilu", "v"), "input has rank 1, expected at least 2"),
    "gather elements": (node("GatherElements", "x i"), "'relax.take_along_axis' op indices are expected to have rank 3, got 1"),
    "gather nd": (
        node("GatherND", "x two", batch_dims=1),
        "indices of 2 entries and batch_dims 1 do not fit data of rank 3",
    ),
    "gather nd length": (node("GatherND", "x k"), "the last dimension of the indices must be constant"),
    "reverse sequence": (node("ReverseSequence", "x i", time_axis=1), "batch_axis and time_axis are the same"),
    "einsum terms": (node("Einsum", "x v", equation="abc->a"), "attribute 'equation' has 1 terms, expected 2"),
    "einsum rank": (node("Einsum", "x", equation="ab->a"), "term 'ab' has 2 labels, input 0 has rank 3"),
    "einsum label": (node("Einsum", "x", equation="a;c->a"), "attribute 'equation' holds ';'"),
    "einsum result": (
        node("Einsum", "x", equation="abc->d"),
        "the result of attribute 'equation' has a label that is in no term, or twice",
    ),
    "loss ranks": (
        node("NegativeLogLikelihoodLoss", "x i"),
        "the ranks of scores and targets are 3 and 1, expected at least 2 and one less",
    ),
    "loss reduction": (
        node("NegativeLogLikelihoodLoss", "x x", reduction="max"),
        "attribute 'reduction' is 'max', expected none, sum or mean",
    ),
    "lrn": (node("LRN", "x", size=0), "attribute 'size' is 0, expected 1 to 1024"),
    "global lp pool": (node("GlobalLpPool", "x", p=0), "attribute 'p' is 0, expected at least 1"),
    "center crop": (node("CenterCropPad", "x two"), "has 3 axes, the shape has 2 extents"),
    "window": (node("HannWindow", "i"), "size must be one integer"),
    "dft": (node("DFT", "x", axis=1), "the last dimension of the signal is 6, expected 1 or 2"),
    "grid": (node("GridSample", "c x"), "input and grid have ranks 4 and 3, expected the same from 3 to 5"),
    "grid mode": (
        node("GridSample", "c c", mode="best"),
        "attribute 'mode' is 'best', expected nearest, linear or cubic",
    ),
    "slice": (node("Slice", "x   e"), "required input 1 is missing"),
    "slice ends": (node("Slice", "x e  e"), "required input 2 is missing"),
    "grid padding": (
        node("GridSample", "c c", padding_mode="best"),
        "attribute 'padding_mode' is 'best', expected zeros, border or reflection",
    ),
    "attention": (node("Attention", "x x x"), "inputs of rank 3 need positive q_num_heads and kv_num_heads"),
    "attention ranks": (node("Attention", "x c x"), "Q, K and V must have the same rank of 3 or 4"),
    "attention heads": (
        node("Attention", "x x x", q_num_heads=4, kv_num_heads=4),
        "an extent of 6 is not divisible by 4",
    ),
    "rotary": (node("RotaryEmbedding", "v x x"), "input has rank 1, expected 4, or 3 with a positive num_heads"),
    "loop": (node("Loop", " "), "needs a body"),
    "compress": (node("Compress", "x x"), "the condition has rank 3, expected 1"),
    "top": (node("TopK", "x"), "has 1 input, expected 2"),
    "top k": (node("TopK", "x two", "y z"), "k must be one integer"),
    "running total": (node("CumSum", "x two"), "has 2 axes, expected 1"),
    "scatter": (
        node("ScatterElements", "x i x", reduction="div"),
        "attribute 'reduction' is 'div', expected none, add, mul, max or min",
    ),
    "scatter indices": (node("ScatterND", "v two v"), "indices of 2 entries do not fit data of rank 1"),
    "unknown scatter indices": (node("ScatterND", "v k v"), "the last dimension of the indices must be constant"),
    "unpool": (node("MaxUnpool", "c i"), "attribute 'kernel_shape' is missing"),
    "unpool rank": (node("MaxUnpool", "v i", kernel_shape=[1]), "input has rank 1, expected 3 to 5"),
    "columns": (
        node("Col2Im", "c two two"),
        "the input must have rank 3, image_shape and block_shape the same length",
    ),
    "recurrent": (node("LSTM", "x x x", direction="up"), "attribute 'direction' is 'up', expected forward, reverse or"),
    "recurrent rank": (node("GRU", "v x x"), "X, W and R must have rank 3"),
    "activations": (
        node("RNN", "x w w", activations=["Tanh", "Relu"]),
        "attribute 'activations' has 2 values, expected 1",
    ),
    "activation": (node("RNN", "x w w", activations=["Foo"]), "activation 'Foo' is not known"),
    "negative block": (node("DequantizeLinear", "i s", block_size=-1), "attribute 'block_size' is -1, expected at least 0"),
    "scales": (node("DequantizeLinear", "f x", axis=0), "scales and zero points have rank 3, expected 0 or 1 without blocks"),
    "suppression": (node("NonMaxSuppression", "v v"), "boxes and scores must have rank 3"),
    "regions": (node("RoiAlign", "v v v"), "X, rois and batch_indices must have ranks 4, 2 and 1"),
    "random integers": (
        node("RandomNormal", "", shape=[2], dtype=INT64),
        "random numbers must be of a floating-point type",
    ),
    "samples": (node("Multinomial", "x"), "input has rank 3, expected 2"),
    "pad": (node("Pad", "x"), "has 1 input, expected at least 2"),
    "pads": (node("Pad", "x two"), "has 2 pads of known number, expected 6"),
    "pad mode": (
        node("Pad", "x two", mode="best"),
        "attribute 'mode' is 'best', expected constant, edge, reflect or wrap",
    ),
    "pads of axes": (node("Pad", "x two  k2"), "needs two pads for each of 2 axes"),
    "resize": (
        node("Resize", "x  ones", mode="best"),
        "attribute 'mode' is 'best', expected one of nearest, linear, cubic",
    ),
    "resize scales": (node("Resize", "x  f2"), "has 2 scales, expected 3"),
    "resize by nothing": (node("Resize", "x"), "has neither scales nor sizes"),
    "resize sizes": (node("Resize", "x   two"), "has 2 sizes, expected 3"),
    "resize by zero": (node("Resize", "x  zeros"), "a scale is 0.000000, expected a positive number"),
    "resize region": (
        node("Resize", "x  ones", coordinate_transformation_mode="tf_crop_and_resize"),
        "tf_crop_and_resize needs a region",
    ),
    "smooth resize": (node("Resize", "x  ones", antialias=1), "attribute 'antialias' needs linear or cubic"),
    "gelu": (node("Gelu", "x", approximate="x"), "attribute 'approximate' is 'x', expected 'none' or 'tanh'"),
    "too large": (node("Expand", "s big"), "is too large"),
}
NEWER = {"gelu": 20, "group norm": 21, "attention": 23, "attention ranks": 23, "attention heads": 23, "rotary": 23, "negative block": 21}


@pytest.mark.parametrize("name", NODES)
def test_nodes(refuse, name):
    what, message = NODES[name]
    if not isinstance(what, onnx.ModelProto):
        more = {"c2": [1, 9, "n", 4], "l": [1, 4, "n"], "e": ([1], INT64), "k2": ([2], INT64)}
        constants = CONSTANTS | {
            "big": np.array([2**40, 2**40]),
            "neg": np.array([-1]),
            "ones": np.array([1, 1.5, 1], np.float32),
            "zeros": np.zeros(3, np.float32),
            "f2": np.ones(2, np.float32),
        }
        what = model(what, INPUTS | more, {"y": None}, constants, NEWER.get(name, 18))
    refuse(what.SerializeToString(), message)


def test_messages_name_the_node(refuse):
    what = model(node("Foo", "x"), {"x": [1]}, {"y": [1]})
    refuse(what.SerializeToString(), "error: node 'node_y' (Foo, ai.onnx, opset 18): unsupported operator")
    what.graph.node[0].ClearField("name")
    refuse(what.SerializeToString(), "error: node of output 'y' (Foo, ai.onnx, opset 18): unsupported operator")
    what.graph.node[0].name = "a\n\x01" * 300
    refuse(what.SerializeToString(), "error: node 'a??a??")


# ===- Functions -----------------------------------------------------------------------------------------------------===#


def with_function(nodes, inputs=("a",), outputs=("b",), opset=18):
    """y = F(x) of a function with these nodes."""
    what = model(helper.make_node("F", ["x"], ["y"], name="call", domain="own"), {"x": ["n"]}, {"y": None})
    what.opset_import.append(helper.make_opsetid("own", 1))
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    what.functions.append(helper.make_function("own", "F", inputs, outputs, nodes, opsets))
    return what


def doubled(what):
    what.functions.append(what.functions[0])


FUNCTIONS = {
    "recursion": (
        with_function([helper.make_node("F", ["a"], ["b"], domain="own")]),
        "functions and subgraphs are nested more than 40 deep",
    ),
    "growth": (
        with_function([helper.make_node("F", ["a"], [f"c{i}"], domain="own") for i in range(1000)] + [node("Neg", "c0", "b")]),
        "functions and subgraphs ",
    ),
    "twice": (
        change(with_function([node("Neg", "a", "b")]), doubled),
        "function 'F' of domain 'own' is defined twice",
    ),
    "inputs": (
        with_function([node("Neg", "a", "b")], inputs=()),
        "node 'call' (F, own): has 1 inputs, the function has 0",
    ),
    "outputs": (
        with_function([node("Neg", "a", "b")], outputs=()),
        "node 'call' (F, own): has 1 outputs, the function has 0",
    ),
    "opset": (
        with_function([node("Neg", "a", "b")], opset=99),
        "node 'call' (F, own): the function's opset 99 is not supported, expected 1 to 28",
    ),
    "inside": (
        with_function([node("Foo", "a", "b")]),
        "node 'F.0.node_b' (Foo, ai.onnx, opset 18): unsupported operator",
    ),
}


@pytest.mark.parametrize("what, message", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions(refuse, what, message):
    refuse(what.SerializeToString(), message)


# ===- Subgraphs -----------------------------------------------------------------------------------------------------===#


def graph(nodes, outputs, inputs=(), kind=FLOAT):
    """A subgraph; `inputs` and `outputs` are words."""
    values = [helper.make_tensor_value_info(name, kind, None) for name in outputs.split()]
    return helper.make_graph(nodes, "g", [helper.make_tensor_value_info(name, kind, None) for name in inputs], values)


def branch(then, otherwise):
    return node("If", "c", then_branch=then, else_branch=otherwise)


def nested(depth):
    """If in If."""
    last = inner = graph([node("Neg", "x", "r")], "r")
    for _ in range(depth):
        inner = graph([node("If", "c", "r", then_branch=inner, else_branch=last)], "r")
    return inner


NEGATED, INTEGER = graph([node("Neg", "x", "r")], "r"), graph([node("Cast", "x", "r", to=INT64)], "r")
SUBGRAPHS = {
    "element types": (branch(NEGATED, INTEGER), "output 0 is tensor<?xf32"),
    "undefined": (branch(NEGATED, graph([], "r")), "output 'r' of a subgraph is not defined"),
    "inputs": (branch(graph([], "a", ["a"]), NEGATED), "a branch has 1 inputs, expected none"),
    "branch": (node("If", "c", then_branch=NEGATED), "needs then_branch and else_branch"),
    "body": (node("Loop", "m c x", body=NEGATED), "the body has 0 inputs and 1 outputs, expected 3 and at least 2"),
    "carried": (
        node("Loop", "m c x", body=graph([node("Cast", "v", "w", to=INT64), node("Identity", "k", "k2")], "k2 w", ["i", "k", "v"])),
        "the body turns carried value 0 from ",
    ),
    "scan": (node("Scan", "x", body=NEGATED, num_scan_inputs=2), "num_scan_inputs is 2"),
    "deep": (branch(nested(3), nested(30)), "not an ONNX model"),
}


@pytest.mark.parametrize("name", SUBGRAPHS)
def test_subgraphs(refuse, name):
    what, message = SUBGRAPHS[name]
    inputs = {"x": ["n"], "c": ([], TensorProto.BOOL), "m": ([], INT64)}
    refuse(model(what, inputs, {"y": None}).SerializeToString(), message)


# ===- Mutations -----------------------------------------------------------------------------------------------------===#


def test_mutated_files(tool, tmp_path):
    """Truncated at every length and with flipped bytes: imported or refused, never a signal."""
    data = model(
        [
            node("Shape", "x", "s"),
            node("Gather", "s i", "t"),
            node("Concat", "t m", "u", axis=0),
            node("Reshape", "x u"),
        ],
        {"x": ["n", 2, 3]},
        {"y": ["n", 6]},
        {"i": np.array([0]), "m": np.array([-1])},
    ).SerializeToString()
    rng = np.random.default_rng(0)
    mutants = [data[:length] for length in range(0, len(data), 3)]
    for _ in range(200):
        mutant = bytearray(data)
        for position in rng.integers(0, len(data), rng.integers(1, 4)):
            mutant[position] = rng.integers(0, 256)
        mutants.append(bytes(mutant))
    for mutant in mutants:
        (tmp_path / "model.onnx").write_bytes(mutant)
        process = tool("relax-translate", "--import-onnx", tmp_path / "model.onnx", timeout=20)
        assert process.returncode in (0, 1), (mutant, process.stderr)
        assert process.returncode == 0 or "error: " in process.stderr
