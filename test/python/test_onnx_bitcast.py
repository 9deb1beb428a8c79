# Licensed under the Apache License, Version 2.0. See LICENSE.
"""BitCast between integers."""
import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_models import FLOAT, INT32

UINT8 = TensorProto.UINT8


def make_bitcast(source, target):
    graph = helper.make_graph([helper.make_node("BitCast", ["x"], ["y"], to=target, name="bits")], "g",
                              [helper.make_tensor_value_info("x", source, ["n"])],
                              [helper.make_tensor_value_info("y", target, ["n"])])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 26)], ir_version=12)


def test_bits_of_integers(relax):
    for source, target, x in [(TensorProto.INT8, UINT8, np.int8([-1, 3, -128])), (TensorProto.BOOL, UINT8, np.array([True, False])),
                              (TensorProto.UINT32, INT32, np.uint32([1, 2**31, 2**32 - 1]))]:
        module = relax.onnx.load(make_bitcast(source, target))
        dtype = helper.tensor_dtype_to_np_dtype(target)
        for run in [module.compile(), module["main"]]:
            for given in [x, x[:0], x[:1]]:
                got = run(given)["y"]
                assert got.dtype == dtype and got.tolist() == given.view(dtype).tolist()
    for source, target, message in [(FLOAT, INT32, "the bits of float as int32 are not supported, only between integers"),
                                    (FLOAT, UINT8, "the bits of float are not those of uint8"),
                                    (UINT8, TensorProto.BOOL, "the bits of uint8 as bool are not supported")]:
        with pytest.raises(relax.RelaxError, match=rf"node 'bits' \(BitCast, ai.onnx, opset 26\): {message}"):
            relax.onnx.load(make_bitcast(source, target))
