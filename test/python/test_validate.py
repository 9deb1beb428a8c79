# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Validation by execution: wrong passes are found and named, random programs agree through the default pipeline.

RELAX_VALIDATE_SEEDS=0:500 runs more of them; RELAX_DEVICE_TESTS=1, as in ./check --devices, more of them on a device.
"""
import importlib
import os
import re
import sys

import pytest
from test_vulkan import needs_driver

FIRST, LAST = map(int, os.environ.get("RELAX_VALIDATE_SEEDS", "9:31").split(":"))

N = "tensor<?x4xf32, #relax_sym.shape<[n, 4]>>"
MODULE = f"""
func.func @main(%x: {N}, %y: {N}) -> ({N}, {N}) attributes {{relax_sym.scope = #relax_sym.scope<"n <= 100">}} {{
  %0 = relax.add %x, %y : ({N}, {N}) -> {N}
  %1 = relax.permute_dims %0 {{permutation = array<i64: 1, 0>}} : ({N}) -> tensor<4x?xf32, #relax_sym.shape<[4, n]>>
  %2 = relax.matmul %0, %1 : ({N}, tensor<4x?xf32, #relax_sym.shape<[4, n]>>) -> tensor<?x?xf32, #relax_sym.shape<[n, n]>>
  %3 = relax.matmul %2, %x : (tensor<?x?xf32, #relax_sym.shape<[n, n]>>, {N}) -> {N}
  %4 = relax.matmul %2, %3 : (tensor<?x?xf32, #relax_sym.shape<[n, n]>>, {N}) -> {N}
  %5 = relax.subtract %4, %x : ({N}, {N}) -> {N}
  return %5, %3 : {N}, {N}
}}
"""


@pytest.fixture
def validate(tool, build, tmp_path):
    """validate(text, pipeline) gives the exit code and what was said."""

    def run(text, pipeline, more="samples=4"):
        source = tmp_path / "in.mlir"
        source.write_text(text)
        request = f"{more} reproducer={tmp_path / 'reproducer.mlir'} pipeline={pipeline}"
        done = tool("relax-opt", source, f"--load-pass-plugin={build / 'lib/WrongPasses.so'}", f"--relax-validate={request}")
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, done.stderr

    return run


def test_right_pipelines(validate):
    code, said = validate(MODULE, "relax-default-pipeline")
    assert code == 0 and re.search(r"relax-validate: \d+ executions agree; 4 samples, 0 of them errors, 0 decided by rounding", said), said
    code, said = validate(MODULE, "relax-to-linalg")
    assert code == 0, said
    # A program in buffer form, inlined.
    ints = N.replace("f32", "i32")
    code, said = validate(f"""func.func @main(%x: {ints}) -> tensor<?xi32> attributes {{relax_sym.scope = #relax_sym.scope<>}} {{
  %0 = relax.unique %x binds [u] : ({ints}) -> tensor<?xi32, #relax_sym.shape<[u]>>
  %1 = relax.erase_shape %0 : tensor<?xi32, #relax_sym.shape<[u]>> to tensor<?xi32>
  return %1 : tensor<?xi32>\n}}""", "relax-to-linalg")
    assert code == 0, said


MIXED = "relax-simplify,relax-legalize-ops,relax-optimize,symbol-dce"
WRONG = {
    "test-wrong-graph": "relax-simplify,test-wrong-graph,canonicalize",
    "test-wrong-program": "relax-simplify,relax-legalize-ops,test-wrong-program,relax-plan",
    "test-wrong-destinations": f"{MIXED},relax-make-destinations,test-wrong-destinations",
    "test-wrong-plan": f"{MIXED},relax-make-destinations,relax-plan-memory,test-wrong-plan",
    "test-wrong-host": f"{MIXED},relax-plan,relax-lower-host,test-wrong-host,relax-verify-host",
    "kernel": f"{MIXED},relax-plan,relax-lower-host,relax-convert-tensor-program-to-func,test-wrong-program,relax-lower-kernels",
    "plain": "relax-to-linalg,test-wrong-program",
}


@pytest.mark.parametrize("phase", WRONG)
def test_wrong_passes_are_named(validate, tmp_path, phase):
    code, said = validate(MODULE, WRONG[phase])
    name = "test-wrong-program" if phase in ("kernel", "plain") else phase
    assert code == 1 and f"error: pass '{name}' changed the answer: function 'main' with n = " in said, said
    assert f"{name})'" in (tmp_path / "reproducer.mlir").read_text().splitlines()[1]


NM, VECTOR = "tensor<?x?xf32, #relax_sym.shape<[n, m]>>", "tensor<?xf32, #relax_sym.shape<[n]>>"
PRODUCTS = {
    "prod": f"%r = relax.prod %x {{axes = array<i64: 1>}} : ({NM}) -> {VECTOR}",
    "cumprod": f"""%0 = relax.cumprod %x {{axis = 1 : i64}} : ({NM}) -> {NM}
  %r = relax.max %0 {{axes = array<i64: 1>}} : ({NM}) -> {VECTOR}""",
    "chain": f"""%0 = relax.cumprod %x {{axis = 0 : i64, exclusive}} : ({NM}) -> {NM}
  %1 = relax.multiply %0, %x : ({NM}, {NM}) -> {NM}
  %2 = relax.prod %1 {{axes = array<i64: 1>}} : ({NM}) -> {VECTOR}
  %r = relax.tanh %2 : {VECTOR}""",
}


@pytest.mark.parametrize("kind", PRODUCTS)
def test_wrong_products_are_found(validate, kind):
    """What is allowed to products beside overflow does not hide wrong ones."""
    module = f"""func.func @main(%x: {NM}) -> {VECTOR} attributes {{relax_sym.scope = #relax_sym.scope<"m <= 9">}} {{
  {PRODUCTS[kind]}
  return %r : {VECTOR}\n}}"""
    for pipeline in ("test-wrong-products", "relax-legalize-ops,test-wrong-products"):
        code, said = validate(module, pipeline)
        assert code == 1 and "pass 'test-wrong-products' changed the answer" in said, said
    code, said = validate(module, "relax-default-pipeline", more="samples=10 seed=7")
    assert code == 0 and "0 decided by rounding" in said, said


ROUNDED = {
    # Rows whose squares overflow in f32 only, and rows of equal numbers: both decide between two integers.
    "layer_norm": f"""%0 = relax.layer_norm %x {{axes = array<i64: 1>}} : ({NM}) -> {NM}
  %1 = relax.exp2 %0 : {NM}
  %2 = relax.constant dense<4.0> : tensor<f32>
  %3 = relax.minimum %1, %2 : ({NM}, tensor<f32>) -> {NM}
  %r = relax.astype %3 {{dtype = i64}} : ({NM}) -> {NM.replace("f32", "i64")}""",
    # log(1 + 5e-13) is 0 when the sum is rounded to f32.
    "log_softmax": f"""%0 = relax.constant dense<16.0> : tensor<f32>
  %1 = relax.multiply %x, %0 : ({NM}, tensor<f32>) -> {NM}
  %2 = relax.round %1 : {NM}
  %3 = relax.log_softmax %2 {{axis = 1 : i64}} : ({NM}) -> {NM}
  %r = relax.astype %3 {{dtype = f64}} : ({NM}) -> {NM.replace("f32", "f64")}""",
}


@pytest.mark.parametrize("kind", ROUNDED)
def test_both_sides_of_a_rounding_are_seen(validate, kind):
    result = NM.replace("f32", re.search(r"%r = .* -> .*x([if]64)", ROUNDED[kind]).group(1))
    module = f"""func.func @main(%x: {NM}) -> {result} attributes {{relax_sym.scope = #relax_sym.scope<"n <= 9", "m <= 9">}} {{
  {ROUNDED[kind]}
  return %r : {result}\n}}"""
    for seed in (2, 3, 4):
        code, said = validate(module, "relax-decompose-ops", more=f"samples=10 seed={seed}")
        assert code == 0, said


DEVICE_PIPELINE = "relax-default-pipeline{devices=vulkan}"


@needs_driver
def test_device(validate, monkeypatch, tmp_path):
    """Artifacts run on a device; without one, or without code for it, no pass is blamed."""
    code, said = validate(MODULE, DEVICE_PIPELINE, "samples=4 device=vulkan")
    assert code == 0 and "executions agree; 4 samples" in said, said
    code, said = validate(MODULE, WRONG["test-wrong-host"] + ",relax-convert-tensor-program-to-func,relax-lower-kernels{devices=vulkan}",
                          "samples=4 device=vulkan")
    assert code == 1 and "pass 'test-wrong-host' changed the answer" in said, said
    code, said = validate(MODULE, "relax-default-pipeline", "samples=4 device=vulkan")
    assert code == 1 and "nothing was compared: function 'main': " in said and "no code for device 'vulkan'" in said, said
    for name in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"]:
        monkeypatch.setenv(name, str(tmp_path / "none.json"))
    code, said = validate(MODULE, DEVICE_PIPELINE, "samples=4 device=vulkan")
    assert code == 1 and "nothing was compared: " in said and "device 'vulkan' is unavailable" in said, said


def test_reproducer_reproduces(validate, tool, build, tmp_path):
    validate(MODULE, WRONG["test-wrong-graph"])
    reproducer = tmp_path / "reproducer.mlir"
    request = re.search(r"--relax-validate='(.*)'", reproducer.read_text()).group(1)
    done = tool("relax-opt", reproducer, f"--load-pass-plugin={build / 'lib/WrongPasses.so'}",
                f"--relax-validate=reproducer={tmp_path / 'again.mlir'} {request}")
    assert done.returncode == 1 and "pass 'test-wrong-graph' changed the answer" in done.stderr, done.stderr


def test_reduce(tool, build, tmp_path):
    source, reduced = tmp_path / "in.mlir", tmp_path / "reduced.mlir"
    source.write_text(MODULE)
    done = tool("relax-reduce", source, "-o", reduced, f"--load-pass-plugin={build / 'lib/WrongPasses.so'}",
                "--relax-validate=samples=3 pipeline=test-wrong-graph")
    assert done.returncode == 0, done.stderr
    text = reduced.read_text()
    assert text.count("relax.subtract") == 1 and "matmul" not in text and "n <= 100" not in text, text
    # Any command will do.
    done = tool("relax-reduce", source, "-o", reduced, "--test=grep -q relax.permute_dims {}")
    assert done.returncode == 1 and "the test does not fail for" in done.stderr
    done = tool("relax-reduce", source, "-o", reduced, "--test=grep -q relax.permute_dims {} && echo found && exit 1", "--expect=found")
    assert done.returncode == 0, done.stderr
    assert "permute_dims" in reduced.read_text() and "matmul" not in reduced.read_text()


def test_failing_passes_and_requests(validate):
    code, said = validate(MODULE, "relax-lower-host")
    assert code == 1 and "pass 'relax-lower-host' failed" in said, said
    code, said = validate(MODULE, "canonicalize", more="sizes=3")
    assert code == 1 and "expected '[seed=N] [samples=N] [optimize=0..3] [reproducer=FILE] [device=NAME] pipeline=...', got 'sizes=3'" in said
    code, said = validate("func.func @f(%x: vector<4xf32>) {\n  return\n}\n", "canonicalize")
    assert code == 1 and "nothing was executed" in said
    division = N.replace("f32", "i32")
    code, said = validate(f"""func.func @f(%x: {division}) -> {division} attributes {{relax_sym.scope = #relax_sym.scope<"n >= 1">}} {{
  %z = relax.subtract %x, %x : ({division}, {division}) -> {division}
  %r = relax.divide %x, %z : ({division}, {division}) -> {division}
  return %r : {division}\n}}""", "canonicalize")
    assert code == 1 and "every sample ends in an error, the first one: relax.divide: integer division by zero" in said, said


@pytest.fixture(scope="module")
def generator(root):
    sys.path.insert(0, str(root / "tools/relax-random"))
    return importlib.import_module("relax_random")


def test_generator(generator, tool, tmp_path):
    """The same for the same seed; a smaller size is a beginning; valid."""
    assert generator.generate(3, 10) == generator.generate(3, 10) != generator.generate(4, 10)
    small, large = (generator.generate(7, size).split("{\n")[1].splitlines() for size in (4, 9))
    common = [line for line in small if "return" not in line and "%r" not in line and line != "}"]
    assert len(large) > len(small) > 3 and large[:len(common)] == common
    (tmp_path / "in.mlir").write_text(generator.generate(6, 15, 20))
    done = tool("relax-opt", tmp_path / "in.mlir")
    assert done.returncode == 0, done.stderr


def test_generator_makes_every_op(generator, root):
    """But for what only passes make; of every element type."""
    texts = "\n".join(path.read_text() for path in (root / "include/RelaxDialect/Dialect/Graph/IR").glob("*.td"))
    ops = set(re.findall(r'^def Relax_\w+Op\s*:\s*Relax_\w+<\s*"(\w+)"', texts, re.MULTILINE))
    made_by_passes = {"alloc", "storage", "tensor_at", "call_dps", "call_tp", "call_tp_inplace", "fusion_group", "yield"}
    programs = "\n".join(generator.generate(seed, 12) for seed in range(800))
    assert len(ops) > 180 and ops - set(re.findall(r"\brelax\.(\w+)", programs)) == made_by_passes
    elements = {"f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f8E4M3FN", "f8E5M2",
                "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "i4", "i2", "ui4", "ui2"}
    assert elements == set(re.findall(r"tensor<(?:[0-9?]+x)*(\w+)", programs))


def run(generator, seeds, pipeline, build, folder, device=None):
    outcomes = generator.validate(seeds, lambda seed: generator.generate(seed, 12), pipeline, folder, build / "bin/relax-opt", device=device)
    assert not outcomes["failed"], "\n".join(f"{seed}: {why}" for seed, why in outcomes["failed"].items())
    return outcomes["refused"]


def test_random_programs(generator, build, tmp_path):
    """No answer changes; what a pass refuses with an error is not wrong, but it is not most programs either."""
    refused = run(generator, range(FIRST, LAST), "relax-default-pipeline", build, tmp_path)
    assert len(refused) < (LAST - FIRST) / 2, refused


@needs_driver
def test_random_programs_on_a_device(generator, build, tmp_path):
    seeds = range(200) if os.environ.get("RELAX_DEVICE_TESTS") else range(FIRST, FIRST + (LAST - FIRST) // 5)
    assert not run(generator, seeds, DEVICE_PIPELINE, build, tmp_path, "vulkan")


def test_random_orders(generator, build, tmp_path):
    """Passes in other orders, to artifacts and to plain upstream IR; the log says what has run."""
    seeds = range(FIRST, FIRST + (LAST - FIRST) // 3)
    pipelines = [generator.random_pipeline(seed) for seed in range(100)]
    assert len(set(pipelines)) == 100 and any("relax-strip-shapes" in pipeline for pipeline in pipelines)
    assert not run(generator, seeds, None, build, tmp_path)
    log = tmp_path / "log"
    for count in (1, 2):
        outcomes = generator.validate(range(count), lambda seed: generator.generate(seed, 3), None, tmp_path, build / "bin/relax-opt", 0, log)
        assert len(outcomes["passed"]) == count == len(log.read_text().splitlines())


def test_random_programs_shrink(tool, build, tmp_path):
    """What fails is left, named by a command that shows it again, and shrunk."""
    plugin = f"--load-pass-plugin={build / 'lib/WrongPasses.so'}"
    done = tool("relax-random", "--validate", "1:2", "--size", "6", "--pipeline", "test-wrong-graph", plugin, "--folder", tmp_path, "--reduce")
    assert done.returncode == 1 and "pass 'test-wrong-graph' changed the answer" in done.stdout, done.stdout + done.stderr
    assert "again: relax-random --validate 1:2 --size 6" in done.stdout and "0 passed, 0 refused, 1 failed" in done.stdout
    whole, reduced = (tmp_path / f"seed1.{name}" for name in ("mlir", "reduced.mlir"))
    assert reduced.read_text().count("relax.") < whole.read_text().count("relax.") and "relax.subtract" in reduced.read_text()


# What random programs found: each once gave other answers, or none, in some size.
FOUND = """
#n = #relax_sym.shape<[n]>
#nm = #relax_sym.shape<[n, m]>
func.func @squares_of_small_numbers(%x: tensor<?xf32, #n>) -> (tensor<?xf32, #n>, tensor<f32>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = relax.constant dense<1.0e-30> : tensor<f32>
  %0 = relax.multiply %x, %c : (tensor<?xf32, #n>, tensor<f32>) -> tensor<?xf32, #n>
  %1 = relax.norm_l2 %0 {axes = array<i64>} : (tensor<?xf32, #n>) -> tensor<?xf32, #n>
  %2 = relax.variance %0 {axes = array<i64: 0>} : (tensor<?xf32, #n>) -> tensor<f32>
  return %1, %2 : tensor<?xf32, #n>, tensor<f32>
}
func.func @sign_of_zero(%x: tensor<?xf16, #n>) -> tensor<?xi8, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.sign %x : tensor<?xf16, #n>
  %1 = relax.encode %0 {format = "f8e4m3fn"} : (tensor<?xf16, #n>) -> tensor<?xi8, #n>
  return %1 : tensor<?xi8, #n>
}
func.func @sign_of_chosen_zero(%x: tensor<?xf32, #n>, %h: tensor<f32>) -> tensor<?xf32, #n> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %c = relax.constant dense<0.000000e+00> : tensor<f32>
  %0 = relax.clip %x, %c, %h : (tensor<?xf32, #n>, tensor<f32>, tensor<f32>) -> tensor<?xf32, #n>
  %1 = relax.reciprocal %0 : tensor<?xf32, #n>
  return %1 : tensor<?xf32, #n>
}
func.func @sign_of_nan(%x: tensor<?x?xf32, #nm>, %z: tensor<i8>) -> tensor<?x?xi8, #nm> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %s = relax.constant dense<2.500000e-01> : tensor<f32>
  %0 = relax.softmax %x {axis = 1 : i64} : (tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #nm>
  %1 = relax.quantize %0, %s zero(%z) {format = "f8e4m3fn"} : (tensor<?x?xf32, #nm>, tensor<f32>, tensor<i8>) -> tensor<?x?xi8, #nm>
  return %1 : tensor<?x?xi8, #nm>
}
func.func @unique_of_nothing(%x: tensor<0x?xi64, #relax_sym.shape<[0, n]>>) -> tensor<?xi64> attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.unique %x binds [u] : (tensor<0x?xi64, #relax_sym.shape<[0, n]>>) -> tensor<?xi64, #relax_sym.shape<[u]>>
  %1 = relax.erase_shape %0 : tensor<?xi64, #relax_sym.shape<[u]>> to tensor<?xi64>
  return %1 : tensor<?xi64>
}
func.func @moving_bf16(%x: tensor<?x?xbf16, #nm>, %p: tensor<i64>, %y: tensor<?x1xbf16, #relax_sym.shape<[n, 1]>>) ->
    (tensor<?x?xbf16, #nm>, tensor<?x?xbf16, #nm>) attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.cache_update %x, %y, %p {axis = 1 : i64, circular} :
    (tensor<?x?xbf16, #nm>, tensor<?x1xbf16, #relax_sym.shape<[n, 1]>>, tensor<i64>) -> tensor<?x?xbf16, #nm>
  %1 = relax.sort %x {axis = 1 : i64} : (tensor<?x?xbf16, #nm>) -> tensor<?x?xbf16, #nm>
  return %0, %1 : tensor<?x?xbf16, #nm>, tensor<?x?xbf16, #nm>
}
func.func @extents_that_are_minima(%x: tensor<?x?x?xf32, #relax_sym.shape<[n, m, m + n]>>) -> tensor<3x?xi64>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %k = relax.make_shape : () -> !relax.shape<[5]>
  %v, %i = relax.topk %x, %k {axis = 1 : i64} : (tensor<?x?x?xf32, #relax_sym.shape<[n, m, m + n]>>, !relax.shape<[5]>) ->
    (tensor<?x?x?xf32, #relax_sym.shape<[n, ?, m + n]>>, tensor<?x?x?xi64, #relax_sym.shape<[n, ?, m + n]>>)
  %0 = relax.match_cast %i binds [u] : tensor<?x?x?xi64, #relax_sym.shape<[n, ?, m + n]>> to tensor<?x?x?xi64, #relax_sym.shape<[n, u, m + n]>>
  %1 = relax.nonzero %0 binds [z] : (tensor<?x?x?xi64, #relax_sym.shape<[n, u, m + n]>>) -> tensor<3x?xi64, #relax_sym.shape<[3, z]>>
  %2 = relax.erase_shape %1 : tensor<3x?xi64, #relax_sym.shape<[3, z]>> to tensor<3x?xi64>
  return %2 : tensor<3x?xi64>
}
func.func @attention_without_depth(%x: tensor<1x1x?x0xf32, #relax_sym.shape<[1, 1, n, 0]>>) -> tensor<1x1x?x0xf32, #relax_sym.shape<[1, 1, n, 0]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.attention %x, %x, %x : (tensor<1x1x?x0xf32, #relax_sym.shape<[1, 1, n, 0]>>, tensor<1x1x?x0xf32, #relax_sym.shape<[1, 1, n, 0]>>,
    tensor<1x1x?x0xf32, #relax_sym.shape<[1, 1, n, 0]>>) -> tensor<1x1x?x0xf32, #relax_sym.shape<[1, 1, n, 0]>>
  return %0 : tensor<1x1x?x0xf32, #relax_sym.shape<[1, 1, n, 0]>>
}
func.func @products_beside_overflow(%x: tensor<?x?xf32, #nm>, %y: tensor<?x?xf16, #nm>) ->
    (tensor<?x?xf32, #nm>, tensor<?x?xf16, #nm>, tensor<?xf32, #n>) attributes {relax_sym.scope = #relax_sym.scope<"n >= 5">} {
  %c = relax.constant dense<1.0e20> : tensor<f32>
  %0 = relax.multiply %x, %c : (tensor<?x?xf32, #nm>, tensor<f32>) -> tensor<?x?xf32, #nm>
  %1 = relax.cumprod %0 {axis = 0 : i64, exclusive} : (tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #nm>
  %2 = relax.minimum %1, %c : (tensor<?x?xf32, #nm>, tensor<f32>) -> tensor<?x?xf32, #nm>
  %3 = relax.cumprod %y {axis = 1 : i64, reverse} : (tensor<?x?xf16, #nm>) -> tensor<?x?xf16, #nm>
  %4 = relax.prod %0 {axes = array<i64: 1>} : (tensor<?x?xf32, #nm>) -> tensor<?xf32, #n>
  return %2, %3, %4 : tensor<?x?xf32, #nm>, tensor<?x?xf16, #nm>, tensor<?xf32, #n>
}
func.func @quotients_of_what_may_be_zero(%x: tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #nm> attributes {relax_sym.scope = #relax_sym.scope<"n >= 5">} {
  %0 = relax.selu %x : (tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #nm>
  %1 = relax.divide %0, %0 : (tensor<?x?xf32, #nm>, tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #nm>
  return %1 : tensor<?x?xf32, #nm>
}
func.func @sums_that_cancel(%x: tensor<?x?xf32, #nm>, %y: tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #relax_sym.shape<[m, m]>>
    attributes {relax_sym.scope = #relax_sym.scope<>} {
  %0 = relax.einsum %x, %y {equation = "ab,ac->bc"} : (tensor<?x?xf32, #nm>, tensor<?x?xf32, #nm>) -> tensor<?x?xf32, #relax_sym.shape<[m, m]>>
  return %0 : tensor<?x?xf32, #relax_sym.shape<[m, m]>>
}
"""


def test_found(validate):
    code, said = validate(FOUND, "relax-default-pipeline", more="samples=8")
    assert code == 0, said
    code, said = validate(FOUND, "relax-to-linalg", more="samples=8")
    assert code == 0, said
