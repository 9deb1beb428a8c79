# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Artifacts for AArch64, run under qemu by a runtime that is cross-compiled: every op, products, row kernels, a model."""
import pathlib
import re
import shutil
import subprocess

import every_op
import magika
import numpy as np
import onnxruntime
import pytest

QEMU = shutil.which("qemu-aarch64")
SYSROOT = pathlib.Path("/usr/aarch64-linux-gnu")
MODEL = pathlib.Path(magika.__file__).parent / "models/standard_v3_3/model.onnx"
# DLPack's codes.
KINDS = {"i": 0, "u": 1, "f": 2, "b": 6}


def run(*command, **more):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=900, **more)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def runner(root, build, tmp_path_factory):
    """test/Cross/Inputs/call-functions.c and the runtime for AArch64."""
    if not QEMU or not SYSROOT.is_dir() or not pathlib.Path("/usr/lib/gcc-cross/aarch64-linux-gnu").is_dir():
        pytest.skip("qemu-user or the cross libraries for arm64 are not installed")
    if re.search("^RELAX_SANITIZE:BOOL=ON$", (build / "CMakeCache.txt").read_text(), re.MULTILINE):
        pytest.skip("the sanitized build tests this machine's code")
    folder = tmp_path_factory.mktemp("aarch64")
    run("cmake", "-G", "Ninja", "-S", root, "-B", folder, "-DRELAX_RUNTIME_ONLY=ON",
        "--toolchain", root / "cmake/toolchains/aarch64-linux-gnu.cmake")
    run("cmake", "--build", folder)
    program = folder / "call-functions"
    run("clang-22", "--target=aarch64-linux-gnu", "-fuse-ld=lld", "-Wall", "-Werror", root / "test/Cross/Inputs/call-functions.c", "-o", program,
        f"-I{root / 'include'}", f"-L{folder / 'lib'}", "-lrelax_runtime", f"-Wl,-rpath,{folder / 'lib'}")
    return program


def describe(array):
    bits = 8 if array.dtype.kind == "b" else 8 * array.dtype.itemsize
    return " ".join(map(str, [KINDS[array.dtype.kind], bits, array.ndim, *array.shape]))


def element_type(code, bits):
    return np.dtype(np.bool_ if code == KINDS["b"] else {0: "i", 1: "u", 2: "f"}[code] + str(bits // 8))


def call(runner, artifact, calls):
    """A list of outputs, or what was said of a failure, per (function, inputs)."""
    folder = artifact.parent
    lines = []
    with open(folder / "inputs", "wb") as data:
        for function, inputs in calls:
            lines.append(f"{function} {len(inputs)}")
            for array in inputs:
                lines.append(describe(array))
                data.write(np.ascontiguousarray(array).tobytes())
    said = iter(run(QEMU, "-L", SYSROOT, runner, artifact, folder / "inputs", folder / "outputs", input="\n".join(lines)).splitlines())
    outcomes = []
    with open(folder / "outputs", "rb") as data:
        for line in said:
            word, _, rest = line.partition(" ")
            if word == "failed":
                outcomes.append(rest)
                continue
            outputs = []
            for _ in range(int(rest)):
                code, bits, _, *dims = map(int, next(said).split())
                element = element_type(code, bits)
                count = int(np.prod(dims, dtype=np.int64))
                outputs.append(np.frombuffer(data.read(count * element.itemsize), element).reshape(dims))
            outcomes.append(outputs)
    assert len(outcomes) == len(calls)
    return outcomes


def compiled(module, folder):
    path = folder / "model.rlx"
    module.compile_to(path, target="aarch64", functions=["*"])
    return path


def test_the_code_is_neon(tool, tmp_path):
    (tmp_path / "exp.mlir").write_text("""
func.func @main(%x: tensor<?xf32, #relax_sym.shape<[n]>>) -> tensor<?xf32, #relax_sym.shape<[n]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.exp %x : tensor<?xf32, #relax_sym.shape<[n]>>
  return %0 : tensor<?xf32, #relax_sym.shape<[n]>>
}""")
    done = tool("relax-compile", tmp_path / "exp.mlir", "--target=aarch64", "--emit=object", "-o", tmp_path / "exp.o")
    assert done.returncode == 0, done.stderr
    listing = run("llvm-objdump-22", "-d", tmp_path / "exp.o")
    assert "file format elf64-littleaarch64" in listing and re.search(r"\bfmla\s+v\d+\.4s", listing)


def test_every_op(relax, runner, tmp_path):
    """At sizes 0, 1 and more; where an op has no answer the runtime says so."""
    cases = {f"{case.ops[0]}_{index}": case for index, case in enumerate(every_op.CASES)}
    module = relax.Module.parse("\n".join(case.text(name) for name, case in cases.items()))
    calls, wanted = [], []
    for name, case in cases.items():
        for size in sorted({0, 1, 5, *case.fails}):
            inputs = case.inputs(size)
            calls.append((name, list(inputs.values())))
            wanted.append((f"{name} at {size}", case.fails[size][0] if size in case.fails else list(module[name](**inputs).values())))
    wrong = []
    for (where, want), got in zip(wanted, call(runner, compiled(module, tmp_path), calls)):
        try:
            if isinstance(want, str) or isinstance(got, str):
                assert isinstance(want, str) and isinstance(got, str) and want in got, got
                continue
            assert len(got) == len(want)
            for one, other in zip(got, want):
                assert one.shape == other.shape and one.dtype == other.dtype
                floating = other.dtype.kind == "f"
                np.testing.assert_allclose(one, other, rtol=1e-5 if floating else 0, atol=4e-6 if floating else 0)
        except AssertionError as error:
            wrong.append(f"{where}: {error}")
    assert not wrong, "\n".join(wrong)


PRODUCTS = """
func.func @main(%x: tensor<?x24xf32, #relax_sym.shape<[n, 24]>>, %w: tensor<24x40xf32>)
    -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = relax.constant dense_resource<weights> : tensor<24x40xf32>
  %0 = relax.matmul %x, %c : (tensor<?x24xf32, #relax_sym.shape<[n, 24]>>, tensor<24x40xf32>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  %1 = relax.matmul %x, %w : (tensor<?x24xf32, #relax_sym.shape<[n, 24]>>, tensor<24x40xf32>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  %2 = relax.softmax %0 {axis = 1 : i64} : (tensor<?x40xf32, #relax_sym.shape<[n, 40]>>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  %3 = relax.add %1, %2 : (tensor<?x40xf32, #relax_sym.shape<[n, 40]>>, tensor<?x40xf32, #relax_sym.shape<[n, 40]>>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  return %3 : tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
}
{-# dialect_resources: { builtin: { weights: "0x04000000WEIGHTS" } } #-}
"""


def test_products_around_the_tile(relax, runner, tmp_path):
    """Packed weights and plain ones, at 0, 1, around a register tile, a prime, large, then small again."""
    random = np.random.default_rng(3)
    weights = random.standard_normal((24, 40)).astype(np.float32) / 8
    module = relax.Module.parse(PRODUCTS.replace("WEIGHTS", weights.tobytes().hex()))
    calls = [("main", [random.standard_normal((n, 24)).astype(np.float32), random.standard_normal((24, 40)).astype(np.float32)])
             for n in [0, 1, 3, 4, 5, 6, 7, 31, 257, 2]]
    for (_, (x, w)), (got,) in zip(calls, call(runner, compiled(module, tmp_path), calls)):
        y = np.exp(x @ weights - (x @ weights).max(-1, keepdims=True, initial=-np.inf))
        np.testing.assert_allclose(got, x @ w + y / y.sum(-1, keepdims=True), rtol=1e-4, atol=1e-5)


def test_magika(relax, runner, tmp_path):
    reference = onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])
    calls = [("main", [np.random.default_rng(n).integers(0, 257, (n, 2048), dtype=np.int32)]) for n in [1, 3]]
    for (_, (x,)), (got,) in zip(calls, call(runner, compiled(relax.onnx.load(MODEL), tmp_path), calls)):
        np.testing.assert_allclose(got, reference.run(None, {"bytes": x})[0], rtol=1e-5, atol=1e-5)
