# Licensed under the Apache License, Version 2.0. See LICENSE.
"""Validation by execution: wrong passes are found and named, random programs agree through the default pipeline.

RELAX_VALIDATE_SEEDS=0:500 runs more of them.
"""
import importlib
import os
import re
import sys

import pytest

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
}


@pytest.mark.parametrize("phase", WRONG)
def test_wrong_passes_are_named(validate, tmp_path, phase):
    code, said = validate(MODULE, WRONG[phase])
    name = "test-wrong-program" if phase == "kernel" else phase
    assert code == 1 and f"error: pass '{name}' changed the answer: function 'main' with n = " in said, said
    assert f"{name})'" in (tmp_path / "reproducer.mlir").read_text().splitlines()[1]


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
    assert code == 1 and "expected '[seed=N] [samples=N] [reproducer=FILE] pipeline=...', got 'sizes=3'" in said
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


def test_random_programs(generator, build, tmp_path):
    """No answer changes; what a pass refuses with an error is not wrong, but it is not most programs either."""
    refused, failed = generator.validate(range(FIRST, LAST), 12, 1, "relax-default-pipeline", tmp_path, build / "bin/relax-opt")
    assert not failed, "\n".join(f"relax-random --seed {seed} --size 12: {why}" for seed, why in failed.items())
    assert len(refused) < (LAST - FIRST) / 2, refused
