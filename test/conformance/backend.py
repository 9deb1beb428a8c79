# Licensed under the Apache License, Version 2.0. See LICENSE.
"""onnx.backend.base over the tools and the Python package relax: a model is compiled to an artifact and run from it."""
import os
import pathlib
import sys
import tempfile

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RELAX_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(ROOT / "python-bindings"))
import relax  # noqa: E402


def compile_file(model, artifact, timeout=120):
    """Compiles a model file."""
    relax.onnx.compile_model(model, artifact, compiler=BUILD / "bin/relax-compile", timeout=timeout)


class RelaxRep(BackendRep):
    """A compiled model; `run` takes the inputs in the order of the graph's, or by name."""

    def __init__(self, artifact, inputs):
        self.module = relax.Module(artifact, runtime=str(BUILD / "lib/librelax_runtime.so"))
        self.inputs = inputs

    def run(self, inputs, **_):
        if not isinstance(inputs, dict):
            inputs = dict(zip(self.inputs, inputs))
        return tuple(self.module(**{name: np.asarray(value) for name, value in inputs.items()}).values())


class RelaxBackend(Backend):
    """The backend: CPU only."""

    @classmethod
    def prepare(cls, model, device="CPU", **_):
        with tempfile.TemporaryDirectory() as folder:
            path, artifact = pathlib.Path(folder) / "model.onnx", pathlib.Path(folder) / "model.rlx"
            path.write_bytes(model.SerializeToString() if isinstance(model, onnx.ModelProto) else model)
            compile_file(path, artifact)
            graph = (model if isinstance(model, onnx.ModelProto) else onnx.load_model_from_string(model)).graph
            stored = {tensor.name for tensor in graph.initializer}
            return RelaxRep(artifact, [info.name for info in graph.input if info.name not in stored])

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **more):
        return cls.prepare(model, device, **more).run(inputs)

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"
