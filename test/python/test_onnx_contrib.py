# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Operators of com.microsoft, compiled once and run at several sizes, against onnxruntime."""
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx_models import INT64, value

RNG = np.random.default_rng(0)
CONSTANTS = {
    "w": RNG.standard_normal((8, 8)), "scale": RNG.uniform(0.5, 1.5, 8), "bias": RNG.standard_normal(8),
    "cos": np.cos(np.arange(40).reshape(10, 4) / 7), "sin": np.sin(np.arange(40).reshape(10, 4) / 7),
}
NODES = {
    "fused": ("FusedMatMul", "x w", {"alpha": 0.5, "transB": 1}),
    "fused_a": ("FusedMatMul", "x x", {"transA": 1}),
    "gelu": ("Gelu", "x", {}),
    "bias_gelu": ("BiasGelu", "x bias", {}),
    "fast_gelu": ("FastGelu", "x bias", {}),
    "quick_gelu": ("QuickGelu", "x", {"alpha": 1.5}),
    "skip": ("SkipLayerNormalization", "x z scale bias bias", {"epsilon": 1e-5}),
    "skip_simple": ("SkipSimplifiedLayerNormalization", "x z scale", {"epsilon": 1e-5}),
    "rotary": ("RotaryEmbedding", "x positions cos sin", {}),
    "rotary_interleaved": ("RotaryEmbedding", "x positions cos sin", {"interleaved": 1, "num_heads": 1}),
}


def build():
    nodes = [helper.make_node(op, inputs.split(), [name], domain="com.microsoft", **attributes)
             for name, (op, inputs, attributes) in NODES.items()]
    nodes.append(helper.make_node("SimplifiedLayerNormalization", ["x", "scale"], ["simple"], axis=-1, epsilon=1e-5))
    stored = [numpy_helper.from_array(array.astype(np.float32), name) for name, array in CONSTANTS.items()]
    shape = ["batch", "n", 8]
    graph = helper.make_graph(nodes, "g", [value("x", shape), value("z", shape), value("positions", ["batch", "n"], INT64)],
                              [value(name, None) for name in [*NODES, "simple"]], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)],
                             ir_version=10)


def test_operators(tool, tmp_path):
    what = build()
    onnx.save(what, tmp_path / "model.onnx")
    compiled = tool("relax-compile", tmp_path / "model.onnx", "-o", tmp_path / "model.rlx")
    assert compiled.returncode == 0, compiled.stderr
    inputs, command = [], []
    for index, (batch, n) in enumerate([(2, 5), (1, 1), (3, 10)]):
        x, z = (RNG.standard_normal((batch, n, 8)).astype(np.float32) for _ in range(2))
        inputs.append({"x": x, "z": z, "positions": RNG.integers(0, 10, (batch, n))})
        np.savez(tmp_path / f"in{index}.npz", **inputs[-1])
        command += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    process = tool("relax-run", tmp_path / "model.rlx", *command)
    assert process.returncode == 0, process.stderr
    reference = onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
    for index, given in enumerate(inputs):
        with np.load(tmp_path / f"out{index}.npz") as outputs:
            for name, want in zip([*NODES, "simple"], reference.run([*NODES, "simple"], given)):
                np.testing.assert_allclose(outputs[name], want, rtol=1e-4, atol=2e-5, err_msg=f"{name} at run {index}")
