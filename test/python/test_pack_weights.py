# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Products with weights that relax-pack-weights puts in panels, against numpy: any number of rows, few columns, rests."""
import numpy as np
import pytest

TYPES = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i32": np.int32, "i8": np.int8}
# K and N around tiles (24 columns of f32 with AVX2), parts of 96 columns and blocks of 256 steps.
SHAPES = {"f32": [(5, 24), (257, 31), (256, 96), (300, 203), (1, 8), (0, 30), (7, 5), (3, 0)], "f16": [(40, 100)], "f64": [(33, 50)],
          "i32": [(20, 61)], "i8": [(20, 130)]}
ROWS = [0, 1, 2, 3, 4, 5, 7, 66, 1, 3]


def weight(name, array, t):
    text = array.tobytes().hex()
    value = f'dense<"0x{text}">' if text else "dense<>"
    return f'relax.weight_data @{name} : tensor<{"x".join(map(str, array.shape))}x{t}> = {value} : ' \
           f'tensor<{"x".join(map(str, array.shape))}x{t}>'


def product(name, t, rows, array, batch=""):
    """(rows, k) x weight; `rows` is a number, n, or nothing for a vector."""
    *_, k, n = array.shape
    dynamic = rows == "n"
    first = "?x" if dynamic else f"{rows}x" if rows else ""
    x = f"tensor<{batch}{first}{k}x{t}" + (f", #relax_sym.shape<[{batch.replace('x', ', ')}n, {k}]>>" if dynamic else ">")
    y = f"tensor<{batch}{first}{n}x{t}" + (f", #relax_sym.shape<[{batch.replace('x', ', ')}n, {n}]>>" if dynamic else ">")
    w = f"tensor<{'x'.join(map(str, array.shape))}x{t}>"
    return f"""
{weight(name + "_w", array, t)}
func.func @{name}(%x: {x}) -> {y} attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %w = relax.weight @{name}_w : {w}
  %r = relax.matmul %x, %w : ({x}, {w}) -> {y}
  return %r : {y}
}}"""


SHARED = """
{data}
func.func @shared(%x: tensor<?x40xf32, #relax_sym.shape<[n, 40]>>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
    attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %w = relax.weight @both : tensor<40x40xf32>
  %a = relax.matmul %x, %w : (tensor<?x40xf32, #relax_sym.shape<[n, 40]>>, tensor<40x40xf32>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  %b = relax.relu %a : tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  %c = relax.matmul %b, %w : (tensor<?x40xf32, #relax_sym.shape<[n, 40]>>, tensor<40x40xf32>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  return %c : tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
}}
func.func @also_result(%x: tensor<?x40xf32, #relax_sym.shape<[n, 40]>>) -> (tensor<?x40xf32, #relax_sym.shape<[n, 40]>>, tensor<40x40xf32>)
    attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %w = relax.weight @kept : tensor<40x40xf32>
  %a = relax.matmul %x, %w : (tensor<?x40xf32, #relax_sym.shape<[n, 40]>>, tensor<40x40xf32>) -> tensor<?x40xf32, #relax_sym.shape<[n, 40]>>
  return %a, %w : tensor<?x40xf32, #relax_sym.shape<[n, 40]>>, tensor<40x40xf32>
}}
"""


def draw(random, shape, dtype):
    """Small integers: every sum is exact, so that a missing or doubled term shows."""
    return random.integers(-3, 4, shape).astype(dtype)


@pytest.fixture(scope="module", params=["cpu", "baseline"])
def programs(request, tool, tmp_path_factory):
    """(weights by function, call) on one artifact of all functions."""
    folder = tmp_path_factory.mktemp("panels")
    source, artifact = folder / "in.mlir", folder / "out.rlx"
    random, weights, text = np.random.default_rng(1), {}, []
    for t, shapes in SHAPES.items():
        for shape in shapes:
            name = f"{t}_{shape[0]}_{shape[1]}"
            weights[name] = draw(random, shape, TYPES[t])
            text.append(product(name, t, "n", weights[name]))
    for rows in (1, 2, 3, 6, ""):
        name = f"rows{rows}"
        weights[name] = draw(random, (259, 131), np.float32)
        text.append(product(name, "f32", rows, weights[name]))
    weights["batched"] = draw(random, (3, 30, 70), np.float32)
    text.append(product("batched", "f32", "n", weights["batched"], batch="3x"))
    weights["repeated"] = draw(random, (30, 70), np.float32)
    text.append(product("repeated", "f32", "n", weights["repeated"], batch="3x"))
    weights["splat"] = np.full((30, 70), 2, np.float32)
    text.append(product("splat", "f32", "n", weights["splat"]))
    weights["both"], weights["kept"] = draw(random, (40, 40), np.float32), draw(random, (40, 40), np.float32)
    text.append(SHARED.format(data=weight("both", weights["both"], "f32") + "\n" + weight("kept", weights["kept"], "f32")))
    source.write_text("\n".join(text))
    done = tool("relax-compile", source, "-o", artifact, f"--target={request.param}", "--function=*")
    assert done.returncode == 0, done.stderr

    def call(function, inputs, threads=2):
        files = ["--threads", threads]
        for index, x in enumerate(inputs):
            np.savez(folder / f"in{index}.npz", arg0=x)
            files += ["--inputs", folder / f"in{index}.npz", "--outputs", folder / f"out{index}.npz"]
        done = tool("relax-run", artifact, "--function", function, *files)
        assert done.returncode == 0, done.stderr
        return [dict(np.load(folder / f"out{index}.npz")) for index in range(len(inputs))]

    return weights, call


def check(programs, name, shapes, threads=2):
    weights, call = programs
    w, random = weights[name], np.random.default_rng(2)
    inputs = [draw(random, shape, w.dtype) for shape in shapes]
    for x, got in zip(inputs, call(name, inputs, threads)):
        want = x.astype(np.float64 if w.dtype.kind == "f" else np.int64) @ w
        np.testing.assert_array_equal(got["result0"], want.astype(w.dtype))


@pytest.mark.parametrize("name", [f"{t}_{k}_{n}" for t, shapes in SHAPES.items() for k, n in shapes] + ["splat"])
def test_any_rows(programs, name):
    check(programs, name, [(n, programs[0][name].shape[0]) for n in ROWS])


@pytest.mark.parametrize("rows", [1, 2, 3, 6, ""])
def test_fixed_rows(programs, rows):
    check(programs, f"rows{rows}", [(rows, 259) if rows else (259,)])


@pytest.mark.parametrize("name", ["batched", "repeated"])
def test_batch(programs, name):
    check(programs, name, [(3, n, 30) for n in ROWS])


def test_threads(programs):
    for threads in (1, 3, 5):
        check(programs, "f32_300_203", [(n, 300) for n in ROWS], threads)


def test_two_readers(programs):
    weights, call = programs
    x = draw(np.random.default_rng(3), (5, 40), np.float32)
    w = weights["both"]
    np.testing.assert_array_equal(call("shared", [x])[0]["result0"], np.maximum(x @ w, 0) @ w)
    kept = call("also_result", [x])[0]
    np.testing.assert_array_equal(kept["result0"], x @ weights["kept"])
    np.testing.assert_array_equal(kept["result1"], weights["kept"])


TRANSPOSED = """
{data}
func.func @main(%x: tensor<?x{k}xf32, #relax_sym.shape<[n, {k}]>>) -> tensor<?x{n}xf32, #relax_sym.shape<[n, {n}]>>
    attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %w = relax.weight @w : tensor<{n}x{k}xf32>
  %t = relax.permute_dims %w {{permutation = array<i64: 1, 0>}} : (tensor<{n}x{k}xf32>) -> tensor<{k}x{n}xf32>
  %r = relax.matmul %x, %t : (tensor<?x{k}xf32, #relax_sym.shape<[n, {k}]>>, tensor<{k}x{n}xf32>) -> tensor<?x{n}xf32, #relax_sym.shape<[n, {n}]>>
  return %r : tensor<?x{n}xf32, #relax_sym.shape<[n, {n}]>>
}}
"""


def test_transposed_weight_is_no_kernel(tool, tmp_path):
    """A transpose of a weight is done at compile time, and its result is packed."""
    random = np.random.default_rng(4)
    w = draw(random, (203, 150), np.float32)
    source, artifact = tmp_path / "in.mlir", tmp_path / "out.rlx"
    source.write_text(TRANSPOSED.format(k=150, n=203, data=weight("w", w, "f32")))
    done = tool("relax-compile", source, "-o", artifact)
    assert done.returncode == 0, done.stderr
    assert artifact.stat().st_size < 1.5 * w.nbytes + 100_000
    for n in (0, 1, 2, 5, 64, 1):
        x = draw(random, (n, 150), np.float32)
        np.savez(tmp_path / "in.npz", arg0=x)
        done = tool("relax-run", artifact, "--counters", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
        assert done.returncode == 0, done.stderr
        assert "permute" not in done.stdout + done.stderr
        np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["result0"], x @ w.T)
