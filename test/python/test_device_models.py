# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Whole models on a device: an encoder layer, a decoder layer with a cache, and one process for many sizes."""
import generated_models as models
import numpy as np
import onnx
import pytest
from model_runs import check_close, fetch
from onnx import TensorProto, helper, numpy_helper
from test_vulkan import needs_driver, widen

BERT = {**models.SMALL_BERT, "layers": 1}
DECODER = {**models.SMALL_DECODER, "layers": 1}
CASES = {
    "bert": (models.save_bert, BERT, [models.bert_inputs(b, s, BERT["vocabulary"]) for b, s in [(2, 17), (1, 1), (2, 0), (1, 9)]]),
    "decoder": (models.save_decoder, DECODER,
                [models.decoder_inputs(*shape, **DECODER) for shape in [(1, 12, 0), (1, 1, 12), (2, 3, 5), (1, 1, 1)]]),
}


@needs_driver
@pytest.mark.parametrize("capture", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_model(tool, tmp_path, name, capture):
    """Every kernel runs on the device; recorded launches that are run again give the same bits."""
    save, config, inputs = CASES[name]
    save(tmp_path / "model.onnx", **config)
    options = ["--capture"] if capture else []
    compiled = tool("relax-compile", tmp_path / "model.onnx", "--target=cpu,vulkan", *options, "-o", tmp_path / "model.rlx")
    assert compiled.returncode == 0 and not compiled.stderr, compiled.stderr
    runs = [*inputs, *inputs] if capture else inputs
    results = {}
    for device in ["cpu", "vulkan"]:
        command = []
        for index, given in enumerate(runs):
            np.savez(tmp_path / f"in{index}.npz", **given)
            command += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"{device}{index}.npz"]
        process = tool("relax-run", tmp_path / "model.rlx", f"--device={device}", "--counters", *command)
        assert process.returncode == 0, process.stderr
        assert "launches on the CPU: 0\n" in process.stdout, process.stdout
        counters = dict(line.rsplit(": ", 1) for line in process.stdout.splitlines())
        assert not capture or int(counters["replays"]) > 0, counters
        results[device] = []
        for index in range(len(runs)):
            with np.load(tmp_path / f"{device}{index}.npz") as outputs:
                results[device].append(dict(outputs))
    assert int(counters["device launches"]) == int(counters["kernel launches"]) > 0
    assert 0 < int(counters["waits for the device"]) < int(counters["device launches"]) / 2, counters
    for index, (got, want) in enumerate(zip(results["vulkan"], results["cpu"])):
        for key in want:
            check_close(got[key], want[key], f"{key} at run {index}")
            if capture:
                assert got[key].tobytes() == results["vulkan"][index % len(inputs)][key].tobytes(), f"{key} at run {index}"


def round_to_brain(values):
    """f32 to the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def store_in_brain(path):
    """Weights, inputs and results of f32 become bf16, and with them all between."""
    model = onnx.load(path)
    for initializer in model.graph.initializer:
        if initializer.data_type == TensorProto.FLOAT:
            bits = round_to_brain(numpy_helper.to_array(initializer))
            initializer.CopyFrom(helper.make_tensor(initializer.name, TensorProto.BFLOAT16, bits.shape, bits.tobytes(), raw=True))
    for value in [*model.graph.input, *model.graph.output]:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.BFLOAT16
    onnx.save(model, path)


@needs_driver
def test_brain_decoder(tool, tmp_path):
    """A decoder in bf16, its cache too, runs wholly on the device: several past lengths, short again at the end."""
    models.save_decoder(tmp_path / "model.onnx", **DECODER)
    store_in_brain(tmp_path / "model.onnx")
    compiled = tool("relax-compile", tmp_path / "model.onnx", "--target=cpu,vulkan", "-o", tmp_path / "model.rlx")
    assert compiled.returncode == 0 and not compiled.stderr, compiled.stderr
    shapes = [(1, 12, 0), (1, 1, 12), (2, 3, 5), (1, 1, 0)]
    for index, shape in enumerate(shapes):
        inputs = models.decoder_inputs(*shape, **DECODER)
        np.savez(tmp_path / f"in{index}.npz", **{key: round_to_brain(value).view("V2") if value.dtype == np.float32 else value
                                                 for key, value in inputs.items()})
    for device in ["cpu", "vulkan"]:
        command = [part for index in range(len(shapes))
                   for part in ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"{device}{index}.npz"]]
        process = tool("relax-run", tmp_path / "model.rlx", f"--device={device}", "--counters", *command)
        assert process.returncode == 0, process.stderr
        assert "launches on the CPU: 0\n" in process.stdout, process.stdout
    for index in range(len(shapes)):
        with np.load(tmp_path / f"cpu{index}.npz") as want, np.load(tmp_path / f"vulkan{index}.npz") as got:
            for key in want.files:
                w, g = widen(want[key]), widen(got[key])
                assert w.shape == g.shape and want[key].dtype.kind == "V", key
                # Sums in another order are rounded to the next number at times, which later ops carry on.
                bound = 8 * 2.0**-8 * np.abs(w).max() if key == "logits" else 2 * 2.0**-8 * np.abs(w).max()
                assert np.abs(w - g).max() <= bound, f"{key} at run {index}: {np.abs(w - g).max()} of {np.abs(w).max()}"


@needs_driver
def test_recognition(tool, build, tmp_path):
    """PP-OCRv4's reader of lines, convolutions and attention, of a public package: several widths in one process."""
    model = fetch("rapidocr-onnxruntime", "ch_PP-OCRv4_rec_infer.onnx", build, tmp_path)
    compiled = tool("relax-compile", model, "--target=cpu,vulkan", "-o", tmp_path / "model.rlx", timeout=1800)
    assert compiled.returncode == 0 and not compiled.stderr, compiled.stderr
    shapes = [(1, 48, 32), (2, 48, 61), (1, 48, 32)]
    for index, (batch, height, width) in enumerate(shapes):
        values = np.random.default_rng(width).uniform(-1, 1, (batch, 3, height, width))
        np.savez(tmp_path / f"in{index}.npz", x=values.astype(np.float32))
    for device in ["cpu", "vulkan"]:
        command = [part for index in range(len(shapes))
                   for part in ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"{device}{index}.npz"]]
        process = tool("relax-run", tmp_path / "model.rlx", f"--device={device}", "--counters", *command, timeout=1800)
        assert process.returncode == 0, process.stderr
        assert "launches on the CPU: 0\n" in process.stdout, process.stdout
    for index in range(len(shapes)):
        with np.load(tmp_path / f"cpu{index}.npz") as want, np.load(tmp_path / f"vulkan{index}.npz") as got:
            assert want.files
            for key in want.files:
                check_close(got[key], want[key], f"{key} at run {index}")
