# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Unsigned integers and quantized operators, compiled once and run at several sizes, against onnxruntime."""
import numpy as np
from onnx import TensorProto, helper
from onnx_models import FLOAT, INT32, compare, model, node

UINT8 = TensorProto.UINT8
KINDS = {"shifted": UINT8, "joined": UINT8, "quantized": UINT8, "dynamic": UINT8, "zero": UINT8, "product": INT32,
         "scaled": UINT8}


def test_unsigned(tool, tmp_path):
    nodes = [
        node("BitShift", "b two", "shifted", direction="RIGHT"),
        node("Concat", "b b", "joined", axis=0),
        node("Cast", "b", "wide", to=FLOAT),
        node("QuantizeLinear", "x scale point", "quantized"),
        node("DequantizeLinear", "b scale point", "dequantized"),
        node("DynamicQuantizeLinear", "x", "dynamic step zero"),
        node("MatMulInteger", "b weights point point", "product"),
        node("QLinearMatMul", "b scale point weights scale point scale point", "scaled"),
    ]
    what = model(nodes, {"b": (["n", 4], UINT8), "x": ["n", 4]}, {}, {
        "two": np.array(2, np.uint8), "scale": np.array(0.0625, np.float32), "point": np.array(128, np.uint8),
        "weights": np.arange(0, 240, 12, dtype=np.uint8).reshape(4, 5)}, opset=19)
    what.graph.output.extend(helper.make_tensor_value_info(name, KINDS.get(name, FLOAT), None)
                             for entry in nodes for name in entry.output)
    inputs = []
    for n in (3, 1, 8):
        rng = np.random.default_rng(n)
        inputs.append({"b": rng.integers(0, 256, (n, 4)).astype(np.uint8),
                       "x": rng.uniform(-20, 20, (n, 4)).astype(np.float32)})
    compare(tool, tmp_path, what, inputs)
