# Licensed under the Apache License, Version 2.0. See LICENSE.
"""The installed package serves a project outside the tree: find_package(RelaxDialect), an opt tool, a C program."""
import importlib
import os
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


SCRIPT = re.search("<!-- file: layer.py -->\n```python\n(.*?)^```", (ROOT / "README.md").read_text(),
                   re.MULTILINE | re.DOTALL).group(1)
SHAPES = "(0, 8)\n(3, 8)\n(1000, 8)\n"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """The Python of a new environment that has numpy and nothing else."""
    folder = tmp_path_factory.mktemp("fresh")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin/python3"
    packages = pathlib.Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    import numpy
    installed = pathlib.Path(numpy.__file__).parents[1]
    for entry in installed.glob("numpy*"):
        (packages / entry.name).symlink_to(entry)
    return python, packages


def test_files_of_the_wheel(build, fresh, tmp_path):
    """What `pip install .` installs, in a fresh environment: the script of the README at three sizes."""
    cache = (build / "CMakeCache.txt").read_text()
    if re.search("^RELAX_ENABLE_PYTHON:BOOL=(OFF|0)$|^RELAX_SANITIZE:BOOL=ON$", cache, re.MULTILINE):
        pytest.skip("the build has no Python package, or an instrumented one")
    python, packages = fresh
    run("cmake", "--install", build, "--component", "python", "--prefix", packages)
    assert {"_compiler.pyi", "_runtime.pyi", "py.typed", "lib"} <= {entry.name for entry in (packages / "relax").iterdir()}
    (tmp_path / "layer.py").write_text(SCRIPT)
    assert len(SCRIPT.splitlines()) == 10
    assert run(python, "-I", tmp_path / "layer.py") == SHAPES
    # Nothing comes from the build.
    where = run(python, "-I", "-c", "import relax._compiler as c; print(open('/proc/self/maps').read())")
    libraries = set(re.findall(r"\S+(?:libRelaxDialect|librelax_runtime|_compiler)\S*", where))
    assert len(libraries) == 3 and all(library.startswith(str(packages)) for library in libraries), libraries


def test_pip_install(fresh, tmp_path):
    """The wheel itself, built from the sources: minutes, and the network for the tools that build it."""
    if not os.environ.get("RELAX_TEST_WHEEL"):
        pytest.skip("set RELAX_TEST_WHEEL=1 to build a wheel with pip, which compiles everything again")
    folder = tmp_path / "venv"
    run(sys.executable, "-m", "venv", folder)
    done = subprocess.run([folder / "bin/pip", "install", str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "layer.py").write_text(SCRIPT)
    assert run(folder / "bin/python3", "-I", tmp_path / "layer.py") == SHAPES


def test_other_mlir_is_refused(relax):
    """MLIR's C++ interface may differ between patch versions."""
    compiler = importlib.import_module("relax.compiler")
    built, loaded = importlib.import_module("relax._compiler").llvm_versions()
    assert built == loaded and built[:2] == (22, 1)
    with pytest.raises(ImportError, match=r"relax was built with MLIR 22.1.8 and finds 22.1.7; build it again"):
        compiler.check_versions((22, 1, 8), (22, 1, 7))
