# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Public models inside of PyPI packages, one artifact each, several sizes in one process, against onnxruntime.

The packages are fetched by name when RELAX_NETWORK_TESTS is set, and kept in the build folder; without them the tests are skipped.
"""
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest
from model_runs import check_model, check_state, compile_model, fetch

RATE = 16000
SILERO = ["silero_vad_16k_op15.onnx", "silero_vad_op18_ifless.onnx", "silero_vad_half.onnx"]
DETECTION, RECOGNITION = "ch_PP-OCRv4_det_infer.onnx", "ch_PP-OCRv4_rec_infer.onnx"
# Sizes, large, small, large, odd. The detection halves its input five times.
PP_OCR = {
    DETECTION: [(2, 320, 352), (1, 32, 32), (2, 320, 352), (3, 96, 160)],
    RECOGNITION: [(4, 48, 320), (1, 48, 32), (4, 48, 320), (3, 48, 173)],
    "ch_ppocr_mobile_v2.0_cls_infer.onnx": [(6, 48, 192), (1, 33, 32), (6, 48, 192), (3, 61, 101)],
}


@pytest.fixture(scope="module")
def compiled(tool, build, tmp_path_factory):
    """compiled(package, member) is a model and its one artifact."""
    done = {}

    def get(package, member):
        if member not in done:
            model = fetch(package, member, build, tmp_path_factory.mktemp("models"))
            compile_model(tool, model, model.with_suffix(".rlx"))
            done[member] = model, model.with_suffix(".rlx")
        return done[member]

    return get


# ===- Voice activity ---------------------------------------------------------------------------------------------===#


def make_speech(batch, chunks, chunk=512, context=64):
    """Chunks with the end of the one before in front, as the models want: a voice-like buzz that comes and goes."""
    time = np.arange(chunks * chunk + context) / RATE
    rows = []
    for row in range(batch):
        pitch = 110 + 30 * row + 15 * np.sin(2 * np.pi * 3 * time)
        phase = 2 * np.pi * np.cumsum(pitch) / RATE
        voice = sum(np.sin(k * phase) / k for k in range(1, 12)) * (np.sin(2 * np.pi * (2 + row) * time) > -0.3)
        rows.append(0.2 * voice + 0.01 * np.random.default_rng(row).standard_normal(len(time)))
    signal = np.array(rows, np.float32)
    return [signal[:, start: start + chunk + context] for start in range(0, chunks * chunk, chunk)]


def silero_inputs(member, samples):
    return {"input": samples} if "half" in member else {"input": samples, "sr": np.array(RATE)}


@pytest.mark.parametrize("member", SILERO)
def test_silero(tool, compiled, tmp_path, member):
    """Batches of any size; the state is random."""
    model, artifact = compiled("silero-vad", member)
    runs = []
    for batch in [8, 1, 8, 3]:
        rng = np.random.default_rng(batch)
        runs.append({**silero_inputs(member, rng.uniform(-1, 1, (batch, 576)).astype(np.float32)),
                     "state": rng.standard_normal((2, batch, 128)).astype(np.float32)})
    check_model(tool, model, tmp_path, runs, artifact)


@pytest.mark.parametrize("member", SILERO)
def test_silero_state(relax, compiled, member):
    """A signal chunk by chunk, with the state that each run returns as the next one's."""
    model, artifact = compiled("silero-vad", member)
    executable = relax.load(artifact)
    for batch in [3, 1]:
        runs = [silero_inputs(member, samples) for samples in make_speech(batch, 30)]
        check_state(executable, model, runs, {"state": ("stateN", np.zeros((2, batch, 128), np.float32))})


# ===- Text in images ---------------------------------------------------------------------------------------------===#


def draw(width, height, texts, size):
    """An image with text, {(x, y): text}, black on white."""
    image, draws, fonts = [pytest.importorskip(f"PIL.{name}") for name in ("Image", "ImageDraw", "ImageFont")]
    picture = image.new("RGB", (width, height), "white")
    for place, text in texts.items():
        draws.Draw(picture).text(place, text, fill="black", font=fonts.load_default(size=size))
    return picture


@pytest.mark.parametrize("member", PP_OCR)
def test_pp_ocr(tool, compiled, tmp_path, member):
    """Images of text, and of noise in the channels, of any number and size."""
    model, artifact = compiled("rapidocr-onnxruntime", member)
    runs = []
    for batch, height, width in PP_OCR[member]:
        picture = np.asarray(draw(width, height, {(4, 4): "Text 123", (9, height // 2): "symbols"}, min(height // 2, 40)))
        noise = np.random.default_rng(width).uniform(-0.1, 0.1, (batch, 3, height, width))
        runs.append({"x": (picture.transpose(2, 0, 1)[None] / 127.5 - 1 + noise).astype(np.float32)})
    check_model(tool, model, tmp_path, runs, artifact)


def test_read_text(build, root, compiled, tmp_path):
    """examples/ocr.py finds and reads the lines of images of two sizes."""
    _, detection = compiled("rapidocr-onnxruntime", DETECTION)
    model, recognition = compiled("rapidocr-onnxruntime", RECOGNITION)
    metadata = {entry.key: entry.value for entry in onnx.load(model).metadata_props}
    (tmp_path / "characters.txt").write_text(metadata["character"], encoding="utf-8")
    pictures = {
        (560, 300): {(30, 30): "Relax 2026", (60, 120): "SYMBOLIC SHAPES", (30, 210): "one artifact"},
        (401, 130): {(20, 40): "Hello World 42"},
    }
    for size, texts in pictures.items():
        draw(*size, texts, 48).save(tmp_path / "image.png")
        process = subprocess.run(
            [sys.executable, root / "examples/ocr.py", tmp_path / "image.png", f"--detection={detection}",
             f"--recognition={recognition}", f"--characters={tmp_path}/characters.txt"],
            capture_output=True, text=True, encoding="utf-8", timeout=600,
            env=os.environ | {"PYTHONPATH": str(build / "python"), "PYTHONIOENCODING": "utf-8"})
        assert process.returncode == 0, process.stderr
        assert process.stdout.splitlines() == list(texts.values())
