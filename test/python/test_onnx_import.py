# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What relax-translate --import-onnx makes of models: shapes, symbols, weights."""

import pathlib
import re
import zlib

import magika
import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import INT32, INT64, model, node, tensor

MAGIKA = pathlib.Path(magika.__file__).parent / "models/standard_v3_3/model.onnx"


@pytest.fixture
def translate(tool, tmp_path):
    """translate(model) gives the module's text with shape aliases written out; it parses again."""

    def run(what):
        path = tmp_path / "model.onnx"
        onnx.save(what, path)
        process = tool("relax-translate", "--import-onnx", path, "-o", tmp_path / "out.mlir")
        assert process.returncode == 0, process.stderr
        again = tool("relax-opt", tmp_path / "out.mlir", "-o", tmp_path / "again.mlir")
        assert again.returncode == 0, again.stderr
        return expand((tmp_path / "out.mlir").read_text())

    return run


def expand(text):
    """The module without aliases: #n_4 becomes [n, 4]."""
    for name, dims in re.findall(r"^(#\w+) = #relax_sym\.shape<(.*)>$", text, re.MULTILINE):
        text = re.sub(rf"{name}\b", dims.replace("\\", r"\\"), text)
    return text


def result_types(text):
    signature = next(line for line in text.splitlines() if "func.func" in line)
    return re.findall(r"tensor<[^>]*>", signature.split("->", 1)[1].split(" attributes ")[0])


def facts(text):
    return re.search(r"relax_sym\.scope = #relax_sym\.scope<(.*?)>\}", text).group(1)


# ===- Symbols -------------------------------------------------------------------------------------------------------===#

SYMBOLS = {
    # A product is an expression when its symbols stand alone somewhere, else one symbol.
    "expression": ({"x": ["b*s", 4], "ids": ["b", "s"]}, "tensor<?x4xf32, [b * s, 4]>"),
    "quoted": ({"x": ["b*s", 4]}, 'tensor<?x4xf32, ["b*s", 4]>'),
    "half known": ({"x": ["b*s", 4], "ids": ["b"]}, 'tensor<?x4xf32, ["b*s", 4]>'),
    "words": ({"x": ["past len", 4]}, 'tensor<?x4xf32, ["past len", 4]>'),
    "number": ({"x": ["4", 4]}, 'tensor<?x4xf32, ["4", 4]>'),
    "keyword": ({"x": ["min", 4]}, 'tensor<?x4xf32, ["min", 4]>'),
    "unnamed": ({"x": [None, 4]}, "tensor<?x4xf32, [x_d0, 4]>"),
    "unnamed beside its name": ({"x": [None, "x_d0"]}, "tensor<?x?xf32, [x_d0_1, x_d0]>"),
    "unpresentable": ({"x": ['a"b\n', 'a"b\n']}, "tensor<?x?xf32, [dim, dim]>"),
    "two unpresentable": ({"x": ['a"', 'b"', "dim"]}, "tensor<?x?x?xf32, [dim_1, dim_2, dim]>"),
    "static": ({"x": [0, 4]}, "tensor<0x4xf32>"),
}


@pytest.mark.parametrize("inputs, expected", SYMBOLS.values(), ids=SYMBOLS)
def test_input_symbols(translate, inputs, expected):
    text = translate(model(node("Neg", "x"), inputs, {"y": [None] * len(inputs["x"])}))
    assert result_types(text) == [expected]


def test_names(translate):
    text = translate(model(node("Add", "x b", "sum:0"), {"x": ["n", 4], "b": [4]}, {"sum:0": ["n", 4]}))
    assert re.findall(r'relax\.name = "(.*?)"', text) == ["x", "b", "sum:0"]
    assert "func.func @main(" in text


def test_output_name_is_a_claim(translate):
    """An output's own name stands for what is inferred, for all outputs alike."""
    text = translate(
        model(
            [node("Concat", "x x", "y", axis=0), node("Neg", "y", "z")],
            {"x": ["n", 4]},
            {"y": ["total", 4], "z": ["total", 4]},
        )
    )
    assert result_types(text) == ["tensor<?x4xf32, [n * 2, 4]>"] * 2


def test_output_claims_that_hold(translate):
    text = translate(model(node("Concat", "x x", "y", axis=0), {"x": ["n", 4]}, {"y": ["2*n", 4]}))
    assert result_types(text) == ["tensor<?x4xf32, [n * 2, 4]>"] and "match_cast" not in text


@pytest.mark.parametrize("claim, expected", [(7, "tensor<7x4xf32>"), ("m", "tensor<?x4xf32, [m, 4]>")])
def test_output_claims_that_run_time_decides(translate, claim, expected):
    text = translate(model(node("Neg", "x"), {"x": ["n", 4], "k": ["m"]}, {"y": [claim, 4]}))
    assert result_types(text) == [expected]
    assert re.search(rf"relax.match_cast %0 +: {re.escape('tensor<?x4xf32, [n, 4]>')} to {re.escape(expected)}", text)


def test_run_time_broadcast_gets_a_symbol(translate):
    text = translate(model(node("Add", "x y", "z"), {"x": ["a", 3], "y": ["b", 3]}, {"z": ["c", 3]}))
    assert "relax.match_cast %0 binds [z_d0]" in text and result_types(text) == ["tensor<?x3xf32, [z_d0, 3]>"]


# ===- Shape arithmetic ----------------------------------------------------------------------------------------------===#

X = {"x": ["n", "m", 6]}


def shape_of_result(translate, nodes, constants=None, inputs=X, opset=18, rank=2):
    text = translate(model(nodes, inputs, {"y": [None] * rank}, constants, opset))
    assert "tensor_to_shape" not in text and "match_cast" not in text
    return result_types(text)[0]


SHAPES = {
    "gather": (
        [node("Shape", "x", "s"), node("Gather", "s i", "t"), node("Reshape", "x t")],
        {"i": np.array([1, 0, -1])},
        "tensor<?x?x6xf32, [m, n, 6]>",
    ),
    "slice and concat": (
        [
            node("Shape", "x", "s"),
            node("Slice", "s zero two", "t"),
            node("Concat", "t three two", "u", axis=0),
            node("Reshape", "x u"),
        ],
        {"zero": np.array([0]), "two": np.array([2]), "three": np.array([3])},
        "tensor<?x?x3x2xf32, [n, m, 3, 2]>",
    ),
    "slice backwards": (
        [node("Shape", "x", "s"), node("Slice", "s last low zero minus", "t"), node("Reshape", "x t")],
        {"last": np.array([-1]), "low": np.array([-(2**63)]), "zero": np.array([0]), "minus": np.array([-1])},
        "tensor<6x?x?xf32, [6, m, n]>",
    ),
    "product": (
        [node("Shape", "x", "s"), node("ReduceProd", "s", "p", keepdims=1), node("Reshape", "x p")],
        {},
        "tensor<?xf32, [m * n * 6]>",
    ),
    "size": (
        [node("Size", "x", "s"), node("Unsqueeze", "s zero", "t"), node("Reshape", "x t")],
        {"zero": np.array([0])},
        "tensor<?xf32, [m * n * 6]>",
    ),
    "size in 32 bits": (
        [
            node("Size", "x", "s"),
            node("Cast", "s", "c", to=INT32),
            node("Cast", "c", "d", to=INT64),
            node("Unsqueeze", "d zero", "t"),
            node("Reshape", "x t"),
        ],
        {"zero": np.array([0])},
        "tensor<?xf32, [m * n * 6]>",
    ),
    "arithmetic": (
        [
            node("Shape", "x", "s", end=2),
            node("Mul", "s two", "d"),
            node("Concat", "d three", "t", axis=0),
            node("Add", "x one", "z"),
            node("Expand", "w t"),
        ],
        {"two": np.array([2]), "three": np.array([3]), "one": 1.0, "w": np.ones((1, 1, 1), np.float32)},
        "tensor<?x?x3xf32, [n * 2, m * 2, 3]>",
    ),
    "division": (
        [node("Shape", "x", "s", end=1), node("Div", "s two", "t"), node("ConstantOfShape", "t")],
        {"two": np.array([2])},
        "tensor<?xf32, [n floordiv 2]>",
    ),
    "maximum": (
        [node("Shape", "x", "s", end=2), node("ReduceMax", "s", "t", keepdims=1), node("ConstantOfShape", "t")],
        {},
        "tensor<?xf32, [max(m, n)]>",
    ),
    "where": (
        [
            node("Shape", "x", "s"),
            node("Equal", "k s", "c"),
            node("Where", "c s one", "t"),
            node("ConstantOfShape", "t"),
        ],
        {"k": np.array([-1, -1, 6]), "one": np.array([1, 1, 1])},
        "tensor<1x1x6xf32>",
    ),
    "range and constant of shape": (
        [node("Range", "one four one", "r"), node("ConstantOfShape", "r")],
        {"one": np.array(1), "four": np.array(4)},
        "tensor<1x2x3xf32>",
    ),
    "squeeze": (
        [
            node("Shape", "x", "s", start=1, end=2),
            node("Squeeze", "s", "t"),
            node("Unsqueeze", "t zero", "u"),
            node("ConstantOfShape", "u"),
        ],
        {"zero": np.array([0])},
        "tensor<?xf32, [m]>",
    ),
    "minus one": (node("Reshape", "x t"), {"t": np.array([-1, 6])}, "tensor<?x6xf32, [m * n, 6]>"),
    "minus one beside symbols": (
        [node("Shape", "x", "s", end=1), node("Concat", "s minus", "t", axis=0), node("Reshape", "x t")],
        {"minus": np.array([-1])},
        "tensor<?x?xf32, [n, m * 6]>",
    ),
    "zero copies": (node("Reshape", "x t"), {"t": np.array([0, -1, 3])}, "tensor<?x?x3xf32, [n, m * 2, 3]>"),
    "flatten": (node("Flatten", "x", axis=2), {}, "tensor<?x6xf32, [m * n, 6]>"),
    "flatten all": (node("Flatten", "x", axis=0), {}, "tensor<1x?xf32, [1, m * n * 6]>"),
}


@pytest.mark.parametrize("nodes, constants, expected", SHAPES.values(), ids=SHAPES)
def test_shape_arithmetic(translate, nodes, constants, expected):
    rank = expected.split("xf32")[0].count("x") + 1
    assert shape_of_result(translate, nodes, constants, rank=rank) == expected


def test_truncating_division_is_not_folded(translate):
    """n - 3 may be negative: the quotient is no floor division, and is computed as a tensor."""
    text = translate(
        model(
            [node("Shape", "x", "s", end=1), node("Sub", "s three", "t"), node("Div", "t two")],
            {"x": ["n"]},
            {"y": ([1], INT64)},
            {"three": np.array([3]), "two": np.array([2])},
        )
    )
    assert "relax.divide" in text and "floordiv" not in text


def test_negative_elements_are_computed_as_tensors(translate):
    text = translate(
        model(
            [node("Shape", "x", "s", end=1), node("Sub", "s three")],
            {"x": ["n"]},
            {"y": ([1], INT64)},
            {"three": np.array([3])},
        )
    )
    assert "relax.subtract" in text and "n - 3" not in text


def test_empty_shape_is_a_scalar(translate):
    text = translate(model(node("Reshape", "x t"), {"x": [1, 1]}, {"y": []}, {"t": np.zeros(0, np.int64)}))
    assert result_types(text) == ["tensor<f32>"]


def test_allowzero(translate):
    text = translate(
        model(node("Reshape", "x t", allowzero=1), {"x": [0, 3]}, {"y": [None, None]}, {"t": np.array([3, 0])})
    )
    assert result_types(text) == ["tensor<3x0xf32>"]


def test_run_time_shapes(translate):
    text = translate(model(node("Expand", "x s"), {"x": [1, 4], "s": ([2], INT64)}, {"y": ["p", "q"]}))
    assert "binds [y_d0, y_d1]" in text
    text = translate(model(node("Reshape", "x s"), {"x": ["n", 4], "s": ([2], INT64)}, {"y": ["p", "q"]}))
    assert "relax.tensor_to_shape" in text and result_types(text) == ["tensor<?x?xf32, [y_d0, y_d1]>"]


# ===- Slices --------------------------------------------------------------------------------------------------------===#

SLICES = {
    "inside": ([1], [3], [2], [1], "tensor<?x?x2xf32, [n, m, 2]>", ""),
    "to the end": ([0], [2**63 - 1], [0], [1], "tensor<?x?x6xf32, [n, m, 6]>", ""),
    "sentinel": ([0], [2**31 - 1], [0], [1], "tensor<?x?x6xf32, [n, m, 6]>", '"n <= 2147483647"'),
    "clamped": ([0], [2], [0], [1], "tensor<?x?x6xf32, [min(n, 2), m, 6]>", ""),
    "from the end": ([-3], [2**63 - 1], [0], [1], "tensor<?x?x6xf32, [min(n, 3), m, 6]>", ""),
    "strided": ([0], [2**63 - 1], [1], [2], "tensor<?x?x6xf32, [n, m ceildiv 2, 6]>", ""),
    "reversed": ([-1], [-(2**63)], [1], [-1], "tensor<?x?x6xf32, [n, m, 6]>", ""),
    "reversed sentinels": ([2**31 - 1], [-(2**31)], [1], [-1], "tensor<?x?x6xf32, [n, m, 6]>", '"m <= 2147483647"'),
    "empty": ([3], [1], [2], [1], "tensor<?x?x0xf32, [n, m, 0]>", ""),
}


@pytest.mark.parametrize("starts, ends, axes, steps, expected, fact", SLICES.values(), ids=SLICES)
def test_slice(translate, starts, ends, axes, steps, expected, fact):
    constants = {name: np.array(entry) for name, entry in zip("abcd", (starts, ends, axes, steps))}
    text = translate(model(node("Slice", "x a b c d"), X, {"y": [None] * 3}, constants))
    assert result_types(text) == [expected]
    assert facts(text).split(", ")[0] == fact


def test_run_time_slice(translate):
    text = translate(model(node("Slice", "x a b"), {"x": ["n"], "a": ([1], INT64), "b": ([1], INT64)}, {"y": ["k"]}))
    assert "binds [y_start_d0]" in text and "binds [y_end_d0]" in text


# ===- Weights -------------------------------------------------------------------------------------------------------===#


def test_weights_stay_in_the_file(translate, tmp_path):
    weight = np.arange(300, dtype=np.float32).reshape(3, 100)
    text = translate(model(node("MatMul", "x w"), {"x": ["n", 3]}, {"y": ["n", 100]}, {"w": weight}))
    path, offset, size, digest = re.search(
        r'@w : tensor<3x100xf32> = #relax.blob<"(.*?)", (\d+), (\d+), "(\w+)">', text
    ).groups()
    data = pathlib.Path(path).read_bytes()[int(offset) : int(offset) + int(size)]
    assert data == weight.tobytes() and int(digest, 16) == zlib.crc32(data) and len(digest) == 8
    assert pathlib.Path(path) == tmp_path / "model.onnx"
    assert "relax.weight @w : tensor<3x100xf32>" in text and "dense" not in text


def test_path_is_as_given(tool, tmp_path):
    onnx.save(
        model(node("Add", "x w"), {"x": [100]}, {"y": [100]}, {"w": np.ones(100, np.float32)}), tmp_path / "a.onnx"
    )
    text = tool("relax-translate", "--import-onnx", "./a.onnx", cwd=tmp_path).stdout
    assert '#relax.blob<"./a.onnx", ' in text


def test_external_data(tool, tmp_path):
    (tmp_path / "sub/data").mkdir(parents=True)
    weight = np.arange(400, dtype=np.int32)
    what = model(node("Add", "x w"), {"x": ([400], INT32)}, {"y": ([400], INT32)}, {"w": weight})
    onnx.save(what, tmp_path / "sub/m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    process = tool("relax-translate", "--import-onnx", tmp_path / "sub/m.onnx")
    assert process.returncode == 0, process.stderr
    path, offset, size = re.search(r'#relax.blob<"(.*?)", (\d+), (\d+)', process.stdout).groups()
    assert pathlib.Path(path) == tmp_path / "sub/w.bin"
    assert pathlib.Path(path).read_bytes()[int(offset) : int(offset) + int(size)] == weight.tobytes()


@pytest.mark.parametrize(
    "kind, expected",
    [
        (onnx.TensorProto.FLOAT, "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"),
        (onnx.TensorProto.FLOAT16, "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf16>"),
        (onnx.TensorProto.DOUBLE, "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>"),
        (onnx.TensorProto.INT8, "dense<[1, 2]> : tensor<2xi8>"),
        (onnx.TensorProto.INT16, "dense<[1, 2]> : tensor<2xi16>"),
        (onnx.TensorProto.INT32, "dense<[1, 2]> : tensor<2xi32>"),
        (onnx.TensorProto.INT64, "dense<[1, 2]> : tensor<2xi64>"),
        (onnx.TensorProto.BOOL, "dense<true> : tensor<2xi1>"),
    ],
)
@pytest.mark.parametrize("raw", [False, True])
def test_element_types(translate, kind, expected, raw):
    values = np.array([1, 2], onnx.helper.tensor_dtype_to_np_dtype(kind))
    stored = helper.make_tensor("w", kind, [2], values.tobytes() if raw else values, raw)
    what = model(node("Identity", "w"), {}, {"y": ([2], kind)})
    what.graph.initializer.append(stored)
    assert expected in translate(what)


def test_older_files_list_weights_as_inputs(translate):
    what = model(node("Add", "x w"), {"x": ["n"], "w": [1]}, {"y": ["n"]}, {"w": np.ones(1, np.float32)}, opset=8)
    assert re.findall(r'relax\.name = "(.*?)"', translate(what)) == ["x", "y"]


def test_unused_parts_vanish(translate):
    what = model(
        [node("Neg", "x", "unused"), node("Identity", "x")], {"x": ["n"]}, {"y": ["n"]}, {"w": np.ones(100, np.float32)}
    )
    text = translate(what)
    assert "negate" not in text and "weight" not in text and "return %arg0" in text


def test_odd_weight_names(translate):
    constants = {name: np.full(100, index, np.float32) for index, name in enumerate(["main", 'a"\n', "weight", "a b"])}
    what = model([node("Sum", " ".join(["x", "m", "q", "weight", "b"]))], {"x": [100]}, {"y": [100]})
    for name, (old, array) in zip(["m", "q", "weight", "b"], constants.items()):
        what.graph.initializer.append(tensor(old, array))
        what.graph.node[0].input[["x", "m", "q", "weight", "b"].index(name)] = old
    assert re.findall(r"relax.weight_data @(\S+|\"a b\") :", translate(what)) == [
        "main_1",
        "weight",
        "weight_1",
        '"a b"',
    ]


# ===- A real model --------------------------------------------------------------------------------------------------===#


def test_magika_has_symbols_only(tool):
    """The shape chains of a real model fold into the batch symbol; the output's own name binds to it."""
    process = tool("relax-translate", "--import-onnx", MAGIKA)
    assert process.returncode == 0, process.stderr
    text = expand(process.stdout)
    assert result_types(text) == ["tensor<?x214xf32, [unk__214, 214]>"]
    assert not re.search(r"tensor_to_shape|match_cast|erase_shape|unk__215|min\(", text)
    # Every dynamic extent has a name.
    assert not re.search(r"tensor<[^,>]*\?[^,>]*>", text)
    # 2.6 MB of weights are named, not copied.
    assert len(process.stdout) < 100_000


def test_channels_that_groups_divide(translate):
    """Found at entry: every group has as many channels, and each channel a scale."""
    text = translate(model(node("GroupNormalization", "x s s", num_groups=2), {"x": ["n", "c", "h"], "s": ["c"]},
                           {"y": ["n", "c", "h"]}, opset=21))
    assert facts(text) == '"c mod 2 == 0"' and result_types(text) == ["tensor<?x?x?xf32, [n, c, h]>"]
