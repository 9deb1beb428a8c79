# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Kernels for NVIDIA and AMD run: drivers of CUDA and HIP that emulate the LLVM IR which the assemblers got.

A sample here, with ./check --devices every class of kernel for one chip of NVIDIA and one of AMD for each size of waves.
"""
import os

import generated_models as models
import numpy as np
import pytest
from model_runs import check_close
from test_vulkan import CASES, MODEL, function, make

EVERYTHING = bool(os.environ.get("RELAX_DEVICE_TESTS"))
# No launch, and around tiles of 16 and 32 and workgroups of 64.
SIZES = [0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 101] if EVERYTHING else [0, 1, 63, 64, 65, 101]
TARGETS = ["nvidia:compute_80", "amd:gfx90a", "amd:gfx1100"] if EVERYTHING else ["nvidia:compute_80", "amd:gfx90a"]
SAMPLE = ["exp", "product", "softmax_n", "transpose", "take", "sum_n"]


def brain(values):
    """Numbers of bfloat, to which the values are rounded."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def unbrain(values):
    return (values.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def softmax(a):
    e = np.exp(a - a.max(1, keepdims=True, initial=-np.inf))
    return e / e.sum(1, keepdims=True)


def norm(a):
    return (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5)


def conv(a, b, strides, pad):
    """Of any rank, one image and one group."""
    rank = b.ndim - 2
    a = np.pad(a, [(0, 0), (0, 0)] + [(pad, pad)] * rank)
    windows = np.lib.stride_tricks.sliding_window_view(a, b.shape[2:], tuple(range(2, 2 + rank)))
    windows = windows[(slice(None), slice(None), *(slice(None, None, s) for s in strides))]
    axes = [1, *range(2 + rank, 2 + 2 * rank)]
    return np.moveaxis(np.tensordot(windows, b, (axes, [1, *range(2, 2 + rank)])), -1, 1)


REFERENCE = {
    "exp": np.exp,
    "broadcast": lambda a, b: a + b,
    "half": lambda a, b: a * b,
    "brain": lambda a, b: brain(unbrain(a) + unbrain(b)),
    "long": lambda a, b: a * b,
    "less": lambda a, b: a < b,
    "where": np.where,
    "convert": lambda a: a.astype(np.int8),
    "transpose": np.transpose,
    "slice": lambda a: a[:, 1:6:2],
    "concat": lambda a, b: np.concatenate([a, b], 1),
    "sum": lambda a: a.sum(1),
    "sum_all": np.sum,
    "max": lambda a: a.max(1),
    "softmax": softmax,
    "norm": norm,
    "matmul": np.matmul,
    "conv": lambda a, b: conv(a, b, [1], 1),
    "product": np.matmul,
    "steps": np.matmul,
    "few_rows": np.matmul,
    "batches": np.matmul,
    "image": lambda a, b: conv(a, b, [2, 1], 1),
    "softmax_n": softmax,
    "max_n": lambda a: a.max(1),
    "most": lambda a: a.max(1, initial=-np.inf),
    "least": lambda a: a.min(1, initial=np.iinfo(np.int32).max),
    "most_of_columns": lambda a: a.max(0, initial=-np.inf),
    "sum_n": lambda a: a.sum(1, dtype=np.float32).astype(np.float16),
    "sum_column": lambda a: a.sum(0),
    "norm_n": norm,
    "turn": lambda a: a.transpose(2, 0, 1),
    "take": lambda a, b: a[b],
}


class Emulated:
    """An artifact for CPU and one chip, and what its kernels are."""

    def __init__(self, tool, build, folder, target, source, *options):
        self.tool, self.folder, self.target = tool, folder, target
        self.device, chip = target.split(":")
        compiled = tool("relax-compile", source, f"--target=cpu,{target}", "-o", folder / "f.rlx", f"--save-device-code={folder}/code",
                        *options, timeout=1800)
        assert compiled.returncode == 0 and not compiled.stderr, compiled.stderr
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(build / "drivers"), "DRIVER_CODE": f"{folder}/code",
                            "DRIVER_CHIP": chip.removeprefix("compute_").removeprefix("sm_")}

    def run(self, inputs, *options, device=None, **environment):
        """Results of each, and the counters."""
        command = []
        for index, values in enumerate(inputs):
            np.savez(self.folder / f"in{index}.npz", **values)
            command += ["--inputs", self.folder / f"in{index}.npz", "--outputs", self.folder / f"out{index}.npz"]
        process = self.tool("relax-run", self.folder / "f.rlx", f"--device={device or self.device}", "--counters", *command, *options,
                            env={**self.environment, **environment}, timeout=1800)
        assert process.returncode == 0 and not process.stderr, process.stderr
        results = []
        for index in range(len(inputs)):
            with np.load(self.folder / f"out{index}.npz") as outputs:
                results.append(dict(outputs))
        return results, dict(line.rsplit(": ", 1) for line in process.stdout.splitlines())


@pytest.fixture(scope="module", params=TARGETS)
def emulated(request, tool, build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("emulated")
    names = CASES if EVERYTHING else SAMPLE
    (folder / "all.mlir").write_text("".join(function(f"f_{name}", *CASES[name]) for name in names))
    return Emulated(tool, build, folder, request.param, folder / "all.mlir", "--function=*")


@pytest.mark.parametrize("name", CASES if EVERYTHING else SAMPLE)
def test_class(emulated, name):
    """Every kernel of a class runs on the device, and the results are those of numpy."""
    op, operands, (_, kind) = CASES[name]
    rng = np.random.default_rng(7)
    inputs = [{f"arg{i}": make(element, dims, n, rng) for i, (dims, element) in enumerate(operands)} for n in SIZES]
    results, counters = emulated.run(inputs, "--function", f"f_{name}")
    assert int(counters["device launches"]) > 0 and counters["launches on the CPU"] == "0", counters
    for n, given, made in zip(SIZES, inputs, results):
        actual = made["result0"]
        with np.errstate(all="ignore"):
            expected = np.asarray(REFERENCE[name](*given.values()))
        assert actual.shape == expected.shape, f"n={n}"
        if op.startswith(("matmul", "conv ", "sum ")):
            # What two orders of summing may differ by.
            magnitudes = [np.abs(value) for value in given.values()]
            terms = magnitudes[0].size / max(expected.size, 1) if op.startswith("sum ") else np.prod(
                magnitudes[1].shape[1:] if op.startswith("conv ") else magnitudes[0].shape[-1:])
            bound = 2 * terms * 2.0**-24 * REFERENCE[name](*magnitudes) + (2.0**-10 * np.abs(expected) if kind == "f16" else 0)
            assert (np.abs(actual - expected) <= bound).all(), f"n={n}"
        elif kind in ("f32", "f16"):
            np.testing.assert_allclose(actual, expected, rtol=2e-3 if kind == "f16" else 2e-5, atol=1e-5, err_msg=f"n={n}")
        else:
            assert actual.tobytes() == expected.tobytes(), f"n={n}"


def compare(results, expected):
    for index, (got, want) in enumerate(zip(results, expected, strict=True)):
        assert got.keys() == want.keys()
        for key in want:
            check_close(got[key], want[key], f"{key} at run {index}")


BERT = {**models.SMALL_BERT, "layers": 1}
DECODER = {**models.SMALL_DECODER, "layers": 1}
MODELS = {
    "decoder": (models.save_decoder, DECODER,
                [models.decoder_inputs(*shape, **DECODER) for shape in [(1, 12, 0), (1, 1, 12), (2, 3, 5), (1, 1, 1)]]),
    "bert": (models.save_bert, BERT, [models.bert_inputs(b, s, BERT["vocabulary"]) for b, s in [(2, 17), (1, 1), (2, 0), (1, 9)]]),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS if EVERYTHING else ["decoder"])
def test_model(tool, build, tmp_path, name, target):
    """A layer of a model at many sizes in one process: nothing stays on the CPU, and the results are the CPU's."""
    save, config, inputs = MODELS[name]
    save(tmp_path / "model.onnx", **config)
    emulated = Emulated(tool, build, tmp_path, target, tmp_path / "model.onnx")
    expected, _ = emulated.run(inputs, device="cpu")
    results, counters = emulated.run(inputs)
    assert counters["launches on the CPU"] == "0" and int(counters["device launches"]) == int(counters["kernel launches"]) > 0, counters
    compare(results, expected)


@pytest.mark.skipif(not EVERYTHING, reason="./check --devices")
@pytest.mark.parametrize("target", TARGETS)
def test_magika(tool, build, tmp_path, target):
    emulated = Emulated(tool, build, tmp_path, target, MODEL)
    inputs = [{"bytes": np.random.default_rng(1).integers(0, 257, (batch, 2048), dtype=np.int32)} for batch in [1, 3]]
    expected, _ = emulated.run(inputs, device="cpu")
    results, counters = emulated.run(inputs)
    assert counters["launches on the CPU"] == "0", counters
    compare(results, expected)
