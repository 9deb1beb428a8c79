# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The cases of onnx.backend.test, loaded once and cached: making the node cases takes most of a minute."""
import dataclasses
import importlib
import pathlib
import pickle
import warnings

import numpy as np
import onnx
from onnx import numpy_helper

KINDS = ("node", "pytorch-converted", "pytorch-operator", "simple")


@dataclasses.dataclass
class Case:
    """One test: a model and pairs of inputs (by name) and expected outputs (in order)."""
    name: str
    kind: str
    model: bytes
    data: list
    rtol: float
    atol: float

    def load(self):
        return onnx.load_model_from_string(self.model)


def is_tensor(value):
    is_string = value.type.tensor_type.elem_type == onnx.TensorProto.STRING
    return value.type.WhichOneof("value") == "tensor_type" and not is_string


def _read_value(path, info):
    """A stored input or output; None for what is no tensor of numbers (those cases are excluded)."""
    if not is_tensor(info):
        return None
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return numpy_helper.to_array(tensor)


def _free_inputs(model):
    """Older files list weights as inputs too: those are none."""
    stored = {tensor.name for tensor in model.graph.initializer}
    return [info for info in model.graph.input if info.name not in stored]


def _from_folder(test):
    folder = pathlib.Path(test.model_dir)
    model = onnx.load(folder / "model.onnx")
    data = []
    for part in sorted(folder.glob("test_data_set_*")):
        count = len(list(part.glob("input_*.pb")))
        inputs = {info.name: _read_value(part / f"input_{i}.pb", info)
                  for i, info in enumerate(list(model.graph.input)[:count])}
        wanted = {info.name for info in _free_inputs(model)}
        outputs = [_read_value(part / f"output_{i}.pb", info) for i, info in enumerate(model.graph.output)]
        data.append(({name: value for name, value in inputs.items() if name in wanted}, outputs))
    return model, data


def _as_array(value):
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if isinstance(value, (np.ndarray, np.generic, int, float, bool)) else None


def _from_memory(test):
    data = []
    for inputs, outputs in test.data_sets:
        names = [info.name for info in test.model.graph.input]
        data.append((dict(zip(names, map(_as_array, inputs))), [_as_array(value) for value in outputs]))
    return test.model, data


def _convert(test):
    model, data = _from_folder(test) if test.model is None else _from_memory(test)
    return Case(test.name, test.kind, model.SerializeToString(), data, test.rtol, test.atol)


def load_all(folder):
    """Every case of every kind. `folder` keeps the cache."""
    cache = pathlib.Path(folder) / f"cases-{onnx.__version__}.pickle"
    if cache.exists():
        return pickle.loads(cache.read_bytes())
    from onnx.backend.test.loader import load_model_tests
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [_convert(test) for kind in KINDS for test in load_model_tests(kind=kind)]
    cache.parent.mkdir(parents=True, exist_ok=True)
    part = cache.with_suffix(".part")
    part.write_bytes(pickle.dumps(cases))
    part.replace(cache)
    return cases


def load_modules(names):
    """The node cases that some modules of onnx.backend.test.case.node define, without making all the others."""
    from onnx.backend.test.case.node import _NodeTestCases
    known = len(_NodeTestCases)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            importlib.import_module(f"onnx.backend.test.case.node.{name}")
    return [_convert(test) for test in _NodeTestCases[known:]]
