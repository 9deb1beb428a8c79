# Licensed under the Apache License, Version 2.0. See LICENSE.
"""ONNX models as modules of the compiler and as functions of numpy arrays."""
import pathlib
import tempfile

from ._compiler import Module
from ._runtime import Executable


def load(model, *, symbols=None, dims=None, facts=(), opset=0) -> Module:
    """Imports `model`: a path, bytes, or an object with SerializeToString (onnx.ModelProto).

    symbols: {dimension name of an input: other name}; dims: {dimension name: constant}; facts: texts such as
    "batch <= 8", used and checked when the function is called; opset: in the place of the file's. Weights in external
    files are found only from a path, and stay there until the module is compiled.
    """
    folder = None
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        # The module refers to the weights in the file, which goes with it.
        folder = tempfile.TemporaryDirectory(prefix="relax-")
        path = pathlib.Path(folder.name) / "model.onnx"
        path.write_bytes(model)
        model = path
    module = Module._import_onnx(model, dict(symbols or {}), dict(dims or {}), [str(fact) for fact in facts],
                                 opset or 0)
    module._folder = folder
    return module


def from_model(model, *, target="cpu", symbols=None, dims=None, facts=(), opset=0, **options) -> Executable:
    """Imports, compiles and loads `model`. `options` are those of Executable, the others those of load."""
    module = load(model, symbols=symbols, dims=dims, facts=facts, opset=opset)
    return module.compile(target=target, **options)


def compile_model(model, artifact, *, target="cpu", compile_options=None, **options):
    """Imports and compiles `model` to the file `artifact`. `compile_options` are those of relax-default-pipeline, the
    others those of load."""
    load(model, **options).compile_to(artifact, target=target, options=compile_options or {})
