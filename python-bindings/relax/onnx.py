# Licensed under the Apache License, Version 2.0. See LICENSE.
"""ONNX models as functions of numpy arrays, by the program relax-compile."""
import os
import pathlib
import subprocess
import tempfile

from .runtime import Module, RelaxError


def compile_model(model, artifact, *, symbols=None, dims=None, facts=(), opset=None, target=None, compiler=None,
                  timeout=None):
    """Compiles `model`, a path, to the file `artifact`.

    symbols: {dimension name of an input: other name}; dims: {dimension name: constant}; facts: texts such as
    "batch <= 8", used and checked when the function is called; opset: in the place of the file's; compiler: the path of
    the program, else $RELAX_COMPILE, else what the PATH has. Raises RelaxError with the compiler's message.
    """
    command = [compiler or os.environ.get("RELAX_COMPILE", "relax-compile"), model, "-o", artifact]
    command += [f"--rename-dim={name}={symbol}" for name, symbol in (symbols or {}).items()]
    command += [f"--dim={name}={value}" for name, value in (dims or {}).items()]
    command += [f"--fact={fact}" for fact in facts]
    if opset is not None:
        command.append(f"--opset={opset}")
    if target is not None:
        command.append(f"--target={target}")
    process = subprocess.run([os.fspath(word) for word in command], capture_output=True, text=True, errors="replace",
                             timeout=timeout)
    if process.returncode:
        lines = process.stderr.strip().splitlines() or ["no message"]
        text = next((line.split("error: ", 1)[1] for line in lines if "error: " in line), lines[-1])
        status = "" if process.returncode == 1 else f"relax-compile ended with status {process.returncode}: "
        raise RelaxError(status + text)


def from_model(model, *, function="main", libraries=(), runtime=None, **options):
    """A Module for `model`: a path, bytes, or an object with SerializeToString (onnx.ModelProto).

    `options` are those of compile_model. Weights in external files are found only from a path.
    """
    with tempfile.TemporaryDirectory() as folder:
        artifact = pathlib.Path(folder) / "model.rlx"
        if hasattr(model, "SerializeToString"):
            model = model.SerializeToString()
        if isinstance(model, (bytes, bytearray)):
            path = pathlib.Path(folder) / "model.onnx"
            path.write_bytes(model)
            model = path
        compile_model(model, artifact, **options)
        # The artifact stays open where it is needed: its file may go.
        return Module(artifact, function, libraries, runtime)
