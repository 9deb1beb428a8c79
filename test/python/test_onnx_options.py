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


def test_python_options(relax):
    """The same options as the tools', one by one."""
    inputs = relax.onnx.load(SUM, symbols={"n": "width"}, dims={"batch": 2})["main"].inputs
    assert [info.dims for info in inputs] == [("2", "width")] * 2
    assert '"batch <= 8", "n >= 1"' in str(relax.onnx.load(SUM, facts=["batch <= 8", "n >= 1"]))
    assert "array<i64: 1, 2>" in str(relax.onnx.load(OLD)) and "array<i64: 1, 2>" not in str(relax.onnx.load(OLD, opset=13))
    for options, message in [({"symbols": {"q": "b"}}, "no input has a dimension named 'q'"),
                             ({"dims": {"n": -1}}, "dimension 'n' is negative: -1"),
                             ({"facts": ["q <= 8"]}, "fact 'q <= 8' is never true, or names what is no dimension"),
                             ({"opset": 99}, "opset 99 is not supported, expected 1 to 28")]:
        with pytest.raises(relax.RelaxError, match=message):
            relax.onnx.load(SUM, **options)


def test_kinds_of_models(relax, tmp_path):
    """A path, its text, bytes and a ModelProto. Weights stay in the file, or in the file with external data."""
    w = np.arange(200, dtype=np.float32).reshape(2, 100)
    what = model(node("MatMul", "x w"), {"x": ["n", 2]}, {"y": None}, {"w": w})
    data = what.SerializeToString()
    onnx.save(what, tmp_path / "a.onnx")
    onnx.save(what, tmp_path / "b.onnx", save_as_external_data=True, location="b.bin", size_threshold=0)
    x = np.float32([[1, 2], [3, 4], [0, 1]])
    for given, file in [(tmp_path / "a.onnx", "a.onnx"), (str(tmp_path / "a.onnx"), "a.onnx"), (data, "model.onnx"),
                        (bytearray(data), "model.onnx"), (onnx.load(tmp_path / "a.onnx"), "model.onnx"),
                        (tmp_path / "b.onnx", "b.bin")]:
        module = relax.onnx.load(given)
        assert f'{file}", ' in str(module).split("#relax.blob<", 1)[1].splitlines()[0]
        executable = relax.onnx.from_model(given)
        for n in [3, 0, 1]:
            np.testing.assert_allclose(executable(x[:n])["y"], x[:n] @ w, rtol=1e-6)
            np.testing.assert_allclose(module["main"](x[:n])["y"], x[:n] @ w, rtol=1e-6)
    relax.onnx.compile_model(data, tmp_path / "a.rlx")
    np.testing.assert_allclose(relax.load(tmp_path / "a.rlx")(x)["y"], x @ w, rtol=1e-6)
    with pytest.raises(TypeError):
        relax.onnx.load(3)
    with pytest.raises(relax.RelaxError, match="none.onnx"):
        relax.onnx.load(tmp_path / "none.onnx")


def test_messages_name_file_node_operator_and_attribute(relax, tmp_path):
    onnx.save(model(node("Softmax", "x", axis=1.5), {"x": ["n", 2]}, {"y": None}), tmp_path / "bad.onnx")
    with pytest.raises(relax.RelaxError) as caught:
        relax.onnx.load(tmp_path / "bad.onnx")
    [message] = caught.value.diagnostics
    assert message.file.endswith("bad.onnx") and message.severity == "error"
    assert message.message == "node 'node_y' (Softmax, ai.onnx, opset 18): attribute 'axis' has type FLOAT, expected INT"
