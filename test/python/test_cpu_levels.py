# Licensed under the Apache License, Version 2.0. See LICENSE.
"""One artifact with code for several levels of CPU: each level against the reference, the choice, and what goes wrong."""
import os
import pathlib
import struct

import magika
import numpy as np
import onnxruntime
import pytest

MODEL = pathlib.Path(magika.__file__).parent / "models/standard_v3_3/model.onnx"
LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
FEATURES = {"x86-64": [], "x86-64-v2": ["sse4_2"], "x86-64-v3": ["avx2", "fma", "f16c", "bmi2", "movbe"],
            "x86-64-v4": ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]}
LEVELS_SECTION = 6
# 40 columns: a panel for 512 bits and a part of one. 24 and 7 steps: full and partial rows.
PROGRAM = """
func.func @main(%x: tensor<?x24xf32, #relax_sym.shape<[n, 24]>>, %w: tensor<24x40xf32>)
    -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = relax.constant dense_resource<weights> : tensor<24x40xf32>
  %0 = relax.matmul %x, %c : (tensor<?x24xf32, #relax_sym.shape<[n, 24]>>, tensor<24x40xf32>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  %1 = relax.matmul %x, %w : (tensor<?x24xf32, #relax_sym.shape<[n, 24]>>, tensor<24x40xf32>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  %2 = relax.exp %0 : tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  %3 = relax.add %1, %2 : (tensor<?x40xf32, #relax_sym.shape<[n, 40]>>, tensor<?x40xf32, #relax_sym.shape<[n, 40]>>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  return %3 : tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
}
{-# dialect_resources: { builtin: { weights: "0x04000000WEIGHTS" } } #-}
"""


def machine_has(level):
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return os.uname().machine == "x86_64" and all(
        feature in flags for known in LEVELS[: LEVELS.index(level) + 1] for feature in FEATURES[known])


def highest():
    return [level for level in LEVELS if machine_has(level)][-1]


@pytest.fixture(scope="module")
def folder(tool, tmp_path_factory):
    if os.uname().machine != "x86_64":
        pytest.skip("the levels are those of x86-64")
    path = tmp_path_factory.mktemp("levels")
    weights = np.random.default_rng(1).standard_normal((24, 40)).astype(np.float32) / 8
    np.save(path / "weights.npy", weights)
    (path / "small.mlir").write_text(PROGRAM.replace("WEIGHTS", weights.tobytes().hex()))
    for source, name in [(path / "small.mlir", "small"), (MODEL, "magika")]:
        # In any order.
        done = tool("relax-compile", source, "-o", path / f"{name}.rlx", "--target=x86-64-v4,x86-64,x86-64-v3")
        assert done.returncode == 0 and not done.stderr, done.stderr
    return path


def run(tool, artifact, folder, inputs, *options, **more):
    command = []
    for index, given in enumerate(inputs):
        np.savez(folder / f"in{index}.npz", **given)
        command += ["--inputs", folder / f"in{index}.npz", "--outputs", folder / f"out{index}.npz"]
    return tool("relax-run", artifact, *command, *options, **more)


def check(tool, artifact, folder, inputs, expected, level, tolerance):
    done = run(tool, artifact, folder, inputs, f"--cpu-level={level}", "--counters")
    if not machine_has(level):
        assert done.returncode == 1
        assert f"level '{level}': compiled for a CPU with" in done.stderr, done.stderr
        assert "which this machine does not have" in done.stderr
        pytest.skip(f"this machine is no {level}: refused, not run")
    assert done.returncode == 0, done.stderr
    assert f"CPU level: {level}\n" in done.stdout
    for index, want in enumerate(expected):
        with np.load(folder / f"out{index}.npz") as outputs:
            got, = outputs.values()
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("level", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_small_function(tool, folder, tmp_path, level):
    random = np.random.default_rng(2)
    weights = np.load(folder / "weights.npy")
    inputs = [{"arg0": random.standard_normal((n, 24)).astype(np.float32),
               "arg1": random.standard_normal((24, 40)).astype(np.float32)} for n in [0, 1, 5, 6, 7, 33]]
    command = []
    for index, given in enumerate(inputs):
        np.savez(tmp_path / f"in{index}.npz", **given)
        command += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"want{index}.npz"]
    done = tool("relax-interpret", folder / "small.mlir", *command)
    assert done.returncode == 0, done.stderr
    expected = [next(iter(np.load(tmp_path / f"want{index}.npz").values())) for index in range(len(inputs))]
    np.testing.assert_allclose(expected[5], inputs[5]["arg0"] @ inputs[5]["arg1"] + np.exp(inputs[5]["arg0"] @ weights), rtol=1e-4,
                               atol=1e-4)
    check(tool, folder / "small.rlx", tmp_path, inputs, expected, level, 1e-4)


@pytest.mark.parametrize("level", ["x86-64", "x86-64-v3", "x86-64-v4"])
def test_magika(tool, folder, tmp_path, level):
    inputs = [{"bytes": np.random.default_rng(n).integers(0, 257, (n, 2048), dtype=np.int32)} for n in [1, 3]]
    reference = onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])
    check(tool, folder / "magika.rlx", tmp_path, inputs, [reference.run(None, given)[0] for given in inputs], level, 1e-5)


def test_the_highest_is_taken(tool, folder, tmp_path):
    given = {"arg0": np.zeros((2, 24), np.float32), "arg1": np.zeros((24, 40), np.float32)}
    done = run(tool, folder / "small.rlx", tmp_path, [given], "--counters")
    assert done.returncode == 0, done.stderr
    taken = highest() if highest() != "x86-64-v2" else "x86-64"
    assert f"CPU level: {taken}\n" in done.stdout
    done = run(tool, folder / "small.rlx", tmp_path, [given], "--counters", env={**os.environ, "RELAX_CPU_LEVEL": "x86-64"})
    assert "CPU level: x86-64\n" in done.stdout, done.stderr


def test_what_there_is_not(tool, folder, tmp_path):
    given = {"arg0": np.zeros((2, 24), np.float32), "arg1": np.zeros((24, 40), np.float32)}
    done = run(tool, folder / "small.rlx", tmp_path, [given], "--cpu-level=abacus")
    assert done.returncode == 1
    assert "no code for CPU level 'abacus', the artifact has 'x86-64', 'x86-64-v3', 'x86-64-v4'" in done.stderr
    single = tmp_path / "single.rlx"
    assert tool("relax-compile", folder / "small.mlir", "-o", single).returncode == 0
    done = run(tool, single, tmp_path, [given], "--cpu-level=x86-64")
    assert done.returncode == 1
    assert "has code for one CPU level only, RELAX_CPU_LEVEL asks for 'x86-64'" in done.stderr
    foreign = tmp_path / "foreign.rlx"
    done = tool("relax-compile", folder / "small.mlir", "-o", foreign, "--target=aarch64")
    assert done.returncode == 0, done.stderr
    done = run(tool, foreign, tmp_path, [given])
    assert done.returncode == 1
    assert "compiled for aarch64-unknown-linux-gnu, this machine is x86_64" in done.stderr
    if not machine_has("x86-64-v4"):
        done = tool("relax-compile", folder / "small.mlir", "-o", foreign, "--target=aarch64,x86-64-v4")
        assert done.returncode == 0, done.stderr
        done = run(tool, foreign, tmp_path, [given])
        assert done.returncode == 1
        assert "no code for this CPU: level 'x86-64-v4': compiled for a CPU with avx512f" in done.stderr
        assert "; level 'aarch64': compiled for aarch64-unknown-linux-gnu, this machine is x86_64" in done.stderr


def test_a_damaged_level(tool, folder, tmp_path):
    """A flipped bit is found although this code may not be what runs here."""
    data = bytearray((folder / "small.rlx").read_bytes())
    count, = struct.unpack_from("<I", data, 28)
    sections = [struct.unpack_from("<IIQQQ", data, 40 + 32 * index) for index in range(count)]
    offset, size = next((section[2], section[3]) for section in sections if section[0] == LEVELS_SECTION)
    data[offset + size // 2] ^= 1
    (tmp_path / "damaged.rlx").write_bytes(data)
    given = {"arg0": np.zeros((2, 24), np.float32), "arg1": np.zeros((24, 40), np.float32)}
    done = run(tool, tmp_path / "damaged.rlx", tmp_path, [given], "--cpu-level=x86-64")
    assert done.returncode == 1 and "levels section: corrupt" in done.stderr


@pytest.mark.parametrize("options, message", [
    (["--target=x86-64-v3,x86-64-v3"], "target 'x86-64-v3' is given twice"),
    (["--target=cpu,x86-64-v3"], "target 'x86-64-v3' is given twice"),
    (["--target=x86-64-v4+avx512bf16"], "unknown CPU feature 'avx512bf16', expected one of sse3"),
    (["--target=x86-64,x86-64-v3", "--emit=llvm"], "code for several CPUs is only written as an artifact, name one with --target"),
])
def test_wrong_targets(tool, folder, tmp_path, options, message):
    done = tool("relax-compile", folder / "small.mlir", "-o", tmp_path / "out.rlx", *options)
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert not (tmp_path / "out.rlx").exists()


@pytest.mark.parametrize("target, expected", [
    ("x86-64", "<4 x float>"), ("x86-64-v3", "<8 x float>"), ("x86-64-v4+avx512vnni", "<16 x float>"), ("aarch64", "<4 x float>")])
def test_vectors(tool, folder, target, expected):
    done = tool("relax-compile", folder / "small.mlir", "--emit=llvm", f"--target={target}")
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
