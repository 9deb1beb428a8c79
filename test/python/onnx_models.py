# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Small ONNX models for the tests of the importer."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
FLOAT, INT64, INT32, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL


def value(name, shape, kind=FLOAT):
    """An input or output: shape is a list of numbers and dim_params, None entries unnamed."""
    return helper.make_tensor_value_info(name, kind, shape)


def tensor(name, array, kind=None):
    array = np.asarray(array)
    if array.dtype == np.float64 and kind is None:
        array = array.astype(np.float32)
    return numpy_helper.from_array(array, name)


def node(op, inputs, outputs="y", **attributes):
    """A node named after its first output; `inputs` and `outputs` are words."""
    outputs = outputs.split()
    return helper.make_node(op, inputs.split(" ") if inputs else [], outputs, name=f"node_{outputs[0]}", **attributes)


def model(nodes, inputs, outputs, constants=None, opset=OPSET, **more):
    """`inputs` and `outputs` map names to shapes or (shape, kind); `constants` maps names to arrays."""

    def values(entries):
        return [
            value(name, *entry) if isinstance(entry, tuple) else value(name, entry) for name, entry in entries.items()
        ]

    graph = helper.make_graph(
        nodes if isinstance(nodes, list) else [nodes],
        "graph",
        values(inputs),
        values(outputs),
        [tensor(name, array) for name, array in (constants or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10, **more)
