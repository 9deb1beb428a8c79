# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Products of integers of 8 bits with weights in blocks: exact in every format, the same at every level of CPU, and
what relax-quantize-activations makes of products of floats."""
import numpy as np
import pytest
from gguf_models import FACTORS, FORMATS, random_blocks
from test_block_ops import decoded, sizes
from test_cpu_levels import machine_has, run
from test_ops import Function, tensor

INTEGERS = [name for name in FORMATS if sizes(name)[0] > 1]
# Where each way of multiplying runs.
LEVELS = ["x86-64", "x86-64-v3", "x86-64-v3+avxvnni", "x86-64-v4", "x86-64-v4+avx512vnni"]
FLAGS = {"x86-64-v3+avxvnni": "avx_vnni", "x86-64-v4+avx512vnni": "avx512_vnni"}
# Numbers of a row, and the largest integer for which a sum is below 2^24.
LENGTH = 512
MOST = {name: 127 for name in INTEGERS} | {"q2_k": 127, "q3_k": 127, "q4_k": 34, "q5_k": 17, "q6_k": 8}
# Rows of both sides: none, one, tiles of eight and of four and what is left of them, vectors with a row in each lane, whole
# and in part, more of them than are copied together, then few again.
SHAPES = [(0, 5), (1, 1), (1, 4), (1, 37), (2, 5), (3, 0), (4, 9), (7, 3), (8, 33), (9, 67), (13, 2), (15, 8), (16, 1),
          (17, 9), (37, 31), (128, 17), (261, 3), (1, 3)]


def runs(level):
    base, _, _ = level.partition("+")
    with open("/proc/cpuinfo") as file:
        return machine_has(base) and (level not in FLAGS or FLAGS[level] in file.read().split())


@pytest.fixture(scope="module")
def artifact(tool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("products")
    functions = []
    for name in INTEGERS:
        count, size = sizes(name)
        function = Function("product_" + name, x=tensor("i8", "b", LENGTH), s=tensor("f32", "b", LENGTH // 32),
                            w=tensor("i8", "n", LENGTH // count, size))
        function.op("y", "quantized_block_matmul %x, %s, %w", ["x", "s", "w"], tensor("f32", "b", "n"), f'{{format = "{name}"}}')
        functions.append(function)
    # More dimensions and symbols, one row, and a part of the integers that something else reads.
    function = Function("shapes", x=tensor("i8", "b", "c", "m * 256"), s=tensor("f32", "b", "c", "m * 8"), w=tensor("i8", 6, "m", 210),
                        v=tensor("i8", "m * 256"), t=tensor("f32", "m * 8"))
    function.op("y", "quantized_block_matmul %x, %s, %w", ["x", "s", "w"], tensor("f32", "b", "c", 6), '{format = "q6_k"}')
    function.op("z", "quantized_block_matmul %v, %t, %w", ["v", "t", "w"], tensor("f32", 6), '{format = "q6_k"}')
    functions.append(function)
    source = folder / "in.mlir"
    source.write_text("\n".join(map(str, functions)))
    done = tool("relax-compile", source, "-o", folder / "out.rlx", "--function=*", "--target=" + ",".join(LEVELS))
    assert done.returncode == 0, done.stderr
    return folder / "out.rlx"


def exact_blocks(name, rows, seed):
    """Random bits, with factors of 1: every number is an integer."""
    blocks = random_blocks(name, rows, LENGTH // sizes(name)[0], seed).copy().view(np.uint8)
    for place in FACTORS[name]:
        blocks[:, :, place:place + 2] = np.array([1], np.float16).view(np.uint8)
    return blocks.view(np.int8)


def exact_case(name, b, n, seed):
    rng = np.random.default_rng(seed)
    most = MOST[name]
    x = rng.integers(-most - 1, most + 1, (b, LENGTH)).astype(np.int8)
    if b:
        x[0, :64] = -128 if most == 127 else most
    w = exact_blocks(name, n, seed)
    if n and name == "q8_0":
        w[0, :, 2:] = -128  # times -128, where b is not 0
    return {"x": x, "s": np.ones((b, LENGTH // 32), np.float32), "w": w}


def results(tool, artifact, folder, function, inputs, level):
    done = run(tool, artifact, folder, inputs, f"--cpu-level={level}", "--function", function)
    assert done.returncode == 0, done.stderr
    return [dict(np.load(folder / f"out{index}.npz")) for index in range(len(inputs))]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", INTEGERS)
def test_exact(tool, artifact, tmp_path, name, level):
    if not runs(level):
        pytest.skip(f"this machine is no {level}")
    inputs = [exact_case(name, b, n, seed) for seed, (b, n) in enumerate(SHAPES)]
    for given, got in zip(inputs, results(tool, artifact, tmp_path, "product_" + name, inputs, level)):
        numbers = decoded(given["w"], name).astype(np.int64)
        want = given["x"].astype(np.int64) @ numbers.T
        assert np.abs(want).max(initial=0) < 2**24
        assert got["y"].shape == want.shape and got["y"].dtype == np.float32
        np.testing.assert_array_equal(got["y"], want)


@pytest.mark.parametrize("name", INTEGERS)
def test_levels_agree(tool, artifact, tmp_path, name):
    """With any factors: the same bits wherever products and sums of floats are fused, near the exact ones everywhere."""
    rng = np.random.default_rng(3)
    inputs = [{"x": rng.integers(-128, 128, (b, LENGTH)).astype(np.int8),
               "s": rng.uniform(0, 0.1, (b, LENGTH // 32)).astype(np.float32),
               "w": random_blocks(name, n, LENGTH // sizes(name)[0], seed=n)} for b, n in SHAPES]
    known = None
    for level in filter(runs, LEVELS):
        got = [one["y"] for one in results(tool, artifact, tmp_path, "product_" + name, inputs, level)]
        for given, one in zip(inputs, got):
            x = given["x"] * np.repeat(given["s"].astype(np.float64), 32, axis=1)
            rows = decoded(given["w"], name).astype(np.float64)
            assert (np.abs(one - x @ rows.T) <= np.abs(x) @ np.abs(rows).T * 1e-6 + 1e-30).all()
        if level == "x86-64":
            continue
        known = known or got
        for one, other in zip(known, got):
            np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32))


def test_rows_do_not_depend_on_each_other(tool, artifact, tmp_path):
    """A row has the same bits alone and among others."""
    rng = np.random.default_rng(4)
    x, s = rng.integers(-128, 128, (29, LENGTH)).astype(np.int8), rng.uniform(0, 1, (29, LENGTH // 32)).astype(np.float32)
    w = random_blocks("q5_0", 21, LENGTH // 32)
    inputs = [{"x": x, "s": s, "w": w}] + [{"x": x[i:i + 1], "s": s[i:i + 1], "w": w} for i in range(29)]
    level = [level for level in LEVELS if runs(level)][-1]
    whole, *rows = (one["y"] for one in results(tool, artifact, tmp_path, "product_q5_0", inputs, level))
    np.testing.assert_array_equal(whole.view(np.uint32), np.concatenate(rows).view(np.uint32))


def test_shapes(tool, artifact, tmp_path):
    rng = np.random.default_rng(5)
    inputs = []
    for b, c, m in [(2, 3, 1), (1, 1, 3), (0, 4, 1), (2, 0, 2), (3, 5, 0), (3, 11, 2)]:
        inputs.append({"x": rng.integers(-128, 128, (b, c, m * 256)).astype(np.int8), "v": rng.integers(-128, 128, m * 256).astype(np.int8),
                       "s": rng.uniform(0, 1, (b, c, m * 8)).astype(np.float32), "t": rng.uniform(0, 1, m * 8).astype(np.float32),
                       "w": random_blocks("q6_k", 6, m)})
    level = [level for level in LEVELS if runs(level)][-1]
    for given, got in zip(inputs, results(tool, artifact, tmp_path, "shapes", inputs, level)):
        rows = decoded(given["w"], "q6_k").astype(np.float64)
        for result, lhs, scales in [("y", "x", "s"), ("z", "v", "t")]:
            x = given[lhs] * np.repeat(given[scales].astype(np.float64), 32, axis=-1)
            want = x @ rows.T
            assert got[result].shape == want.shape
            assert (np.abs(got[result] - want) <= np.abs(x) @ np.abs(rows).T * 1e-6 + 1e-30).all()


#===-----------------------------------------------------------------------===#
# relax-quantize-activations
#===-----------------------------------------------------------------------===#

def rounded(x):
    """What the pass multiplies by."""
    blocks = x.reshape(*x.shape[:-1], x.shape[-1] // 32, 32)
    largest = np.abs(blocks).max(-1, keepdims=True)
    with np.errstate(divide="ignore", over="ignore"):
        inverse = np.where(largest > np.float32(1e-30), np.float32(127) / largest, np.float32(0))
    integers = np.round(blocks * inverse)
    return (integers.astype(np.float64) * (largest * np.float32(1 / 127))).reshape(x.shape)


@pytest.mark.parametrize("name", ["q4_0", "q8_0", "q4_k"])
def test_rounded_activations(tool, tmp_path, name):
    count, size = sizes(name)
    function = Function("main", x=tensor("f32", "b", LENGTH), w=tensor("i8", 7, LENGTH // count, size))
    function.op("y", "block_matmul %x, %w", ["x", "w"], tensor("f32", "b", 7), f'{{format = "{name}"}}')
    (tmp_path / "in.mlir").write_text(str(function))
    rng = np.random.default_rng(6)
    inputs = []
    for b in [1, 0, 3, 9, 1]:
        x = rng.standard_normal((b, LENGTH)).astype(np.float32)
        x[:, :32], x[:, 32:64], x[:, 64] = 0, 1e-38, 100  # nothing, next to nothing, and what leaves few steps for others
        inputs.append({"x": x, "w": random_blocks(name, 7, LENGTH // count)})
    done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "out.rlx", "--quantize-activations")
    assert done.returncode == 0, done.stderr
    done = run(tool, tmp_path / "out.rlx", tmp_path, inputs)
    assert done.returncode == 0, done.stderr
    for index, given in enumerate(inputs):
        got = np.load(tmp_path / f"out{index}.npz")["y"]
        rows, x = decoded(given["w"], name).astype(np.float64), rounded(given["x"])
        want = x @ rows.T
        # A number that lies between two steps may be rounded either way.
        slack = np.abs(x) @ np.abs(rows).T * 1e-5 + 1e-30
        assert got.shape == want.shape and (np.abs(got - want) <= slack).all()
        exact = given["x"].astype(np.float64) @ rows.T
        error = np.abs(x - given["x"]) @ np.abs(rows).T
        assert (np.abs(got - exact) <= error + slack).all()


def test_not_finite(tool, tmp_path):
    """A number that is not finite shows in the results of its row, not in those of others."""
    function = Function("main", x=tensor("f32", "b", 64), w=tensor("i8", 5, 2, 34))
    function.op("y", "block_matmul %x, %w", ["x", "w"], tensor("f32", "b", 5), '{format = "q8_0"}')
    (tmp_path / "in.mlir").write_text(str(function))
    done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "out.rlx", "--quantize-activations")
    assert done.returncode == 0, done.stderr
    x = np.random.default_rng(7).standard_normal((4, 64)).astype(np.float32)
    x[1, 3], x[2, 40] = np.nan, np.inf
    done = run(tool, tmp_path / "out.rlx", tmp_path, [{"x": x, "w": random_blocks("q8_0", 5, 2)}])
    assert done.returncode == 0, done.stderr
    got = np.load(tmp_path / "out0.npz")["y"]
    assert np.isfinite(got[[0, 3]]).all() and not np.isfinite(got[[1, 2]]).any()
