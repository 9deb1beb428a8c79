# Licensed under the Apache License, Version 2.0. See LICENSE.
"""BitCast, and Cast to powers of two, which looks at bits."""
import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_models import FLOAT, INT32, INT64

UINT8 = TensorProto.UINT8


def make_bitcast(source, target):
    graph = helper.make_graph([helper.make_node("BitCast", ["x"], ["y"], to=target, name="bits")], "g",
                              [helper.make_tensor_value_info("x", source, ["n"])],
                              [helper.make_tensor_value_info("y", target, ["n"])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 26)], ir_version=12)


def test_bits(relax):
    for source, target, x in [(TensorProto.INT8, UINT8, np.int8([-1, 3, -128])), (TensorProto.BOOL, UINT8, np.array([True, False])),
                              (TensorProto.UINT32, INT32, np.uint32([1, 2**31, 2**32 - 1])),
                              (FLOAT, INT32, np.uint32([0, 1, 2**31, 0x7f800000, 0x3f800000]).view(np.float32)),
                              (INT32, FLOAT, np.int32([0, 1, -2**31, 0x7f800000])),
                              (TensorProto.DOUBLE, TensorProto.UINT64, np.float64([1.5, -0.0, np.inf])),
                              (INT64, TensorProto.DOUBLE, np.int64([5, 2**62])),
                              (TensorProto.FLOAT16, TensorProto.INT16, np.float16([1, -2, 6e-8])),
                              (TensorProto.INT16, TensorProto.FLOAT16, np.int16([1, -2000, 31744]))]:
        module = relax.onnx.load(make_bitcast(source, target))
        dtype = helper.tensor_dtype_to_np_dtype(target)
        for run in [module.compile(), module["main"]]:
            for given in [x, x[:0], x[:1]]:
                got = run(given)["y"]
                assert got.dtype == dtype and got.tobytes() == given.tobytes(), (source, target)
    # The interpreter has one NaN, compiled code keeps its bits.
    nans = np.uint32([0x7fc01234, 0xffc00001])
    assert relax.onnx.load(make_bitcast(FLOAT, INT32)).compile()(nans.view(np.float32))["y"].tobytes() == nans.tobytes()
    for source, target, message in [(FLOAT, UINT8, "the bits of float are not those of uint8"),
                                    (UINT8, TensorProto.BOOL, "the bits of uint8 as bool are not supported")]:
        with pytest.raises(relax.RelaxError, match=rf"node 'bits' \(BitCast, ai.onnx, opset 26\): {message}"):
            relax.onnx.load(make_bitcast(source, target))


POWERS = np.float32([0, 2.0**-149, 2.0**-127, 1.1 * 2.0**-127, 2.0**-126, 0.124, 0.25, 1.1, 1.5, 1.6, 2, 3.9, 2.0**127, 3e38, np.inf, np.nan])


def cast_to_power(x, how, saturates):
    """As ONNX's table has it: exponent and 127, or 255 for NaN."""
    low, high = (0, 254) if saturates else (255, 255)
    if np.isnan(x) or x == 0 or np.isinf(x):
        return 255 if np.isnan(x) else low if x == 0 else high
    mantissa, exponent = np.frexp(np.float64(x))  # x = mantissa * 2 ** exponent, mantissa in [0.5, 1)
    code = int(exponent) - 1 + 127
    code += how == "up" and mantissa > 0.5 or how == "nearest" and mantissa >= 0.75
    return max(code, 0) if code <= 254 else high


def test_cast_to_powers(relax):
    for how in ["up", "down", "nearest"]:
        for saturates in [1, 0]:
            if (how, saturates) == ("nearest", 0):
                continue  # relax.astype, tested there
            graph = helper.make_graph(
                [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT8E8M0, round_mode=how, saturate=saturates)], "g",
                [helper.make_tensor_value_info("x", FLOAT, ["n"])],
                [helper.make_tensor_value_info("y", TensorProto.FLOAT8E8M0, ["n"])])
            module = relax.onnx.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=12))
            want = [cast_to_power(x, how, saturates) for x in POWERS]
            for run in [module.compile(), module["main"]]:
                got = run(POWERS)["y"]
                assert np.asarray(got).view(np.uint8).tolist() == want, (how, saturates)
