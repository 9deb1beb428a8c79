# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Small ONNX models for the tests of the importer."""

import numpy as np
import onnx
import onnxruntime
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


def compare(tool, folder, what, inputs):
    """Compiles once, runs all inputs in one process and compares with onnxruntime."""
    onnx.save(what, folder / "model.onnx")
    compiled = tool("relax-compile", folder / "model.onnx", "-o", folder / "model.rlx")
    assert compiled.returncode == 0, compiled.stderr
    command = []
    for index, given in enumerate(inputs):
        np.savez(folder / f"in{index}.npz", **given)
        command += ["--inputs", folder / f"in{index}.npz", "--outputs", folder / f"out{index}.npz"]
    process = tool("relax-run", folder / "model.rlx", *command)
    assert process.returncode == 0, process.stderr
    reference = onnxruntime.InferenceSession(folder / "model.onnx", providers=["CPUExecutionProvider"])
    names = [info.name for info in what.graph.output]
    wrong = []
    for index, given in enumerate(inputs):
        with np.load(folder / f"out{index}.npz") as outputs:
            for name, want in zip(names, reference.run(names, given)):
                got = outputs[name]
                if got.shape != want.shape or got.dtype != want.dtype:
                    wrong.append(f"{name} at {index}: {got.dtype}{got.shape}, expected {want.dtype}{want.shape}")
                elif not np.allclose(got, want, rtol=1e-4, atol=1e-4, equal_nan=True):
                    place = np.unravel_index(np.argmax(~np.isclose(got, want, rtol=1e-4, atol=1e-4, equal_nan=True)),
                                             got.shape)
                    wrong.append(f"{name} at {index}: {got[place]} at {place}, expected {want[place]}")
    assert not wrong, "\n".join(wrong)
