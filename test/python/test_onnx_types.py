# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Unsigned integers and quantized operators, compiled once and run at several sizes, against onnxruntime."""
import ml_dtypes
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


def test_casts_of_few_bits(relax):
    """Floats keep the low bits of their integer in types of 4 and 2 bits; small floats go anywhere by way of f32."""
    x = np.arange(-9, 16, dtype=np.float32)
    targets = {"UINT4": x, "INT4": x, "UINT2": x, "INT2": x, "FLOAT8E5M2": x.astype(np.int64)}
    nodes = [helper.make_node("Cast", ["i" if name[0] == "F" else "x"], [name], to=getattr(TensorProto, name))
             for name in targets]
    nodes.append(helper.make_node("Cast", ["FLOAT8E5M2"], ["back"], to=TensorProto.INT32))
    infos = [helper.make_tensor_value_info(name, getattr(TensorProto, name), ["n"]) for name in targets]
    infos.append(helper.make_tensor_value_info("back", TensorProto.INT32, ["n"]))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"]),
                                           helper.make_tensor_value_info("i", TensorProto.INT64, ["n"])], infos)
    module = relax.onnx.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11))
    for run in [module.compile(), module["main"]]:
        for n in [25, 0, 3]:
            got = run(x=x[:n], i=x[:n].astype(np.int64))
            for name, dtype in [("UINT4", "uint4"), ("INT4", "int4"), ("UINT2", "uint2"), ("INT2", "int2")]:
                want = x[:n].astype(np.int64).astype(getattr(ml_dtypes, dtype))
                assert got[name].dtype == want.dtype and got[name].tolist() == want.tolist(), name
            small = x[:n].astype(ml_dtypes.float8_e5m2)
            assert got["FLOAT8E5M2"].tolist() == small.tolist() and got["back"].tolist() == small.astype(np.int32).tolist()


def test_moves_of_bfloat16(relax):
    """Elements that are only moved, also through branches of a kernel, keep their bits: NaNs with their payload."""
    infos = [helper.make_tensor_value_info("x", TensorProto.BFLOAT16, ["n", 2]),
             helper.make_tensor_value_info("c", TensorProto.BOOL, ["n"])]
    graph = helper.make_graph([helper.make_node("Compress", ["x", "c"], ["y"], axis=0)], "g", infos,
                              [helper.make_tensor_value_info("y", TensorProto.BFLOAT16, None)])
    module = relax.onnx.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10))
    for n in [6, 0, 1]:
        bits = np.array([0x7FC1, 0x7F81, 0xFFFF, 1, 0x8000, 0x3F80, 0, 0xFF80, 2, 3, 4, 5], np.uint16)[:2 * n]
        x, c = bits.view(ml_dtypes.bfloat16).reshape(n, 2), np.arange(n) % 3 != 1
        got = module.compile()(x, c)["y"]
        assert got.view(np.uint16).tolist() == x[c].view(np.uint16).tolist()
        np.testing.assert_array_equal(module["main"](x, c)["y"].astype(np.float32), x[c].astype(np.float32))


def test_typed_fields(tool, tmp_path):
    """Constants in the fields of their element type instead of raw bytes, each type."""
    kinds = [TensorProto.DataType.Name(kind) for kind in (FLOAT, INT32, UINT8)]
    kinds += ["INT8", "INT16", "INT64", "UINT16", "UINT32", "UINT64", "BOOL", "FLOAT16", "DOUBLE"]
    constants = [helper.make_tensor(f"c{kind}", getattr(TensorProto, kind), [5], [1, 0, 3, 100, 77]) for kind in kinds]
    what = model([node("Gather", f"c{kind} i", f"y{kind}") for kind in kinds], {"i": (["n"], TensorProto.INT64)}, {})
    what.graph.initializer.extend(constants)
    what.graph.output.extend(helper.make_tensor_value_info(f"y{kind}", getattr(TensorProto, kind), ["n"]) for kind in kinds)
    compare(tool, tmp_path, what, [{"i": np.array([4, 3, 2, 1, 0])}, {"i": np.array([3])}])
