# Licensed under the Apache License, Version 2.0. See LICENSE.
"""relax-compile and relax-run on small programs, against numpy."""
import json
import os
import pathlib
import stat
import zlib

import numpy as np
import pytest
from generated_models import SMALL_DECODER, save_decoder

MATMUL_RELU = """
#n4 = #relax_sym.shape<[n, 4]>
#n8 = #relax_sym.shape<[n, 8]>
relax_tp.func private @matmul(%x: tensor<?x4xf32> {relax_sym.shape = #n4}, %w: tensor<4x8xf32>)
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>
  relax_tp.yield %m : tensor<?x8xf32>
}
relax_tp.func private @relu(%x: tensor<?x8xf32> {relax_sym.shape = #n8})
    outs(%o: tensor<?x8xf32> {relax_sym.shape = #n8}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %z = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %z : f32
      linalg.yield %m : f32
  } -> tensor<?x8xf32>
  relax_tp.yield %r : tensor<?x8xf32>
}
func.func @main(%x: tensor<?x4xf32, #n4> {relax.name = "x"}, %w: tensor<4x8xf32> {relax.name = "w"})
    -> (tensor<?x8xf32, #n8> {relax.name = "y"}) attributes {relax_sym.scope = #relax_sym.scope<"n <= 4096">} {
  %0 = relax.call_tp @matmul(%x, %w) : (tensor<?x4xf32, #n4>, tensor<4x8xf32>) -> tensor<?x8xf32, #n8>
  %1 = relax.call_tp @relu(%0) : (tensor<?x8xf32, #n8>) -> tensor<?x8xf32, #n8>
  return %1 : tensor<?x8xf32, #n8>
}
"""


@pytest.fixture
def compile_text(tool, tmp_path):
    """compile_text(mlir, options...) gives the artifact's path; a failure fails the test."""

    def run(text, *options):
        source, artifact = tmp_path / "in.mlir", tmp_path / "out.rlx"
        source.write_text(text)
        done = tool("relax-compile", source, "-o", artifact, *options)
        assert done.returncode == 0, done.stderr
        return artifact

    return run


@pytest.fixture
def run_artifact(tool, tmp_path):
    """run_artifact(artifact, inputs..) gives one dictionary of outputs for each dictionary of inputs, all in one process."""

    def run(artifact, *inputs, options=()):
        files = []
        for index, arrays in enumerate(inputs):
            np.savez(tmp_path / f"in{index}.npz", **arrays)
            files += ["--inputs", tmp_path / f"in{index}.npz", "--outputs", tmp_path / f"out{index}.npz"]
        done = tool("relax-run", artifact, *options, *files)
        assert done.returncode == 0, done.stderr
        return [dict(np.load(tmp_path / f"out{index}.npz")) for index in range(len(inputs))]

    return run


@pytest.fixture
def run_error(tool, tmp_path):
    """run_error(artifact, inputs) gives the message of a run that must be refused."""

    def run(artifact, inputs):
        np.savez(tmp_path / "bad.npz", **inputs)
        done = tool("relax-run", artifact, "--inputs", tmp_path / "bad.npz", "--outputs", tmp_path / "bad_out.npz")
        assert done.returncode == 1
        assert not (tmp_path / "bad_out.npz").exists()
        return done.stderr.strip()

    return run


def random(*shape):
    return np.random.default_rng(7).standard_normal(shape, dtype=np.float32)


def test_matmul_relu_at_many_sizes(compile_text, run_artifact):
    artifact = compile_text(MATMUL_RELU)
    w = random(4, 8)
    inputs = [{"x": random(n, 4), "w": w} for n in [0, 1, 3, 7, 64, 1]]
    for given, got in zip(inputs, run_artifact(artifact, *inputs)):
        want = np.maximum(given["x"] @ w, 0)
        assert got["y"].shape == want.shape and got["y"].dtype == np.float32
        np.testing.assert_allclose(got["y"], want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", ["cpu", "native", "baseline"])
def test_targets(compile_text, run_artifact, target):
    artifact = compile_text(MATMUL_RELU, f"--target={target}")
    x, w = random(5, 4), random(4, 8)
    (got,) = run_artifact(artifact, {"x": x, "w": w})
    np.testing.assert_allclose(got["y"], np.maximum(x @ w, 0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "inputs, message",
    [
        ({"x": np.zeros((3, 5), "f"), "w": np.zeros((4, 8), "f")}, "input 'x': dimension 1: expected 4, actual 5"),
        ({"x": np.zeros((3,), "f"), "w": np.zeros((4, 8), "f")}, "input 'x': expected rank 2, actual 1"),
        ({"x": np.zeros((3, 4), "d"), "w": np.zeros((4, 8), "f")}, "input 'x': expected element type float32, actual float64"),
        ({"x": np.zeros((5000, 4), "f"), "w": np.zeros((4, 8), "f")}, "fact n <= 4096 does not hold: n = 5000"),
        ({"x": np.zeros((3, 4), "f"), "w": np.zeros((3, 8), "f")}, "input 'w': dimension 0: expected 4, actual 3"),
        ({"x": np.zeros((3, 4), "f")}, "'w'"),
    ],
)
def test_wrong_inputs(compile_text, run_error, inputs, message):
    assert message in run_error(compile_text(MATMUL_RELU), inputs)


def test_the_same_module_gives_the_same_bytes(compile_text):
    first = compile_text(MATMUL_RELU).read_bytes()
    assert compile_text(MATMUL_RELU).read_bytes() == first


EXPRESSIONS = """
#n2 = #relax_sym.shape<[n * 2]>
#nm = #relax_sym.shape<[n, m]>
#m = #relax_sym.shape<[m]>
func.func @main(%x: tensor<?xf32, #n2>, %y: tensor<?x?xf32, #nm>, %z: tensor<?xf32, #m>)
    -> (tensor<?x?xf32, #nm>, !relax.shape<[n, m, n * 2 + 1]>) attributes {relax_sym.scope = #relax_sym.scope<"m >= 1", "n mod 3 == 0">} {
  %s = relax.shape_of %y : tensor<?x?xf32, #nm> -> !relax.shape<[n, m]>
  %t = relax.make_shape %s : (!relax.shape<[n, m]>) -> !relax.shape<[n, m, n * 2 + 1]>
  return %y, %t : tensor<?x?xf32, #nm>, !relax.shape<[n, m, n * 2 + 1]>
}
"""


def test_expressions_in_extents(compile_text, run_artifact, run_error):
    artifact = compile_text(EXPRESSIONS)
    inputs = [{"arg0": random(2 * n), "arg1": random(n, m), "arg2": random(m)} for n, m in [(3, 2), (0, 1), (6, 5)]]
    for given, got in zip(inputs, run_artifact(artifact, *inputs)):
        np.testing.assert_array_equal(got["result0"], given["arg1"])
        n, m = given["arg1"].shape
        np.testing.assert_array_equal(got["result1"], [n, m, 2 * n + 1])

    def error(x, y, z):
        return run_error(artifact, {"arg0": np.zeros(x, "f"), "arg1": np.zeros(y, "f"), "arg2": np.zeros(z, "f")})

    assert "input 'arg0': dimension 0: expected n * 2 = 6, actual 7" in error(7, (3, 2), 2)
    assert "input 'arg2': dimension 0: expected m = 2, actual 4" in error(6, (3, 2), 4)
    assert "fact m >= 1 does not hold: m = 0" in error(6, (3, 0), 0)
    assert "fact n mod 3 == 0 does not hold: n = 4" in error(8, (4, 2), 2)


SOLVED = """
#a = #relax_sym.shape<[n * 2 + 4]>
func.func @main(%x: tensor<?xf32, #a>) -> !relax.shape<[n]> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.shape_of %x : tensor<?xf32, #a> -> !relax.shape<[n * 2 + 4]>
  %t = relax.make_shape %s : (!relax.shape<[n * 2 + 4]>) -> !relax.shape<[n]>
  return %t : !relax.shape<[n]>
}
"""


def test_a_symbol_is_solved_for(compile_text, run_artifact, run_error):
    artifact = compile_text(SOLVED)
    got = run_artifact(artifact, *({"arg0": np.zeros(n, "f")} for n in [4, 10]))
    assert [list(one["result0"]) for one in got] == [[0], [3]]
    assert "input 'arg0': dimension 0: expected n * 2 + 4 = 10, actual 11" in run_error(artifact, {"arg0": np.zeros(11, "f")})
    assert "the extents of the inputs give n = -1, expected a size >= 0" in run_error(artifact, {"arg0": np.zeros(2, "f")})


SHAPES = """
#nm = #relax_sym.shape<[n, m]>
relax_tp.func private @iota() outs(%o: tensor<?x?xi64> {relax_sym.shape = #nm}) scalars(%n: index {relax_sym.expr = #relax_sym.expr<n>},
    %m: index {relax_sym.expr = #relax_sym.expr<m>}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%o : tensor<?x?xi64>) {
    ^bb0(%b: i64):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %k = arith.muli %i, %m : index
      %l = arith.addi %k, %j : index
      %v = arith.index_cast %l : index to i64
      linalg.yield %v : i64
  } -> tensor<?x?xi64>
  relax_tp.yield %r : tensor<?x?xi64>
}
func.func @main(%s: !relax.shape<[n, m]>) -> tensor<?x?xi64, #nm> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @iota() shape(%s) : (!relax.shape<[n, m]>) -> tensor<?x?xi64, #nm>
  return %0 : tensor<?x?xi64, #nm>
}
"""


def test_shape_arguments(compile_text, run_artifact, run_error):
    artifact = compile_text(SHAPES)
    sizes = [(2, 3), (0, 5), (4, 1)]
    for (n, m), got in zip(sizes, run_artifact(artifact, *({"arg0": np.array(size)} for size in sizes))):
        np.testing.assert_array_equal(got["result0"], np.arange(n * m).reshape(n, m))
    assert "input 'arg0': value 1: expected a size >= 0, actual -3" in run_error(artifact, {"arg0": np.array([2, -3])})
    assert "input 'arg0': dimension 0: expected 2, actual 3" in run_error(artifact, {"arg0": np.array([2, 3, 4])})
    message = run_error(artifact, {"arg0": np.array([2**32, 2**32])})
    assert "does not fit 64 bits" in message or "exceeds 2^63 bytes" in message


WEIGHTS = """
relax.weight_data @dense : tensor<2x3xf32> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
relax.weight_data @splat : tensor<5xi32> = dense<7> : tensor<5xi32>
relax.weight_data @blob : tensor<4xf32> = #relax.blob<"FILE", 8, 16, "DIGEST">
func.func @main() -> (tensor<2x3xf32>, tensor<5xi32>, tensor<4xf32>, tensor<3xi1>, tensor<0xf32>) {
  %0 = relax.weight @dense : tensor<2x3xf32>
  %1 = relax.weight @splat : tensor<5xi32>
  %2 = relax.weight @blob : tensor<4xf32>
  %3 = relax.constant dense<[true, false, true]> : tensor<3xi1>
  %4 = relax.constant dense<> : tensor<0xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<5xi32>, tensor<4xf32>, tensor<3xi1>, tensor<0xf32>
}
"""


def test_weights(tool, tmp_path, compile_text, run_artifact):
    values = random(4)
    blob = tmp_path / "weights.bin"
    blob.write_bytes(b"\0" * 8 + values.tobytes() + b"\1")
    text = WEIGHTS.replace("FILE", str(blob)).replace("DIGEST", f"{zlib.crc32(values.tobytes()):08x}")
    (got,) = run_artifact(compile_text(text), {})
    np.testing.assert_array_equal(got["result0"], np.arange(1, 7, dtype="f").reshape(2, 3))
    np.testing.assert_array_equal(got["result1"], np.full(5, 7, np.int32))
    np.testing.assert_array_equal(got["result2"], values)
    np.testing.assert_array_equal(got["result3"], [True, False, True])
    assert got["result4"].shape == (0,) and got["result3"].dtype == np.bool_

    def error():
        done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "bad.rlx")
        assert done.returncode == 1 and not (tmp_path / "bad.rlx").exists()
        assert not list(tmp_path.glob("*.tmp"))
        assert len(done.stderr.splitlines()) == 1, done.stderr
        return done.stderr

    blob.write_bytes(b"\0" * 9 + values.tobytes())
    assert "has changed: the digest of the weight is" in error()
    blob.write_bytes(b"\0" * 12)
    assert "ends 12 bytes before the weight does" in error()
    blob.unlink()
    assert "No such file or directory" in error()


BRANCH = """
#n = #relax_sym.shape<[n]>
relax_tp.func private @double(%x: tensor<?xf32> {relax_sym.shape = #n}) outs(%o: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  relax_tp.yield %r : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32, #n>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32, #n>
  %c = arith.cmpi ult, %d, %c3 : index
  %0 = scf.if %c -> tensor<?xf32, #n> {
    %1 = relax.call_tp @double(%x) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    %2 = relax.call_tp @double(%1) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
    scf.yield %2 : tensor<?xf32, #n>
  } else {
    scf.yield %x : tensor<?xf32, #n>
  }
  %3 = relax.call_tp @double(%0) : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  return %3 : tensor<?xf32, #n>
}
"""


def test_a_branch(compile_text, run_artifact):
    inputs = [{"arg0": random(n)} for n in [0, 2, 3, 9]]
    for given, got in zip(inputs, run_artifact(compile_text(BRANCH), *inputs)):
        factor = 8 if given["arg0"].size < 3 else 2
        np.testing.assert_array_equal(got["result0"], given["arg0"] * factor)


@pytest.mark.parametrize(
    "text, options, message",
    [
        ("func.func private @f()", [], "the module has no public function with a body"),
        ("func.func @f() { return }", ["--function=g"], "no public function 'g', the module has: f"),
        ("func.func @f() { return }", ["--function=*", "--function=g"], "no public function 'g', the module has: f"),
        ("func.func @f() { return }\nfunc.func @g() { return }", [],
         "several public functions, none of them 'main': choose with --function (all with --function='*'): f, g"),
        ("func.func @f() { return }", ["--target=abacus"], "unknown target 'abacus', expected 'cpu', 'native' or 'baseline', a level of CPU: 'x86-64'"),
        ("func.func @f() { return }", ["--after=cse"], "--after shows MLIR, add --emit=mlir"),
        ("func.func @f() { retrun }", [], "error"),
        ("func.func @f(%x: i32) { return }", [], "argument 0 has type 'i32', expected a tensor or a shape"),
    ],
)
def test_compile_errors(tool, tmp_path, text, options, message):
    (tmp_path / "in.mlir").write_text(text)
    done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "out.rlx", *options)
    assert done.returncode == 1
    assert message in done.stderr
    assert "see current operation" not in done.stderr
    assert not (tmp_path / "out.rlx").exists()


PAIR = """
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @NAME(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.mark.parametrize("options, entries", [
    ([], ["main"]),
    (["--function=other"], ["other"]),
    (["--function=other", "--function=main"], ["main", "other"]),
    (["--function=*"], ["main", "other"]),
])
def test_entries(tool, compile_text, options, entries):
    done = tool("relax-run", compile_text(PAIR.replace("NAME", "main"), *options), "--signature")
    assert done.returncode == 0, done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("function")] == entries


def test_the_only_entry(tool, compile_text):
    text = PAIR.replace("NAME", "f").replace("func.func @other", "func.func private @other")
    assert "function f\n" in tool("relax-run", compile_text(text), "--signature").stdout


def test_missing_input(tool, tmp_path):
    done = tool("relax-compile", tmp_path / "none.mlir", "-o", tmp_path / "out.rlx")
    assert done.returncode == 1 and "none.mlir" in done.stderr


def test_unwritable_output(tool, tmp_path):
    (tmp_path / "in.mlir").write_text("func.func @main() { return }")
    done = tool("relax-compile", tmp_path / "in.mlir", "-o", pathlib.Path("/proc/none/out.rlx"))
    assert done.returncode == 1
    assert done.stderr == "relax-compile: error: cannot write '/proc/none/out.rlx': No such file or directory\n"


def test_a_device_is_not_replaced(tool, tmp_path):
    (tmp_path / "in.mlir").write_text("func.func @main() { return }")
    os.mkfifo(tmp_path / "pipe")
    done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "pipe")
    assert done.returncode == 1 and done.stderr.endswith("pipe': not a regular file\n")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("emit, start", [("llvm", b"; ModuleID"), ("object", b"\x7fELF"), ("mlir", b"module")])
def test_other_results(tool, tmp_path, emit, start):
    (tmp_path / "in.mlir").write_text("func.func @main() { return }")
    done = tool("relax-compile", tmp_path / "in.mlir", "-o", tmp_path / "out", f"--emit={emit}")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_bytes().startswith(start)


def test_after(tool, tmp_path):
    (tmp_path / "in.mlir").write_text(MATMUL_RELU)
    done = tool("relax-compile", tmp_path / "in.mlir", "--emit=mlir", "--after=relax-plan-memory")
    assert done.returncode == 0 and "relax.tensor_at" in done.stdout
    done = tool("relax-compile", tmp_path / "in.mlir", "--emit=mlir", "--after=relax-none")
    assert done.returncode == 1 and "no pass 'relax-none' was run" in done.stderr


@pytest.mark.parametrize("last, following", [("relax-inline-calls", "relax-infer-shapes"),
                                             ("relax-verify-planned", "relax-lower-host"),
                                             ("relax-tile-rows", "relax-schedule-kernels"),
                                             ("canonicalize", "reconcile-unrealized-casts")])
def test_after_stops(tool, tmp_path, last, following):
    """Nothing runs behind the pass, be it one of functions; of a pass that runs several times, the last run counts."""
    (tmp_path / "in.mlir").write_text(MATMUL_RELU)

    def run(*options):
        done = tool("relax-compile", tmp_path / "in.mlir", "--emit=mlir", "--trace", tmp_path / "trace.json",
                    "-o", tmp_path / "out.mlir", *options)
        assert done.returncode == 0, done.stderr
        events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        return [event["name"] for event in sorted(events, key=lambda event: event["ts"]) if event["cat"] == "pass"]

    every, some = run(), run(f"--after={last}")
    assert some[-1] == last and some.count(last) == every.count(last)
    assert following in every and following not in some


HALF = """
#n = #relax_sym.shape<[n]>
relax_tp.func private @convert(%x: tensor<?xf32> {relax_sym.shape = #n}, %d: tensor<?xf64> {relax_sym.shape = #n})
    outs(%a: tensor<?xf16> {relax_sym.shape = #n}, %b: tensor<?xf16> {relax_sym.shape = #n}, %c: tensor<?xf32> {relax_sym.shape = #n})
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r:3 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                                          affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x, %d : tensor<?xf32>, tensor<?xf64>) outs(%a, %b, %c : tensor<?xf16>, tensor<?xf16>, tensor<?xf32>) {
    ^bb0(%s: f32, %t: f64, %0: f16, %1: f16, %2: f32):
      %u = arith.truncf %s : f32 to f16
      %v = arith.truncf %t : f64 to f16
      %w = arith.extf %u : f16 to f32
      linalg.yield %u, %v, %w : f16, f16, f32
  } -> (tensor<?xf16>, tensor<?xf16>, tensor<?xf32>)
  relax_tp.yield %r#0, %r#1, %r#2 : tensor<?xf16>, tensor<?xf16>, tensor<?xf32>
}
func.func @main(%x: tensor<?xf32, #n>, %d: tensor<?xf64, #n>) -> (tensor<?xf16, #n>, tensor<?xf16, #n>, tensor<?xf32, #n>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %r:3 = relax.call_tp @convert(%x, %d) : (tensor<?xf32, #n>, tensor<?xf64, #n>) -> (tensor<?xf16, #n>, tensor<?xf16, #n>, tensor<?xf32, #n>)
  return %r#0, %r#1, %r#2 : tensor<?xf16, #n>, tensor<?xf16, #n>, tensor<?xf32, #n>
}
"""


@pytest.mark.parametrize("target", ["cpu", "baseline"])
def test_half_conversions(compile_text, run_artifact, target):
    """Bit for bit as numpy, whether there are instructions for it or not: ties, subnormals, overflow, special values."""
    halves = np.arange(0x10000, dtype=np.uint16).view(np.float16)
    exact = halves[np.isfinite(halves)].astype(np.float64)
    rng = np.random.default_rng(3)
    ties = np.concatenate([exact[:-1] + (exact[1:] - exact[:-1]) / 2, [65519.99, 65520.0, 1e300, -1e300, 5e-324]])
    near = np.concatenate([np.nextafter(ties, 0), np.nextafter(ties, np.inf), rng.standard_normal(1000) * 1e-5])
    d = np.concatenate([exact, ties, near, [np.inf, -np.inf, np.nan, 0.0, -0.0]])
    with np.errstate(over="ignore", under="ignore"):
        x = d.astype(np.float32)
        (got,) = run_artifact(compile_text(HALF, f"--target={target}"), {"arg0": x, "arg1": d})
        for name, want in [("result0", x.astype(np.float16)), ("result1", d.astype(np.float16)),
                           ("result2", x.astype(np.float16).astype(np.float32))]:
            np.testing.assert_array_equal(np.isnan(got[name]), np.isnan(want))
            bits = f"u{want.dtype.itemsize}"
            np.testing.assert_array_equal(got[name].view(bits)[~np.isnan(want)], want.view(bits)[~np.isnan(want)])


CONTRACTIONS = """
#a = #relax_sym.shape<[m, k]>
#b = #relax_sym.shape<[k, p]>
#o = #relax_sym.shape<[m, p]>
#ob = #relax_sym.shape<[m, 13]>
#x = #relax_sym.shape<[m, 5, 11]>
#y = #relax_sym.shape<[m, 7, 9]>
relax_tp.func private @matmul(%a: tensor<?x?xf32> {relax_sym.shape = #a}, %b: tensor<?x?xf32> {relax_sym.shape = #b})
    outs(%o: tensor<?x?xf32> {relax_sym.shape = #o}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  relax_tp.yield %m : tensor<?x?xf32>
}
relax_tp.func private @transposed(%a: tensor<?x?xf32> {relax_sym.shape = #a}, %b: tensor<13x?xf32> {relax_sym.shape = #relax_sym.shape<[13, k]>})
    outs(%o: tensor<?x13xf32> {relax_sym.shape = #ob}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<?x13xf32>) -> tensor<?x13xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<13x?xf32>) outs(%f : tensor<?x13xf32>) {
    ^bb0(%x: f32, %y: f32, %s: f32):
      %p = arith.mulf %x, %y : f32
      %q = arith.addf %s, %p : f32
      linalg.yield %q : f32
  } -> tensor<?x13xf32>
  relax_tp.yield %m : tensor<?x13xf32>
}
relax_tp.func private @conv(%x: tensor<?x5x11xf32> {relax_sym.shape = #x}, %w: tensor<7x5x3xf32>)
    outs(%o: tensor<?x7x9xf32> {relax_sym.shape = #y}) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<?x7x9xf32>) -> tensor<?x7x9xf32>
  %c = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<?x5x11xf32>, tensor<7x5x3xf32>) outs(%f : tensor<?x7x9xf32>) -> tensor<?x7x9xf32>
  relax_tp.yield %c : tensor<?x7x9xf32>
}
func.func @main(%a: tensor<?x?xf32, #a>, %b: tensor<?x?xf32, #b>, %t: tensor<13x?xf32, #relax_sym.shape<[13, k]>>, %x: tensor<?x5x11xf32, #x>,
                %w: tensor<7x5x3xf32>) -> (tensor<?x?xf32, #o>, tensor<?x13xf32, #ob>, tensor<?x7x9xf32, #y>)
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.call_tp @matmul(%a, %b) : (tensor<?x?xf32, #a>, tensor<?x?xf32, #b>) -> tensor<?x?xf32, #o>
  %1 = relax.call_tp @transposed(%a, %t) : (tensor<?x?xf32, #a>, tensor<13x?xf32, #relax_sym.shape<[13, k]>>) -> tensor<?x13xf32, #ob>
  %2 = relax.call_tp @conv(%x, %w) : (tensor<?x5x11xf32, #x>, tensor<7x5x3xf32>) -> tensor<?x7x9xf32, #y>
  return %0, %1, %2 : tensor<?x?xf32, #o>, tensor<?x13xf32, #ob>, tensor<?x7x9xf32, #y>
}
"""


def test_contractions_with_rests(compile_text, run_artifact):
    """Loops of contractions are jammed: every rest, and nothing at all, must be right."""
    sizes = [(m, k, p) for m in [0, 1, 2, 5] for k in [0, 1, 3, 4, 7, 9] for p in [0, 1, 8, 19]]
    w = random(7, 5, 3)
    inputs = [{"arg0": random(m, k), "arg1": random(k, p), "arg2": random(13, k), "arg3": random(m, 5, 11), "arg4": w} for m, k, p in sizes]
    for given, got in zip(inputs, run_artifact(compile_text(CONTRACTIONS), *inputs)):
        np.testing.assert_allclose(got["result0"], given["arg0"] @ given["arg1"], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(got["result1"], given["arg0"] @ given["arg2"].T, rtol=1e-5, atol=1e-5)
        windows = np.lib.stride_tricks.sliding_window_view(given["arg3"], 3, axis=2)
        np.testing.assert_allclose(got["result2"], np.einsum("ncwk,ock->now", windows, w), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("options", [[], ["--mixed-precision=f16", "--target=x86-64"]])
def test_parts_side_by_side(tool, tmp_path, options):
    """Code of a large module is made in parts, which call one another's functions: the result is the same on one core."""
    save_decoder(tmp_path / "decoder.onnx", **{**SMALL_DECODER, "layers": 4})
    compiled = tool("relax-compile", tmp_path / "decoder.onnx", "-o", tmp_path / "all.rlx", *options)
    assert compiled.returncode == 0, compiled.stderr
    cores = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(cores)})
        compiled = tool("relax-compile", tmp_path / "decoder.onnx", "-o", tmp_path / "one.rlx", *options)
    finally:
        os.sched_setaffinity(0, cores)
    assert compiled.returncode == 0, compiled.stderr
    assert (tmp_path / "all.rlx").read_bytes() == (tmp_path / "one.rlx").read_bytes()
    rng = np.random.default_rng(0)
    for rows, past in [(1, 0), (7, 3), (1, 5)]:
        tensors = {"ids": rng.integers(0, SMALL_DECODER["vocabulary"], (1, rows)), "pos": np.arange(past, past + rows)[None],
                   "mask": np.zeros((1, 1, rows, past + rows), np.float32)}
        width = SMALL_DECODER["hidden"] // SMALL_DECODER["heads"]
        for layer in range(4):
            for kind in ("past_key", "past_value"):
                tensors[f"{kind}{layer}"] = rng.normal(size=(1, SMALL_DECODER["kv_heads"], past, width)).astype(np.float32)
        np.savez(tmp_path / "in.npz", **tensors)
        ran = tool("relax-run", tmp_path / "all.rlx", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz")
        assert ran.returncode == 0, ran.stderr
        assert np.isfinite(np.load(tmp_path / "out.npz")["logits"]).all()
