# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Kernels on a Vulkan device against the CPU's: every class of kernel at sizes around a workgroup, and what goes wrong."""
import ctypes.util
import os
import pathlib
import re
import shutil
import struct
import subprocess

import magika
import numpy as np
import pytest

# Around a workgroup; with ./check --devices around each tile, too.
SIZES = [0, 1, *([15, 16, 17, 31, 32, 33] if os.environ.get("RELAX_DEVICE_TESTS") else []), 63, 64, 65, 101]
DEVICES_SECTION = 5
MODEL = pathlib.Path(magika.__file__).parent / "models/standard_v3_3/model.onnx"


def has_driver():
    return ctypes.util.find_library("vulkan") and any(
        any(pathlib.Path(folder).glob("*.json")) for folder in ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"])


needs_driver = pytest.mark.skipif(not has_driver(), reason="no Vulkan driver: apt-get install libvulkan1 mesa-vulkan-drivers")


def tensor(dims, element):
    plain = "x".join(d if d.isdigit() else "?" for d in dims)
    if all(d.isdigit() for d in dims):
        return f"tensor<{'x'.join([*dims, element])}>"
    return f"tensor<{plain}x{element}, #relax_sym.shape<[{', '.join(dims)}]>>"


def function(name, op, operands, result):
    """`operands`: pairs of dims and element type, called %a, %b.."""
    types = [tensor(*operand) for operand in operands]
    args = ", ".join(f"%{chr(97 + i)}: {kind}" for i, kind in enumerate(types))
    signature = f"({', '.join(types)}) -> {tensor(*result)}"
    if op.startswith("exp "):
        signature = types[0]
    return (f"func.func @{name}({args}) -> {tensor(*result)} attributes {{relax_sym.scope = #relax_sym.scope<>}} {{\n"
            f"  %r = relax.{op} : {signature}\n  return %r : {tensor(*result)}\n}}\n")


F, W, B, H, L, R = "f32", "i32", "i1", "f16", "i64", "bf16"
N, NM = ["n"], ["n", "7"]
CASES = {
    "exp": ("exp %a", [(NM, F)], (NM, F)),
    "broadcast": ("add %a, %b", [(NM, F), (["7"], F)], (NM, F)),
    "half": ("multiply %a, %b", [(N, H), (N, H)], (N, H)),
    "brain": ("add %a, %b", [(N, "bf16"), (N, "bf16")], (N, "bf16")),
    "long": ("multiply %a, %b", [(N, L), (N, L)], (N, L)),
    "less": ("less %a, %b", [(N, F), (N, F)], (N, B)),
    "where": ("where %a, %b, %c", [(N, B), (N, W), (N, W)], (N, W)),
    "convert": ("astype %a {dtype = i8}", [(N, F)], (N, "i8")),
    "transpose": ("permute_dims %a {permutation = array<i64: 1, 0>}", [(NM, F)], (["7", "n"], F)),
    "slice": ("slice %a {axes = array<i64: 1>, starts = [#relax_sym.expr<1>], ends = [#relax_sym.expr<6>], "
              "strides = array<i64: 2>}", [(NM, F)], (["n", "3"], F)),
    "concat": ("concat %a, %b {axis = 1 : i64}", [(NM, F), (["n", "2"], F)], (["n", "9"], F)),
    "sum": ("sum %a {axes = array<i64: 1>}", [(NM, F)], (N, F)),
    "sum_all": ("sum %a {axes = array<i64: 0, 1>}", [(NM, F)], ([], F)),
    "max": ("max %a {axes = array<i64: 1>}", [(NM, F)], (N, F)),
    "softmax": ("softmax %a {axis = 1 : i64}", [(NM, F)], (NM, F)),
    "norm": ("layer_norm %a {axes = array<i64: 1>}", [(NM, F)], (NM, F)),
    "matmul": ("matmul %a, %b", [(NM, F), (["7", "n"], F)], (["n", "n"], F)),
    "conv": ("conv %a, %b {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, groups = 1 : i64}", [(["1", "2", "n + 1"], F), (["3", "2", "3"], F)],
             (["1", "3", "n + 1"], F)),
    # Tiles with edges in all directions, and with an unknown number of steps; few rows; batches.
    "product": ("matmul %a, %b", [(["n", "40"], F), (["40", "33"], F)], (["n", "33"], F)),
    "steps": ("matmul %a, %b", [(["9", "n"], F), (["n", "37"], F)], (["9", "37"], F)),
    "few_rows": ("matmul %a, %b", [(["3", "n"], F), (["n", "n"], F)], (["3", "n"], F)),
    "batches": ("matmul %a, %b", [(["2", "n", "20"], F), (["2", "20", "n"], F)], (["2", "n", "n"], F)),
    "image": ("conv %a, %b {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64}",
              [(["1", "3", "n + 1", "9"], F), (["10", "3", "3", "3"], F)], (["1", "10", "n floordiv 2 + 1", "9"], F)),
    # Rows of unknown length, a column, and everything at once.
    "softmax_n": ("softmax %a {axis = 1 : i64}", [(["5", "n"], F)], (["5", "n"], F)),
    "max_n": ("max %a {axes = array<i64: 1>}", [(["3", "n + 1"], W)], (["3"], W)),
    # Most invocations, and with no columns all of them, have nothing of a row: what they hold must be no value of one.
    "most": ("max %a {axes = array<i64: 1>}", [(["5", "n"], F)], (["5"], F)),
    "least": ("min %a {axes = array<i64: 1>}", [(["5", "n"], W)], (["5"], W)),
    "most_of_columns": ("max %a {axes = array<i64: 0>}", [(["n", "6"], F)], (["6"], F)),
    "sum_n": ("sum %a {axes = array<i64: 1>}", [(["n", "n"], H)], (N, H)),
    "sum_column": ("sum %a {axes = array<i64: 0>}", [(["n", "33"], F)], (["33"], F)),
    "norm_n": ("layer_norm %a {axes = array<i64: 1>}", [(["3", "n + 1"], F)], (["3", "n + 1"], F)),
    "turn": ("permute_dims %a {permutation = array<i64: 2, 0, 1>}", [(["3", "n", "33"], F)], (["33", "3", "n"], F)),
    "take": ("take %a, %b {axis = 0 : i64}", [(["11", "3"], F), (N, L)], (["n", "3"], F)),
    # bf16 that is kept from step to step, chosen, moved through memory of a workgroup, or multiplied.
    "brain_max": ("max %a {axes = array<i64: 1>}", [(["3", "n + 1"], R)], (["3"], R)),
    "brain_max_of_columns": ("max %a {axes = array<i64: 0>}", [(["n", "6"], R)], (["6"], R)),
    "brain_take": ("take %a, %b {axis = 0 : i64}", [(["11", "3"], R), (N, L)], (["n", "3"], R)),
    "brain_concat": ("concat %a, %b {axis = 1 : i64}", [(["2", "n", "3"], R), (["2", "1", "3"], R)], (["2", "n + 1", "3"], R)),
    "brain_turn": ("permute_dims %a {permutation = array<i64: 2, 0, 1>}", [(["3", "n", "33"], R)], (["33", "3", "n"], R)),
    "brain_where": ("where %a, %b, %c", [(N, B), (N, R), (N, R)], (N, R)),
    "brain_sum": ("sum %a {axes = array<i64: 1>}", [(["3", "n"], R)], (["3"], R)),
    "brain_softmax": ("softmax %a {axis = 1 : i64}", [(["5", "n"], R)], (["5", "n"], R)),
    "brain_product": ("matmul %a, %b", [(["n", "40"], R), (["40", "33"], R)], (["n", "33"], R)),
}


def make(kind, dims, n, rng):
    shape = [eval(d.replace("floordiv", "//"), {"n": n}) for d in dims]  # noqa: S307 — our own extents
    if kind == "bf16":
        return (rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view("V2")
    if kind in (F, H):
        return (4 * rng.standard_normal(shape)).astype({F: np.float32, H: np.float16}[kind])
    return rng.integers(0, 2 if kind == B else 11, shape).astype({W: np.int32, B: bool, L: np.int64}[kind])


@pytest.fixture(scope="module")
def artifact(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vulkan")
    (folder / "all.mlir").write_text("".join(function(name, *case) for name, case in CASES.items()))
    compiled = tool("relax-compile", folder / "all.mlir", "--function=*", "--target=cpu,vulkan", "-o", folder / "all.rlx")
    assert compiled.returncode == 0, compiled.stderr
    return folder / "all.rlx", compiled.stderr


def widen(array):
    """bf16 as f32."""
    return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32) if array.dtype.kind == "V" else array


def run(tool, path, name, folder, *options, **more):
    command = []
    for n in SIZES:
        command += ["--inputs", folder / f"in{n}.npz", "--outputs", folder / f"out{n}.npz"]
    process = tool("relax-run", path, "--function", name, *command, *options, **more)
    assert process.returncode == 0, process.stderr
    results = []
    for n in SIZES:
        with np.load(folder / f"out{n}.npz") as outputs:
            results.append(outputs["result0"])
    return results, dict(line.rsplit(": ", 1) for line in process.stdout.splitlines())


def rounding_of_sums(tool, path, name, folder):
    """What two orders of summing products may differ by: from the sum of absolute values and the number of terms."""
    bounds = []
    magnitudes = {}
    for n in SIZES:
        with np.load(folder / f"in{n}.npz") as inputs:
            magnitudes[n] = {key: np.abs(value) for key, value in inputs.items()}
    terms = {n: np.prod(m["arg1"].shape[1:] if name in ("conv", "image") else m["arg0"].shape[-1:]) for n, m in magnitudes.items()}
    (folder / "sums").mkdir()
    for n in SIZES:
        np.savez(folder / f"sums/in{n}.npz", **magnitudes[n])
    sums, _ = run(tool, path, name, folder / "sums")
    for n, total in zip(SIZES, sums):
        bounds.append(2 * terms[n] * 2.0**-24 * total)
    return bounds


@needs_driver
@pytest.mark.parametrize("name", CASES)
def test_class(tool, artifact, tmp_path, name):
    path, _ = artifact
    rng = np.random.default_rng(7)
    for n in SIZES:
        np.savez(tmp_path / f"in{n}.npz", **{f"arg{i}": make(kind, dims, n, rng)
                                             for i, (dims, kind) in enumerate(CASES[name][1])})
    expected, _ = run(tool, path, name, tmp_path)
    is_brain = CASES[name][2][1] == R
    is_product = CASES[name][0].startswith(("matmul", "conv ")) and not is_brain
    bounds = rounding_of_sums(tool, path, name, tmp_path) if is_product else [0] * len(SIZES)
    actual, counters = run(tool, path, name, tmp_path, "--device=vulkan", "--counters")
    assert int(counters["device launches"]) > 0 and int(counters["nanoseconds on the device"]) > 0
    assert counters["launches on the CPU"] == "0", counters
    for n, a, e, bound in zip(SIZES, actual, expected, bounds):
        assert a.shape == e.shape and a.dtype == e.dtype
        if is_product:
            assert (np.abs(a - e) <= bound).all(), f"n={n}"
        elif name in ("brain_sum", "brain_softmax", "brain_product"):
            # One rounding to 8 digits of sums that are the same but for their order.
            scale = np.abs(widen(e)).max() if name == "brain_product" and e.size else 1
            np.testing.assert_allclose(widen(a), widen(e), rtol=2.0**-7, atol=1e-5 * scale, err_msg=f"n={n}")
        elif a.dtype in (np.float32, np.float16):
            np.testing.assert_allclose(a, e, rtol=2e-3 if a.dtype == np.float16 else 2e-5, atol=1e-5, err_msg=f"n={n}")
        else:
            assert a.tobytes() == e.tobytes(), f"n={n}"


@needs_driver
def test_error_of_a_kernel(tool, artifact, tmp_path):
    """A check that fails on the device has the message that it has on the CPU."""
    np.savez(tmp_path / "in.npz", arg0=np.zeros((11, 3), np.float32), arg1=np.array([1, 11]))
    for device in ["cpu", "vulkan"]:
        process = tool("relax-run", artifact[0], "--function=take", f"--device={device}", "--inputs", tmp_path / "in.npz",
                       "--outputs", tmp_path / "out.npz")
        assert process.returncode == 1 and "index is out of range" in process.stderr, process.stderr


@needs_driver
def test_not_a_number(tool, artifact, tmp_path):
    values = np.array([[np.nan, 1, 2, 3, 4, 5, 6], [np.inf, -np.inf, 0, -0.0, 1, 2, 3]], np.float32)
    for n in SIZES:
        np.savez(tmp_path / f"in{n}.npz", arg0=values)
    for name in ["max", "exp"]:
        expected, _ = run(tool, artifact[0], name, tmp_path)
        actual, _ = run(tool, artifact[0], name, tmp_path, "--device=vulkan")
        np.testing.assert_allclose(actual[0], expected[0], rtol=1e-6)


def run_values(tool, folder, results, body, values):
    """Runs a function of `%a` on the CPU and on the device: gives the results of each. Nothing stays on the CPU."""
    x = tensor(N, F)
    types = ", ".join([x] * results.count("%"))
    (folder / "f.mlir").write_text(f"func.func @main(%a: {x}) -> ({types}) attributes {{relax_sym.scope = #relax_sym.scope<>}} {{\n"
                                   f"{body}\n  return {results} : {types}\n}}\n")
    assert tool("relax-compile", folder / "f.mlir", "--target=cpu,vulkan", "-o", folder / "f.rlx").returncode == 0
    np.savez(folder / "in.npz", arg0=values)
    for device in ["cpu", "vulkan"]:
        process = tool("relax-run", folder / "f.rlx", f"--device={device}", "--counters", "--inputs", folder / "in.npz", "--outputs",
                       folder / "out.npz")
        assert process.returncode == 0, process.stderr
        assert device == "cpu" or "launches on the CPU: 0\n" in process.stdout, process.stdout
        with np.load(folder / "out.npz") as outputs:
            yield dict(outputs)


@needs_driver
def test_root_of_zero(tool, tmp_path):
    """A driver that holds 1 / sqrt(x) for positive would drop the maximum."""
    x = tensor(N, F)
    body = (f"  %c = relax.constant dense<-4.0> : tensor<f32>\n  %0 = relax.rsqrt %a : {x}\n"
            f"  %1 = relax.maximum %0, %c : ({x}, tensor<f32>) -> {x}")
    for outputs in run_values(tool, tmp_path, "%1", body, np.array([-0.0, 0.0, 4.0, -1.0], np.float32)):
        np.testing.assert_array_equal(outputs["result0"], np.array([-4, np.inf, 0.5, np.nan], np.float32))


@needs_driver
def test_tangent_of_infinity(tool, tmp_path):
    """The tanh form of gelu at -inf is 0 times infinity; a tangent that is not quite -1 would make it -inf."""
    x = tensor(N, F)
    body = (f"  %c = relax.constant dense<1.0> : tensor<f32>\n  %0 = relax.tanh %a : {x}\n"
            f"  %1 = relax.add %0, %c : ({x}, tensor<f32>) -> {x}\n  %2 = relax.multiply %1, %a : ({x}, {x}) -> {x}")
    values = np.array([-np.inf, np.inf, np.nan, -30, 30, -0.0, 1e-3, 0.5, -9.5, 19.5], np.float32)
    for outputs in run_values(tool, tmp_path, "%0, %2", body, values):
        np.testing.assert_allclose(outputs["result0"], np.tanh(values), rtol=1e-6, atol=1e-9)
        assert np.isnan(outputs["result1"][0]) and np.isposinf(outputs["result1"][1])


def sections(path):
    data = pathlib.Path(path).read_bytes()
    count, = struct.unpack_from("<I", data, 28)
    return {kind: data[offset:offset + size]
            for kind, _, offset, size, _ in (struct.unpack_from("<IIQQQ", data, 40 + 32 * i) for i in range(count))}


@pytest.mark.skipif(not shutil.which("spirv-val"), reason="no spirv-val: apt-get install spirv-tools")
def test_valid_spirv(artifact, tmp_path):
    words = sections(artifact[0])[DEVICES_SECTION]
    starts = [m.start() for m in re.finditer(struct.pack("<I", 0x07230203), words)]
    assert len(starts) >= len(CASES)
    for start in starts:
        size, = struct.unpack_from("<I", words, start - 4)
        (tmp_path / "k.spv").write_bytes(words[start:start + 4 * size])
        process = subprocess.run(["spirv-val", "--target-env", "vulkan1.1", tmp_path / "k.spv"], capture_output=True, text=True)
        assert process.returncode == 0, process.stdout + process.stderr


def test_no_driver(tool, artifact, tmp_path):
    """Without a driver there is a message, and the CPU works."""
    np.savez(tmp_path / "in.npz", arg0=np.ones((2, 7), np.float32))
    command = ["relax-run", artifact[0], "--function=exp", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz"]
    environment = {**os.environ, "VK_ICD_FILENAMES": str(tmp_path / "none.json"), "VK_DRIVER_FILES": str(tmp_path / "none.json")}
    process = tool(*command, "--device=vulkan", env=environment)
    assert process.returncode == 1
    assert process.stderr.startswith("relax-run: error: device 'vulkan' is unavailable: "), process.stderr
    assert tool(*command, env=environment).returncode == 0
    process = tool(*command, "--device=abacus")
    assert process.returncode == 1 and "unknown device 'abacus', expected 'cpu', 'vulkan', 'opencl', 'nvidia' or 'amd'" in process.stderr


def test_no_code(tool, tmp_path):
    (tmp_path / "f.mlir").write_text(function("main", *CASES["exp"]))
    assert tool("relax-compile", tmp_path / "f.mlir", "-o", tmp_path / "f.rlx").returncode == 0
    np.savez(tmp_path / "in.npz", arg0=np.ones((2, 7), np.float32))
    process = tool("relax-run", tmp_path / "f.rlx", "--device=vulkan", "--inputs", tmp_path / "in.npz", "--outputs",
                   tmp_path / "out.npz")
    assert process.returncode == 1
    assert "the artifact has no code for device 'vulkan': compile it with --target=cpu,vulkan" in process.stderr
    process = tool("relax-compile", tmp_path / "f.mlir", "--target=abacus", "-o", tmp_path / "g.rlx")
    assert process.returncode == 1 and "unknown target 'abacus'" in process.stderr and "'vulkan'" in process.stderr


@needs_driver
def test_magika(tool, tmp_path):
    """A whole model: every kernel runs on the device, and the result is the CPU's."""
    compiled = tool("relax-compile", MODEL, "--target=cpu,vulkan", "-o", tmp_path / "magika.rlx")
    assert compiled.returncode == 0 and not compiled.stderr, compiled.stderr
    np.savez(tmp_path / "in.npz", bytes=np.random.default_rng(1).integers(0, 257, (1, 2048), dtype=np.int32))
    scores = []
    for device in ["cpu", "vulkan"]:
        process = tool("relax-run", tmp_path / "magika.rlx", "--inputs", tmp_path / "in.npz", "--outputs",
                       tmp_path / "out.npz", f"--device={device}", "--counters")
        assert process.returncode == 0, process.stderr
        assert "launches on the CPU: 0" in process.stdout
        with np.load(tmp_path / "out.npz") as outputs:
            scores.append(outputs["target_label"])
    assert np.abs(scores[0] - scores[1]).max() <= 1e-6


EXTENTS = """
func.func @main(%x: tensor<?x2xf32, #relax_sym.shape<[n, 2]>>, %trip: tensor<i64>) -> tensor<1xi64> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.extract %trip[] : tensor<i64>
  %count = arith.index_cast %t : i64 to index
  %zero = relax.constant dense<0> : tensor<1xi64>
  %i0 = relax.erase_shape %x : tensor<?x2xf32, #relax_sym.shape<[n, 2]>> to tensor<?x2xf32>
  %y, %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %i0, %total = %zero) -> (tensor<?x2xf32>, tensor<1xi64>) {
    %a = relax.match_cast %acc binds [k] : tensor<?x2xf32> to tensor<?x2xf32, #relax_sym.shape<[k, 2]>>
    %s = relax.shape_of %a : tensor<?x2xf32, #relax_sym.shape<[k, 2]>> -> !relax.shape<[k, 2]>
    %m = relax.make_shape %s : (!relax.shape<[k, 2]>) -> !relax.shape<[k]>
    %v = relax.shape_to_tensor %m : !relax.shape<[k]> -> tensor<1xi64>
    %more = relax.add %total, %v : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %next = relax.concat %a, %x {axis = 0 : i64} : (tensor<?x2xf32, #relax_sym.shape<[k, 2]>>, tensor<?x2xf32, #relax_sym.shape<[n, 2]>>) -> tensor<?x2xf32, #relax_sym.shape<[k + n, 2]>>
    %e = relax.erase_shape %next : tensor<?x2xf32, #relax_sym.shape<[k + n, 2]>> to tensor<?x2xf32>
    scf.yield %e, %more : tensor<?x2xf32>, tensor<1xi64>
  }
  return %sum : tensor<1xi64>
}
"""


@needs_driver
def test_memory_of_host_code(tool, tmp_path):
    """A loop tells kernels an extent through the same memory in each step; more steps than copies are kept of it."""
    (tmp_path / "f.mlir").write_text(EXTENTS)
    assert tool("relax-compile", tmp_path / "f.mlir", "--target=cpu,vulkan", "-o", tmp_path / "f.rlx").returncode == 0
    cases = [(0, 3), (1, 3), (2, 1), (5, 0), (150, 2), (3, 1)]
    command = []
    for index, (trip, n) in enumerate(cases):
        np.savez(tmp_path / f"in{index}.npz", arg0=np.ones((n, 2), np.float32), arg1=np.int64(trip))
        command += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
    process = tool("relax-run", tmp_path / "f.rlx", "--device=vulkan", "--counters", *command)
    assert process.returncode == 0, process.stderr
    assert "launches on the CPU: 0\n" in process.stdout, process.stdout
    for index, (trip, n) in enumerate(cases):
        with np.load(tmp_path / f"out{index}.npz") as outputs:
            assert outputs["result0"].tolist() == [n * trip * (trip + 1) // 2], f"trip {trip}, n {n}"
