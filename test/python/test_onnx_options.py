# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Options of the ONNX import: names and values of dimensions, facts, the opset; relax.onnx.from_model."""
import numpy as np
import onnx
import pytest
from onnx_models import model, node

SUM = model(node("Add", "x z"), {"x": ["batch", "n"], "z": ["batch", "2*n - n"]}, {"y": None})
OLD = model(node("Softmax", "x"), {"x": ["n", 2, 3]}, {"y": None}, opset=12)


@pytest.fixture
def translate(tool, tmp_path):
    def run(what, *flags):
        onnx.save(what, tmp_path / "model.onnx")
        return tool("relax-translate", "--import-onnx", tmp_path / "model.onnx", *flags)

    return run


def test_names(translate):
    process = translate(SUM, "--rename-dim=batch=b", "--rename-dim=n=width")
    assert process.returncode == 0, process.stderr
    assert "#relax_sym.shape<[b, width]>" in process.stdout and "batch" not in process.stdout


def test_equal_names(translate):
    process = translate(SUM, "--rename-dim=batch=n")
    assert process.returncode == 0 and "#relax_sym.shape<[n, n]>" in process.stdout


def test_values(translate):
    process = translate(SUM, "--dim=n=4", "--dim=batch=2")
    assert process.returncode == 0 and "tensor<2x4xf32>" in process.stdout and "relax_sym.shape" not in process.stdout


def test_facts(translate):
    process = translate(SUM, "--fact=batch <= 8", "--fact=n mod 4 == 0")
    assert process.returncode == 0 and '#relax_sym.scope<"batch <= 8", "n mod 4 == 0">' in process.stdout


def test_opset(translate):
    # From opset 13 on the axis is the last alone.
    assert "array<i64: 1, 2>" in translate(OLD).stdout
    assert "array<i64: 1, 2>" not in translate(OLD, "--opset=13").stdout


ERRORS = {
    "--rename-dim=q=b": "option: no input has a dimension named 'q'",
    "--rename-dim=q": "--rename-dim: expected NAME=SYMBOL, got 'q'",
    "--dim=n=x": "--dim: expected NAME=N, got 'n=x'",
    "--dim=n=-1": "option: dimension 'n' is negative: -1",
    "--fact=n <": "option: fact 'n <': ",
    "--fact=q <= 8": "option: fact 'q <= 8' is never true, or names what is no dimension of an input",
    "--fact=n <= 0 - 1": "option: fact 'n <= 0 - 1' is never true, or names what is no dimension of an input",
    "--opset=99": "option: opset 99 is not supported, expected 1 to 28",
}


@pytest.mark.parametrize("flag, message", ERRORS.items(), ids=ERRORS)
def test_errors(translate, flag, message):
    process = translate(SUM, flag)
    assert process.returncode == 1 and message in process.stderr, process.stderr


def test_from_model(relax):
    function = relax.onnx.from_model(SUM, facts=["batch <= 8"], symbols={"n": "width"})["main"]
    assert function.inputs[0].dtype == np.dtype("f4") and function.inputs[0].dims == ("batch", "width")
    for batch, width in [(3, 5), (0, 2), (8, 1)]:
        x = np.arange(batch * width, dtype=np.float32).reshape(batch, width)
        np.testing.assert_array_equal(function(x=x, z=x)["y"], x + x)
    with pytest.raises(relax.RelaxError, match="batch <= 8"):
        x = np.zeros((9, 1), np.float32)
        function(x=x, z=x)
    with pytest.raises(relax.RelaxError, match=r"node 'node_y' \(Foo, ai.onnx, opset 18\): unsupported operator"):
        relax.onnx.from_model(model(node("Foo", "x"), {"x": [1]}, {"y": [1]}).SerializeToString())
    with pytest.raises(relax.RelaxError, match="no input has a dimension named 'q'"):
        relax.onnx.load(SUM, dims={"q": 4})
