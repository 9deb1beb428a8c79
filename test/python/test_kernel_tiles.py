# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Contractions around the sizes of register tiles (4 rows, 24 columns, blocks of 256 steps) against numpy."""
import numpy as np
import pytest

CODE = """
func.func @{name}(%x: tensor<{m}x{k}x{t}, #relax_sym.shape<[m, k]>>, %w: tensor<{k}x{n}x{t}, #relax_sym.shape<[k, n]>>)
    -> tensor<{m}x{n}x{t}, #relax_sym.shape<[m, n]>> attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %r = relax.matmul %x, %w : (tensor<{m}x{k}x{t}, #relax_sym.shape<[m, k]>>, tensor<{k}x{n}x{t}, #relax_sym.shape<[k, n]>>)
      -> tensor<{m}x{n}x{t}, #relax_sym.shape<[m, n]>>
  return %r : tensor<{m}x{n}x{t}, #relax_sym.shape<[m, n]>>
}}
"""
TRANSPOSED = """
func.func @transposed(%x: tensor<?x?xf32, #relax_sym.shape<[m, k]>>, %w: tensor<?x?xf32, #relax_sym.shape<[n, k]>>)
    -> tensor<?x?xf32, #relax_sym.shape<[m, n]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %t = relax.permute_dims %w {permutation = array<i64: 1, 0>} : (tensor<?x?xf32, #relax_sym.shape<[n, k]>>)
      -> tensor<?x?xf32, #relax_sym.shape<[k, n]>>
  %r = relax.matmul %x, %t : (tensor<?x?xf32, #relax_sym.shape<[m, k]>>, tensor<?x?xf32, #relax_sym.shape<[k, n]>>)
      -> tensor<?x?xf32, #relax_sym.shape<[m, n]>>
  return %r : tensor<?x?xf32, #relax_sym.shape<[m, n]>>
}
"""
BATCHED = """
func.func @batched(%x: tensor<?x?x?xf32, #relax_sym.shape<[b, m, k]>>, %w: tensor<?x?x?xf32, #relax_sym.shape<[b, k, n]>>)
    -> tensor<?x?x?xf32, #relax_sym.shape<[b, m, n]>> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = relax.matmul %x, %w : (tensor<?x?x?xf32, #relax_sym.shape<[b, m, k]>>, tensor<?x?x?xf32, #relax_sym.shape<[b, k, n]>>)
      -> tensor<?x?x?xf32, #relax_sym.shape<[b, m, n]>>
  return %r : tensor<?x?x?xf32, #relax_sym.shape<[b, m, n]>>
}
"""
CONV = """
func.func @conv(%x: tensor<?x3x?x?xf32, #relax_sym.shape<[b, 3, h, w]>>, %f: tensor<?x3x3x3xf32, #relax_sym.shape<[o, 3, 3, 3]>>)
    -> tensor<?x?x?x?xf32, #relax_sym.shape<[b, o, h - 2, w - 2]>>
    attributes {relax_sym.scope = #relax_sym.scope<"h >= 2", "w >= 2">} {
  %r = relax.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<?x3x?x?xf32, #relax_sym.shape<[b, 3, h, w]>>, tensor<?x3x3x3xf32, #relax_sym.shape<[o, 3, 3, 3]>>)
      -> tensor<?x?x?x?xf32, #relax_sym.shape<[b, o, h - 2, w - 2]>>
  return %r : tensor<?x?x?x?xf32, #relax_sym.shape<[b, o, h - 2, w - 2]>>
}
"""
FIXED = {"fixed": (5, 257, 31), "whole": (8, 256, 96), "column": (7, 3, 8)}
TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i32": np.int32, "i8": np.int8}
# Below, at and above a tile or block; the small ones follow the large ones in one process.
SIZES = [(4, 1, 24), (5, 255, 25), (7, 256, 97), (9, 257, 120), (66, 520, 103), (0, 3, 30), (4, 0, 30), (4, 3, 0), (1, 1, 1),
         (3, 40, 7), (6, 13, 31)]


@pytest.fixture(scope="module", params=["cpu", "baseline"])
def run(request, tool, tmp_path_factory):
    """run(function, inputs...) on one artifact of all functions; inputs are tuples of arrays."""
    folder = tmp_path_factory.mktemp("tiles")
    source, artifact = folder / "in.mlir", folder / "out.rlx"
    dynamic = [CODE.format(name=name, m="?", k="?", n="?", t=name) for name in TYPES]
    fixed = [CODE.format(name=name, m=m, k=k, n=n, t="f32").replace(", #relax_sym.shape<[m, k]>", "")
             .replace(", #relax_sym.shape<[k, n]>", "").replace(", #relax_sym.shape<[m, n]>", "")
             for name, (m, k, n) in FIXED.items()]
    source.write_text("\n".join([*dynamic, *fixed, TRANSPOSED, BATCHED, CONV]))
    functions = [*TYPES, *FIXED, "transposed", "batched", "conv"]
    done = tool("relax-compile", source, "-o", artifact, f"--target={request.param}",
                *(f"--function={name}" for name in functions))
    assert done.returncode == 0, done.stderr

    def call(function, inputs, threads=2):
        files = ["--threads", threads]
        for index, arrays in enumerate(inputs):
            np.savez(folder / f"in{index}.npz", **{f"arg{i}": array for i, array in enumerate(arrays)})
            files += ["--inputs", folder / f"in{index}.npz", "--outputs", folder / f"out{index}.npz"]
        done = tool("relax-run", artifact, "--function", function, *files)
        assert done.returncode == 0, done.stderr
        return [np.load(folder / f"out{index}.npz")["result0"] for index in range(len(inputs))]

    return call


def draw(random, shape, dtype):
    """Small integers: every sum is exact, so that a missing or doubled term shows."""
    return random.integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize("name", TYPES)
def test_matmul(run, name):
    random = np.random.default_rng(1)
    inputs = [(draw(random, (m, k), TYPES[name]), draw(random, (k, n), TYPES[name])) for m, k, n in SIZES]
    for (x, w), got in zip(inputs, run(name, inputs)):
        want = x.astype(np.float64 if got.dtype.kind == "f" else np.int64) @ w
        np.testing.assert_array_equal(got, want.astype(got.dtype))


@pytest.mark.parametrize("name", FIXED)
def test_static(run, name):
    random = np.random.default_rng(2)
    m, k, n = FIXED[name]
    x, w = draw(random, (m, k), np.float32), draw(random, (k, n), np.float32)
    np.testing.assert_array_equal(run(name, [(x, w)])[0], x @ w)


@pytest.mark.parametrize("function", ["f32", "f16", "batched", "conv"])
def test_threads_do_not_change_results(run, function):
    random = np.random.default_rng(6)
    shapes = {"batched": [(2, 70, 300), (2, 300, 210)], "conv": [(2, 3, 40, 50), (32, 3, 3, 3)]}
    dtype = TYPES.get(function, np.float32)
    inputs = [tuple(random.standard_normal(shape).astype(dtype) for shape in shapes.get(function, [(70, 600), (600, 210)]))]
    one = run(function, inputs, threads=1)[0]
    for threads in (2, 5):
        np.testing.assert_array_equal(run(function, inputs, threads)[0], one)


def test_transposed(run):
    random = np.random.default_rng(3)
    inputs = [(draw(random, (m, k), np.float32), draw(random, (n, k), np.float32)) for m, k, n in SIZES]
    for (x, w), got in zip(inputs, run("transposed", inputs)):
        np.testing.assert_array_equal(got, x @ w.T)


def test_batched(run):
    random = np.random.default_rng(4)
    inputs = [(draw(random, (b, m, k), np.float32), draw(random, (b, k, n), np.float32))
              for b in (0, 1, 3) for m, k, n in SIZES[2:5]]
    for (x, w), got in zip(inputs, run("batched", inputs)):
        np.testing.assert_array_equal(got, x @ w)


def test_conv(run):
    random = np.random.default_rng(5)
    inputs = [(draw(random, (b, 3, h, w), np.float32), draw(random, (o, 3, 3, 3), np.float32))
              for b, o, h, w in [(1, 4, 10, 12), (2, 7, 9, 35), (1, 33, 5, 29), (2, 3, 5, 5), (1, 5, 2, 9), (0, 5, 4, 9), (1, 0, 4, 9)]]
    for (x, f), got in zip(inputs, run("conv", inputs)):
        b, _, h, w = x.shape
        want = np.zeros((b, f.shape[0], h - 2, w - 2), np.float32)
        for i in range(3):
            for j in range(3):
                want += np.einsum("bchw,oc->bohw", x[:, :, i:h - 2 + i, j:w - 2 + j], f[:, :, i, j])
        np.testing.assert_array_equal(got, want)


PADDED = """
func.func @main(%x: tensor<1x{c}x{h}x{w}xf32>, %f: tensor<{o}x{i}x3x3xf32>) -> tensor<1x{o}x{h}x{w}xf32> {{
  %r = relax.conv %x, %f {{strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = {g} : i64}}
      : (tensor<1x{c}x{h}x{w}xf32>, tensor<{o}x{i}x3x3xf32>) -> tensor<1x{o}x{h}x{w}xf32>
  %a = relax.relu %r : tensor<1x{o}x{h}x{w}xf32>
  return %a : tensor<1x{o}x{h}x{w}xf32>
}}
"""


@pytest.mark.parametrize("c, o, groups, h, w", [(5, 13, 1, 9, 30), (8, 24, 4, 7, 11), (1, 1, 1, 1, 1)])
def test_padded_conv_of_one_image_runs_in_parts(tool, tmp_path, c, o, groups, h, w):
    random = np.random.default_rng(7)
    x, f = draw(random, (1, c, h, w), np.float32), draw(random, (o, c // groups, 3, 3), np.float32)
    source, artifact = tmp_path / "in.mlir", tmp_path / "out.rlx"
    source.write_text(PADDED.format(c=c, o=o, i=c // groups, g=groups, h=h, w=w))
    done = tool("relax-compile", source, "--emit=mlir", "--after=relax-partition-kernels")
    # Every kernel, also the one that makes the zeros, unless there is nothing to divide.
    kernels = done.stdout.count("func.func private @")
    assert done.returncode == 0 and kernels >= 2, done.stderr
    assert done.stdout.count("relax_tp.range") == (kernels if c > 1 else 0)
    assert tool("relax-compile", source, "-o", artifact).returncode == 0
    wide, want = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))), np.zeros((1, o, h, w), np.float32)
    for group in range(groups):
        inside, outside = slice(group * c // groups, (group + 1) * c // groups), slice(group * o // groups, (group + 1) * o // groups)
        for i in range(3):
            for j in range(3):
                want[:, outside] += np.einsum("bchw,oc->bohw", wide[:, inside, i:h + i, j:w + j], f[outside, :, i, j])
    np.savez(tmp_path / "in.npz", arg0=x, arg1=f)
    for threads in (1, 3):
        done = tool("relax-run", artifact, "--threads", threads, "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
        assert done.returncode == 0, done.stderr
        np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["result0"], np.maximum(want, 0))
