# Licensed under the Apache License, Version 2.0. See LICENSE.
"""A real model end to end: Magika's classifier, compiled once, at many batch sizes, and what can be wrong with it."""
import pathlib
import re
import struct
import subprocess

import magika
import numpy as np
import onnxruntime
import pytest

MODEL = pathlib.Path(magika.__file__).parent / "models/standard_v3_3/model.onnx"
BATCHES = [64, 1, 17, 0, 3]
CODE_SECTION = 3


@pytest.fixture(scope="module")
def artifact(tool, tmp_path_factory):
    path = tmp_path_factory.mktemp("magika") / "magika.rlx"
    compiled = tool("relax-compile", MODEL, "-o", path)
    assert compiled.returncode == 0, compiled.stderr
    return path


def tokens(batch):
    return np.random.default_rng(batch).integers(0, 257, (batch, 2048), dtype=np.int32)


def run(tool, artifact, folder, **inputs):
    """One call that must fail; returns the message."""
    np.savez(folder / "in.npz", **inputs)
    process = tool("relax-run", artifact, "--inputs", folder / "in.npz", "--outputs", folder / "out.npz")
    assert process.returncode == 1
    assert not (folder / "out.npz").exists()
    return process.stderr


def test_batches_in_one_process(tool, artifact, tmp_path):
    command = []
    for index, batch in enumerate(BATCHES):
        np.savez(tmp_path / f"in{index}.npz", bytes=tokens(batch))
        command += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    process = tool("relax-run", artifact, *command)
    assert process.returncode == 0, process.stderr
    reference = onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])
    for index, batch in enumerate(BATCHES):
        with np.load(tmp_path / f"out{index}.npz") as outputs:
            assert outputs.files == ["target_label"]
            scores = outputs["target_label"]
        assert scores.shape == (batch, 214) and scores.dtype == np.float32
        if batch:
            expected = reference.run(None, {"bytes": tokens(batch)})[0]
            assert np.abs(scores - expected).max() <= 1e-5


def test_no_compiler_library(artifact, build, tmp_path):
    """Neither relax-run nor the code inside the artifact needs one."""
    data = artifact.read_bytes()
    count, = struct.unpack_from("<I", data, 28)
    sections = [struct.unpack_from("<IIQQQ", data, 40 + 32 * index) for index in range(count)]
    offset, size = next((offset, size) for kind, _, offset, size, _ in sections if kind == CODE_SECTION)
    code = tmp_path / "code.so"
    code.write_bytes(data[offset:offset + size])
    for path in (code, build / "bin/relax-run"):
        linked = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
        assert not re.search(r"MLIR|LLVM|RelaxDialect", linked), linked


@pytest.mark.parametrize(
    "value, words",
    [
        (np.zeros(2048, np.int32), ["bytes", "rank", "1", "2"]),
        (np.zeros((1, 2048), np.int64), ["bytes", "int64", "int32"]),
        (np.zeros((2, 2047), np.int32), ["bytes", "2047", "2048"]),
    ],
    ids=["rank", "element type", "fixed dimension"],
)
def test_wrong_input(tool, artifact, tmp_path, value, words):
    message = run(tool, artifact, tmp_path, bytes=value)
    for word in words:
        assert word in message


def test_missing_input(tool, artifact, tmp_path):
    assert "bytes" in run(tool, artifact, tmp_path, other=tokens(1))


@pytest.mark.parametrize("keep", [0, 10, 4096, 0.5, -1], ids=str)
def test_truncated_artifact(tool, artifact, tmp_path, keep):
    data = artifact.read_bytes()
    damaged = tmp_path / "damaged.rlx"
    damaged.write_bytes(data[:int(len(data) * keep) if isinstance(keep, float) else keep])
    assert "damaged.rlx" in run(tool, damaged, tmp_path, bytes=tokens(1))


def test_flipped_byte(tool, artifact, tmp_path):
    """One byte in each section, and in the header."""
    data = artifact.read_bytes()
    count, = struct.unpack_from("<I", data, 28)
    offsets = [9] + [struct.unpack_from("<IIQQQ", data, 40 + 32 * index)[2] + 5 for index in range(count)]
    damaged = tmp_path / "damaged.rlx"
    for offset in offsets:
        flipped = bytearray(data)
        flipped[offset] ^= 0x40
        damaged.write_bytes(flipped)
        assert run(tool, damaged, tmp_path, bytes=tokens(1)).startswith("relax-run: error: ")


def test_truncated_model(tool, tmp_path):
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(MODEL.read_bytes()[:100000])
    process = tool("relax-compile", broken, "-o", tmp_path / "broken.rlx")
    assert process.returncode == 1 and "broken.onnx" in process.stderr
    assert not (tmp_path / "broken.rlx").exists()
