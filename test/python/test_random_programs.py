# Licensed under the Apache License, Version 2.0. See LICENSE.
"""What fusion and raising make of random programs computes what the programs compute. RELAX_RANDOM_SEEDS=0:500 runs more."""
import os
import re
import subprocess

import pytest
from random_programs import Graph, Loops

LOWER = ("builtin.module(canonicalize,one-shot-bufferize{bufferize-function-boundaries=true},canonicalize,"
         "func.func(convert-linalg-to-loops,lower-affine),expand-strided-metadata,lower-affine,convert-scf-to-cf,"
         "convert-math-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
         "reconcile-unrealized-casts)")
PRINT = 'func.func private @printMemrefF32(tensor<*xf32>)\n'
RUNTIME = ["libmlir_runner_utils.so", "libmlir_c_runner_utils.so"]
FIRST, LAST = map(int, os.environ.get("RELAX_RANDOM_SEEDS", "0:3").split(":"))
CASES = 12


def llvm_prefix():
    for name in ("llvm-config-22", "llvm-config"):
        try:
            return subprocess.run([name, "--prefix"], capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            continue
    pytest.skip("llvm-config is not installed")


def normalize(output):
    """Header and data of each printed tensor, without its address; the printer shows garbage for a tensor without elements."""
    tensors = []
    for part in output.split("Unranked Memref ")[1:]:
        header, data = part.split("data =", 1)
        header = header[header.index("sizes") : header.index("strides")]
        tensors.append((header, "" if 0 in map(int, re.findall(r"\d+", header)) else data.strip()))
    return tensors


def execute(tool, text, passes, folder):
    """Output of the module after `passes`, inlined, lowered by the stock mlir-opt and run."""
    prefix = llvm_prefix()
    source = folder / "module.mlir"
    source.write_text(text)
    ours = tool("relax-opt", source, *passes, "--relax-inline-tensor-programs")
    assert ours.returncode == 0, f"{passes}\n{ours.stderr}\n{text}"
    lowered = subprocess.run([f"{prefix}/bin/mlir-opt", f"--pass-pipeline={LOWER}"], input=ours.stdout, capture_output=True,
                             text=True, timeout=300)
    assert lowered.returncode == 0, f"{lowered.stderr}\n{ours.stdout}"
    libraries = ",".join(f"{prefix}/lib/{name}" for name in RUNTIME)
    run = subprocess.run([f"{prefix}/bin/mlir-runner", "-e", "main", "-entry-point-result=void", f"-shared-libs={libraries}"],
                         input=lowered.stdout, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return normalize(run.stdout), ours.stdout


def module(pairs):
    body = "\n".join(main for _, main in pairs)
    return PRINT + "".join(text for text, _ in pairs) + "func.func @main() {\n" + body + "\n  return\n}\n"


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_fusion(tool, tmp_path, seed):
    cases = []
    for case in range(CASES):
        text, main = Graph(seed * 1000 + case, f"g{case}").text(steps=10)
        for i in range(4):  # inputs of this case
            main = main.replace(f"%v{i} ", f"%g{case}_v{i} ").replace(f"%v{i},", f"%g{case}_v{i},").replace(f"%v{i})", f"%g{case}_v{i})")
        cases.append((text, main))
    text = module(cases)
    plain, _ = execute(tool, text, [], tmp_path)
    fused, ir = execute(tool, text, ["--relax-annotate-pattern-kinds", "--relax-fuse-ops", "--relax-fuse-tensor-programs"], tmp_path)
    assert plain == fused, f"seed {seed}\n{text}\n{ir}"


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_raising(tool, tmp_path, seed):
    text = module([Loops(seed * 1000 + case, f"l{case}").text() for case in range(CASES)])
    plain, _ = execute(tool, text, [], tmp_path)
    raised, ir = execute(tool, text, ["--relax-raise-loops"], tmp_path)
    assert plain == raised, f"seed {seed}\n{text}\n{ir}"
