# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The installed package serves a project outside the tree: find_package(RelaxDialect), an opt tool, a C program."""
import importlib
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "utils"))
check_ods = importlib.import_module("check_ods")
check_symbols = importlib.import_module("check_symbols")

CONSUMER = ROOT / "test/Consumer"


def run(*command):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.fixture(scope="module")
def prefix(build, tmp_path_factory):
    """The installation."""
    folder = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", build, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def consumer(build, prefix, tmp_path_factory):
    """The build folder of test/Consumer."""
    folder = tmp_path_factory.mktemp("consumer")
    cache = (build / "CMakeCache.txt").read_text()
    options = [f"-D{name}={re.search(f'^{name}:[A-Z]+=(.*)$', cache, re.MULTILINE).group(1)}"
               for name in ("CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER")]
    if re.search(r"^RELAX_SANITIZE:BOOL=ON$", cache, re.MULTILINE):
        options += [f"-DCMAKE_{language}_FLAGS=-fsanitize=address -shared-libasan" for language in ("C", "CXX")]
    run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *options)
    run("cmake", "--build", folder)
    return folder


def test_installed_files(prefix):
    for name in ["lib/libRelaxDialect.so", "lib/librelax_runtime.so", "bin/relax-opt", "bin/relax-run",
                 "lib/cmake/RelaxDialect/RelaxDialectConfig.cmake", "include/RelaxDialect/InitAll.h",
                 "include/RelaxDialect/Runtime/Runtime.h", "include/RelaxDialect/Dialect/Sym/IR/SymAttrs.td",
                 "include/RelaxDialect/Dialect/Sym/IR/SymAttrs.h.inc"]:
        assert (prefix / name).is_file(), name
    assert list(prefix.rglob("CMakeFiles")) == []


def test_installed_tools_run(prefix):
    """The installed tools find the installed libraries."""
    programs = [tool for tool in sorted((prefix / "bin").iterdir()) if tool.read_bytes()[:4] == b"\x7fELF"]
    assert len(programs) >= 5
    for tool in programs:
        linked = run("ldd", tool)
        for library in re.findall(r"lib(?:RelaxDialect|relax_runtime)\.so => (\S+)", linked):
            assert pathlib.Path(library).resolve().is_relative_to(prefix.resolve()), f"{tool.name}: {library}"
        assert "not found" not in linked


def test_consumer_opt(consumer):
    """A pipeline of ours and of upstream in the consumer's tool."""
    out = run(consumer / "consumer-opt", "--pass-pipeline=builtin.module(relax-infer-shapes,canonicalize)",
              CONSUMER / "Inputs/relu.mlir")
    assert "relax.relu" in out and "#relax_sym.shape<[n, 4]>" in out


def test_consumer_has_one_mlir(consumer, build):
    result = check_symbols.Result()
    check_symbols.check_product(result, consumer / "consumer-opt", check_ods.llvm_paths(build)[1].parent)
    assert result.problems == []


def test_consumer_run(consumer, tmp_path):
    """The C program needs no compiler library and gets the runtime's error."""
    assert not re.search(r"lib(MLIR|LLVM)", run("ldd", consumer / "consumer-run"))
    process = subprocess.run([consumer / "consumer-run", tmp_path / "missing.rlx"], capture_output=True, text=True)
    assert process.returncode == 1
    assert "missing.rlx" in process.stdout
