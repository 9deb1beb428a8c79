# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Kinds of devices: what code for them has, what is refused, and what kernels move, counted on their code."""
import ctypes.util
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import numpy as np
import pytest
from test_vulkan import DEVICES_SECTION, function, needs_driver, sections

F, L = "f32", "i64"
SQUARE = ("matmul %a, %b", [(["64", "64"], F), (["64", "64"], F)], (["64", "64"], F))
LONG = ("multiply %a, %b", [(["n"], L), (["n"], L)], (["n"], L))
EXP = ("exp %a", [(["n", "7"], F)], (["n", "7"], F))


def compile_to(tool, folder, target, *cases, **more):
    text = "".join(function(f"f{i}", *case) for i, case in enumerate(cases))
    (folder / "f.mlir").write_text(text)
    return tool("relax-compile", folder / "f.mlir", "--function=*", f"--target={target}", "-o", folder / "f.rlx", *more.get("options", []))


@needs_driver
@pytest.mark.parametrize("profile", ["1.1", "1.3", "desktop", "mali", "adreno", "apple"])
def test_profile(tool, tmp_path, profile):
    """What a kind of device has not stays on the CPU, with a remark; the rest runs."""
    compiled = compile_to(tool, tmp_path, f"cpu,vulkan:{profile}", EXP, LONG)
    assert compiled.returncode == 0, compiled.stderr
    has_long = profile in ("desktop", "mali", "apple")
    remark = f"runs on the CPU: the target 'vulkan:{profile}' has no 64-bit integers"
    assert (remark in compiled.stderr) != has_long, compiled.stderr
    for name, inputs, launches in [("f0", {"arg0": np.ones((65, 7), np.float32)}, 1),
                                   ("f1", {"arg0": np.arange(65), "arg1": np.arange(65)}, int(has_long))]:
        np.savez(tmp_path / "in.npz", **inputs)
        process = tool("relax-run", tmp_path / "f.rlx", "--function", name, "--device=vulkan", "--counters", "--inputs",
                       tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
        assert process.returncode == 0, process.stderr
        assert f"device launches: {launches}\n" in process.stdout, process.stdout
        with np.load(tmp_path / "out.npz") as outputs:
            expected = np.exp(inputs["arg0"]) if name == "f0" else inputs["arg0"] * inputs["arg1"]
            np.testing.assert_allclose(outputs["result0"], expected, rtol=1e-6)
    process = tool("relax-run", tmp_path / "f.rlx", "--function", "f0", "--device=vulkan:other", "--inputs",
                   tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
    assert process.returncode == 1 and "no code for device 'vulkan:other'" in process.stderr, process.stderr


def test_own_description(tool, tmp_path):
    path = tmp_path / "board.json"
    good = {"features": ["int8", "float16"], "workgroup": 128, "shared": 16384}
    for change, text in [({}, ""), ({"features": ["int9"]}, "unknown feature 'int9'"), ({"features": 1}, "expected a list 'features'"),
                         ({"workgroup": 32}, "expected a 'workgroup' of at least 64 invocations"),
                         ({"shared": 1}, "expected 'shared' of at least 16384 bytes")]:
        path.write_text(json.dumps({**good, **change}))
        compiled = compile_to(tool, tmp_path, f"cpu,vulkan:{path}", EXP, LONG)
        assert (compiled.returncode == 0) == (not text) and text in compiled.stderr, compiled.stderr
    for target in ["vulkan:none.json", "vulkan:abacus"]:
        compiled = compile_to(tool, tmp_path, f"cpu,{target}", EXP)
        assert compiled.returncode == 1, compiled.stderr
        assert "'none.json': No such file" in compiled.stderr or "unknown device 'vulkan:abacus', expected" in compiled.stderr


def report(tool, folder, *cases):
    compiled = compile_to(tool, folder, "cpu,vulkan", *cases, options=["--report"])
    assert compiled.returncode == 0, compiled.stderr
    return compiled.stdout


def bytes_of(line):
    reads, writes = re.search(r"reads (\d+) bytes, writes (\d+) bytes", line).groups()
    return int(reads) + int(writes)


def test_bytes_of_product(tool, tmp_path):
    """A tile reads its rows and columns once, and writes itself once."""
    text = report(tool, tmp_path, SQUARE)
    assert "tiles, workgroup 64, shared memory 4224 bytes, grid 4" in text, text
    line, = re.findall("unit: .*", text)
    assert bytes_of(line) <= 1.1 * 4 * (32 * 64 + 64 * 32 + 32 * 32), line
    assert re.search(r"(\d+) flops", line)[1] == str(2 * 32 * 32 * 64 + 32 * 32), line


def test_bytes_of_vector_product(tool, tmp_path):
    """One row times a matrix: 64 columns of a workgroup; sizes are only known when it runs."""
    text = report(tool, tmp_path, ("matmul %a, %b", [(["1", "k"], F), (["k", "n"], F)], (["1", "n"], F)))
    first = text.index("loop: ")
    assert "tiles, workgroup 64" in text[:first], text
    assert bytes_of(text[first:]) <= 1.1 * 4 * (16 + 16 * 64), text


@pytest.mark.skipif(not shutil.which("spirv-val"), reason="no spirv-val: apt-get install spirv-tools")
@pytest.mark.parametrize("target", ["opencl", "vulkan:1.3", "vulkan:mali"])
def test_valid_spirv(tool, tmp_path, target):
    most = ("max %a {axes = array<i64: 1>}", [(["5", "n + 1"], F)], (["5"], F))
    compiled = compile_to(tool, tmp_path, f"cpu,{target}", EXP, SQUARE, most)
    assert compiled.returncode == 0 and not compiled.stderr, compiled.stderr
    words = sections(tmp_path / "f.rlx")[DEVICES_SECTION]
    starts = [m.start() for m in re.finditer(struct.pack("<I", 0x07230203), words)]
    assert len(starts) == 3
    environment = "opencl2.1" if target == "opencl" else "vulkan1.1"
    for start in starts:
        size, = struct.unpack_from("<I", words, start - 4)
        (tmp_path / "k.spv").write_bytes(words[start:start + 4 * size])
        process = subprocess.run(["spirv-val", "--target-env", environment, tmp_path / "k.spv"], capture_output=True, text=True)
        assert process.returncode == 0, process.stdout + process.stderr


@pytest.fixture(scope="module")
def loader(tmp_path_factory):
    """The environment in which a CPU device takes SPIR-V: nothing to do, or a loader in front of the system's that translates."""
    real = ctypes.util.find_library("OpenCL")
    compiler = shutil.which("clang-22") or shutil.which("cc")
    if not real or not compiler or not shutil.which("llvm-spirv-15"):
        return None
    folder = tmp_path_factory.mktemp("loader")
    subprocess.run([compiler, "-shared", "-fPIC", f'-DREAL_LOADER="{find_path(real)}"', "-o", folder / "libOpenCL.so.1",
                    pathlib.Path(__file__).parent / "Inputs/opencl_spirv.c", "-ldl"], check=True)
    return {**os.environ, "LD_LIBRARY_PATH": str(folder)}


def find_path(library):
    """Where the system's loader finds a library."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return next(line.rsplit(" => ")[1] for line in cache.splitlines() if line.split()[:1] == [library])


def test_opencl(tool, tmp_path, loader):
    """Where a platform takes SPIR-V the results are the CPU's; elsewhere there is a message, and the CPU works."""
    softmax = ("softmax %a {axis = 1 : i64}", [(["5", "n"], F)], (["5", "n"], F))
    product = ("matmul %a, %b", [(["n", "40"], F), (["40", "33"], F)], (["n", "33"], F))
    assert compile_to(tool, tmp_path, "cpu,opencl", softmax, product, LONG).returncode == 0
    rng = np.random.default_rng(3)
    reason = None
    for n in [0, 1, 31, 32, 33, 101]:
        for name, inputs in [("f0", [rng.standard_normal((5, n))]),
                             ("f1", [rng.standard_normal((n, 40)), rng.standard_normal((40, 33))]),
                             ("f2", [rng.integers(0, 9, n), rng.integers(0, 9, n)])]:
            kind = np.int64 if name == "f2" else np.float32
            np.savez(tmp_path / "in.npz", **{f"arg{i}": a.astype(kind) for i, a in enumerate(inputs)})
            results = []
            for device in ["cpu", "opencl"]:
                process = tool("relax-run", tmp_path / "f.rlx", "--function", name, f"--device={device}", "--inputs",
                               tmp_path / "in.npz", "--outputs", tmp_path / "out.npz", "--counters",
                               env=loader if device == "opencl" else None)
                if process.returncode and device == "opencl":
                    assert process.stderr.startswith("relax-run: error: device 'opencl' is unavailable: "), process.stderr
                    reason = process.stderr.strip()
                    continue
                assert process.returncode == 0, process.stderr
                assert "launches on the CPU: 0" in process.stdout, process.stdout
                with np.load(tmp_path / "out.npz") as outputs:
                    results.append(outputs["result0"])
            if len(results) == 2:
                bound = 2 * 40 * 2.0**-24 * (np.abs(inputs[0]) @ np.abs(inputs[1])) if name == "f1" else 2e-6
                assert (np.abs(results[1] - results[0]) <= bound).all(), f"{name} n={n}"
    if reason:
        pytest.skip(reason)


def test_no_opencl(tool, tmp_path):
    assert compile_to(tool, tmp_path, "cpu,opencl", EXP).returncode == 0
    np.savez(tmp_path / "in.npz", arg0=np.ones((2, 7), np.float32))
    command = ["relax-run", tmp_path / "f.rlx", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz"]
    process = tool(*command, "--device=opencl", env={"OCL_ICD_VENDORS": str(tmp_path), "OPENCL_VENDOR_PATH": str(tmp_path)})
    assert process.returncode == 1
    assert process.stderr.startswith("relax-run: error: device 'opencl' is unavailable: "), process.stderr
    assert tool(*command).returncode == 0


def test_export(tool, tmp_path):
    """relax-translate writes the code of one kernel, and the host's as LLVM IR."""
    (tmp_path / "f.mlir").write_text(function("f", *SQUARE) + function("g", *EXP))
    for name, after in [("spirv", ["--after=relax-device-kernels-to-spirv"]), ("llvm", [])]:
        compiled = tool("relax-compile", tmp_path / "f.mlir", "--function=*", "--target=cpu,vulkan,opencl", "--emit=mlir", *after,
                        "-o", tmp_path / f"{name}.mlir")
        assert compiled.returncode == 0, compiled.stderr
    export = ["relax-translate", "--export-spirv", tmp_path / "spirv.mlir", "-o", tmp_path / "k.spv"]
    for options, text in [([], "name a target, the module has 'vulkan', 'opencl'"),
                          (["--device=vulkan"], "name a kernel, the module has 'exp', 'matmul'"),
                          (["--device=abacus"], "no target 'abacus'"), (["--device=vulkan", "--kernel=none"], "no kernel 'none'")]:
        process = tool(*export, *options)
        assert process.returncode == 1, process.stderr
        assert text in process.stderr or text.replace("'exp', 'matmul'", "'matmul', 'exp'") in process.stderr, process.stderr
    assert tool(*export, "--device=vulkan", "--kernel=matmul").returncode == 0
    assert (tmp_path / "k.spv").read_bytes()[:4] == struct.pack("<I", 0x07230203)
    process = tool("relax-translate", "--export-llvm", tmp_path / "llvm.mlir")
    assert process.returncode == 0 and "define " in process.stdout, process.stderr
    process = tool("relax-translate", "--export-spirv", tmp_path / "f.mlir")
    assert process.returncode == 1 and "the module has no code for devices" in process.stderr, process.stderr
    process = tool("relax-translate", tmp_path / "f.mlir")
    assert process.returncode == 1 and "expected one of --import-onnx" in process.stderr, process.stderr
