# Licensed under the Apache License, Version 2.0. See LICENSE.
"""onnx.backend.base: relax-compile in a process of its own compiles, the Python package relax runs the artifact."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RELAX_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))
import relax  # noqa: E402


def compile_file(model, artifact, seconds=60):
    """Compiles a model file in a process of its own, which may take so many seconds of CPU time."""
    process = subprocess.run([BUILD / "bin/relax-compile", model, "-o", artifact], capture_output=True, text=True,
                             errors="replace", timeout=20 * seconds,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    if process.returncode:
        lines = process.stderr.strip().splitlines() or ["no message"]
        text = next((line.split("error: ", 1)[1] for line in lines if "error: " in line), lines[-1])
        status = "" if process.returncode == 1 else f"relax-compile ended with status {process.returncode}: "
        raise relax.RelaxError(status + text)


class RelaxRep(BackendRep):
    """A compiled model; `run` takes the inputs in the order of the graph's, or by name."""

    def __init__(self, artifact, inputs):
        self.module = relax.load(artifact)
        self.inputs = inputs

    def run(self, inputs, **_):
        if not isinstance(inputs, dict):
            inputs = dict(zip(self.inputs, inputs))
        return tuple(self.module(**{name: np.asarray(value) for name, value in inputs.items()}).values())


class InterpretedRep(RelaxRep):
    """A model in the reference interpreter of the graph, as it was imported."""

    def __init__(self, path, inputs):
        self.module = relax.onnx.load(path)["main"]
        self.inputs = inputs


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
